#include "formula/wavelet.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace swirl::formula {

namespace {

using Coefficients = std::vector<Complex>; ///< of a polynomial, by ascending power

Complex value_at(const Coefficients& p, Complex x) {
    Complex sum = 0;
    for (std::size_t k = p.size(); k-- > 0;) sum = sum * x + p[k];
    return sum;
}

Coefficients times(const Coefficients& a, const Coefficients& b) {
    Coefficients product(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
    return product;
}

/// Weierstrass's iteration for all roots at once (Durand 1960, Kerner 1966).
std::vector<Complex> roots_of(Coefficients p) {
    constexpr int most_iterations = 500;
    for (std::size_t k = 0; k < p.size(); ++k) p[k] /= p.back();
    std::vector<Complex> roots;
    for (std::size_t k = 0; k + 1 < p.size(); ++k)
        roots.push_back(std::pow(Complex(0.4L, 0.9L), static_cast<long double>(k)));
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
        const std::vector<Complex> before = roots;
        for (std::size_t k = 0; k < roots.size(); ++k) {
            Complex denominator = 1;
            for (std::size_t l = 0; l < roots.size(); ++l)
                if (l != k) denominator *= roots[k] - roots[l];
            roots[k] -= value_at(p, roots[k]) / denominator;
        }
        if (roots == before) break;
    }
    return roots;
}

/// P(y) = Σ_{k<N} C(N−1+k, k)·y^k, y = sin²(ω/2): (1 − y)^N·P(y) + y^N·P(1 − y) = 1.
Coefficients half_band(int moments) {
    Coefficients p{1};
    long double binomial = 1;
    for (int k = 1; k < moments; ++k) {
        binomial *= static_cast<long double>(moments - 1 + k) / static_cast<long double>(k);
        p.emplace_back(std::round(binomial));
    }
    return p;
}

/// ((1 + z)/2)^count.
Coefficients zeros_at_minus_one(int count) {
    Coefficients p{1};
    for (int k = 0; k < count; ++k) p = times(p, {0.5L, 0.5L});
    return p;
}

/// The real coefficients, with sum √2.
std::vector<long double> low_pass(const Coefficients& p) {
    const long double scale = std::sqrt(2.0L) / value_at(p, 1).real();
    std::vector<long double> filter;
    for (const Complex& coefficient : p) filter.push_back(scale * coefficient.real());
    return filter;
}

/// High passes are the other channel's low passes with alternating signs.
WaveletFilters bank_of(std::vector<long double> analysis, std::vector<long double> synthesis) {
    WaveletFilters bank{{analysis, synthesis}, {synthesis, analysis}};
    for (std::size_t k = 0; k < analysis.size(); ++k) {
        if (k % 2 == 0) bank.analysis[1][k] = -bank.analysis[1][k];
        if (k % 2 == 1) bank.synthesis[1][k] = -bank.synthesis[1][k];
    }
    return bank;
}

/// With y = (2 − z − 1/z)/4 each root of P gives a pair z, 1/z; the filter has those inside the unit circle.
WaveletFilters daubechies(int moments) {
    Coefficients p = zeros_at_minus_one(moments);
    for (const Complex& y : roots_of(half_band(moments))) {
        const Complex half_sum = 1.0L - 2.0L * y, root = std::sqrt(half_sum * half_sum - 1.0L);
        const Complex z = std::abs(half_sum + root) < 1 ? half_sum + root : half_sum - root;
        p = times(p, {-z, 1});
    }
    std::vector<long double> analysis = low_pass(p);
    return bank_of(analysis, {analysis.rbegin(), analysis.rend()});
}

/// The product of the factors 1 − y/root, as a symmetric polynomial in z.
Coefficients factors_of(const std::vector<Complex>& roots) {
    Coefficients p{1};
    for (const Complex& y : roots) p = times(p, {0.25L / y, 1.0L - 0.5L / y, 0.25L / y});
    return p;
}

std::vector<long double> padded(const std::vector<long double>& filter, std::size_t before,
                                std::size_t length) {
    std::vector<long double> result(length);
    std::copy(filter.begin(), filter.end(), result.begin() + static_cast<std::ptrdiff_t>(before));
    return result;
}

/// Both low passes have `zeros` zeros at z = −1; the real roots of P go to one, the complex ones to the other.
WaveletFilters symmetric_bank(int analysis_zeros, int synthesis_zeros, const std::vector<Complex>& analysis,
                              const std::vector<Complex>& synthesis) {
    const std::vector<long double> long_one =
        low_pass(times(zeros_at_minus_one(analysis_zeros), factors_of(analysis)));
    const std::vector<long double> short_one =
        low_pass(times(zeros_at_minus_one(synthesis_zeros), factors_of(synthesis)));
    const std::size_t length = long_one.size() + 1; // of 2k + 1 taps, after one zero
    return bank_of(padded(long_one, 1, length),
                   padded(short_one, (long_one.size() - short_one.size()) / 2, length));
}

WaveletFilters cohen_daubechies_feauveau(Wavelet::Family family) {
    if (family == Wavelet::Family::cdf5_3) return symmetric_bank(2, 2, roots_of(half_band(2)), {});
    std::vector<Complex> real, complex;
    for (const Complex& root : roots_of(half_band(4)))
        (std::abs(root.imag()) < 1e-10L ? real : complex).push_back(root);
    return symmetric_bank(4, 4, complex, real);
}

} // namespace

const WaveletFilters& filters_of(Wavelet wavelet) {
    static const std::map<Wavelet, WaveletFilters> all = [] {
        std::map<Wavelet, WaveletFilters> banks;
        for (int moments = 1; moments <= Wavelet::most_moments; ++moments)
            banks[{Wavelet::Family::daubechies, moments}] = daubechies(moments);
        for (const auto family : {Wavelet::Family::cdf5_3, Wavelet::Family::cdf9_7})
            banks[{family, 0}] = cohen_daubechies_feauveau(family);
        return banks;
    }();
    const auto found = all.find(wavelet);
    ensure(found != all.end(), "a Daubechies wavelet of {} moments: must be 1 to {}", wavelet.moments,
           Wavelet::most_moments);
    return found->second;
}

bool is_symmetric(Wavelet wavelet) { return wavelet.family != Wavelet::Family::daubechies; }

std::string to_text(Wavelet wavelet) {
    if (wavelet.family == Wavelet::Family::cdf5_3) return "cdf5/3";
    if (wavelet.family == Wavelet::Family::cdf9_7) return "cdf9/7";
    return wavelet.moments == 1 ? "haar" : fmt::format("db{}", wavelet.moments);
}

Integer coefficients_of_level(const WaveletTransform& transform, Integer n) {
    if (transform.ends == Ends::periodic || transform.ends == Ends::jpeg2000) return (n + 1) / 2;
    return (n + filters_of(transform.wavelet).length() - 1) / 2;
}

Integer details_of_level(const WaveletTransform& transform, Integer n) {
    return transform.ends == Ends::jpeg2000 ? n / 2 : coefficients_of_level(transform, n);
}

std::vector<Integer> approximation_lengths(const WaveletTransform& transform, Integer n) {
    std::vector<Integer> lengths{n};
    for (int level = 0; level < transform.levels; ++level)
        lengths.push_back(coefficients_of_level(transform, lengths.back()));
    return lengths;
}

} // namespace swirl::formula
