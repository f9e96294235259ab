#pragma once

#include "formula/formula.hpp"

#include <utility>
#include <vector>

/// Random formulas for tests.
namespace swirl::support {

/// Draws square formulas; `Below` is called with n and returns one of 0…n−1.
template <class Below> class RandomFormula {
public:
    RandomFormula(Below below, bool real) : below_(std::move(below)), real_(real) {}

    formula::Formula of(Integer n, int depth = 0) {
        using namespace formula;
        switch (below_(depth > 3 ? 5 : 9)) {
        case 0:
            if (real_) return real_transform(n);
            if (below_(6) == 0)
                return CZT(n, n, static_cast<long double>(below_(100)) / 64,
                           static_cast<long double>(below_(100) - 50) / 300);
            return DFT(n, below_(2) ? Direction::forward : Direction::backward);
        case 1: return below_(3) == 0 ? I(n) : diagonal(values(n));
        case 2: return below_(2) ? J(n) : L(n, factor_of(n));
        case 3:
            if (below_(4) > 0) return real_transform(n);
            return n <= 8 ? matrix(n, n, values(n * n)) : I(n);
        case 4:
            if (!real_ && below_(2)) return T(n, factor_of(n));
            return permutation(IndexMap::table(shuffled(n), n));
        case 5:
        case 6: {
            const Formula left = of(n, depth + 1); // operands are drawn in one order by all compilers
            return left * of(n, depth + 1);
        }
        case 7: {
            const Integer m = factor_of(n);
            const Formula left = of(m, depth + 1);
            return kron(left, of(n / m, depth + 1));
        }
        default: {
            if (n == 1) return I(1);
            const Integer m = 1 + below_(n - 1);
            const Formula left = of(m, depth + 1);
            return direct_sum(left, of(n - m, depth + 1));
        }
        }
    }

private:
    Integer factor_of(Integer n) {
        std::vector<Integer> factors;
        for (Integer m = 1; m <= n; ++m)
            if (n % m == 0) factors.push_back(m);
        return factors[static_cast<std::size_t>(below_(static_cast<Integer>(factors.size())))];
    }
    formula::Formula real_transform(Integer n) {
        using namespace formula;
        switch (below_(9)) {
        case 7: return filter(n);
        case 8: return n > 1 ? wavelet_transforms(n) : I(n);
        case 0: return RDFT(n, below_(2) ? Direction::forward : Direction::backward);
        case 1: return DCT(2 + static_cast<int>(below_(7)), n);
        case 2: return DST(2 + static_cast<int>(below_(7)), n);
        case 3: return n % 2 == 0 ? kron(DFT(2), I(n / 2)) : I(n);
        case 4: return n % 2 == 0 ? real_of(DFT(n / 2)) : circulant(values(n));
        case 5: return n % 4 == 0 ? IMDCT(n / 2) * MDCT(n / 2) : I(n);
        default: return (n & (n - 1)) == 0 ? WHT(n, static_cast<WalshOrder>(below_(3))) : I(n);
        }
    }
    formula::Ends ends() { return static_cast<formula::Ends>(below_(4)); }
    formula::Formula filter(Integer n) {
        const formula::Formula drawn = formula::FIR(n, values(1 + below_(6)), ends());
        return below_(3) == 0 ? transpose(drawn) : drawn;
    }
    /// A transform of periodic ends, or one and its inverse.
    formula::Formula wavelet_transforms(Integer n) {
        using namespace formula;
        const int moments = static_cast<int>(below_(6));
        const Wavelet wavelet =
            moments > 0 ? Wavelet{Wavelet::Family::daubechies, moments} : Wavelet{Wavelet::Family::cdf9_7};
        const int levels = 1 + static_cast<int>(below_(3));
        if (n % 8 == 0 && below_(2) == 0)
            return below_(2) == 0 ? DWT(n, wavelet, levels, Ends::periodic)
                                  : IDWT(n, wavelet, levels, Ends::periodic);
        const Ends beyond = moments == 0 && below_(3) == 0 ? Ends::jpeg2000 : ends();
        return IDWT(n, wavelet, levels, beyond) * DWT(n, wavelet, levels, beyond);
    }
    std::vector<formula::Complex> values(Integer n) {
        std::vector<formula::Complex> result;
        for (Integer i = 0; i < n; ++i) {
            const auto re = static_cast<long double>(below_(9) - 4);
            result.emplace_back(re, real_ ? 0 : static_cast<long double>(below_(3) - 1));
        }
        return result;
    }
    std::vector<Integer> shuffled(Integer n) {
        std::vector<Integer> result;
        for (Integer i = 0; i < n; ++i) result.push_back(i);
        for (Integer k = n; k > 1; --k)
            std::swap(result[static_cast<std::size_t>(k - 1)], result[static_cast<std::size_t>(below_(k))]);
        return result;
    }

    Below below_;
    bool real_;
};

/// A formula of n rows and columns; real if every entry of its terms shall be.
template <class Below> formula::Formula random_formula(Below below, Integer n, bool real) {
    return RandomFormula<Below>(std::move(below), real).of(n);
}

} // namespace swirl::support
