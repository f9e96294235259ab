#include "fuzz/transforms.hpp"

#include "cli/epsilon.hpp"
#include "fuzz/reference.hpp"

#include <swirl/swirl.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

namespace swirl::fuzz {
namespace {

template <class T> void execute_as(const Plan& plan, const TransformData& data, Workspace workspace) {
    using C = std::complex<T>;
    const auto of = [&]<class E>(From side, E) { return reinterpret_cast<E*>(data.real(side)); };
    T* const imaginary_in = reinterpret_cast<T*>(data.imaginary(From::input));
    T* const imaginary_out = reinterpret_cast<T*>(data.imaginary(From::output));
    const Transform& problem = data.problem();
    const bool half_spectra = problem.kind == TransformKind::real_dft;
    const bool forward = problem.direction == Direction::forward;
    const bool in_place = problem.placement == Placement::in_place;
    if (imaginary_in && imaginary_out)
        return plan.execute(of(From::input, T{}), imaginary_in, of(From::output, T{}), imaginary_out,
                            workspace);
    if (imaginary_in)
        return plan.execute(static_cast<const T*>(of(From::input, T{})), imaginary_in, of(From::output, T{}),
                            workspace);
    if (imaginary_out)
        return plan.execute(static_cast<const T*>(of(From::input, T{})), of(From::output, T{}), imaginary_out,
                            workspace);
    if (problem.kind == TransformKind::dft)
        return plan.execute(of(From::input, C{}), of(From::output, C{}), workspace);
    if (!half_spectra || in_place)
        return plan.execute(of(From::input, T{}), of(From::output, T{}), workspace);
    if (forward) return plan.execute(of(From::input, T{}), of(From::output, C{}), workspace);
    plan.execute(of(From::input, C{}), of(From::output, T{}), workspace);
}

/// The kind of the inverse, up to a factor.
TransformKind inverse_kind(TransformKind kind) {
    switch (kind) {
    case TransformKind::dct2: return TransformKind::dct3;
    case TransformKind::dct3: return TransformKind::dct2;
    case TransformKind::dst2: return TransformKind::dst3;
    case TransformKind::dst3: return TransformKind::dst2;
    case TransformKind::dct6: return TransformKind::dct7;
    case TransformKind::dct7: return TransformKind::dct6;
    case TransformKind::dst6: return TransformKind::dst7;
    case TransformKind::dst7: return TransformKind::dst6;
    case TransformKind::r2hc: return TransformKind::hc2r;
    case TransformKind::hc2r: return TransformKind::r2hc;
    default: return kind;
    }
}

/// The product of a kind's matrix and its inverse's is the identity times this.
Integer factor_of_inverse(TransformKind kind, Integer n) {
    switch (kind) {
    case TransformKind::dct1: return 2 * (n - 1);
    case TransformKind::dst1: return 2 * (n + 1);
    case TransformKind::dct2:
    case TransformKind::dct3:
    case TransformKind::dct4:
    case TransformKind::dst2:
    case TransformKind::dst3:
    case TransformKind::dst4: return 2 * n;
    case TransformKind::dct5:
    case TransformKind::dct6:
    case TransformKind::dct7:
    case TransformKind::dst8: return 2 * n - 1;
    case TransformKind::dct8:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7: return 2 * n + 1;
    default: return n;
    }
}

/// The inverse, up to a factor, with input and output exchanged; 1/factor is its scale.
std::optional<Transform> inverse_of(const Transform& problem) {
    Transform inverse = problem;
    double factor = problem.scale;
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
        factor *= static_cast<double>(factor_of_inverse(
            problem.kinds.empty() ? problem.kind : problem.kinds[d], problem.dimensions[d].length));
    if (factor == 0) return std::nullopt;
    inverse.scale = 1 / factor;
    if (problem.kind == TransformKind::dft || problem.kind == TransformKind::real_dft)
        inverse.direction = reversed(problem.direction);
    inverse.kind = inverse_kind(problem.kind);
    for (TransformKind& kind : inverse.kinds) kind = inverse_kind(kind);
    for (auto* axes : {&inverse.batches, &inverse.dimensions})
        for (Dimension& axis : *axes) std::swap(axis.input_stride, axis.output_stride);
    return inverse;
}

/// One problem on the CPU at hand.
class TransformRun {
public:
    TransformRun(const Transform& problem, Random& random, const Setting& setting, Journal& journal)
        : problem_(problem), random_(random), setting_(setting), journal_(journal), data_(problem, random) {}

    void run() {
        input_ = random_input(data_.transform(), data_.transforms(), random_);
        const bool measures = random_.chance(4);
        Options options{.threads = static_cast<int>(random_.one_of({1, 1, 1, 2, 3})),
                        .effort = measures ? Effort::measure : Effort::estimate,
                        .cpu = setting_.cpu,
                        .check = random_.chance(75),
                        .use_wisdom = false};
        if (measures) options.time_budget_seconds = 0.005;
        journal_.doing(fmt::format("{} threads={} check={}{}", to_text(problem_), options.threads,
                                   options.check, measures ? " measured" : ""));
        const Plan plan = swirl::plan(problem_, options);
        data_.set(From::input, input_);
        const Expected expected = expected_output(data_, random_);
        run_guarded(plan, random_.chance(50));
        output_ = data_.elements(From::output);
        require_close(problem_, output_, expected, setting_.tolerance);
        if (random_.chance(30)) run_from_schedule(plan, options);
        if (!measures && random_.chance(30)) run_from_c(options); // measuring may find another algorithm
        if (random_.chance(50)) run_inverse(plan, options);
    }

private:
    void tamper(TransformData& data, GuardedMemory& workspace) const {
        if (setting_.tampering.transform) setting_.tampering.transform(data, workspace);
    }

    void run_guarded(const Plan& plan, bool bring_workspace) {
        data_.set(From::input, input_);
        const auto bytes = static_cast<Integer>(plan.workspace_bytes());
        constexpr Integer alignment = 64;
        GuardedMemory workspace("workspace", 0, bytes, 0,
                                bytes % alignment == 0 ? draw_fence(random_) : GuardedMemory::Fence::none);
        data_.save();
        workspace.save();
        if (bring_workspace && plan.workspace_bytes() > 0)
            execute(plan, data_, {workspace.origin(), plan.workspace_bytes()});
        else
            execute(plan, data_);
        tamper(data_, workspace);
        workspace.allow(0, static_cast<Integer>(plan.workspace_bytes()));
        workspace.require_unharmed();
        data_.require_unharmed();
    }

    /// The schedule's text gives the same plan, and any number of threads the same bits.
    void run_from_schedule(const Plan& plan, Options options) {
        options.schedule = plan.schedule();
        options.threads = static_cast<int>(random_.integer(1, 4));
        options.check = false;
        const Plan again = swirl::plan(problem_, options);
        if (again.schedule() != plan.schedule())
            throw Failure("schedule", fmt::format("'{}' became '{}'", plan.schedule(), again.schedule()));
        run_guarded(again, random_.chance(50));
        require_same(data_.elements(From::output), output_, "from the schedule and with other threads");
    }

    void run_from_c(const Options& options) {
        swirl_plan* made = nullptr;
        const auto require = [](swirl_status status) {
            if (status != SWIRL_OK) throw Failure("C interface", swirl_last_error());
        };
        swirl_options given = SWIRL_OPTIONS_INIT;
        given.threads = options.threads;
        given.use_wisdom = 0;
        require(swirl_plan_from_text(to_text(problem_).c_str(), &given, &made));
        const std::unique_ptr<swirl_plan, void (*)(swirl_plan*)> plan(made, swirl_plan_destroy);
        data_.set(From::input, input_);
        data_.save();
        const std::size_t bytes = swirl_plan_workspace_bytes(made);
        GuardedMemory workspace("workspace", 0, static_cast<Integer>(bytes));
        workspace.save();
        const bool bring = bytes > 0 && random_.chance(50);
        std::byte *const in = data_.real(From::input), *const in_imaginary = data_.imaginary(From::input),
                         *const out = data_.real(From::output),
                         *const out_imaginary = data_.imaginary(From::output);
        const bool is_planar = problem_.layout == ComplexLayout::planar;
        const swirl_array arrays[] = {{"input", in, in_imaginary}, {"output", out, out_imaginary}};
        swirl_execution execution = SWIRL_EXECUTION_INIT;
        execution.workspace = workspace.origin();
        execution.workspace_bytes = bytes;
        if (bring)
            require(swirl_execute_arrays(made, arrays, 2, &execution));
        else if (is_planar)
            require(swirl_execute_planar(made, in, in_imaginary, out, out_imaginary));
        else
            require(swirl_execute(made, in, out));
        tamper(data_, workspace);
        workspace.allow(0, static_cast<Integer>(bytes));
        workspace.require_unharmed();
        data_.require_unharmed();
        require_same(data_.elements(From::output), output_, "through the C interface");
    }

    void run_inverse(const Plan& plan, Options options) {
        options.effort = Effort::estimate;
        const std::optional<Transform> inverse = inverse_of(problem_);
        if (!inverse || !is_valid(*inverse)) return;
        journal_.doing(fmt::format("{} threads={} check={}, the inverse of {}", to_text(*inverse),
                                   options.threads, options.check, to_text(problem_)));
        const Plan back = swirl::plan(*inverse, options);
        TransformData there(*inverse, random_);
        run_guarded(plan, false);
        require_same(data_.elements(From::output), output_, "when executed again");
        data_.set(From::input, input_); // in place, the results are gone
        const Expected expected{data_.elements(From::input)};
        there.set(From::input, output_);
        there.save();
        execute(back, there);
        GuardedMemory none("workspace", 0, 0);
        none.save();
        tamper(there, none);
        there.require_unharmed();
        require_close(*inverse, there.elements(From::output), expected, 2 * setting_.tolerance);
    }

    const Transform& problem_;
    Random& random_;
    const Setting& setting_;
    Journal& journal_;
    TransformData data_;
    Values input_, output_;
};

} // namespace

bool is_valid(const Transform& problem) {
    try {
        validate(problem);
        return true;
    } catch (const UserError&) {
        return false;
    }
}

void require_same(const Values& found, const Values& expected, const char* what) {
    for (std::size_t k = 0; k < found.size(); ++k)
        if (found[k] != expected[k])
            throw Failure("other bits", fmt::format("element {} is {}{:+}i and not {}{:+}i {}", k,
                                                    static_cast<double>(found[k].real()),
                                                    static_cast<double>(found[k].imag()),
                                                    static_cast<double>(expected[k].real()),
                                                    static_cast<double>(expected[k].imag()), what));
}

void execute(const Plan& plan, const TransformData& data, Workspace workspace) {
    if (data.problem().precision == DataType::float32) return execute_as<float>(plan, data, workspace);
    execute_as<double>(plan, data, workspace);
}

Values random_input(const TransformDefinition& transform, std::size_t transforms, Random& random) {
    const auto points = static_cast<std::size_t>(transform.points());
    const bool is_complex =
        transform.kind == TransformKind::dft || transform.kind == TransformKind::convolution;
    Values result;
    for (std::size_t k = 0; k < transforms; ++k) {
        Values values(points);
        for (Complex& value : values) value = {random.uniform(), is_complex ? random.uniform() : 0};
        if (transform.makes_reals()) {
            TransformDefinition forward = transform;
            forward.direction = Direction::forward;
            values = reference(forward, values, random);
        }
        result.insert(result.end(), values.begin(), values.end());
    }
    return result;
}

void append_outputs(Expected& expected, const TransformDefinition& transform, const Values& input,
                    long double scale, Random& random) {
    for (const Complex& value : reference(transform, input, random))
        expected.outputs.push_back(value * scale);
    expected.norms.push_back(transform.makes_reals() ? norm_of_spectrum(transform, input) * std::abs(scale)
                                                     : 0);
}

Expected expected_output(const TransformData& data, Random& random) {
    const Values input = data.elements(From::input);
    const std::size_t count = data.transforms(), each = input.size() / count;
    Expected result;
    for (std::size_t k = 0; k < count; ++k) {
        const auto first = input.begin() + static_cast<std::ptrdiff_t>(k * each);
        append_outputs(result, data.transform(), {first, first + static_cast<std::ptrdiff_t>(each)},
                       data.problem().scale, random);
    }
    return result;
}

namespace {

/// For results stored as float16, the norm to which the rounding of subnormal results is in proportion; else 0.
///
/// A component below the smallest normal number 2^−14 is rounded to a multiple of 2^−24, by as much as 2^−14 is. So each such
/// component counts as 2^−14. Normal components and zeros count nothing: a vector of these is compared as it is, and as soon
/// as one of its elements outweighs the subnormal ones, its own norm is the larger.
long double norm_of_subnormals(const Transform& problem, const Complex* values, std::size_t count) {
    if (stored_precision(problem, Side::output) != DataType::float16) return 0;
    constexpr long double smallest_normal = 0x1p-14L;
    const auto is_subnormal = [](long double x) { return x != 0 && std::abs(x) < smallest_normal; };
    std::size_t subnormals = 0;
    for (std::size_t i = 0; i < count; ++i)
        subnormals +=
            std::size_t{is_subnormal(values[i].real())} + std::size_t{is_subnormal(values[i].imag())};
    return smallest_normal * std::sqrt(static_cast<long double>(subnormals));
}

} // namespace

void require_close(const Transform& problem, const Values& found, const Expected& expected,
                   double tolerance) {
    // Per element, besides the root mean square: finds errors of few elements among many.
    constexpr double of_one = 16;
    std::size_t transforms = 1;
    double points = 1;
    for (const Dimension& batch : problem.batches) transforms *= static_cast<std::size_t>(batch.length);
    for (const Dimension& dimension : problem.dimensions) points *= static_cast<double>(dimension.length);
    const double unit = cli::epsilon_of(problem.precision) * std::sqrt(std::log2(std::max(points, 2.0)));
    const std::size_t each = expected.outputs.size() / transforms;
    const auto require = [&](double error, double allowed, std::size_t transform, const std::string& what) {
        if (error <= allowed * unit) return;
        const bool is_rounding = error < 1e3 * unit;
        throw Failure(is_rounding ? "inaccurate" : "wrong",
                      fmt::format("{}transform {} of {} is off by {:.3g}, {:.3g} units", what, transform,
                                  transforms, error, error / unit));
    };
    for (std::size_t k = 0; k < transforms; ++k) {
        const Complex* const one = found.data() + k * each;
        const Complex* const right = expected.outputs.data() + k * each;
        const long double least = expected.norms.empty() ? 0 : expected.norms[k];
        const long double norm =
            std::max({norm_of(right, each), least, norm_of_subnormals(problem, right, each)});
        require(static_cast<double>(relative_error(one, right, each, norm)), tolerance, k, "");
        const auto [worst, error] = worst_element(one, right, each, norm);
        require(static_cast<double>(error), of_one * tolerance, k, fmt::format("element {} of ", worst));
    }
}

void run_transform(const Transform& problem, Random& random, const Setting& setting, Journal& journal) {
    TransformRun(problem, random, setting, journal).run();
}

void fuzz_transform(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    const Transform problem = draw_transform(random, setting.limits);
    journal.doing(to_text(problem));
    if (!is_valid(problem)) return journal.refused();
    if (parse_transform(to_text(problem)) != problem)
        throw Failure("text", "the text of the problem reads as another one");
    run_transform(problem, random, setting, journal);
}

} // namespace swirl::fuzz
