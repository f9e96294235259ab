#include "distributed/rank_plan.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "base/overloaded.hpp"
#include "distributed/agree.hpp"
#include "distributed/message.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"
#include "search/cost/cpu/host.hpp"

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace swirl::distributed {

namespace {

/// The second of two arrays of so many bytes, one after the other.
std::size_t second_offset(Integer bytes) { return static_cast<std::size_t>(ceil_divide(bytes, 64) * 64); }

} // namespace

DataType RankPlan::type(swirl::Side side) const {
    const Transform& problem = scheduled.factors.problem;
    return has_complex_elements(problem, side) ? complex_of(problem.precision) : problem.precision;
}

std::byte* RankPlan::work(Array array, int rank) const {
    std::byte* const both = shared->part(rank);
    return (array == Array::first) != (program.alternates && is_second_)
               ? both
               : both + second_offset(work_bytes[static_cast<std::size_t>(rank)]);
}

void RankPlan::run(const std::byte* input, std::byte* output) const {
    is_second_ = !is_second_;
    RankArrays arrays{input,
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

std::vector<std::byte*> RankPlan::outputs_of_all(std::byte* own) const {
    std::vector<std::byte*> result;
    for (const auto& message : communicator->gather_all(message_of(std::array{own}))) {
        result.push_back(nullptr);
        std::memcpy(&result.back(), message.data(), sizeof(std::byte*));
    }
    return result;
}

void RankPlan::run_delivery(const Execution& execution, const DeliverStep& step,
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
            return step.to == Array::output ? outputs[static_cast<std::size_t>(rank)] : work(step.to, rank);
        },
        [&] {
            if (!writers.has_failed) return;
            communicator->check_aborted();
            throw SystemError("another rank has left the execution by an exception");
        });
}

void RankPlan::run_stream(const Execution& execution, const RankArrays& arrays,
                          const StreamStep& step) const {
    // a rank without data may have no output
    std::byte* const own = arrays.target(step.to) != nullptr ? arrays.target(step.to) : arrays.second;
    std::byte* const to = step.receives_in_place ? own : arrays.received;
    std::vector<std::unique_ptr<PendingExchange>> pending;
    std::size_t arrived = 0;
    const auto take = [&] {
        pending[arrived]->wait();
        pending[arrived].reset();
        execution.unpack(step, step.chunks[arrived]);
        ++arrived;
    };
    for (const StreamStep::Chunk& each : step.chunks) {
        if (pending.size() >= arrived + StreamStep::chunks_in_flight) take();
        for (const StreamStep::Part& part : each.parts) {
            execution.run(step, part);
            while (arrived < pending.size() && pending[arrived]->progress()) take();
        }
        pending.push_back(communicator->start_exchange(arrays.sent, to, each.blocks));
    }
    while (arrived < pending.size()) take();
}

void RankPlan::stop_writers() const {
    if (!shared) return;
    shared->writers().has_failed = true;
    while (shared->writers().count > 0) std::this_thread::yield();
}

std::size_t RankPlan::workspace_bytes() const {
    return static_cast<std::size_t>(2 * program.workspace_bytes + program.local_bytes + program.chunk_bytes +
                                    program.sent_bytes + program.received_bytes);
}

namespace {

/// Whether ranks may write each other's arrays.
bool is_direct(const Communicator& communicator, const DistributedOptions& options) {
    const int per_node = options.machine.ranks_per_node;
    return communicator.shared_memory() != SharedMemory::none && !options.messages &&
           !options.separate_copies && (per_node == 0 || per_node >= communicator.size());
}

} // namespace

Model model_of(const Communicator& communicator, const DistributedOptions& options) {
    Model model{options.machine, {}};
    if (is_direct(communicator, options))
        model.shared = communicator.shared_memory() == SharedMemory::address_space ? SharedArrays::all
                                                                                   : SharedArrays::between;
    return model;
}

namespace {

/// Of the cache of a core that chunks are to stay in.
Integer chunk_cache_bytes() {
    for (const search::CacheLevel& cache : search::this_host().caches)
        if (cache.level == 2) return cache.bytes;
    constexpr Integer usual = 1 << 20;
    return usual;
}

} // namespace

ChunkSizes chunk_sizes(int threads) {
    const int cores = threads > 0 ? threads : search::this_host().cores;
    return {cores * chunk_cache_bytes()};
}

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

std::shared_ptr<RankPlan> prepared(const Transform& problem, Communicator& communicator, const AllBoxes& all,
                                   const Schedule& schedule, const DistributedOptions& options) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    auto state = std::make_shared<RankPlan>();
    state->communicator = &communicator;
    const Model model = model_of(communicator, options);
    // messages are of chunks, which all ranks cut alike
    const ChunkSizes sizes{std::stoll(agree_on_first(
        communicator, [&] { return std::to_string(chunk_sizes(options.local.threads).cache_bytes); }))};
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

} // namespace swirl::distributed
