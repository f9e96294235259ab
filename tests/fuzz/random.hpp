#pragma once

#include <swirl/kinds.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace swirl::fuzz {

/// Random numbers independent of the machine and the standard library (splitmix64: Steele, Lea, Flood 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t word() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// From `least` to `most`, both included.
    Integer integer(Integer least, Integer most) {
        return least + static_cast<Integer>(word() % static_cast<std::uint64_t>(most - least + 1));
    }
    bool chance(int percent) { return integer(1, 100) <= percent; }
    /// In −1…1.
    double uniform() { return std::ldexp(static_cast<double>(word() >> 11), -52) - 1; }
    /// As likely between 1 and 2 as between 2 and 4.
    Integer logarithmic(Integer least, Integer most) {
        const double low = std::log2(static_cast<double>(least)), high = std::log2(static_cast<double>(most));
        const auto value = static_cast<Integer>(std::exp2(low + (uniform() + 1) / 2 * (high - low)) + 0.5);
        return value < least ? least : value > most ? most : value;
    }
    template <class T> T one_of(std::initializer_list<T> values) {
        return values.begin()[integer(0, static_cast<Integer>(values.size()) - 1)];
    }
    template <class T> const T& one_of(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(integer(0, static_cast<Integer>(values.size()) - 1))];
    }
    template <class T> void shuffle(std::vector<T>& values) {
        for (std::size_t k = values.size(); k > 1; --k)
            std::swap(values[k - 1],
                      values[static_cast<std::size_t>(integer(0, static_cast<Integer>(k) - 1))]);
    }

private:
    std::uint64_t state_;
};

} // namespace swirl::fuzz
