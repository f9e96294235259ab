#include "formula/wavelet.hpp"

#include "formula/band_matrix.hpp"
#include "formula/parse.hpp"
#include "formula/print.hpp"
#include "formula/reference.hpp"

#include <cmath>
#include <vector>

namespace swirl::formula {
namespace wavelet_test {

using Family = Wavelet::Family;
using Signal = std::vector<long double>;

std::vector<Wavelet> all_wavelets() {
    std::vector<Wavelet> wavelets{{Family::cdf5_3}, {Family::cdf9_7}};
    for (int moments = 1; moments <= Wavelet::most_moments; ++moments)
        wavelets.push_back({Family::daubechies, moments});
    return wavelets;
}
constexpr Ends all_ends[] = {Ends::zero, Ends::periodic, Ends::symmetric, Ends::reflect};

bool has_ends(Wavelet wavelet, Ends ends) { return ends != Ends::jpeg2000 || is_symmetric(wavelet); }

TEST(WaveletFilters, HaveTheirClosedForms) {
    const long double r = std::sqrt(2.0L), s = std::sqrt(3.0L);
    const auto expect_filter = [](const Signal& filter, const Signal& expected) {
        ASSERT_EQ(filter.size(), expected.size());
        for (std::size_t k = 0; k < filter.size(); ++k) EXPECT_LT(std::fabs(filter[k] - expected[k]), 1e-18L);
    };
    expect_filter(filters_of({Family::daubechies, 1}).analysis[0], {1 / r, 1 / r});
    expect_filter(filters_of({Family::daubechies, 1}).analysis[1], {-1 / r, 1 / r});
    expect_filter(filters_of({Family::daubechies, 2}).synthesis[0],
                  {(1 + s) / (4 * r), (3 + s) / (4 * r), (3 - s) / (4 * r), (1 - s) / (4 * r)});
    const WaveletFilters& short_bank = filters_of({Family::cdf5_3});
    expect_filter(short_bank.analysis[0], {0, -r / 8, r / 4, 3 * r / 4, r / 4, -r / 8});
    expect_filter(short_bank.analysis[1], {0, r / 4, -r / 2, r / 4, 0, 0});
    expect_filter(short_bank.synthesis[0], {0, r / 4, r / 2, r / 4, 0, 0});
}

// Daubechies (1992), tables 6.1 and 8.3; JPEG 2000 (ISO/IEC 15444-1), table F.2.
TEST(WaveletFilters, AreThePublishedOnes) {
    const auto expect_near = [](const Signal& filter, const Signal& expected, long double digits) {
        ASSERT_EQ(filter.size(), expected.size());
        for (std::size_t k = 0; k < filter.size(); ++k) EXPECT_LT(std::fabs(filter[k] - expected[k]), digits);
    };
    expect_near(filters_of({Family::daubechies, 4}).synthesis[0],
                {0.2303778133088964L, 0.7148465705529154L, 0.6308807679298587L, -0.0279837694168599L,
                 -0.1870348117190931L, 0.0308413818355607L, 0.0328830116668852L, -0.0105974017850690L},
                1e-15L);
    Signal low = filters_of({Family::cdf9_7}).analysis[0];
    for (long double& tap : low) tap /= std::sqrt(2.0L);
    expect_near(low,
                {0, 0.026748757411L, -0.016864118443L, -0.078223266529L, 0.266864118443L, 0.602949018236L,
                 0.266864118443L, -0.078223266529L, -0.016864118443L, 0.026748757411L},
                1e-12L);
}

TEST(WaveletFilters, ReconstructAndHaveVanishingMoments) {
    for (const Wavelet wavelet : all_wavelets()) {
        SCOPED_TRACE(to_text(wavelet));
        const WaveletFilters& bank = filters_of(wavelet);
        const Integer length = bank.length();
        const auto tap = [&](const Signal& filter, Integer k) {
            return k >= 0 && k < length ? filter[static_cast<std::size_t>(k)] : 0;
        };
        for (const int a : {0, 1})
            for (const int b : {0, 1})
                for (Integer shift = -length; shift <= length; shift += 2) {
                    long double sum = 0;
                    for (Integer k = 0; k < length; ++k)
                        sum += tap(bank.analysis[a], length - 1 - k) * tap(bank.synthesis[b], k + shift);
                    EXPECT_LT(std::fabs(sum - (a == b && shift == 0 ? 1 : 0)), 1e-17L);
                }
        const int moments = wavelet.family == Family::daubechies ? wavelet.moments
                            : wavelet.family == Family::cdf5_3   ? 2
                                                                 : 4;
        for (int power = 0; power < moments; ++power) {
            long double moment = 0, size = 0;
            for (Integer k = 0; k < length; ++k) {
                const long double term =
                    tap(bank.analysis[1], k) * std::pow(static_cast<long double>(k) - 0.5L * length, power);
                moment += term;
                size += std::fabs(term);
            }
            EXPECT_LT(std::fabs(moment), 1e-15L * size) << power;
        }
    }
}

/// The sample at any position, step by step towards the signal.
long double extended(const Signal& x, Integer position, Ends ends) {
    const auto n = static_cast<Integer>(x.size());
    const Integer period = ends == Ends::periodic ? n + n % 2 : n;
    while (position < 0 || position >= period) {
        if (ends == Ends::zero) return 0;
        if (ends == Ends::periodic) position += position < 0 ? period : -period;
        if (ends == Ends::symmetric) position = position < 0 ? -1 - position : 2 * n - 1 - position;
        if (ends == Ends::reflect || ends == Ends::jpeg2000)
            position = n == 1 ? 0 : position < 0 ? -position : 2 * n - 2 - position;
    }
    return x[static_cast<std::size_t>(std::min(position, n - 1))];
}

/// The coefficients by sums over the extended signal.
Signal transformed(const Signal& x, const WaveletTransform& transform) {
    const WaveletFilters& bank = filters_of(transform.wavelet);
    Signal approximation = x, details;
    for (int level = 0; level < transform.levels; ++level) {
        const auto n = static_cast<Integer>(approximation.size()), length = bank.length();
        const bool is_jpeg2000 = transform.ends == Ends::jpeg2000;
        const bool is_centred = is_jpeg2000 || transform.ends == Ends::periodic;
        const Integer count = is_centred ? (n + 1) / 2 : (n + length - 1) / 2;
        Signal low, high;
        for (Integer k = 0; k < count; ++k) {
            long double sums[2] = {0, 0};
            for (Integer j = 0; j < length; ++j)
                for (const int channel : {0, 1})
                    sums[channel] +=
                        bank.analysis[channel][static_cast<std::size_t>(j)] *
                        extended(approximation, 2 * k + (is_centred ? length / 2 : 1) - j, transform.ends);
            low.push_back(sums[0]);
            if (!is_jpeg2000 || 2 * k + 1 < n) high.push_back(sums[1]);
        }
        approximation = low;
        details.insert(details.begin(), high.begin(), high.end());
    }
    approximation.insert(approximation.end(), details.begin(), details.end());
    return approximation;
}

TEST(WaveletTransforms, AreTheirDefinitionsAndAreInverted) {
    for (const Wavelet wavelet : all_wavelets())
        for (const Ends ends : {Ends::zero, Ends::periodic, Ends::symmetric, Ends::reflect, Ends::jpeg2000})
            for (const Integer n : {1, 2, 3, 4, 5, 8, 13, 24})
                for (const int levels : {1, 2, 3}) {
                    if (!has_ends(wavelet, ends)) continue;
                    const Formula forward = DWT(n, wavelet, levels, ends),
                                  inverse = IDWT(n, wavelet, levels, ends);
                    SCOPED_TRACE(to_text(forward));
                    reference::Dense expected{forward.rows(), n, {}};
                    expected.entries.resize(static_cast<std::size_t>(forward.rows() * n));
                    for (Integer j = 0; j < n; ++j) {
                        Signal unit(static_cast<std::size_t>(n));
                        unit[static_cast<std::size_t>(j)] = 1;
                        const Signal column = transformed(unit, *forward.get_if<WaveletTransform>());
                        ASSERT_EQ(static_cast<Integer>(column.size()), forward.rows());
                        for (Integer i = 0; i < forward.rows(); ++i)
                            expected.entries[static_cast<std::size_t>(i * n + j)] =
                                column[static_cast<std::size_t>(i)];
                    }
                    const reference::Dense matrix = reference::of(forward);
                    EXPECT_SAME_MATRIX(matrix, expected);
                    EXPECT_SAME_MATRIX(reference::multiply(reference::of(inverse), matrix),
                                       reference::identity(n));
                    EXPECT_SAME_MATRIX(reference::of(transpose(forward)), reference::transpose(matrix));
                    EXPECT_SAME_MATRIX(reference::of(transpose(inverse)),
                                       reference::transpose(reference::of(inverse)));
                }
}

/// One level in place by lifting, and the coefficients' factors: ISO/IEC 15444-1, equations F-9 to F-11 and table F.4.
void lift(Signal& x, Family family) {
    const auto n = static_cast<Integer>(x.size());
    const auto at = [&](Integer position) { return extended(x, position, Ends::reflect); };
    const auto step = [&](Integer parity, long double factor) {
        Signal next = x;
        for (Integer i = parity; i < n; i += 2)
            next[static_cast<std::size_t>(i)] += factor * (at(i - 1) + at(i + 1));
        x = next;
    };
    if (n == 1) return;
    if (family == Family::cdf5_3) {
        step(1, -0.5L);
        step(0, 0.25L);
        return;
    }
    constexpr long double k = 1.230174104914001L;
    step(1, -1.586134342059924L);
    step(0, -0.052980118572961L);
    step(1, 0.882911075530934L);
    step(0, 0.443506852043971L);
    for (Integer i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] *= i % 2 == 0 ? 1 / k : k;
}

// Low passes of JPEG 2000 sum to 1, its high passes have the gain 2 at half the sampling rate.
TEST(WaveletTransforms, OfJpeg2000AreItsLiftingSteps) {
    const long double r = std::sqrt(2.0L);
    for (const Family family : {Family::cdf5_3, Family::cdf9_7})
        for (const Integer n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 31, 64, 101})
            for (const int levels : {1, 2, 5}) {
                Signal x, details;
                for (Integer i = 0; i < n; ++i) x.push_back(std::cos(1.3L * static_cast<long double>(i * i)));
                const Signal found = [&] {
                    Signal values;
                    for (const Complex& value : formula::apply(DWT(n, {family}, levels, Ends::jpeg2000),
                                                               std::vector<Complex>(x.begin(), x.end())))
                        values.push_back(value.real());
                    return values;
                }();
                for (int level = 0; level < levels; ++level) {
                    lift(x, family);
                    Signal low, high;
                    for (std::size_t i = 0; i < x.size(); ++i)
                        if (i % 2 == 0)
                            low.push_back(r * x[i]);
                        else
                            high.push_back(-x[i] / r);
                    x = low;
                    details.insert(details.begin(), high.begin(), high.end());
                }
                x.insert(x.end(), details.begin(), details.end());
                ASSERT_EQ(found.size(), x.size());
                for (std::size_t i = 0; i < x.size(); ++i)
                    EXPECT_LT(std::fabs(found[i] - x[i]), 1e-13L) << n << " samples, coefficient " << i;
            }
}

TEST(WaveletTransforms, OfPeriodicEndsAreOrthogonalWhereWaveletsAre) {
    for (int moments = 1; moments <= Wavelet::most_moments; ++moments) {
        const reference::Dense matrix =
            reference::of(DWT(48, {Family::daubechies, moments}, 3, Ends::periodic));
        EXPECT_SAME_MATRIX(reference::multiply(reference::transpose(matrix), matrix),
                           reference::identity(48));
    }
}

TEST(Filters, AreTheirDefinitions) {
    const std::vector<Complex> taps{{1, 2}, -3, 0.5L, {0, 1}, 0.25L};
    for (const Integer n : {5, 6, 16, 50})
        for (const auto outputs : {FilterOutputs::same, FilterOutputs::full, FilterOutputs::valid})
            for (const Ends ends : all_ends) {
                if (outputs != FilterOutputs::same && ends != Ends::zero) continue;
                const Formula filter = FIR(n, taps, ends, outputs);
                SCOPED_TRACE(to_text(filter));
                const Integer first = outputs == FilterOutputs::valid ? 4 : 0;
                const reference::Dense expected =
                    reference::from(filter.rows(), n, [&](Integer i, Integer j) {
                        Signal unit(static_cast<std::size_t>(n));
                        unit[static_cast<std::size_t>(j)] = 1;
                        Complex sum = 0;
                        for (Integer k = 0; k < 5; ++k)
                            sum += taps[static_cast<std::size_t>(k)] * extended(unit, i + first - k, ends);
                        return sum;
                    });
                EXPECT_EQ(filter.rows(), outputs == FilterOutputs::same   ? n
                                         : outputs == FilterOutputs::full ? n + 4
                                                                          : n - 4);
                EXPECT_SAME_MATRIX(reference::of(filter), expected);
                EXPECT_SAME_MATRIX(reference::of(transpose(filter)), reference::transpose(expected));
            }
    EXPECT_THROW(FIR(4, taps, Ends::zero, FilterOutputs::valid), InternalError);
    EXPECT_THROW(FIR(1000, std::vector<Complex>(129, 1)), InternalError);
}

TEST(BandMatrices, RepeatAllRowsButThoseNearTheEnds) {
    for (const Integer n : {100, 1001, 100000}) {
        const BandMatrix level =
            wavelet_level({{Family::daubechies, 4}, 1, Ends::symmetric, false, false}, n);
        const RepeatedGroups groups = repeated_groups(level);
        EXPECT_LE(groups.begin, 4);
        EXPECT_GE(groups.end, level.groups - 4);
    }
}

TEST(Filters, ArePrintedAndParsed) {
    for (const char* text :
         {"DWT(16, db4, 2, symmetric)", "DWT(17, cdf5/3, 3, jpeg2000)", "IDWT(17, cdf9/7, 1, periodic)",
          "DWT(9, haar, 3, reflect, transposed)", "DWT(8, cdf5/3, 1, zero) ⊗ IDWT(5, db10, 1, symmetric)",
          "FIR(9, zero; 1, -2, 0.5)", "FIR(9, full; 1, 2i)", "FIR(9, periodic, transposed; 1, 2)",
          "FIR(9, valid; 0.25, 0.5)"})
        EXPECT_EQ(to_text(parse(text)), text);
    EXPECT_EQ(to_text(parse("DWT(16, bior4.4)")), "DWT(16, cdf9/7, 1, symmetric)");
    EXPECT_EQ(to_text(parse("DWT(16, db1, 2)")), "DWT(16, haar, 2, symmetric)");
    EXPECT_EQ(to_text(parse("FIR(3; 1, 2)")), "FIR(3, zero; 1, 2)");
    for (const char* text : {"DWT(16, db4, 1, jpeg2000)", "FIR(9, jpeg2000; 1, 2)", "DWT(16, db11)",
                             "DWT(16)", "DWT(16, db2, 31)", "DWT(16, db2, 1, wrap)",
                             "FIR(3, valid; 1, 2, 3, 4)", "FIR(3, same; 1)", "FIR(3)"})
        EXPECT_THROW(parse(text), UserError) << text;
    EXPECT_NE(to_latex(parse("DWT(16, db4, 2)")).find("DWT"), std::string::npos);
}

} // namespace wavelet_test
} // namespace swirl::formula
