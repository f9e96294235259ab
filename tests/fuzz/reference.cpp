#include "fuzz/reference.hpp"

#include "fuzz/journal.hpp"
#include "problem/problem.hpp"

#include <fmt/format.h>

#ifdef SWIRL_HAVE_FFTW
#include <fftw3.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace swirl::fuzz {
namespace {

/// Multiplications that the definition may take.
constexpr double least_fast = 300'000;

/// Along the dimensions of kinds wht to wht_sequency; of data with as many elements as the transform has points.
Values wht_by_butterflies(const TransformDefinition& transform, Values data) {
    std::size_t stride = 1;
    for (std::size_t d = transform.lengths.size(); d-- > 0;) {
        const std::size_t next = stride * static_cast<std::size_t>(transform.lengths[d]);
        const TransformKind kind = transform.kind_along(d);
        const bool transforms = is_wht(kind);
        for (std::size_t half = stride; transforms && half < next; half *= 2)
            for (std::size_t i = 0; i < data.size(); ++i)
                if (i / half % 2 == 0) {
                    const Complex a = data[i], b = data[i + half];
                    data[i] = a + b;
                    data[i + half] = a - b;
                }
        if (transforms && kind != TransformKind::wht) {
            const Values natural = data;
            for (std::size_t i = 0; i < data.size(); ++i) {
                const auto k = static_cast<Integer>(i % next / stride);
                const auto row = static_cast<std::size_t>(cli::hadamard_row(kind, transform.lengths[d], k));
                data[i] = natural[i - static_cast<std::size_t>(k) * stride + row * stride];
            }
        }
        stride = next;
    }
    return data;
}

#ifdef SWIRL_HAVE_FFTW

std::size_t outputs(const TransformDefinition& transform) {
    std::size_t count = 1;
    for (std::size_t d = 0; d < transform.lengths.size(); ++d)
        count *= static_cast<std::size_t>(transform.stored_output(d));
    return count;
}

std::vector<fftwl_iodim64> dimensions_of(const TransformDefinition& transform) {
    std::vector<fftwl_iodim64> result(transform.lengths.size());
    Integer in = 1, out = 1;
    for (std::size_t d = result.size(); d-- > 0;) {
        result[d] = {transform.lengths[d], in, out};
        in *= transform.stored_input(d);
        out *= transform.stored_output(d);
    }
    return result;
}

fftw_r2r_kind r2r_kind(TransformKind kind) {
    switch (kind) {
    case TransformKind::r2hc: return FFTW_R2HC;
    case TransformKind::hc2r: return FFTW_HC2R;
    case TransformKind::dht: return FFTW_DHT;
    case TransformKind::dct1: return FFTW_REDFT00;
    case TransformKind::dst1: return FFTW_RODFT00;
    case TransformKind::dct2: return FFTW_REDFT10;
    case TransformKind::dct3: return FFTW_REDFT01;
    case TransformKind::dct4: return FFTW_REDFT11;
    case TransformKind::dst2: return FFTW_RODFT10;
    case TransformKind::dst3: return FFTW_RODFT01;
    case TransformKind::dst4: return FFTW_RODFT11;
    default: throw Failure("reference", "FFTW has no such kind");
    }
}

void run(fftwl_plan plan) {
    if (plan == nullptr) throw Failure("reference", "FFTW has no plan");
    fftwl_execute(plan);
    fftwl_destroy_plan(plan);
}

std::vector<long double> real_components(const Values& values) {
    std::vector<long double> result;
    for (const Complex& value : values) result.push_back(value.real());
    return result;
}

fftwl_complex* pairs(Values& values) { return reinterpret_cast<fftwl_complex*>(values.data()); }

/// A kind that FFTW lacks, a dct or dst of type 5 to 8: y_k = Σ c_j·x_j·f(2π·(2j + a)·(2k + b)/length), where f is the cosine or sine and
/// c_j is 2, or 1 for one j.
struct WaveOfOddPeriod {
    Integer a, b, length, undoubled;
    bool is_sine;
};

std::optional<WaveOfOddPeriod> wave_of_odd_period(TransformKind kind, Integer n) {
    const Integer less = 4 * (2 * n - 1), more = 4 * (2 * n + 1);
    switch (kind) {
    case TransformKind::dct5: return WaveOfOddPeriod{0, 0, less, 0, false};
    case TransformKind::dct6: return WaveOfOddPeriod{1, 0, less, n - 1, false};
    case TransformKind::dct7: return WaveOfOddPeriod{0, 1, less, 0, false};
    case TransformKind::dct8: return WaveOfOddPeriod{1, 1, more, -1, false};
    case TransformKind::dst5: return WaveOfOddPeriod{2, 2, more, -1, true};
    case TransformKind::dst6: return WaveOfOddPeriod{1, 2, more, -1, true};
    case TransformKind::dst7: return WaveOfOddPeriod{2, 1, more, -1, true};
    case TransformKind::dst8: return WaveOfOddPeriod{1, 1, less, n - 1, true};
    default: return std::nullopt;
    }
}

/// In each row of n elements at a stride, by FFTW's real DFT of the elements at their places among `length` zeros.
void transform_along(std::vector<long double>& data, Integer n, Integer stride, const WaveOfOddPeriod& wave) {
    std::vector<long double> sparse(static_cast<std::size_t>(wave.length)), halfcomplex(sparse.size());
    const fftwl_plan plan = fftwl_plan_r2r_1d(static_cast<int>(wave.length), sparse.data(),
                                              halfcomplex.data(), FFTW_R2HC, FFTW_ESTIMATE);
    const auto elements = static_cast<Integer>(data.size());
    for (Integer first = 0; first < elements; first += n * stride)
        for (Integer row = first; row < first + stride; ++row) {
            const auto element = [&](Integer j) -> long double& {
                return data[static_cast<std::size_t>(row + j * stride)];
            };
            std::fill(sparse.begin(), sparse.end(), 0);
            for (Integer j = 0; j < n; ++j)
                sparse[static_cast<std::size_t>(2 * j + wave.a)] = (j == wave.undoubled ? 1 : 2) * element(j);
            fftwl_execute(plan);
            for (Integer k = 0; k < n; ++k) {
                const Integer frequency = 2 * k + wave.b;
                element(k) = wave.is_sine ? -halfcomplex[static_cast<std::size_t>(wave.length - frequency)]
                                          : halfcomplex[static_cast<std::size_t>(frequency)];
            }
        }
    fftwl_destroy_plan(plan);
}

Values transform_by_fftw(const TransformDefinition& transform, Values input) {
    const std::vector<fftwl_iodim64> dimensions = dimensions_of(transform);
    const int rank = static_cast<int>(dimensions.size());
    constexpr unsigned flags = FFTW_ESTIMATE;
    Values output(outputs(transform));
    if (transform.kind == TransformKind::dft) {
        const int sign = transform.direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
        run(fftwl_plan_guru64_dft(rank, dimensions.data(), 0, nullptr, pairs(input), pairs(output), sign,
                                  flags));
        return output;
    }
    if (transform.kind == TransformKind::real_dft && transform.direction == Direction::forward) {
        std::vector<long double> reals = real_components(input);
        run(fftwl_plan_guru64_dft_r2c(rank, dimensions.data(), 0, nullptr, reals.data(), pairs(output),
                                      flags));
        return output;
    }
    std::vector<long double> results(output.size());
    if (transform.kind == TransformKind::real_dft) {
        run(fftwl_plan_guru64_dft_c2r(rank, dimensions.data(), 0, nullptr, pairs(input), results.data(),
                                      flags));
    } else {
        std::vector<long double> reals = real_components(input);
        std::vector<fftwl_iodim64> transformed, loops;
        std::vector<fftw_r2r_kind> kinds;
        for (std::size_t d = 0; d < dimensions.size(); ++d) {
            const TransformKind kind = transform.kind_along(d);
            const bool is_foreign = is_wht(kind) || wave_of_odd_period(kind, 1);
            (is_foreign ? loops : transformed).push_back(dimensions[d]);
            if (!is_foreign) kinds.push_back(r2r_kind(kind));
            if (const auto wave = wave_of_odd_period(kind, dimensions[d].n))
                transform_along(reals, dimensions[d].n, dimensions[d].is, *wave);
        }
        run(fftwl_plan_guru64_r2r(static_cast<int>(transformed.size()), transformed.data(),
                                  static_cast<int>(loops.size()), loops.data(), reals.data(), results.data(),
                                  kinds.data(), flags));
        std::copy(results.begin(), results.end(), output.begin());
        return wht_by_butterflies(transform, std::move(output));
    }
    std::copy(results.begin(), results.end(), output.begin());
    return output;
}

#else

Values transform_by_fftw(const TransformDefinition& transform, const Values& input) {
    return transform_by_definition(transform, input);
}

#endif

void prove(const TransformDefinition& transform, const Values& input, const Values& output, Random& random) {
    const long double allowed = rounding_of_outputs(transform, input);
    constexpr int proved = 2;
    for (int k = 0; k < proved; ++k) {
        std::vector<Integer> index;
        std::size_t at = 0;
        for (std::size_t d = 0; d < transform.lengths.size(); ++d) {
            index.push_back(random.integer(0, transform.stored_output(d) - 1));
            at = at * static_cast<std::size_t>(transform.stored_output(d)) +
                 static_cast<std::size_t>(index.back());
        }
        const Complex expected = output_by_definition(transform, input, index);
        if (std::abs(output[at] - expected) <= allowed) continue;
        throw Failure("reference", fmt::format("the reference is off by {} at output {}; {} are allowed",
                                               static_cast<double>(std::abs(output[at] - expected)), at,
                                               static_cast<double>(allowed)));
    }
}

} // namespace

bool has_fast_reference() {
#ifdef SWIRL_HAVE_FFTW
    return true;
#else
    return false;
#endif
}

Values reference(const TransformDefinition& transform, const Values& input, Random& random) {
    if (cost_by_definition(transform) < least_fast) return transform_by_definition(transform, input);
    Values output =
        is_wht(transform.kind) ? wht_by_butterflies(transform, input) : transform_by_fftw(transform, input);
    prove(transform, input, output, random);
    return output;
}

long double norm_of(const Complex* values, std::size_t count) {
    long double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += std::norm(values[i]);
    return std::sqrt(sum);
}

long double norm_of_spectrum(const TransformDefinition& transform, const Values& input) {
    const std::size_t last = transform.lengths.size() - 1;
    const Integer n = transform.lengths[last], stored = transform.stored_input(last);
    long double sum = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
        const Integer k = static_cast<Integer>(i) % stored;
        sum += (k > 0 && 2 * k < n ? 2 : 1) * std::norm(input[i]);
    }
    return std::sqrt(static_cast<long double>(transform.points()) * sum);
}

long double relative_error(const Complex* a, const Complex* b, std::size_t count, long double norm) {
    long double difference = 0;
    for (std::size_t i = 0; i < count; ++i) difference += std::norm(a[i] - b[i]);
    const long double error = std::sqrt(difference) / (norm > 0 ? norm : 1);
    return std::isnan(error) ? std::numeric_limits<long double>::infinity() : error;
}

WorstElement worst_element(const Complex* a, const Complex* b, std::size_t count, long double norm) {
    WorstElement worst{0, 0};
    for (std::size_t i = 0; i < count; ++i) {
        const long double error = std::abs(a[i] - b[i]);
        if (!(error <= worst.error)) worst = {i, error};
        if (std::isnan(error)) return {i, std::numeric_limits<long double>::infinity()};
    }
    if (norm > 0) worst.error /= norm / std::sqrt(static_cast<long double>(count));
    return worst;
}

} // namespace swirl::fuzz
