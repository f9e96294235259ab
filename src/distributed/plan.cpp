#include <swirl/distributed/plan.hpp>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "base/overloaded.hpp"
#include "distributed/agree.hpp"
#include "distributed/arguments.hpp"
#include "distributed/choose.hpp"
#include "distributed/chunked_program.hpp"
#include "distributed/derivation.hpp"
#include "distributed/execution.hpp"
#include "distributed/message.hpp"
#include "distributed/program.hpp"
#include "distributed/scheduled.hpp"
#include "distributed/shared_area.hpp"
#include "distributed/work_array.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"
#include "search/cost/cpu/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
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

namespace {

/// The second of two arrays of so many bytes, one after the other.
std::size_t second_offset(Integer bytes) { return static_cast<std::size_t>(ceil_divide(bytes, 64) * 64); }

} // namespace

struct DistributedPlan::State {
    Communicator* communicator;
    Scheduled scheduled;
    double seconds;
    Box input_box, output_box;
    Program program;
    std::vector<Integer>
        work_bytes; ///< of each of a rank's two arrays between, where all ranks can write them
    std::shared_ptr<SharedArea> shared; ///< null: ranks exchange messages
    std::unique_ptr<WorkArray> first, second, local, chunk, sent, received;

    DataType type(swirl::Side side) const {
        const Transform& problem = scheduled.factors.problem;
        return has_complex_elements(problem, side) ? complex_of(problem.precision) : problem.precision;
    }
    std::byte* work(Array array, int rank) const {
        std::byte* const both = shared->part(rank);
        return array == Array::first ? both
                                     : both + second_offset(work_bytes[static_cast<std::size_t>(rank)]);
    }

    void run(const std::byte* input, std::byte* output) const {
        RankArrays arrays{
            input,
            output,
            nullptr,
            nullptr,
            local->data(),
            chunk->data(),
            sent->data(),
            received->data(),
            static_cast<std::size_t>(elements(output_box) * bytes_of(type(swirl::Side::output)))};
        arrays.first = shared ? work(Array::first, communicator->rank()) : first->data();
        arrays.second = shared ? work(Array::second, communicator->rank()) : second->data();
        const Execution execution(arrays);
        std::vector<std::byte*> outputs; // of all ranks
        for (const Step& step : program.steps)
            std::visit(Overloaded{
                           [&](const ExchangeStep& exchange) {
                               // a rank without data may have no arrays
                               const std::byte* const from = arrays.source(exchange.from);
                               std::byte* const to = arrays.target(exchange.to);
                               communicator->exchange(from != nullptr ? from : first->data(),
                                                      to != nullptr ? to : second->data(), exchange.blocks);
                           },
                           [&](const MeetStep& meet) {
                               if (meet.tells_outputs)
                                   outputs = outputs_of_all(output);
                               else
                                   communicator->barrier();
                           },
                           [&](const StreamStep& stream) { run_stream(execution, arrays, stream); },
                           [&](const DeliverStep& deliver) { run_delivery(execution, deliver, outputs); },
                           [&](const auto& local_step) { execution.run(local_step); },
                       },
                       step);
    }

    std::vector<std::byte*> outputs_of_all(std::byte* own) const {
        std::vector<std::byte*> result;
        for (const auto& message : communicator->gather_all(message_of(std::array{own}))) {
            result.push_back(nullptr);
            std::memcpy(&result.back(), message.data(), sizeof(std::byte*));
        }
        return result;
    }

    void run_delivery(const Execution& execution, const DeliverStep& step,
                      const std::vector<std::byte*>& outputs) const {
        SharedArea::Writers& writers = shared->writers();
        struct Writing { // while arrays of other ranks must not vanish
            explicit Writing(SharedArea::Writers& all) : writers(all) { ++writers.count; }
            ~Writing() { --writers.count; }
            SharedArea::Writers& writers;
        };
        const Writing writing(writers);
        execution.run(
            step,
            [&](int rank) {
                return step.to == Array::output ? outputs[static_cast<std::size_t>(rank)]
                                                : work(step.to, rank);
            },
            [&] {
                if (!writers.has_failed) return;
                communicator->check_aborted();
                throw SystemError("another rank has left the execution by an exception");
            });
    }

    void run_stream(const Execution& execution, const RankArrays& arrays, const StreamStep& step) const {
        // a rank without data may have no output
        std::byte* const own = arrays.target(step.to) != nullptr ? arrays.target(step.to) : arrays.second;
        std::byte* const to = step.receives_in_place ? own : arrays.received;
        std::vector<std::unique_ptr<PendingExchange>> pending;
        std::size_t arrived = 0;
        const auto take = [&] {
            pending[arrived]->wait();
            execution.unpack(step, step.chunks[arrived]);
            ++arrived;
        };
        for (const StreamStep::Chunk& each : step.chunks) {
            for (const StreamStep::Part& part : each.parts) {
                execution.run(step, part);
                while (arrived < pending.size() && pending[arrived]->progress()) take();
            }
            pending.push_back(communicator->start_exchange(arrays.sent, to, each.blocks));
        }
        while (arrived < pending.size()) take();
    }

    /// Before this rank leaves an execution by an exception: its arrays may vanish then.
    void stop_writers() const {
        if (!shared) return;
        shared->writers().has_failed = true;
        while (shared->writers().count > 0) std::this_thread::yield();
    }
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
    const State& s = *state_;
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

const Transform& DistributedPlan::problem() const { return state_->scheduled.factors.problem; }
const Box& DistributedPlan::input_box() const { return state_->input_box; }
const Box& DistributedPlan::output_box() const { return state_->output_box; }
std::string DistributedPlan::schedule() const { return to_text(state_->scheduled.schedule); }
double DistributedPlan::seconds() const { return state_->seconds; }
Integer DistributedPlan::exchanges() const {
    return static_cast<Integer>(state_->scheduled.schedule.stages.size()) - 1;
}
Integer DistributedPlan::bytes_sent() const {
    return distributed::bytes_sent(state_->program, state_->communicator->rank());
}
Integer DistributedPlan::messages_sent() const {
    return distributed::messages_sent(state_->program, state_->communicator->rank());
}
Integer DistributedPlan::bytes_copied() const { return distributed::bytes_copied(state_->program); }
std::size_t DistributedPlan::workspace_bytes() const {
    const Program& program = state_->program;
    return static_cast<std::size_t>(2 * program.workspace_bytes + program.local_bytes + program.chunk_bytes +
                                    program.sent_bytes + program.received_bytes);
}

namespace {

std::string steps_text(const Program& program) {
    std::string text;
    for (const Step& step : program.steps) text += to_text(step) + "\n";
    return text;
}

} // namespace

std::string DistributedPlan::description() const {
    const State& s = *state_;
    return fmt::format("schedule   {}\nrank       {} of {}, {} → {}\n{}", schedule(), s.communicator->rank(),
                       s.communicator->size(), to_text(s.input_box), to_text(s.output_box),
                       steps_text(s.program));
}

std::string DistributedPlan::derivation() const {
    const Scheduled& s = state_->scheduled;
    return to_text(derive(s.factors, s.schedule, s.stages, s.output));
}

namespace {

/// Whether ranks may write each other's arrays.
bool is_direct(Communicator& communicator, const DistributedOptions& options) {
    const int per_node = options.machine.ranks_per_node;
    return communicator.shared_memory() != SharedMemory::none && !options.messages &&
           !options.separate_copies && (per_node == 0 || per_node >= communicator.size());
}

Model model_of(Communicator& communicator, const DistributedOptions& options) {
    Model model{options.machine, {}};
    if (is_direct(communicator, options))
        model.shared = communicator.shared_memory() == SharedMemory::address_space ? SharedArrays::all
                                                                                   : SharedArrays::between;
    return model;
}

/// Of the cache of a core that chunks are to stay in.
Integer chunk_cache_bytes() {
    for (const search::CacheLevel& cache : search::this_host().caches)
        if (cache.level == 2) return cache.bytes;
    constexpr Integer usual = 1 << 20;
    return usual;
}

/// Where messages are long, sending overlaps with transforming; short ones are loaded and stored by whole local plans.
Program program_of_messages(const Scheduled& made, int rank, const DistributedOptions& options,
                            const ChunkSizes& sizes) {
    bool overlaps = !options.separate_copies && made.stages.size() > 1;
    for (std::size_t stage = 0; stage + 1 < made.stages.size(); ++stage) {
        const Integer bytes = largest(made.stages[stage].after) *
                              made.factors.element_bytes_after(made.stages[stage].done_after);
        overlaps =
            overlaps && chunks_of_exchange(bytes, static_cast<int>(made.input.ranks.size()), sizes) > 1;
    }
    if (overlaps)
        return chunked_program_of(made.factors, made.schedule, made.stages, made.output, rank,
                                  SharedArrays::none, sizes);
    return program_of(made.factors,
                      factors_of_rank(made.factors, made.schedule, made.stages, made.output, rank),
                      options.separate_copies);
}

/// Collective. What a rank needs to execute a schedule.
std::shared_ptr<DistributedPlanAccess::State> prepared(const Transform& problem, Communicator& communicator,
                                                       const AllBoxes& all, const Schedule& schedule,
                                                       const DistributedOptions& options) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    auto state = std::make_shared<DistributedPlanAccess::State>();
    state->communicator = &communicator;
    const Model model = model_of(communicator, options);
    // messages are of chunks, which all ranks cut alike
    const ChunkSizes sizes{
        std::stoll(agree(communicator, [] { return std::to_string(chunk_cache_bytes()); }).front())};
    const auto chunked = [&](SharedArrays shared) {
        const Scheduled& made = state->scheduled;
        return chunked_program_of(made.factors, made.schedule, made.stages, made.output, communicator.rank(),
                                  shared, sizes);
    };
    const std::vector<std::string> bytes_of_all = agree(communicator, [&] {
        state->scheduled = scheduled(problem, all, schedule);
        const Scheduled& made = state->scheduled;
        state->seconds = seconds_of(made.schedule, made.factors, made.stages, model);
        state->input_box = all.input[rank];
        state->output_box = made.output_boxes[rank];
        if (model.shared != SharedArrays::none) state->program = chunked(model.shared);
        return std::to_string(state->program.workspace_bytes);
    });
    if (model.shared != SharedArrays::none) {
        for (const std::string& bytes : bytes_of_all) state->work_bytes.push_back(std::stoll(bytes));
        const Integer own = state->work_bytes[rank];
        state->shared = share_memory(communicator, second_offset(own) + static_cast<std::size_t>(own));
    }
    agree(communicator, [&]() -> std::string {
        if (!state->shared)
            state->program = program_of_messages(state->scheduled, communicator.rank(), options, sizes);
        plan_transforms(state->program, options.local);
        const Program& program = state->program;
        const auto array = [](Integer bytes) {
            return std::make_unique<WorkArray>(static_cast<std::size_t>(bytes));
        };
        state->first = array(state->shared ? 0 : program.workspace_bytes);
        state->second = array(state->shared ? 0 : program.workspace_bytes);
        state->local = array(program.local_bytes);
        state->chunk = array(program.chunk_bytes);
        state->sent = array(program.sent_bytes);
        state->received = array(program.received_bytes);
        return "";
    });
    return state;
}

} // namespace

DistributedPlan plan(const Transform& problem, Communicator& communicator, const RankBoxes& boxes,
                     const DistributedOptions& options) {
    // what all ranks must give alike, then this rank's boxes
    const std::vector<std::string> given = agree(communicator, [&] {
        check_options(options);
        factors_of(problem);
        const std::size_t batches = problem.batches.size();
        std::string text =
            fmt::format("{}\n{}\n{}\n{}{}{}\n", to_text(problem), options.schedule, text_of(options.machine),
                        boxes.output ? "output given" : "output free", options.messages ? ", messages" : "",
                        options.separate_copies ? ", copies" : "");
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

    // rank 0 chooses: its model is that of all
    const std::vector<std::string> schedules = agree(communicator, [&]() -> std::string {
        if (!options.schedule.empty()) return to_text(parse_schedule(options.schedule));
        return communicator.rank() == 0
                   ? to_text(choose(problem, all, model_of(communicator, options)).schedule)
                   : "";
    });
    auto state = prepared(problem, communicator, all, parse_schedule(schedules.front()), options);
    return DistributedPlanAccess::make(std::move(state));
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
    const Schedule schedule = options.schedule.empty() ? choose(problem, all, {options.machine, {}}).schedule
                                                       : parse_schedule(options.schedule);
    const Scheduled made = scheduled(problem, all, schedule);
    PlanPreview result;
    result.schedule = to_text(schedule);
    result.seconds = seconds_of(schedule, made.factors, made.stages, {options.machine, {}});
    result.exchanges = static_cast<Integer>(schedule.stages.size()) - 1;
    result.output = made.output_boxes;
    const int ranks = static_cast<int>(all.input.size());
    constexpr int most_counted = 64;
    const int counted = std::min(ranks, most_counted);
    for (int i = 0; i < counted; ++i) {
        const int rank = static_cast<int>(part_begin(ranks, counted, i));
        result.ranks.push_back(rank);
        const Program program = program_of_messages(made, rank, options, {chunk_cache_bytes()});
        result.bytes.push_back(bytes_sent(program, rank));
        result.messages.push_back(messages_sent(program, rank));
        if (rank == 0) result.steps = steps_text(program);
    }
    if (ranks <= 16) result.derivation = to_text(derive(made.factors, schedule, made.stages, made.output));
    return result;
}

} // namespace swirl::distributed
