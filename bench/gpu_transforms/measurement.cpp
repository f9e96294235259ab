#include "bench/gpu_transforms/measurement.hpp"

#include "base/error.hpp"
#include "bench/support/gpu_copy.hpp"
#include "peers/cufft.hpp"
#include "peers/vkfft.hpp"
#include "plan/dimension_passes.hpp"
#include "plan/gpu_plan.hpp"
#include "search/candidates/gpu_candidates.hpp"
#include "search/cost/gpu_estimate.hpp"
#include "search/gpu_planner.hpp"
#include "search/timer/timing.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace swirl::bench {
namespace {

using Complex = std::complex<long double>;

constexpr std::size_t group_of_kernels = 4096; // bytes per block of the benchmark's kernels

std::size_t capacity(const std::vector<Group>& groups, Side side, std::size_t least) {
    std::size_t most = least;
    for (const Group& group : groups)
        for (const Row& row : group.rows) most = std::max(most, bytes_of(parse_transform(row.problem), side));
    return most;
}

std::size_t set_of(std::size_t execution, bool rotated) { return rotated ? execution % Arrays::sets : 0; }

double relative_error(const std::vector<Complex>& found, const std::vector<Complex>& truth) {
    long double difference = 0, norm = 0;
    for (std::size_t k = 0; k < truth.size(); ++k) {
        difference += std::norm(found[k] - truth[k]);
        norm += std::norm(truth[k]);
    }
    return static_cast<double>(std::sqrt(difference / norm));
}

} // namespace

double figure_of(const Result& result, const Entry& entry, double copy_bandwidth) {
    switch (result.group->measure) {
    case Measure::of_copy:
    case Measure::convolution: return result.bytes / entry.seconds() / copy_bandwidth;
    case Measure::resident:
    case Measure::latency: return entry.seconds() * 1e6;
    case Measure::planning:
    case Measure::cached: return entry.seconds() * 1e3;
    }
    return 0;
}

bool reaches_goal(const Result& result, double figure) {
    const Measure measure = result.group->measure;
    const bool more_is_better = measure == Measure::of_copy || measure == Measure::convolution;
    return result.row.goal == 0 || (more_is_better ? figure >= result.row.goal : figure <= result.row.goal);
}

bool is_wrong(const Result& result, const Entry& entry) {
    if (!entry.error) return false;
    const DataType precision = parse_transform(result.row.problem).precision;
    const double most = precision == DataType::float64 ? 1e-13 : precision == DataType::float32 ? 2e-5 : 2e-2;
    return !(*entry.error < most); // NaN is wrong, too
}

Result measure_planning(const runtime::GpuDevice& device, const Options& options, const Group& group,
                        const Row& row) {
    const Transform problem = parse_transform(row.problem);
    const runtime::GpuStream stream(device);
    Result result{&group, row, search::compulsory_bytes(problem), {}, {}};
    const bool cached = group.measure == Measure::cached;
    const auto add = [&](Entry entry, const auto& make) {
        try {
            if (cached) make();
            entry.planning_seconds = seconds_of([&] { entry.made_by = make(); });
            result.entries.push_back(entry);
        } catch (const std::exception& error) {
            result.absent[entry.name] = first_line(error.what());
        }
    };
    add({.name = "swirl"}, [&] {
        const auto plan = search::make_gpu_plan(
            problem, device, {.use_wisdom = false, .check = options.compare, .use_cache = cached});
        return planning::to_string(plan->schedule());
    });
    if (const std::string reason = peers::cufft_absent_because(); !reason.empty()) { // loads it, untimed
        result.absent["cuFFT"] = reason;
        return result;
    }
    add({.name = "cuFFT"}, [&] {
        const peers::CufftPlan plan(problem, device, stream.handle());
        return peers::cufft_version();
    });
    return result;
}

/// An implementation with the data for comparing its results.
struct Measurements::Candidate {
    Implementation implementation;
    double scale = 1; ///< of its results relative to the requested ones
};

Measurements::Measurements(const runtime::GpuDevice& device, const std::vector<Group>& groups,
                           std::size_t copy_bytes, const Options& options)
    : device_(device),
      stream_(device),
      options_(options),
      kernels_(device),
      arrays_(stream_, capacity(groups, Side::input, copy_bytes),
              capacity(groups, Side::output, copy_bytes)) {
    arrays_.fill(Transform::dft({static_cast<Integer>(copy_bytes / 8)}, {.precision = DataType::float32}));
    copy_bandwidth_ = bench::copy_bandwidth(
        stream_, {{arrays_.input(0), arrays_.input(1)}, {arrays_.output(0), arrays_.output(1)}}, copy_bytes,
        options_.timing);
}

/// swirl's schedules to time. With candidates: the model's best for all passes, then for each pass its alternatives, with
/// the other passes at their best.
std::vector<Choice> Measurements::choices(const Transform& problem) const {
    std::vector<Choice> result;
    for (const std::string& schedule : options_.schedules) result.push_back({schedule});
    if (options_.candidates == 0) return result.empty() ? std::vector<Choice>{{}} : result;
    validate(problem);
    std::vector<std::vector<search::GpuPassCandidate>> steps;
    planning::TransformSchedule best{std::string(device_.target().name), {}};
    double best_seconds = 0;
    for (const planning::DimensionPass& pass : planning::dimension_passes(problem, planning::Fusion::none)) {
        steps.push_back(search::gpu_candidates(problem, pass, device_.target(), options_.candidates));
        if (steps.back().empty()) throw UserError("not yet on GPUs: there is no candidate for a step");
        best.passes.push_back(steps.back().front().pass);
        best_seconds += steps.back().front().seconds;
    }
    result.push_back({to_string(best), best_seconds});
    for (std::size_t pass = 0; pass < steps.size(); ++pass)
        for (std::size_t k = 1; k < steps[pass].size(); ++k) {
            planning::TransformSchedule other = best;
            other.passes[pass] = steps[pass][k].pass;
            result.push_back(
                {to_string(other), best_seconds + steps[pass][k].seconds - steps[pass].front().seconds});
        }
    return result;
}

std::optional<Measurements::Candidate> Measurements::swirl(const Transform& problem, const Choice& choice,
                                                           Entry entry, bool rotated, Result& result) {
    try {
        validate(problem);
        std::shared_ptr<const planning::GpuPlan> plan;
        entry.planning_seconds = seconds_of([&] {
            const planning::TransformSchedule chosen =
                choice.schedule.empty() ? search::gpu_schedule(problem, device_.target())
                                        : planning::parse_transform_schedule(choice.schedule);
            plan = planning::GpuPlan::build(problem, chosen, device_,
                                            {.check = false, .use_cache = options_.use_cache});
        });
        const auto workspace = std::make_shared<runtime::GpuBuffer>(device_, plan->workspace_bytes());
        entry.made_by = planning::to_string(plan->schedule());
        entry.workspace_bytes = plan->workspace_bytes();
        entry.model_seconds = choice.model_seconds;
        return Candidate{
            {entry, {[this, problem, plan, workspace, rotated](std::size_t execution) {
                 planning::Arguments arguments = arrays_.arguments(problem, set_of(execution, rotated));
                 if (filter_) arguments.arrays = filter_->arguments();
                 plan->execute(arguments, stream_.handle(),
                               {reinterpret_cast<void*>(workspace->address()), workspace->bytes()});
             }}}};
    } catch (const std::exception& error) {
        result.absent[entry.name] = first_line(error.what());
        if (!choice.schedule.empty()) result.absent[entry.name] += fmt::format(" ({})", choice.schedule);
        return std::nullopt;
    }
}

std::optional<Measurements::Candidate> Measurements::cufft(const Transform& problem, bool rotated,
                                                           Result& result) {
    try {
        Entry entry{.name = "cuFFT"};
        std::shared_ptr<const peers::CufftPlan> plan;
        entry.planning_seconds = seconds_of(
            [&] { plan = std::make_shared<const peers::CufftPlan>(problem, device_, stream_.handle()); });
        entry.made_by = peers::cufft_version();
        entry.workspace_bytes = plan->workspace_bytes();
        return Candidate{{entry, {[this, problem, plan, rotated](std::size_t execution) {
                              const auto arguments = arrays_.arguments(problem, set_of(execution, rotated));
                              plan->execute(arguments.input, arguments.output);
                          }}}};
    } catch (const std::exception& error) {
        result.absent["cuFFT"] = first_line(error.what());
        return std::nullopt;
    }
}

std::optional<Measurements::Candidate> Measurements::vkfft(const Transform& problem, bool rotated,
                                                           Result& result) {
    try {
        Entry entry{.name = "VkFFT"};
        std::shared_ptr<const peers::VkfftPlan> plan;
        entry.planning_seconds = seconds_of(
            [&] { plan = std::make_shared<const peers::VkfftPlan>(problem, device_, stream_.handle()); });
        entry.made_by = peers::vkfft_version();
        return Candidate{{entry, {[this, problem, plan, rotated](std::size_t execution) {
                              const auto arguments = arrays_.arguments(problem, set_of(execution, rotated));
                              plan->execute(arguments.input, arguments.output);
                          }}}};
    } catch (const std::exception& error) {
        result.absent["VkFFT"] = first_line(error.what());
        return std::nullopt;
    }
}

std::optional<Measurements::Candidate> Measurements::cufft_convolution(const Transform& problem,
                                                                       Result& result) {
    const std::size_t bytes = bytes_of(problem, Side::input);
    const auto points = static_cast<unsigned>(transform_size(problem));
    try {
        if (bytes % group_of_kernels != 0)
            throw UserError("the product works on multiples of {} bytes; {} are asked for", group_of_kernels,
                            bytes);
        Entry entry{.name = "cuFFT"};
        Transform transform = problem;
        transform.kind = TransformKind::dft;
        std::shared_ptr<const peers::CufftPlan> plan;
        entry.planning_seconds = seconds_of(
            [&] { plan = std::make_shared<const peers::CufftPlan>(transform, device_, stream_.handle()); });
        entry.made_by = peers::cufft_version() + ", three calls";
        entry.workspace_bytes = plan->workspace_bytes();
        const auto work = [this, plan, points, bytes](std::size_t execution) {
            const std::size_t set = set_of(execution, true);
            void* const output = reinterpret_cast<void*>(arrays_.output(set));
            plan->execute(reinterpret_cast<const void*>(arrays_.input(set)), output, Direction::forward);
            kernels_.multiply(stream_, arrays_.output(set), filter_->address(), points, bytes);
            plan->execute(output, output, Direction::backward);
        };
        return Candidate{{entry, {work}}, static_cast<double>(points)};
    } catch (const std::exception& error) {
        result.absent["cuFFT"] = first_line(error.what());
        return std::nullopt;
    }
}

std::vector<Measurements::Candidate> Measurements::candidates_of(const Transform& problem, Measure measure,
                                                                 Result& result) {
    std::vector<Candidate> all;
    const auto add = [&](std::optional<Candidate> candidate) {
        if (candidate) all.push_back(*std::move(candidate));
    };
    const bool convolves = problem.kind == TransformKind::convolution;
    const bool rotated = measure == Measure::of_copy || measure == Measure::convolution;
    filter_.reset();
    try {
        if (convolves) filter_.emplace(problem, device_);
    } catch (const std::exception& error) {
        for (const char* name : {"swirl", "cuFFT"}) result.absent[name] = first_line(error.what());
        return all;
    }
    std::vector<Choice> schedules;
    try {
        schedules = choices(problem);
    } catch (const std::exception& error) {
        result.absent["swirl"] = first_line(error.what());
    }
    for (std::size_t k = 0; k < schedules.size(); ++k)
        add(swirl(problem, schedules[k], {.name = swirls_name(k)}, rotated, result));
    add(convolves ? cufft_convolution(problem, result) : cufft(problem, rotated, result));
    if (!convolves && peers::vkfft_absent_because().empty()) add(vkfft(problem, rotated, result));
    return all;
}

std::vector<Complex> Measurements::results_at(const Transform& problem,
                                              const std::vector<OutputIndex>& outputs) const {
    constexpr Integer largest_range = 1 << 26; // bytes read at once
    const Integer size = bytes_of(problem.precision);
    std::vector<Complex> result;
    const auto address = [&](Integer real) {
        return arrays_.output(0) + static_cast<std::size_t>(real * size);
    };
    // Reads each transform's outputs separately: the gaps between them may be far larger than they are.
    for (std::size_t begin = 0, end = 0; begin < outputs.size(); begin = end) {
        std::vector<Integer> reals;
        for (; end < outputs.size() && outputs[end].transform == outputs[begin].transform; ++end) {
            const Components parts = components_at(problem, Side::output, offset_of(problem, outputs[end]));
            reals.push_back(parts.real);
            if (parts.imaginary >= 0) reals.push_back(parts.imaginary);
        }
        const auto [lowest, highest] = std::minmax_element(reals.begin(), reals.end());
        const Integer first = *lowest, count = *highest - first + 1;
        const bool at_once = count * size <= largest_range;
        std::vector<std::byte> bytes(static_cast<std::size_t>((at_once ? count : 1) * size));
        if (at_once) copy_from_gpu(device_, bytes.data(), address(first), bytes.size());
        const auto value = [&](Integer real) {
            if (at_once)
                return stored(problem.precision)
                    .read(&bytes[static_cast<std::size_t>((real - first) * size)]);
            copy_from_gpu(device_, bytes.data(), address(real), bytes.size());
            return stored(problem.precision).read(bytes.data());
        };
        const bool is_pair = is_complex(problem, Side::output);
        for (std::size_t k = 0; k < reals.size(); k += is_pair ? 2 : 1)
            result.emplace_back(value(reals[k]), is_pair ? value(reals[k + 1]) : 0);
    }
    return result;
}

void Measurements::compare(const Transform& problem, std::vector<Candidate>& candidates) {
    const std::vector<OutputIndex> outputs = outputs_to_compare(problem, options_.operations);
    const std::vector<Integer> zero = zero_imaginary_indices(problem, outputs);
    std::vector<Complex> truth;
    for (Candidate& candidate : candidates) {
        arrays_.fill(problem);
        const auto size = static_cast<std::size_t>(bytes_of(problem.precision));
        for (const Integer real : zero)
            fill_on_gpu(stream_, arrays_.input(0) + static_cast<std::size_t>(real) * size, 0, size);
        if (truth.empty())
            truth = filter_ ? filter_->results(problem, arrays_.numbers(), outputs)
                            : by_definition(problem, arrays_.numbers(), outputs);
        try {
            candidate.implementation.work.launch(0);
            stream_.synchronize();
        } catch (const std::exception&) {
            continue; // timing fails likewise, and reports it
        }
        std::vector<Complex> found = results_at(problem, outputs);
        for (Complex& value : found) value /= static_cast<long double>(candidate.scale);
        candidate.implementation.entry.error = relative_error(found, truth);
    }
}

Result Measurements::measure(const Group& group, const Row& row) {
    const Transform problem = parse_transform(row.problem);
    Result result{&group, row, search::compulsory_bytes(problem), {}, {}};
    std::vector<Candidate> candidates = candidates_of(problem, group.measure, result);
    if (options_.compare) compare(problem, candidates);
    arrays_.fill(problem);
    std::vector<Implementation> implementations;
    for (const Candidate& candidate : candidates) implementations.push_back(candidate.implementation);
    search::InterleavedTimingOptions timing = options_.timing;
    timing.always_replayed = group.measure == Measure::latency;
    time_implementations(stream_, implementations, timing, result.entries, result.absent);
    device_.synchronize(); // if the GPU can no longer run anything, the benchmark ends here
    return result;
}

} // namespace swirl::bench
