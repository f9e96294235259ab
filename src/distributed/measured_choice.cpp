#include "distributed/measured_choice.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "distributed/agree.hpp"
#include "distributed/arguments.hpp"
#include "distributed/machine.hpp"
#include "distributed/rank_plan.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"
#include "runtime/timer.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace swirl::distributed {

namespace {

constexpr std::size_t candidates_to_time = 8;
constexpr double default_budget_seconds = 3.5;

std::string text_of(const std::vector<Box>& boxes) {
    std::string text;
    for (const Box& box : boxes) text += to_text(box) + " ";
    return text;
}

/// What a schedule was measured for: boxes by their hash, as there may be thousands.
search::WisdomKey wisdom_key(const Transform& problem, const Communicator& communicator,
                             const AllBoxes& boxes, const Model& model) {
    std::string conditions = text_of(boxes.input) + "→ ";
    conditions += boxes.output ? text_of(*boxes.output) : "free";
    return {machine_key(),
            fmt::format("{}, {}, boxes={:016x}{}", to_text(problem), group_key(communicator, model.machine),
                        hash_of(conditions), model.shared == SharedArrays::none ? ", messages" : "")};
}

/// The schedule of an entry, if it suits.
std::optional<Schedule> suitable(const search::WisdomEntry& entry, const Transform& problem,
                                 const AllBoxes& boxes) {
    try {
        Schedule schedule = parse_schedule(entry.schedule);
        scheduled(problem, boxes, schedule);
        return schedule;
    } catch (const UserError&) {
        return std::nullopt; // of other rules, or damaged
    }
}

class CandidateTimer {
public:
    CandidateTimer(const Transform& problem, Communicator& communicator, const AllBoxes& boxes,
                   const DistributedOptions& options)
        : problem_(problem), communicator_(communicator), boxes_(boxes), options_(options) {
        options_.local.effort = Effort::estimate; // of the schedules' own plans: tuned once one is chosen
        const bool has_no_limit = options.local.effort == Effort::exhaustive;
        budget_ = options.local.time_budget_seconds.value_or(
            has_no_limit ? std::numeric_limits<double>::infinity() : default_budget_seconds);
        if (budget_ == 0 && has_no_limit) budget_ = std::numeric_limits<double>::infinity();
    }

    /// Collective: whether there is time for another candidate. Rank 0's clock decides.
    bool goes_on() {
        return agree_on_first(communicator_, [&]() -> std::string {
                   if (options_.local.cancelled && options_.local.cancelled())
                       throw Cancelled("planning was cancelled");
                   const bool is_enough = options_.local.enough && options_.local.enough();
                   return !is_enough && runtime::monotonic_seconds() - start_ < budget_ ? "on" : "";
               }) == "on";
    }
    /// Collective: least seconds of an execution.
    double time(const Schedule& schedule) {
        const auto rank = prepared(problem_, communicator_, boxes_, schedule, options_);
        const auto bytes = [&](swirl::Side side, const Box& box) {
            return static_cast<std::size_t>(elements(box) * bytes_of(rank->type(side)));
        };
        const std::size_t input_bytes = bytes(swirl::Side::input, rank->input_box),
                          output_bytes = bytes(swirl::Side::output, rank->output_box);
        const WorkArray input(input_bytes), output(output_bytes);
        std::fill_n(input.data(), input_bytes, std::byte{0});
        std::fill_n(output.data(), output_bytes, std::byte{0});
        constexpr int least_runs = 3, most_runs = 20;
        constexpr double seconds_of_candidate = 0.1;
        double best = std::numeric_limits<double>::infinity(), spent = 0;
        for (int run = 0; run < least_runs || (run < most_runs && spent < seconds_of_candidate); ++run) {
            communicator_.barrier();
            const double begin = runtime::monotonic_seconds();
            rank->run(input.data(), output.data());
            const double seconds = largest_of_ranks(communicator_, runtime::monotonic_seconds() - begin);
            spent += seconds;
            if (run > 0) best = std::min(best, seconds); // the first one touches memory and code
        }
        return best;
    }

private:
    const Transform& problem_;
    Communicator& communicator_;
    const AllBoxes& boxes_;
    DistributedOptions options_;
    double budget_;
    double start_ = runtime::monotonic_seconds();
};

} // namespace

Schedule chosen(const Transform& problem, Communicator& communicator, const AllBoxes& boxes,
                const DistributedOptions& options) {
    const Model model = model_of(communicator, options);
    const bool measures =
        options.local.effort == Effort::measure || options.local.effort == Effort::exhaustive;
    const auto found_by = search::found_by(options.local.effort);
    const search::WisdomKey key = wisdom_key(problem, communicator, boxes, model);
    const std::string known = agree_on_first(communicator, [&]() -> std::string {
        if (!options.local.use_wisdom) return "";
        search::Wisdom* const wisdom = search::shared_wisdom(false);
        const auto entry = wisdom != nullptr ? wisdom->find(key) : std::nullopt;
        if (!entry || (measures && entry->found_by < found_by)) return "";
        const auto schedule = suitable(*entry, problem, boxes);
        return schedule ? to_text(*schedule) : "";
    });
    if (!known.empty()) return parse_schedule(known);

    // rank 0 chooses: its model is that of all
    const std::string texts = agree_on_first(communicator, [&] {
        std::string lines;
        for (const Chosen& each : choose(problem, boxes, model, measures ? candidates_to_time : 1))
            lines += to_text(each.schedule) + "\n";
        return lines;
    });
    std::vector<Schedule> candidates;
    for (std::size_t at = 0; at < texts.size();) {
        const std::size_t end = texts.find('\n', at);
        candidates.push_back(parse_schedule(texts.substr(at, end - at)));
        at = end + 1;
    }
    if (!measures) return candidates.front();
    CandidateTimer timer(problem, communicator, boxes, options);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < candidates.size() && (k == 0 || timer.goes_on()); ++k) {
        const double seconds = timer.time(candidates[k]);
        if (options.local.progress && communicator.rank() == 0)
            options.local.progress(fmt::format("{}: {:.3g} ms", to_text(candidates[k]), 1e3 * seconds));
        if (seconds < least) {
            least = seconds;
            best = k;
        }
    }
    agree_on_first(communicator, [&]() -> std::string {
        if (!options.local.use_wisdom) return "";
        if (search::Wisdom* const wisdom = search::shared_wisdom(true))
            wisdom->store(key, {to_text(candidates[best]), least, found_by});
        return "";
    });
    return candidates[best];
}

} // namespace swirl::distributed
