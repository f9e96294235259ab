#include "plan/check.hpp"

#include "base/error.hpp"
#include "plan/definition.hpp"
#include "problem/syntax.hpp"
#include "runtime/aligned_buffer.hpp"

#include <cmath>
#include <cstring>
#include <random>

namespace swirl::planning {

namespace {

using Value = std::complex<double>;

/// Data beyond this is not worth a check's time and memory.
constexpr Integer largest_checked_bytes = Integer{1} << 28;

/// One side's data: elements by offset, whatever precision and layout.
class Data {
public:
    Data(const Problem& problem, Side side)
        : single_(problem.precision == Precision::float32),
          complex_(is_complex(problem, side)),
          planar_(complex_ && problem.layout == ComplexLayout::planar),
          extent_(extent(problem, side)),
          bytes_(static_cast<std::size_t>((extent_.highest - extent_.lowest + 1) *
                                          element_bytes(problem, side))),
          first_(bytes_),
          second_(planar_ ? bytes_ : 0) {}

    /// Addresses of element 0.
    void* real() const { return origin(first_); }
    void* imaginary() const { return planar_ ? origin(second_) : nullptr; }

    void fill(std::minstd_rand& random) {
        for (const auto* part : {&first_, &second_})
            for (std::size_t k = 0; k < part->bytes() / scalar_bytes(); ++k)
                put(*part, k, static_cast<double>(random()) / 1073741824.0 - 1.0);
    }

    Value operator[](Integer offset) const {
        const auto at = static_cast<std::size_t>(offset - extent_.lowest);
        if (!complex_) return get(first_, at);
        return planar_ ? Value(get(first_, at), get(second_, at))
                       : Value(get(first_, 2 * at), get(first_, 2 * at + 1));
    }

private:
    std::size_t scalar_bytes() const { return single_ ? sizeof(float) : sizeof(double); }
    double get(const runtime::AlignedBuffer& part, std::size_t k) const {
        return single_ ? static_cast<double>(part.as<float>()[k]) : part.as<double>()[k];
    }
    void put(const runtime::AlignedBuffer& part, std::size_t k, double value) {
        single_ ? part.as<float>()[k] = static_cast<float>(value) : part.as<double>()[k] = value;
    }
    void* origin(const runtime::AlignedBuffer& part) const {
        const auto scalars = static_cast<std::size_t>(-extent_.lowest) * (complex_ && !planar_ ? 2 : 1);
        return part.as<std::byte>() + scalars * scalar_bytes();
    }

    bool single_;
    bool complex_;
    bool planar_;
    Extent extent_;
    std::size_t bytes_;
    runtime::AlignedBuffer first_;
    runtime::AlignedBuffer second_;
};

/// Σ over all points of data[point]·Π rows[d][index_d], `from` being the point of index 0.
Value weighted_sum(const Data& data, const Problem& problem, Side side, const std::vector<Row>& rows,
                   Integer from, std::size_t d = 0) {
    const Dimension& dimension = problem.dimensions[d];
    Value sum = 0;
    for (Integer j = 0; j < dimension.length; ++j) {
        const Integer at = from + j * stride_of(dimension, side);
        const Value inner = d + 1 == problem.dimensions.size()
                                ? data[at]
                                : weighted_sum(data, problem, side, rows, at, d + 1);
        sum += rows[d][static_cast<std::size_t>(j)] * inner;
    }
    return sum;
}

/// e^{i·angle·k} for k < n.
Row powers(double angle, Integer n) {
    Row row(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = std::polar(1.0, angle * static_cast<double>(k));
    return row;
}

class Check {
public:
    explicit Check(const Plan& plan)
        : plan_(plan), problem_(plan.problem()), in_(problem_, Side::input), out_(problem_, Side::output) {}

    void run() {
        in_.fill(random_);
        const Data original = copy_of_input();
        Data& target = problem_.placement == Placement::in_place ? in_ : out_;
        plan_.execute({in_.real(), target.real(), in_.imaginary(), target.imaginary()});
        for (const std::vector<Integer>& batch : batches()) compare(original, target, batch);
    }

private:
    /// The same random numbers again; the plan may overwrite its input.
    Data copy_of_input() const {
        std::minstd_rand again;
        Data copy(problem_, Side::input);
        copy.fill(again);
        return copy;
    }

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

    void compare(const Data& in, const Data& out, const std::vector<Integer>& batch) {
        Integer in_from = 0, out_from = 0, out_at = 0;
        for (std::size_t k = 0; k < batch.size(); ++k) {
            in_from += batch[k] * problem_.batches[k].input_stride;
            out_from += batch[k] * problem_.batches[k].output_stride;
        }
        std::vector<Row> one, all_in, all_out;
        double points = 1;
        for (const Dimension& d : problem_.dimensions) {
            const Integer k = random_below(d.length);
            const double angle = 1 + static_cast<double>(random_below(1000)) / 500;
            one.push_back(definition_row(problem_.kind, problem_.direction, d.length, k));
            all_in.push_back(functional_row(problem_.kind, problem_.direction, d.length, angle));
            all_out.push_back(powers(angle, d.length));
            points *= static_cast<double>(d.length);
            out_at += k * d.output_stride;
        }
        const double tolerance = problem_.precision == Precision::float32 ? 2e-5 : 1e-10;
        const double allowed =
            tolerance * std::abs(problem_.scale) * std::sqrt(points) * (1 + std::log2(points));
        require(out[out_from + out_at],
                problem_.scale * weighted_sum(in, problem_, Side::input, one, in_from), allowed);
        require(weighted_sum(out, problem_, Side::output, all_out, out_from),
                problem_.scale * weighted_sum(in, problem_, Side::input, all_in, in_from),
                allowed * std::sqrt(points));
    }

    void require(Value found, Value expected, double tolerance) const {
        if (std::abs(found - expected) <= tolerance) return;
        throw InternalError(
            "a new kernel failed its check: problem \"{}\", recipe \"{}\": {}{:+}i instead of {}{:+}i",
            to_text(problem_), to_string(plan_.recipe()), found.real(), found.imag(), expected.real(),
            expected.imag());
    }

    const Plan& plan_;
    const Problem& problem_;
    Data in_;
    Data out_;
    std::minstd_rand random_;
};

} // namespace

void check_against_definition(const Plan& plan) {
    for (const Side side : {Side::input, Side::output}) {
        const Extent reach = extent(plan.problem(), side);
        if ((reach.highest - reach.lowest + 1) * element_bytes(plan.problem(), side) > largest_checked_bytes)
            return;
    }
    Check(plan).run();
}

} // namespace swirl::planning
