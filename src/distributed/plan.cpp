#include <swirl/distributed/plan.hpp>

#include "base/error.hpp"
#include "distributed/agree.hpp"
#include "distributed/arguments.hpp"
#include "distributed/choose.hpp"
#include "distributed/derivation.hpp"
#include "distributed/machine.hpp"
#include "distributed/measured_choice.hpp"
#include "distributed/rank_plan.hpp"
#include "distributed/scheduled.hpp"
#include "problem/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>

namespace swirl::distributed {

namespace {

/// A box of the dimensions alone has all batches.
Box with_batches(const Box& box, const std::vector<Integer>& lengths, std::size_t batches) {
    if (box.lower.empty() || box.lower.size() != box.upper.size() ||
        box.lower.size() + batches != lengths.size())
        return box;
    Box result = box;
    result.lower.insert(result.lower.begin(), batches, 0);
    result.upper.insert(result.upper.begin(), lengths.begin(),
                        lengths.begin() + static_cast<std::ptrdiff_t>(batches));
    if (!box.order.empty()) {
        for (int& axis : result.order) axis += static_cast<int>(batches);
        std::vector<int> loops(batches);
        std::iota(loops.begin(), loops.end(), 0);
        result.order.insert(result.order.begin(), loops.begin(), loops.end());
    }
    return result;
}

} // namespace

struct DistributedPlan::State {
    std::shared_ptr<RankPlan> rank;
};

struct DistributedPlanAccess {
    using State = DistributedPlan::State;
    static DistributedPlan make(std::shared_ptr<const DistributedPlan::State> state) {
        DistributedPlan plan;
        plan.state_ = std::move(state);
        return plan;
    }
};

void DistributedPlan::execute(const Input& input, const Output& output) const {
    if (!state_) throw UserError("the plan is empty");
    const RankPlan& s = *state_->rank;
    try {
        check_array("input", input.array(), s.type(swirl::Side::input), elements(s.input_box), false);
        check_array("output", output.array(), s.type(swirl::Side::output), elements(s.output_box), true);
        s.run(static_cast<const std::byte*>(input.array().data),
              static_cast<std::byte*>(output.array().data));
    } catch (const std::exception& error) {
        s.communicator->abort(error.what());
        s.stop_writers();
        throw;
    }
}

const Transform& DistributedPlan::problem() const { return state_->rank->scheduled.factors.problem; }
const Box& DistributedPlan::input_box() const { return state_->rank->input_box; }
const Box& DistributedPlan::output_box() const { return state_->rank->output_box; }
std::string DistributedPlan::schedule() const { return to_text(state_->rank->scheduled.schedule); }
double DistributedPlan::seconds() const { return state_->rank->seconds; }
Integer DistributedPlan::exchanges() const {
    return static_cast<Integer>(state_->rank->scheduled.schedule.stages.size()) - 1;
}
Integer DistributedPlan::bytes_sent() const {
    return distributed::bytes_sent(state_->rank->program, state_->rank->communicator->rank());
}
Integer DistributedPlan::messages_sent() const {
    return distributed::messages_sent(state_->rank->program, state_->rank->communicator->rank());
}
Integer DistributedPlan::bytes_copied() const { return distributed::bytes_copied(state_->rank->program); }
std::size_t DistributedPlan::workspace_bytes() const { return state_->rank->workspace_bytes(); }

namespace {

std::string steps_text(const Program& program) {
    std::string text;
    for (const Step& step : program.steps) text += to_text(step) + "\n";
    return text;
}

} // namespace

std::string DistributedPlan::description() const {
    const RankPlan& s = *state_->rank;
    return fmt::format("schedule   {}\nrank       {} of {}, {} → {}\n{}", schedule(), s.communicator->rank(),
                       s.communicator->size(), to_text(s.input_box), to_text(s.output_box),
                       steps_text(s.program));
}

std::string DistributedPlan::derivation() const {
    const Scheduled& s = state_->rank->scheduled;
    return to_text(derive(s.factors, s.schedule, s.stages, s.output));
}

DistributedPlan plan(const Transform& problem, Communicator& communicator, const RankBoxes& boxes,
                     const DistributedOptions& options) {
    // what all ranks must give alike, then this rank's boxes
    const std::vector<std::string> given = agree(communicator, [&] {
        check_options(options);
        factors_of(problem);
        const std::size_t batches = problem.batches.size();
        std::string text =
            fmt::format("{}\n{}\n{}\n{}{}{}{}\n", to_text(problem), options.schedule,
                        text_of(options.machine), boxes.output ? "output given" : "output free",
                        options.messages ? ", messages" : "", options.separate_copies ? ", copies" : "",
                        options.local.effort == Effort::estimate ? "" : ", measured");
        text += numbers(with_batches(boxes.input, input_lengths(problem), batches));
        if (boxes.output)
            text += " " + numbers(with_batches(*boxes.output, output_lengths(problem), batches));
        return text;
    });
    const auto alike_end = [](const std::string& text) { return text.rfind('\n'); };
    AllBoxes all;
    if (boxes.output) all.output.emplace();
    for (std::size_t rank = 0; rank < given.size(); ++rank) {
        const std::string &first = given.front(), &text = given[rank];
        if (text.substr(0, alike_end(text)) != first.substr(0, alike_end(first)))
            throw UserError(
                "rank {}: its problem or options are not those of rank 0\n  rank {}: {}\n  rank 0: {}", rank,
                rank, text.substr(0, alike_end(text)), first.substr(0, alike_end(first)));
        std::istringstream stream(text.substr(alike_end(text)));
        all.input.push_back(box_of(stream));
        if (all.output) all.output->push_back(box_of(stream));
    }
    check_boxes(problem, all);

    DistributedOptions used = options;
    used.machine = machine_in_use(communicator, options);
    const Schedule schedule = options.schedule.empty() ? chosen(problem, communicator, all, used)
                                                       : parse_schedule(options.schedule);
    return DistributedPlanAccess::make(std::make_shared<DistributedPlanAccess::State>(
        DistributedPlanAccess::State{prepared(problem, communicator, all, schedule, used)}));
}

PlanPreview preview(const Transform& problem, std::vector<Box> input, std::optional<std::vector<Box>> output,
                    const DistributedOptions& options) {
    check_options(options);
    factors_of(problem);
    AllBoxes all{std::move(input), std::move(output)};
    if (all.input.empty()) throw UserError("there are no ranks\n  give a box for each rank");
    if (all.output && all.output->size() != all.input.size())
        throw UserError("there are {} input and {} output boxes\n  give one of each for each rank",
                        all.input.size(), all.output->size());
    for (Box& box : all.input) box = with_batches(box, input_lengths(problem), problem.batches.size());
    if (all.output)
        for (Box& box : *all.output) box = with_batches(box, output_lengths(problem), problem.batches.size());
    check_boxes(problem, all);
    const Schedule schedule = options.schedule.empty() ? choose(problem, all, {options.machine}).schedule
                                                       : parse_schedule(options.schedule);
    const Scheduled made = scheduled(problem, all, schedule);
    PlanPreview result;
    result.schedule = to_text(schedule);
    result.seconds = seconds_of(schedule, made.factors, made.stages, {options.machine});
    result.exchanges = static_cast<Integer>(schedule.stages.size()) - 1;
    result.output = made.output_boxes;
    const int ranks = static_cast<int>(all.input.size());
    constexpr int most_counted = 64;
    const int counted = std::min(ranks, most_counted);
    for (int i = 0; i < counted; ++i) {
        const int rank = static_cast<int>(part_begin(ranks, counted, i));
        result.ranks.push_back(rank);
        const Program program = program_of_messages(made, rank, options, chunk_sizes(options.local.threads));
        result.bytes.push_back(bytes_sent(program, rank));
        result.messages.push_back(messages_sent(program, rank));
        if (rank == 0) result.steps = steps_text(program);
    }
    if (ranks <= 16) result.derivation = to_text(derive(made.factors, schedule, made.stages, made.output));
    return result;
}

} // namespace swirl::distributed
