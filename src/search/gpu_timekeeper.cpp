#include "search/gpu_timekeeper.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/team.hpp"
#include "runtime/timer.hpp"
#include "search/gpu_turns.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace swirl::search {

namespace {

/// Slower than the fastest by more than this at first sight, a contender is not looked at again.
constexpr double promising = 1.08;
constexpr std::size_t most_in_turn = 8;
/// At most this part of the time goes into building plans and looking at them.
constexpr double looking_share = 0.75;
constexpr std::size_t most_builders = 16;

const GpuTurnOptions glance{.seconds = 6e-3, .warm_up = 1e-3, .sample = 5e-4, .fewest_rounds = 5};
constexpr double longest_finish = 0.5, shortest_finish = 0.02; ///< seconds, of all that are left together

} // namespace

double DeviceTimekeeper::now() { return runtime::monotonic_seconds() - preparing_seconds_; }

void DeviceTimekeeper::prepare(const Problem& problem) {
    if (problem_ == problem) return;
    const double start = runtime::monotonic_seconds();
    data_.reset(); // before the next one takes its memory
    data_.emplace(device_, problem);
    problem_ = problem;
    preparing_seconds_ += runtime::monotonic_seconds() - start;
}

/// As many at once as there are processors: what takes its time is the driver's compiler, which is one thread a kernel.
void DeviceTimekeeper::build(const Problem& problem, std::span<GpuContender> contenders) const {
    std::atomic<std::size_t> next{0};
    const auto work = [&, is_in_section = ForkSection::is_inside()] {
        const ForkSection::Joined joined(is_in_section);
        for (std::size_t k = next++; k < contenders.size(); k = next++) {
            GpuContender& contender = contenders[k];
            if (contender.plan) continue;
            try {
                contender.plan = planning::GpuPlan::build(problem, contender.recipe, device_,
                                                          {.check = false, .use_cache = use_cache_});
            } catch (const UserError&) { // a mapping that this GPU does not admit, or that has no room
                contender.fits = false;
            } catch (const InternalError&) { // a kernel beyond what is foreseen
                contender.fits = false;
            }
        }
    };
    std::vector<std::jthread> others;
    try {
        while (others.size() + 1 < contenders.size()) others.emplace_back(work);
    } catch (const std::system_error&) {} // fewer threads do it too
    work();
}

std::function<void(std::size_t)> DeviceTimekeeper::execution_of(const planning::GpuPlan& plan) {
    if (!workspace_ || workspace_->bytes() < plan.workspace_bytes()) {
        stream_.synchronize();
        workspace_.reset();
        workspace_.emplace(device_, plan.workspace_bytes());
    }
    return [this, &plan](std::size_t execution) {
        plan.execute(data_->arguments(execution), stream_.handle(),
                     {reinterpret_cast<void*>(workspace_->address()), workspace_->bytes()});
    };
}

void DeviceTimekeeper::look_at(GpuContender& contender) {
    const GpuWork work{execution_of(*contender.plan)};
    const GpuTurns turns = time_in_turn(stream_, std::span(&work, 1), glance).front();
    if (turns.failed_because.empty())
        contender.seconds = turns.time.median;
    else
        contender.fits = false;
}

/// In turn, so that drifts of the clock meet all alike.
void DeviceTimekeeper::finish(std::span<GpuContender* const> left, double seconds) {
    std::vector<GpuWork> works;
    for (const GpuContender* contender : left) execution_of(*contender->plan); // grows the workspace
    for (const GpuContender* contender : left) works.push_back({execution_of(*contender->plan)});
    const std::vector<GpuTurns> turns = time_in_turn(
        stream_, works,
        {.seconds = std::clamp(seconds, shortest_finish, longest_finish), .warm_up = 2e-3, .sample = 1e-3});
    for (std::size_t k = 0; k < left.size(); ++k)
        if (turns[k].failed_because.empty()) left[k]->seconds = turns[k].time.median;
}

void DeviceTimekeeper::race(const Problem& problem, std::span<GpuContender> contenders, double until,
                            const Seen& seen) {
    prepare(problem);
    const double begin = now(), last_start = begin + looking_share * (until - begin);
    const auto at_once =
        std::min<std::size_t>(most_builders, static_cast<std::size_t>(runtime::processors()));
    double fastest = std::numeric_limits<double>::infinity(), longest = 0;
    const auto is_beaten = [&](const GpuContender& each) { return each.seconds > promising * fastest; };
    for (std::size_t first = 0; first < contenders.size();) {
        const double start = now();
        if (first > 0 && start + longest > last_start) break;
        const std::size_t count = first == 0 ? 1 : std::min(at_once, contenders.size() - first);
        build(problem, contenders.subspan(first, count));
        for (std::size_t k = first; k < first + count; ++k) {
            if (!contenders[k].plan) continue;
            look_at(contenders[k]);
            if (!contenders[k].is_timed()) continue;
            fastest = std::min(fastest, contenders[k].seconds);
            if (k > 0 && is_beaten(contenders[k])) contenders[k].plan.reset();
            seen(k);
        }
        longest = first == 0 ? now() - start : std::max(longest, now() - start);
        first += count;
    }
    std::vector<GpuContender*> left;
    for (GpuContender& contender : contenders)
        if (contender.plan && contender.is_timed() &&
            (&contender == contenders.data() || !is_beaten(contender)))
            left.push_back(&contender);
    if (left.size() < 2) return;
    std::stable_sort(left.begin() + 1, left.end(),
                     [](const auto* a, const auto* b) { return a->seconds < b->seconds; });
    left.resize(std::min(left.size(), most_in_turn));
    finish(left, until - now());
}

} // namespace swirl::search
