#include "formula/formula.hpp"
#include "fuzz/guarded_memory.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/setting.hpp"
#include "support/random_formula.hpp"

#include <swirl/plan.hpp>
#include "cli/epsilon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace swirl::fuzz {
namespace {

Transform draw_formula(Random& random) {
    const bool real = random.chance(40);
    const auto below = [&](Integer n) { return random.integer(0, n - 1); };
    const Integer n = random.chance(80) ? random.integer(1, 30) : random.logarithmic(1, 400);
    TransformOptions options{.precision = random.one_of({DataType::float32, DataType::float64}),
                             .placement = random.chance(30) ? Placement::in_place : Placement::out_of_place};
    if (random.chance(40)) options.batches.push_back({.count = random.integer(1, 9)});
    if (random.chance(20)) options.input_strides = options.output_strides = {random.integer(1, 3)};
    return Transform::of_matrix(real ? TransformKind::real_formula : TransformKind::formula,
                                MatrixFormula(support::random_formula(below, n, real)), options);
}

/// Contiguous or strided elements of one side, as values.
template <class T> class Elements {
public:
    Elements(const Transform& problem, bool is_input, std::byte* origin)
        : problem_(problem), is_input_(is_input), scalars_(reinterpret_cast<T*>(origin)) {}

    Integer components() const { return problem_.kind == TransformKind::formula ? 2 : 1; }
    Integer offset(Integer transform, Integer k) const {
        const auto stride = [&](const Dimension& d) { return is_input_ ? d.input_stride : d.output_stride; };
        const Integer batch = problem_.batches.empty() ? 0 : transform * stride(problem_.batches[0]);
        return components() * (batch + k * stride(problem_.dimensions[0]));
    }
    formula::Complex get(Integer transform, Integer k) const {
        const T* const at = scalars_ + offset(transform, k);
        return {static_cast<long double>(at[0]), components() == 2 ? static_cast<long double>(at[1]) : 0};
    }
    void set(Integer transform, Integer k, Random& random) {
        for (Integer c = 0; c < components(); ++c)
            scalars_[offset(transform, k) + c] = static_cast<T>(random.uniform());
    }

private:
    const Transform& problem_;
    bool is_input_;
    T* scalars_;
};

template <class T> void run_formula(const Transform& problem, const Plan& plan, Random& random) {
    const Integer rows = problem.matrix.rows(), columns = problem.matrix.columns();
    const Integer transforms = problem.batches.empty() ? 1 : problem.batches[0].length;
    const bool in_place = problem.placement == Placement::in_place;
    const auto bytes = [&](bool is_input) {
        const Elements<T> of(problem, is_input, nullptr);
        const Integer last = of.offset(transforms - 1, (is_input ? columns : rows) - 1);
        return (last + of.components()) * static_cast<Integer>(sizeof(T));
    };
    GuardedMemory from("input", 0, std::max(bytes(true), in_place ? bytes(false) : 0), 0, draw_fence(random));
    GuardedMemory to("output", 0, bytes(false), 0, draw_fence(random));
    GuardedMemory& written = in_place ? from : to;
    Elements<T> x(problem, true, from.origin()), y(problem, false, written.origin());
    std::vector<std::vector<formula::Complex>> expected;
    for (Integer t = 0; t < transforms; ++t) {
        std::vector<formula::Complex> input;
        for (Integer k = 0; k < columns; ++k) {
            x.set(t, k, random);
            input.push_back(x.get(t, k));
        }
        expected.push_back(formula::apply(problem.matrix.term(), input));
    }
    from.save();
    to.save();
    const auto execute = [&](auto element) {
        using E = decltype(element);
        plan.execute(reinterpret_cast<const E*>(from.origin()), reinterpret_cast<E*>(written.origin()));
    };
    if (problem.kind == TransformKind::formula)
        execute(std::complex<T>{});
    else
        execute(T{});
    for (Integer t = 0; t < transforms; ++t)
        for (Integer k = 0; k < rows; ++k)
            written.allow(y.offset(t, k) * static_cast<Integer>(sizeof(T)),
                          y.components() * static_cast<Integer>(sizeof(T)));
    from.require_unharmed();
    to.require_unharmed();
    long double difference = 0, norm = 0, largest = 0;
    for (Integer t = 0; t < transforms; ++t)
        for (Integer k = 0; k < rows; ++k) {
            const formula::Complex value = expected[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)];
            difference += std::norm(y.get(t, k) - value);
            norm += std::norm(value);
            largest = std::max(largest, std::abs(value));
        }
    // A product may cancel: errors are judged by the largest of the vectors between its factors.
    long double scale = std::sqrt(norm);
    std::vector<formula::Complex> ones(static_cast<std::size_t>(columns), 1);
    if (problem.matrix.term().is<formula::Product>()) {
        const auto& factors = problem.matrix.term().children();
        for (std::size_t k = factors.size(); k-- > 0;) {
            ones = formula::apply(factors[k], ones);
            long double square = 0;
            for (const formula::Complex& value : ones) square += std::norm(value);
            scale = std::max(scale, std::sqrt(square * static_cast<long double>(transforms)));
        }
    }
    constexpr long double headroom = 1e6L; // for values between the factors
    if (!(std::max(scale, largest) < static_cast<long double>(std::numeric_limits<T>::max()) / headroom))
        return; // changed entries may exceed the data type
    const double allowed = 200 * cli::epsilon_of(problem.precision);
    if (!(std::sqrt(difference) <= static_cast<long double>(allowed) * std::max(scale, 1.0L)))
        throw Failure("wrong",
                      fmt::format("off by {:.3g} of {:.3g}", static_cast<double>(std::sqrt(difference)),
                                  static_cast<double>(scale)));
}

} // namespace

/// A random formula, or a changed text of one: only UserError or Unsupported may result, and what is planned is right.
void fuzz_formula(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    std::string text = to_text(draw_formula(random));
    if (random.chance(40)) text = mutated(text, random);
    journal.doing("problem " + text);
    Transform problem;
    Plan plan;
    try {
        problem = parse_transform(text);
        if (to_text(parse_transform(to_text(problem))) != to_text(problem))
            throw Failure("text", "the text of the problem reads as another one");
        validate(problem);
        constexpr Integer most = 4096; // mutated sizes may be valid and long
        if (problem.kind != TransformKind::formula && problem.kind != TransformKind::real_formula)
            return journal.refused();
        if (problem.layout == ComplexLayout::planar || problem.batches.size() > 1 || problem.scale != 1 ||
            problem.matrix.rows() > most || problem.matrix.columns() > most ||
            bytes_of(problem.precision) < 4)
            return journal.refused();
        const auto is_small = [](const Dimension& axis, Integer length, Integer stride) {
            return axis.length <= length && axis.input_stride >= 0 && axis.input_stride <= stride &&
                   axis.output_stride >= 0 && axis.output_stride <= stride;
        };
        constexpr Integer bound = 64;
        if (!is_small(problem.dimensions[0], most, bound)) return journal.refused();
        for (const Dimension& batch : problem.batches)
            if (!is_small(batch, bound, bound * most)) return journal.refused();
        plan = swirl::plan(
            problem,
            {.threads = static_cast<int>(random.one_of({1, 1, 2})), .cpu = setting.cpu, .use_wisdom = false});
    } catch (const UserError&) {
        return journal.refused();
    } catch (const Unsupported&) {
        return journal.refused();
    }
    if (problem.precision == DataType::float32)
        run_formula<float>(problem, plan, random);
    else
        run_formula<double>(problem, plan, random);
}

} // namespace swirl::fuzz
