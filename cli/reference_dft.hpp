#pragma once

#include "cli/reference.hpp"

#include <map>
#include <memory>
#include <vector>

namespace swirl::cli {

/// The complex DFT of one length in long double: mixed radix down to the prime factors; large primes through a cyclic
/// convolution of power-of-two length (Bluestein 1970).
class ReferenceDft {
public:
    explicit ReferenceDft(Integer n, Direction direction = Direction::forward);
    ~ReferenceDft();
    ReferenceDft(ReferenceDft&&) noexcept;

    /// Both of length n, not overlapping.
    void apply(const Complex* in, Complex* out) const;

private:
    struct Chirp;
    void transform(const Complex* in, Integer stride, Complex* out, Integer length, std::size_t level) const;
    void combine(Complex* out, Integer radix, Integer length) const;
    void combine_pairs(Complex* out, Integer length) const;
    void combine_by_chirp(Complex* out, Integer radix, Integer length) const;
    void combine_by_definition(Complex* out, Integer radix, Integer length) const;

    Integer n_;
    std::vector<Integer> factors_;                     ///< primes in increasing order
    std::vector<Complex> roots_;                       ///< ω_n^k
    std::map<Integer, std::unique_ptr<Chirp>> chirps_; ///< for each large prime factor
};

} // namespace swirl::cli
