// Multiplies two integers of 200,000 decimal digits.
//
//   example_big_integers_cpp [FOLDER]     FOLDER/big_integers.txt: distance from whole numbers by digits, for three bases
//
// The digits of a product are the convolution of the factors' digits, before carries. Each element of the convolution is a
// whole number, so rounding gives it exactly as long as the transform's error stays below a half. Two remainders prove the
// product.
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using Limbs = std::vector<std::uint32_t>; ///< digits in base 10^digits, the lowest first

struct Product {
    Limbs limbs;
    double farthest = 0; ///< largest distance of a convolution's element from a whole number
};

Product multiply(const Limbs& a, const Limbs& b, std::uint32_t base) {
    const std::size_t n = (a.size() + b.size() + 1) / 2 * 2;
    const std::string size = std::to_string(n);
    // A load callback pads with zeros, which are not read from memory.
    const auto forward = [&](const Limbs& limbs) {
        const std::vector<double> values(limbs.begin(), limbs.end());
        std::vector<std::complex<double>> spectrum(n / 2 + 1);
        swirl::plan("rdft " + size + " load=\"x where i < " + std::to_string(values.size()) + "\"")
            .execute(values.data(), spectrum.data());
        return spectrum;
    };
    std::vector<std::complex<double>> product = forward(a);
    const std::vector<std::complex<double>> other = forward(b);
    for (std::size_t k = 0; k < product.size(); ++k) product[k] *= other[k];
    std::vector<double> sums(n);
    swirl::plan("rdft " + size + " backward scale=1/" + size).execute(product, sums);

    Product result{Limbs(n), 0};
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double whole = std::round(sums[i]);
        result.farthest = std::max(result.farthest, std::abs(sums[i] - whole));
        carry += static_cast<std::uint64_t>(std::max(whole, 0.0));
        result.limbs[i] = static_cast<std::uint32_t>(carry % base);
        carry /= base;
    }
    return result;
}

Limbs random_number(std::size_t digits, int digits_a_limb, std::uint32_t base, std::mt19937& random) {
    Limbs limbs(digits / static_cast<std::size_t>(digits_a_limb));
    for (std::uint32_t& limb : limbs)
        limb = std::uniform_int_distribution<std::uint32_t>(0, base - 1)(random);
    return limbs;
}

std::uint64_t remainder(const Limbs& limbs, std::uint32_t base, std::uint64_t modulus) {
    std::uint64_t rest = 0;
    for (auto limb = limbs.rbegin(); limb != limbs.rend(); ++limb) rest = (rest * base + *limb) % modulus;
    return rest;
}

int main(int count, char** arguments) {
    std::mt19937 random(7);
    constexpr std::uint32_t base = 10000;
    const Limbs a = random_number(200'000, 4, base, random), b = random_number(200'000, 4, base, random);
    const Product product = multiply(a, b, base);
    bool is_right = product.farthest < 0.25;
    for (const std::uint64_t modulus : {998244353ULL, 1000000007ULL})
        is_right = is_right && remainder(product.limbs, base, modulus) ==
                                   remainder(a, base, modulus) * remainder(b, base, modulus) % modulus;
    std::printf("400,000 digits: elements are within %s of whole numbers\n",
                product.farthest < 0.01 ? "1/100" : "1/4");
    std::printf("remainders by two primes: %s\n", is_right ? "equal" : "different");

    if (count > 1) {
        std::ofstream out(std::string(arguments[1]) + "/big_integers.txt");
        for (std::size_t digits = 1200; digits <= 1'300'000; digits *= 2) {
            out << digits;
            for (const int digits_a_limb : {2, 3, 4, 5}) {
                const auto large = static_cast<std::uint32_t>(std::lround(std::pow(10, digits_a_limb)));
                const Limbs x = random_number(digits, digits_a_limb, large, random);
                out << ' ' << multiply(x, x, large).farthest;
            }
            out << '\n';
        }
    }
    return is_right ? 0 : 1;
}
