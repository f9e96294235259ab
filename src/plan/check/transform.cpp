#include "plan/check/transform.hpp"

#include "base/error.hpp"
#include "formula/properties.hpp"
#include "plan/check/definition.hpp"
#include "plan/check/formula_functional.hpp"
#include "plan/check/problem_data.hpp"
#include "plan/check/write_watch.hpp"
#include "problem/data_type.hpp"
#include "problem/expression_at.hpp"
#include "problem/syntax.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <utility>

namespace swirl::planning {

namespace {

using Value = std::complex<double>;

/// Elements between two calls of `interrupt`: some milliseconds.
constexpr Integer elements_per_call = Integer{1} << 17;

/// Skips the standard library's handling of infinities: finite values do not need it, and others fail the check anyway.
Value times(const Value& a, const Value& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Calls a function, unless it is empty, once for so many elements.
class Interrupt {
public:
    explicit Interrupt(const std::function<void()>& f) : f_(f) {}
    void after_elements(Integer count) {
        elements_ += count;
        if (elements_ < elements_per_call) return;
        elements_ = 0;
        now();
    }
    void now() const {
        if (f_) f_();
    }

private:
    const std::function<void()>& f_;
    Integer elements_ = 0;
};

/// Σ over all points of data[point]·Π rows[d][index_d]; `from` is the offset of the point with index 0.
Value weighted_sum(const ProblemData& data, const Transform& problem, Side side, const std::vector<Row>& rows,
                   Integer from, Interrupt& interrupt, std::size_t d = 0) {
    const Dimension& dimension = problem.dimensions[d];
    Value sum = 0;
    const Integer length = stored_length(problem, d, side), stride = stride_of(dimension, side);
    if (d + 1 < problem.dimensions.size()) {
        for (Integer j = 0; j < length; ++j)
            sum += times(rows[d][j],
                         weighted_sum(data, problem, side, rows, from + j * stride, interrupt, d + 1));
        return sum;
    }
    std::array<Value, 64> weights,
        values; // in blocks: dispatches on data type and kind of row once per block
    for (Integer begin = 0; begin < length; begin += static_cast<Integer>(values.size())) {
        const std::size_t count = std::min(values.size(), static_cast<std::size_t>(length - begin));
        rows[d].weights(begin, std::span(weights).first(count));
        data.get(side, from + begin * stride, stride, std::span(values).first(count));
        for (std::size_t k = 0; k < count; ++k) sum += times(weights[k], values[k]);
        interrupt.after_elements(static_cast<Integer>(count));
    }
    return sum;
}

/// Relative tolerance of an output, to be multiplied by √points and the number of passes.
double relative_tolerance(DataType precision) {
    switch (precision) {
    case DataType::float32: return 2e-5;
    case DataType::float16: return 0x1p-9; // each output is rounded once, with relative error 2^-11
    case DataType::bfloat16: return 0x1p-6;
    case DataType::float64: return 1e-10;
    default: throw InternalError("a transform of {}", name_of(precision));
    }
}

/// Distance of neighbouring values around 0.
double smallest_subnormal(DataType precision) {
    switch (precision) {
    case DataType::float32: return 0x1p-149;
    case DataType::float16: return 0x1p-24;
    case DataType::bfloat16: return 0x1p-133;
    case DataType::float64: return 0x1p-1074;
    default: throw InternalError("a transform of {}", name_of(precision));
    }
}

/// Whether the rows of a kind's matrix may have norms up to 2√n.
bool has_factor_two(TransformKind kind) {
    switch (kind) {
    case TransformKind::dct1:
    case TransformKind::dst1:
    case TransformKind::hc2r:
    case TransformKind::dct2:
    case TransformKind::dct3:
    case TransformKind::dct4:
    case TransformKind::dst2:
    case TransformKind::dst3:
    case TransformKind::dst4:
    case TransformKind::dct5:
    case TransformKind::dct6:
    case TransformKind::dct7:
    case TransformKind::dct8:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7:
    case TransformKind::dst8: return true;
    default: return false;
    }
}

/// √Σ|entry|² of a vector or a matrix.
double norm_of(const Row& row) {
    double sum = 0;
    for (Integer j = 0; j < row.size(); ++j) sum += std::norm(row[j]);
    return std::sqrt(sum);
}
double norm_of(TransformKind kind, Integer length) {
    const auto n = static_cast<double>(length);
    switch (kind) {
    case TransformKind::dct1: return std::sqrt(2 * n * n - 4); // two columns of ±1 alone
    case TransformKind::dst1: return std::sqrt(2 * n * (n + 1));
    case TransformKind::hc2r: return std::sqrt(n * (2 * n - (length % 2 == 0 ? 2 : 1)));
    case TransformKind::r2hc: return std::sqrt(n * (n + (length % 2 == 0 ? 2 : 1)) / 2);
    case TransformKind::dct2:
    case TransformKind::dst2: return std::sqrt(2 * n * (n + 1)); // one row of ±2 alone
    case TransformKind::dct3:
    case TransformKind::dst3: return std::sqrt(n * (2 * n - 1)); // one column of ±1 alone
    case TransformKind::dct4:
    case TransformKind::dst4: return std::sqrt(2.0) * n;
    case TransformKind::dct5:
    case TransformKind::dct6:
    case TransformKind::dct7:
    case TransformKind::dst8: return std::sqrt(2 * n * n - 1);
    case TransformKind::dct8:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7: return std::sqrt(n * (2 * n + 1));
    default: return n;
    }
}

/// DataType of the arithmetic.
DataType working_precision(const Transform& problem) {
    return problem.precision == DataType::float64 ? DataType::float64 : DataType::float32;
}

/// The same transform of contiguous doubles, without load and store callbacks.
Transform without_expressions(const Transform& problem) {
    TransformOptions options{.direction = problem.direction,
                             .scale = problem.scale,
                             .spectrum = problem.spectrum,
                             .matrix = problem.matrix,
                             .kinds = problem.kinds};
    for (const Dimension& loop : problem.batches) options.batches.push_back({.count = loop.length});
    std::vector<Integer> lengths;
    for (const Dimension& dimension : problem.dimensions) lengths.push_back(dimension.length);
    return Transform::make(problem.kind, lengths, options);
}

class Check {
public:
    Check(const Transform& problem, const std::string& plan, const std::function<void()>& interrupt)
        : problem_(problem), plan_(plan), data_(problem_), interrupt_(interrupt) {
        if (has_formula(problem)) formula_.emplace(problem.matrix.term());
        if (problem.load.is_identity()) return;
        plain_problem_ = without_expressions(problem);
        plain_data_.emplace(*plain_problem_);
    }

    void run(const std::function<void(ProblemData&)>& execute) {
        interrupt_.now();
        fill();
        interrupt_.now();
        const bool is_compared = has_headroom(amplitude_);
        std::vector<Expectation> expectations; // before execution: in place, it overwrites its input
        std::vector<Value> sums;
        if (is_compared) {
            for (const std::vector<Integer>& batch : batches()) expectations.push_back(expectation(batch));
            sums = functionals();
        }
        WriteWatch watch(data_, problem_, plan_);
        interrupt_.now();
        execute(data_);
        interrupt_.now();
        watch.require_surroundings();
        for (const Expectation& expected : expectations) compare(expected);
        compare_functionals(sums);
        watch.require_gaps();
    }

private:
    /// Expected results of one transform of the batch.
    struct Expectation {
        std::vector<Integer> indices;
        bool is_stored = true;
        Integer point;    ///< offset of one of its outputs
        Value at_point;   ///< value of that output
        double tolerance; ///< of one output
    };

    /// The transformed data: the input, or the input after the load expression.
    const Transform& source() const { return plain_problem_ ? *plain_problem_ : problem_; }
    const ProblemData& source_data() const { return plain_data_ ? *plain_data_ : data_; }

    ExpressionAt expression_at(Side side) const {
        return ExpressionAt(problem_, side, [this](std::size_t array, Integer element) {
            return data_.get_auxiliary(array, element);
        });
    }

    void load_plain() {
        const ExpressionAt load = expression_at(Side::input);
        const std::vector<Axis> from = axes(problem_, Side::input), to = axes(*plain_problem_, Side::input);
        for_each_index(from, [&](const std::vector<Integer>& indices) {
            const Value x =
                load.touches(indices) ? data_.get(Side::input, offset_of(from, indices)) : Value(0);
            const Value value = load(x, indices);
            amplitude_ = std::max(amplitude_, std::abs(value));
            plain_data_->set(Side::input, offset_of(to, indices), value);
        });
    }

    /// Fills the input, the auxiliary arrays, and the data after the load expression.
    void fill() {
        amplitude_ = input_amplitude();
        data_.fill_input(1, amplitude_);
        if (is_convolution(problem_)) fill_spectra();
        if (plain_data_) load_plain();
        for (const Dimension& dimension : problem_.dimensions) {
            angles_.push_back(
                functional_angle(along(angles_.size()), dimension.length, random_below(dimension.length)));
            powers_.push_back(powers(angles_.back(), stored_length(problem_, powers_.size(), Side::output)));
        }
    }

    /// Exponent of the largest representable results.
    int headroom_bits() const {
        return std::min(largest_exponent(problem_.precision),
                        largest_exponent(stored_precision(problem_, Side::output)));
    }

    /// 1, or less if the scale would make results overflow.
    double input_amplitude() const {
        constexpr int exponent_of_16 = 4;
        const double gain = largest_gain();
        if (!std::isfinite(gain)) return 1; // results are infinite; see has_headroom
        int exponent = 0;                   // bounds the results; the bound itself may overflow
        std::frexp(problem_.scale, &exponent);
        exponent += exponent_of_16 + std::ilogb(gain) + 1;
        return std::ldexp(1.0, std::min(0, headroom_bits() - 1 - exponent));
    }

    /// Whether data of this amplitude stays far from overflow, and inputs from underflow.
    bool has_headroom(double amplitude) const {
        const int smallest_normal = 2 - largest_exponent(stored_precision(problem_, Side::input));
        if (amplitude < std::ldexp(1.0, smallest_normal)) return false;
        const bool has_scale =
            std::abs(problem_.scale) / 2 < std::ldexp(1.0, largest_exponent(working_precision(problem_)));
        const double largest = 16 * amplitude * largest_gain() * std::abs(problem_.scale);
        return has_scale && largest < std::ldexp(1.0, headroom_bits());
    }

    /// Approximate bound on the ratio of outputs to random inputs: rows of cosines and sines have norms up to 2√n.
    double largest_gain() const {
        if (formula_) return formula_->largest();
        int doublings = 0;
        for (std::size_t d = 0; d < problem_.dimensions.size(); ++d)
            doublings += has_factor_two(along(d)) ? 1 : 0;
        return std::ldexp(std::sqrt(points()), doublings);
    }

    /// Absolute tolerance of an output, per unit of gain and pass. A tiny scale has few significant digits.
    double tolerance_of_elements() const {
        const DataType working = working_precision(problem_);
        const double relative = std::max(relative_tolerance(stored_precision(problem_, Side::output)),
                                         relative_tolerance(working));
        return amplitude_ * (relative * std::abs(problem_.scale) + smallest_subnormal(working));
    }

    /// Tolerance of a sum of outputs that is `gain` times as large as random inputs, before the store expression.
    double tolerance(double gain, double outputs) const {
        const double passes = 2 + std::log2(points());
        return tolerance_of_elements() * gain * passes +
               smallest_subnormal(stored_precision(problem_, Side::output)) * std::sqrt(outputs);
    }

    /// Gain of one output: the norm of its row of the transform's matrix, a product of `rows` along the dimensions.
    double gain_of(const std::vector<Row>& rows) const {
        if (is_convolution(problem_)) return 4;
        double gain = 1;
        for (std::size_t d = 0; d < rows.size(); ++d)
            gain *= has_factor_two(along(d)) ? norm_of(rows[d])
                                             : std::sqrt(static_cast<double>(problem_.dimensions[d].length));
        return gain;
    }

    /// Gain of a weighted sum of all outputs, each with an error of its own.
    double gain_of_functional() const {
        if (formula_) return formula_functional().gain;
        if (is_convolution(problem_)) return 4 * std::sqrt(points());
        double gain = 1;
        for (std::size_t d = 0; d < problem_.dimensions.size(); ++d)
            gain *= norm_of(along(d), problem_.dimensions[d].length);
        return gain;
    }

    const FormulaFunctionals::Functional& formula_functional() const {
        if (!functional_) {
            FormulaFunctionals::Vector weights(static_cast<std::size_t>(powers_[0].size()));
            powers_[0].weights(0, weights);
            functional_ = formula_->of(std::move(weights));
        }
        return *functional_;
    }

    /// Applies the store expression to an expected output and to its tolerance.
    void store(Expectation& expected) const {
        const ExpressionAt at = expression_at(Side::output);
        expected.is_stored = at.touches(expected.indices);
        if (!expected.is_stored) return;
        const Value raw = expected.at_point, value = at(raw, expected.indices);
        double change = 0;
        for (const Value direction : {Value(1, 0), Value(-1, 0), Value(0, 1), Value(0, -1)})
            change = std::max(change,
                              std::abs(at(raw + expected.tolerance * direction, expected.indices) - value));
        const double rounding = 4 * relative_tolerance(stored_precision(problem_, Side::output));
        expected.at_point = value;
        expected.tolerance = change + rounding * std::abs(value) + expected.tolerance;
    }

    /// Indices of the first and last transform of the batch, and one in between.
    std::vector<std::vector<Integer>> batches() {
        std::vector<std::vector<Integer>> result(3);
        for (const Dimension& loop : problem_.batches) {
            result[0].push_back(0);
            result[1].push_back(loop.length - 1);
            result[2].push_back(random_below(loop.length));
        }
        if (batch_count(problem_) == 1) result.resize(1);
        constexpr std::size_t points = 4; // single outputs per transform if nothing else can be compared
        if (!problem_.store.is_identity())
            for (std::size_t k = 0, count = result.size(); k < (points - 1) * count; ++k)
                result.push_back(result[k]);
        return result;
    }

    /// One impulse of a convolution's kernel. With a kernel of a few impulses, results are sums of a few inputs.
    struct Impulse {
        Value height;
        std::vector<Integer> at; ///< index along each dimension
    };

    /// The kernel of transform b is that of transform 0 times this.
    Value factor_of_kernel(Integer b) const {
        const double angle = 0.7 * static_cast<double>(b);
        return is_real_convolution() ? Value(1 + 0.5 * std::sin(angle)) : std::polar(1.0, angle);
    }
    bool is_real_convolution() const { return problem_.kind == TransformKind::real_convolution; }

    void fill_spectra() {
        for (int k = 0; k < 3; ++k) {
            const double height = 0.5 + 0.25 * k;
            Impulse& impulse = impulses_.emplace_back(
                Impulse{is_real_convolution() ? Value(height) : std::polar(height, 1.0 + k), {}});
            for (const Dimension& d : problem_.dimensions) impulse.at.push_back(random_below(d.length));
        }
        const std::vector<Integer> lengths = spectrum_lengths(problem_);
        const Integer points =
            std::accumulate(lengths.begin(), lengths.end(), Integer{1}, std::multiplies<>());
        std::vector<std::vector<Row>> rows; // by impulse and dimension
        for (const Impulse& impulse : impulses_) {
            auto& own = rows.emplace_back();
            for (std::size_t d = 0; d < impulse.at.size(); ++d)
                own.push_back(definition_row(TransformKind::dft, Direction::forward,
                                             problem_.dimensions[d].length, impulse.at[d]));
        }
        const Integer spectra = problem_.spectrum == Sharing::each ? batch_count(problem_) : 1;
        for (Integer i = 0; i < points; ++i) {
            Value value = 0;
            for (std::size_t k = 0; k < impulses_.size(); ++k) {
                Value term = impulses_[k].height;
                Integer rest = i;
                for (std::size_t d = problem_.dimensions.size(); d-- > 0;) {
                    term *= rows[k][d][rest % lengths[d]];
                    rest /= lengths[d];
                }
                value += term;
            }
            for (Integer b = 0; b < spectra; ++b)
                data_.set_auxiliary(0, b * points + i, factor_of_kernel(b) * value);
            interrupt_.after_elements(1);
        }
    }

    Value convolved_at(Integer from, const std::vector<Integer>& point) const {
        Value sum = 0;
        for (const Impulse& impulse : impulses_) {
            Integer at = from;
            for (std::size_t d = 0; d < point.size(); ++d) {
                const Dimension& dimension = source().dimensions[d];
                at += modulo(point[d] - impulse.at[d], dimension.length) * dimension.input_stride;
            }
            sum += impulse.height * source_data().get(Side::input, at);
        }
        return sum;
    }

    /// The sum of all outputs with these weights.
    Value convolved_with(Integer from, const std::vector<Row>& weights) const {
        Value sum = 0;
        for (const Impulse& impulse : impulses_) {
            std::vector<Row> shifted;
            for (std::size_t d = 0; d < weights.size(); ++d)
                shifted.push_back(rotated(weights[d], impulse.at[d]));
            sum += impulse.height *
                   weighted_sum(source_data(), source(), Side::input, shifted, from, interrupt_);
        }
        return sum;
    }

    Integer random_below(Integer n) { return static_cast<Integer>(random_()) % n; }

    /// Offsets of one transform's input and output, and its index in the batch.
    struct TransformOfBatch {
        Integer input = 0, output = 0, index = 0;
    };
    TransformOfBatch transform(const std::vector<Integer>& batch) const {
        TransformOfBatch result;
        for (std::size_t k = 0; k < batch.size(); ++k) {
            result.index = result.index * problem_.batches[k].length + batch[k];
            result.input += batch[k] * source().batches[k].input_stride;
            result.output += batch[k] * problem_.batches[k].output_stride;
        }
        return result;
    }

    /// Factor of a convolution's sums of impulses.
    Value factor_of(Integer index) const {
        return problem_.scale * (problem_.spectrum == Sharing::each ? factor_of_kernel(index) : Value(1));
    }

    Expectation expectation(const std::vector<Integer>& batch) {
        const TransformOfBatch one_transform = transform(batch);
        Expectation result{.indices = batch, .point = one_transform.output, .at_point = 0, .tolerance = 0};
        const bool convolves = is_convolution(problem_);
        std::vector<Row> one;
        std::optional<double> gain; ///< of a formula's output
        std::vector<Integer> point;
        for (std::size_t d = 0; d < problem_.dimensions.size(); ++d) {
            const Dimension& dimension = problem_.dimensions[d];
            const Integer k = random_below(stored_length(problem_, d, Side::output));
            point.push_back(k);
            result.indices.push_back(k);
            if (formula_) {
                FormulaFunctionals::Vector weights(static_cast<std::size_t>(problem_.matrix.rows()));
                weights[static_cast<std::size_t>(k)] = 1;
                auto functional = formula_->of(std::move(weights));
                one.push_back(std::move(functional.row));
                gain = functional.gain;
            } else if (!convolves)
                one.push_back(definition_row(along(d), problem_.direction, dimension.length, k));
            result.point += k * dimension.output_stride;
        }
        if (convolves) {
            result.at_point = factor_of(one_transform.index) * convolved_at(one_transform.input, point);
        } else {
            const Value sum =
                weighted_sum(source_data(), source(), Side::input, one, one_transform.input, interrupt_);
            result.at_point = problem_.scale * (makes_reals() ? sum.real() : sum);
        }
        result.tolerance = tolerance(gain ? *gain : gain_of(one), 1);
        if (!problem_.store.is_identity()) store(result);
        return result;
    }

    void compare(const Expectation& expected) const {
        if (!expected.is_stored) return;
        const double largest = std::ldexp(0.5, largest_exponent(stored_precision(problem_, Side::output)));
        if (std::abs(expected.at_point) > largest) return;
        require(data_.get(Side::output, expected.point), expected.at_point, expected.tolerance);
    }

    std::vector<Axis> batch_axes() const {
        std::vector<Axis> result;
        for (const Dimension& loop : problem_.batches) result.push_back({loop.length, 0});
        return result;
    }

    /// For each transform of the batch, the sum of all outputs with weights `powers_`. None with a store expression,
    /// because such sums then do not follow from sums over the input.
    std::vector<Value> functionals() const {
        std::vector<Value> result;
        if (!problem_.store.is_identity()) return result;
        const bool convolves = is_convolution(problem_);
        const std::vector<Row> rows = convolves ? std::vector<Row>() : rows_of_functional(1);
        const std::vector<Row> conjugate = makes_reals() ? rows_of_functional(-1) : std::vector<Row>();
        for_each_index(batch_axes(), [&](const std::vector<Integer>& batch) {
            const TransformOfBatch one_transform = transform(batch);
            if (convolves) {
                result.push_back(factor_of(one_transform.index) *
                                 convolved_with(one_transform.input, powers_));
                return;
            }
            // Σ_k r^k·Re z[k] = (Σ_k r^k·z[k] + conj Σ_k r^{−k}·z[k])/2
            Value sum =
                weighted_sum(source_data(), source(), Side::input, rows, one_transform.input, interrupt_);
            if (makes_reals())
                sum = (sum + std::conj(weighted_sum(source_data(), source(), Side::input, conjugate,
                                                    one_transform.input, interrupt_))) /
                      2.0;
            result.push_back(problem_.scale * sum);
        });
        return result;
    }

    void compare_functionals(const std::vector<Value>& expected) const {
        if (expected.empty()) return;
        std::size_t next = 0;
        for_each_index(batch_axes(), [&](const std::vector<Integer>& batch) {
            require(weighted_sum(data_, problem_, Side::output, powers_, transform(batch).output, interrupt_),
                    expected[next++], tolerance(gain_of_functional(), points()));
        });
    }

    double points() const {
        if (has_formula(problem_))
            return static_cast<double>(formula::longest_vector(problem_.matrix.term()));
        return static_cast<double>(transform_size(problem_));
    }

    TransformKind along(std::size_t d) const { return kind_along(problem_, d); }

    /// A backward real DFT takes the real components of its rows' results.
    bool makes_reals() const {
        return problem_.kind == TransformKind::real_dft && problem_.direction == Direction::backward;
    }

    std::vector<Row> rows_of_functional(long double sign) const {
        std::vector<Row> rows;
        if (formula_) return {formula_functional().row};
        for (std::size_t d = 0; d < angles_.size(); ++d)
            rows.push_back(functional_row(along(d), problem_.direction, problem_.dimensions[d].length,
                                          sign * angles_[d]));
        return rows;
    }

    void require(Value found, Value expected, double tolerance) const {
        if (std::abs(found - expected) <= tolerance) return;
        throw InternalError("a new kernel failed its check: {}: {}{:+}i instead of {}{:+}i", plan_,
                            found.real(), found.imag(), expected.real(), expected.imag());
    }

    const Transform& problem_;
    const std::string& plan_; ///< its name in messages
    ProblemData data_;
    std::optional<Transform> plain_problem_; ///< set if there is a load expression
    std::optional<ProblemData> plain_data_;
    std::optional<FormulaFunctionals> formula_;
    mutable std::optional<FormulaFunctionals::Functional> functional_; ///< of the random functional
    double amplitude_ = 1;                                             ///< of the transformed data
    std::vector<long double> angles_; ///< of the random functional, one per dimension
    std::vector<Row> powers_;         ///< the functional's weights of the outputs
    std::vector<Impulse> impulses_;
    std::minstd_rand random_{2};
    mutable Interrupt interrupt_;
};

} // namespace

Integer check_bytes(const Transform& problem) {
    const Integer of_load =
        problem.load.is_identity() ? 0 : ProblemData::bytes_for(without_expressions(problem));
    const Integer of_formula =
        has_formula(problem) ? FormulaFunctionals::bytes_for(problem.matrix.term()) : 0;
    return ProblemData::bytes_for(problem) + of_load + of_formula;
}

std::string name_of_plan(const Transform& problem, const Schedule& schedule) {
    return fmt::format("problem \"{}\", schedule \"{}\"", to_text(problem), to_string(schedule));
}

void check_against_definition(const Transform& problem, const std::string& plan,
                              const std::function<void(ProblemData&)>& execute,
                              const std::function<void()>& interrupt) {
    Check(problem, plan, interrupt).run(execute);
}

void check_against_definition(const Transform& problem, const Schedule& schedule,
                              const std::function<void(ProblemData&)>& execute) {
    check_against_definition(problem, name_of_plan(problem, schedule), execute);
}

} // namespace swirl::planning
