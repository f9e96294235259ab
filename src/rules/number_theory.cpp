#include "rules/number_theory.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::rules {

namespace {
__extension__ using Wide = __int128;
} // namespace

std::vector<Integer> prime_factors(Integer n) {
    std::vector<Integer> factors;
    for (Integer p = 2; p <= n / p; p += p == 2 ? 1 : 2)
        for (; n % p == 0; n /= p) factors.push_back(p);
    if (n > 1) factors.push_back(n);
    return factors;
}

Integer least_prime_factor(Integer n) {
    for (Integer p = 2; p <= n / p; p += p == 2 ? 1 : 2)
        if (n % p == 0) return p;
    return n;
}

bool is_prime(Integer n) { return n >= 2 && least_prime_factor(n) == n; }

bool is_power_of_two(Integer n) { return n > 0 && (n & (n - 1)) == 0; }

std::vector<Integer> prime_powers(Integer n) {
    std::vector<Integer> powers;
    Integer last = 0;
    for (const Integer p : prime_factors(n)) {
        if (p == last)
            powers.back() *= p;
        else
            powers.push_back(p);
        last = p;
    }
    return powers;
}

Integer largest_prime_factor(Integer n) { return n == 1 ? 1 : prime_factors(n).back(); }

Integer convolution_length(Integer n) {
    Integer best = 0;
    for (Integer five = 1; five <= 2 * n; five *= 5)
        for (Integer three = five; three <= 2 * n; three *= 3) {
            Integer m = three;
            while (m < n || m % 4 != 0) m *= 2;
            if (best == 0 || m < best) best = m;
        }
    return best;
}

std::vector<Integer> padded_lengths(Integer least) {
    std::vector<Integer> lengths;
    for (const Integer odd : {1, 3, 5, 9, 15}) {
        Integer length = odd;
        while (length < least) length *= 2;
        lengths.push_back(length);
    }
    const Integer power_of_two = lengths.front();
    std::erase_if(lengths, [&](Integer length) { return length > power_of_two; });
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    return lengths;
}

std::vector<Integer> divisors(Integer n) {
    std::vector<Integer> result{1};
    Integer last = 0;
    std::size_t with_fewer = 0; // later divisors already contain the last prime to its current power
    for (const Integer p : prime_factors(n)) {
        const std::size_t first = p == last ? with_fewer : 0, end = result.size();
        for (std::size_t k = first; k < end; ++k) result.push_back(result[k] * p);
        with_fewer = end;
        last = p;
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<std::pair<Integer, Integer>> ordered_splits(Integer n) {
    std::vector<std::pair<Integer, Integer>> splits;
    for (const Integer m : divisors(n)) {
        if (m < 2 || m > n / m) continue;
        if (m != n / m) splits.emplace_back(n / m, m);
        splits.emplace_back(m, n / m);
    }
    std::reverse(splits.begin(), splits.end());
    return splits;
}

std::vector<std::pair<Integer, Integer>> coprime_splits(Integer n) {
    auto splits = ordered_splits(n);
    std::erase_if(splits, [](const auto& split) { return std::gcd(split.first, split.second) != 1; });
    return splits;
}

Integer multiply_modulo(Integer a, Integer b, Integer modulus) {
    return static_cast<Integer>(static_cast<Wide>(a) * b % modulus);
}

Integer power_modulo(Integer base, Integer exponent, Integer modulus) {
    Integer result = 1 % modulus;
    for (Integer square = modulo(base, modulus); exponent > 0; exponent >>= 1) {
        if (exponent & 1) result = multiply_modulo(result, square, modulus);
        square = multiply_modulo(square, square, modulus);
    }
    return result;
}

Integer inverse_modulo(Integer a, Integer modulus) {
    // Euclid's algorithm, keeping r = x·a modulo `modulus`.
    Integer r = modulus, next_r = modulo(a, modulus), x = 0, next_x = 1;
    while (next_r != 0) {
        const Integer quotient = r / next_r;
        r = std::exchange(next_r, r - quotient * next_r);
        x = std::exchange(next_x, x - quotient * next_x);
    }
    ensure(r == 1, "{} has no inverse modulo {}", a, modulus);
    return modulo(x, modulus);
}

std::vector<Integer> zero_and_powers(Integer g, Integer prime) {
    std::vector<Integer> result{0};
    for (Integer i = 0, power = 1; i < prime - 1; ++i, power = multiply_modulo(power, g, prime))
        result.push_back(power);
    return result;
}

Integer primitive_root(Integer prime) {
    auto factors = prime_factors(prime - 1);
    factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
    for (Integer g = 1;; ++g)
        if (std::all_of(factors.begin(), factors.end(),
                        [&](Integer q) { return power_modulo(g, (prime - 1) / q, prime) != 1; }))
            return g;
}

} // namespace swirl::rules
