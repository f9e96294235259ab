#include "plan/check.hpp"

#include "base/error.hpp"
#include "plan/definition.hpp"
#include "plan/problem_data.hpp"
#include "problem/syntax.hpp"

#include <cmath>
#include <random>

namespace swirl::planning {

namespace {

using Value = std::complex<double>;

/// Data beyond this is not worth a check's time and memory.
constexpr Integer largest_checked_bytes = Integer{1} << 28;

/// Σ over all points of data[point]·Π rows[d][index_d], `from` being the point of index 0.
Value weighted_sum(const ProblemData& data, const Problem& problem, Side side, const std::vector<Row>& rows,
                   Integer from, std::size_t d = 0) {
    const Dimension& dimension = problem.dimensions[d];
    Value sum = 0;
    for (Integer j = 0; j < stored_length(problem, d, side); ++j) {
        const Integer at = from + j * stride_of(dimension, side);
        const Value inner = d + 1 == problem.dimensions.size()
                                ? data.get(side, at)
                                : weighted_sum(data, problem, side, rows, at, d + 1);
        sum += rows[d][static_cast<std::size_t>(j)] * inner;
    }
    return sum;
}

/// Of an output next to √points and so many passes.
double relative_tolerance(Precision precision) {
    switch (precision) {
    case Precision::float32: return 2e-5;
    case Precision::float16: return 0x1p-9; // outputs are rounded once, to 2^-11 of themselves
    case Precision::bfloat16: return 0x1p-6;
    case Precision::float64: break;
    }
    return 1e-10;
}

/// Distance of the numbers around 0, where that is not next to nothing.
double smallest_step(Precision precision) { return precision == Precision::float16 ? 0x1p-24 : 0; }

/// Whether random data in −1…1 stays far from overflow.
bool has_room(const Problem& problem) {
    const double largest =
        16 * std::abs(problem.scale) * std::sqrt(static_cast<double>(transform_size(problem)));
    return largest < std::ldexp(1.0, largest_exponent(problem.precision));
}

class Check {
public:
    Check(const Problem& problem, const Recipe& recipe)
        : problem_(problem), recipe_(recipe), data_(problem_) {}

    void run(const std::function<void(ProblemData&)>& execute) {
        data_.fill(1);
        std::vector<Expectation> expectations; // all found first: in place, the plan overwrites its input
        for (const std::vector<Integer>& batch : batches()) expectations.push_back(expectation(batch));
        execute(data_);
        for (const Expectation& expected : expectations) compare(expected);
    }

private:
    /// What one transform of the batch has to give.
    struct Expectation {
        Integer from;            ///< its output's index 0
        Integer point;           ///< offset of one of its outputs
        Value at_point;          ///< that output
        std::vector<Row> powers; ///< weights of all outputs, a row for each dimension
        Value functional;        ///< the sum that they give
        double tolerance;        ///< of one output
    };

    /// First and last transform of the batch, and one in between.
    std::vector<std::vector<Integer>> batches() {
        std::vector<std::vector<Integer>> result(3);
        for (const Dimension& loop : problem_.batches) {
            result[0].push_back(0);
            result[1].push_back(loop.length - 1);
            result[2].push_back(random_below(loop.length));
        }
        if (batch_count(problem_) == 1) result.resize(1);
        return result;
    }

    Integer random_below(Integer n) { return static_cast<Integer>(random_()) % n; }

    Expectation expectation(const std::vector<Integer>& batch) {
        Expectation result{};
        Integer in_from = 0;
        for (std::size_t k = 0; k < batch.size(); ++k) {
            in_from += batch[k] * problem_.batches[k].input_stride;
            result.from += batch[k] * problem_.batches[k].output_stride;
        }
        result.point = result.from;
        std::vector<Row> one;
        std::vector<long double> angles;
        for (std::size_t d = 0; d < problem_.dimensions.size(); ++d) {
            const Dimension& dimension = problem_.dimensions[d];
            const Integer outputs = stored_length(problem_, d, Side::output);
            const Integer k = random_below(outputs);
            angles.push_back(functional_angle(dimension.length, random_below(dimension.length)));
            one.push_back(definition_row(kind_along(d), problem_.direction, dimension.length, k));
            result.powers.push_back(powers(angles[d], outputs));
            result.point += k * dimension.output_stride;
        }
        const Value sum = weighted_sum(data_, problem_, Side::input, one, in_from);
        result.at_point = problem_.scale * (makes_reals() ? sum.real() : sum);
        result.functional = problem_.scale * functional(in_from, angles);
        result.tolerance = relative_tolerance(problem_.precision) * std::abs(problem_.scale) *
                               std::sqrt(points()) * (2 + std::log2(points())) +
                           smallest_step(problem_.precision);
        return result;
    }

    void compare(const Expectation& expected) const {
        require(data_.get(Side::output, expected.point), expected.at_point, expected.tolerance);
        require(weighted_sum(data_, problem_, Side::output, expected.powers, expected.from),
                expected.functional, expected.tolerance * std::sqrt(points()));
    }

    double points() const { return static_cast<double>(transform_size(problem_)); }

    /// A real DFT is one along the last dimension and complex along the others.
    TransformKind kind_along(std::size_t d) const {
        const bool last = d + 1 == problem_.dimensions.size();
        return problem_.kind == TransformKind::real_dft && !last ? TransformKind::dft : problem_.kind;
    }

    /// A backward real DFT takes real parts of what its rows give.
    bool makes_reals() const {
        return problem_.kind == TransformKind::real_dft && problem_.direction == Direction::backward;
    }

    /// Σ_k r^k·y[k] from the input; Σ_k r^k·Re z[k] = (Σ_k r^k·z[k] + conj Σ_k r^{−k}·z[k])/2.
    Value functional(Integer from, const std::vector<long double>& angles) const {
        const auto sum = [&](long double sign) {
            std::vector<Row> rows;
            for (std::size_t d = 0; d < angles.size(); ++d)
                rows.push_back(functional_row(kind_along(d), problem_.direction,
                                              problem_.dimensions[d].length, sign * angles[d]));
            return weighted_sum(data_, problem_, Side::input, rows, from);
        };
        return makes_reals() ? (sum(1) + std::conj(sum(-1))) / 2.0 : sum(1);
    }

    void require(Value found, Value expected, double tolerance) const {
        if (std::abs(found - expected) <= tolerance) return;
        throw InternalError(
            "a new kernel failed its check: problem \"{}\", recipe \"{}\": {}{:+}i instead of {}{:+}i",
            to_text(problem_), to_string(recipe_), found.real(), found.imag(), expected.real(),
            expected.imag());
    }

    const Problem& problem_;
    const Recipe& recipe_;
    ProblemData data_;
    std::minstd_rand random_{2};
};

} // namespace

void check_against_definition(const Problem& problem, const Recipe& recipe,
                              const std::function<void(ProblemData&)>& execute) {
    for (const Side side : {Side::input, Side::output}) {
        const Extent reach = extent(problem, side);
        if ((reach.highest - reach.lowest + 1) * element_bytes(problem, side) > largest_checked_bytes) return;
    }
    if (!has_room(problem)) return;
    Check(problem, recipe).run(execute);
}

void check_against_definition(const Plan& plan) {
    check_against_definition(plan.problem(), plan.recipe(),
                             [&](ProblemData& data) { plan.execute(data.arguments()); });
}

} // namespace swirl::planning
