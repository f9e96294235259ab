#pragma once

#include "base/integer.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace swirl::formula {

/// An angle in turns, modulo 1: a fraction of 128 binary digits. Sums, differences and multiples wrap by themselves.
class Turns {
public:
    __extension__ using Digits = unsigned __int128;

    /// numerator/denominator, 0 ≤ numerator < denominator < 2^127; the error is at most 2^−129.
    static constexpr Turns fraction(Digits numerator, Digits denominator) {
        Digits quotient = 0;
        for (int digit = 0; digit < 128; ++digit) {
            numerator *= 2;
            const bool is_set = numerator >= denominator;
            quotient = 2 * quotient + (is_set ? 1 : 0);
            if (is_set) numerator -= denominator;
        }
        return Turns(quotient + (2 * numerator >= denominator ? 1 : 0));
    }
    explicit constexpr Turns(Digits digits) : digits_(digits) {}

    constexpr Digits digits() const { return digits_; }
    constexpr Turns operator*(Digits times) const { return Turns(digits_ * times); } ///< and so is the error
    constexpr Turns operator+(Turns other) const { return Turns(digits_ + other.digits_); }
    constexpr Turns operator-(Turns other) const { return Turns(digits_ - other.digits_); }

private:
    Digits digits_;
};

/// Points e^{2πi·t} of the unit circle for callers that need many, whatever the angles: a tabulated point times 1 + δ, δ
/// from another table, in fixed point and without a division. Error of a component at most 2^−63.
class UnitCircle {
public:
    static constexpr std::int64_t one =
        std::numeric_limits<std::int64_t>::max() - 3; ///< rounding stays in range

    /// Components in units of 1/one.
    struct Point {
        std::int64_t re, im;
    };

    UnitCircle();

    Point operator()(Turns t) const {
        const auto high = static_cast<std::uint64_t>(t.digits() >> 64);
        const Point& near = coarse_[high >> (64 - table_bits)];
        const Point& fine = fine_[high >> (64 - 2 * table_bits) & (table_size - 1)];
        // The rest is an angle r < 2^−21, and e^{ir} = 1 − r²/2 + ir but for 2^−66.
        const auto rest = static_cast<std::uint64_t>(t.digits() << (2 * table_bits) >> 64);
        const auto r = static_cast<std::int64_t>(static_cast<Turns::Digits>(rest) * turn >> rest_shift);
        const auto loss = static_cast<std::int64_t>(product(r, r) >> (delta_bits + 1));
        const std::int64_t re = fine.re - loss - scaled(product(fine.re, loss) + product(fine.im, r)),
                           im = fine.im + r + scaled(product(fine.re, r) - product(fine.im, loss));
        return {near.re + scaled(product(near.re, re) - product(near.im, im)),
                near.im + scaled(product(near.re, im) + product(near.im, re))};
    }

private:
    __extension__ using Wide = __int128;

    static constexpr int table_bits = 12;
    static constexpr std::uint64_t table_size = std::uint64_t{1} << table_bits;
    static constexpr int delta_bits = 71;                     ///< |δ| < 2^−9
    static constexpr std::uint64_t turn = 0xc90fdaa22168c235; ///< 2π·2^61
    /// From units of 2^−(64 + 2·table_bits) turns, times `turn`, to units of 2^−delta_bits.
    static constexpr int rest_shift = 64 + 2 * table_bits + 61 - delta_bits;

    static Wide product(std::int64_t a, std::int64_t b) { return static_cast<Wide>(a) * b; }
    /// A product with δ in the other factor's units, rounded.
    static std::int64_t scaled(Wide product) {
        return static_cast<std::int64_t>((product + (Wide{1} << (delta_bits - 1))) >> delta_bits);
    }

    std::vector<Point> coarse_; ///< at multiples of 2^−table_bits turns
    std::vector<Point> fine_;   ///< δ at multiples of 2^−2·table_bits turns, in units of 2^−delta_bits
};

} // namespace swirl::formula
