#include "lower/gpu/emitter.hpp"

#include "lower/gpu/staging.hpp"

#include <algorithm>
#include <deque>

namespace swirl::lower {

namespace {

/// Entries that a copying thread has in flight.
constexpr Integer iterations_at_once = 8;

} // namespace

/// A call with its iterations distributed over threads.
struct GpuEmitter::ThreadedCall {
    ThreadedCall(GpuEmitter& emitter, const Call& original)
        : shared(emitter.context_.loops, original, emitter.transforms(), emitter.configuration_.threads,
                 !emitter.waits_between(original)),
          call(emitter.bind_single_loops(original, shared)),
          bound(emitter.context_, call) {}

    ThreadedIterations shared;
    Call call;
    BoundCall bound;
};

template <class Body> void GpuEmitter::under(std::vector<ir::Condition> conditions, const Body& body) {
    if (conditions.empty()) return body();
    context_.builder.if_then(std::move(conditions), body);
}

void GpuEmitter::emit(const Range& range, const std::vector<std::size_t>& exchanges,
                      const std::set<std::size_t>& joined) {
    context_.assume_loops(region_.around);
    bind_blocks(range);
    emit_calls(exchanges, joined, {});
}

void GpuEmitter::emit_in_cooperative_group(const Affine& first_transform, const GroupBufferCopy& copy,
                                           const HalfBarriers& halves) {
    context_.assume_loops(region_.around);
    first_transform_ = first_transform;
    copy_ = copy;
    const Integer count = region_.around.empty() ? 1 : region_.around.back().count;
    if (count % configuration_.transforms != 0) end_ = count;
    emit_calls({}, {}, halves);
}

void GpuEmitter::emit_calls(const std::vector<std::size_t>& exchanges, const std::set<std::size_t>& joined,
                            const HalfBarriers& halves) {
    for (std::size_t k = 0, end = 0; k < region_.calls.size(); k = end) {
        for (end = k + 1; joined.contains(end);) ++end;
        if (k == halves.wait_before) cooperative_barrier(halves.counter, ir::Barrier::Half::wait);
        if (exchanges_) barrier();
        exchanges_ = std::any_of(exchanges.begin(), exchanges.end(),
                                 [&](std::size_t step) { return k <= step && step < end; });
        const std::span<const Call> calls(region_.calls.data() + k, end - k);
        if (std::any_of(calls.begin(), calls.end(), [&](const Call& call) { return needs_barrier(call); }))
            block_barrier();
        if (calls.size() > 1)
            emit_joined(calls);
        else
            emit_single(calls.front());
        for (const Call& call : calls) unsynchronized_.add(call);
        if (k == halves.arrive_after) cooperative_barrier(halves.counter, ir::Barrier::Half::arrive);
    }
}

void GpuEmitter::bind_blocks(const Range& range) {
    ir::Builder& builder = context_.builder;
    Integer blocks = 1;
    for (std::size_t k = region_.around.size(); k-- > 0;) {
        const bool innermost = k + 1 == region_.around.size();
        const Loop& loop = region_.around[k];
        const Integer count = innermost ? ceil_divide(range.count, configuration_.transforms) : loop.count;
        const Affine digit = count > 1 ? builder.block(0, blocks, k == 0 ? 0 : count) : Affine(0);
        if (innermost) {
            first_transform_ = range.first + configuration_.transforms * digit;
            if (count * configuration_.transforms != range.count) end_ = range.first + range.count;
        } else {
            context_.bind(loop.variable, digit);
        }
        blocks *= count;
    }
    builder.launch(
        {{blocks, 1, 1}, {configuration_.threads, 1, 1}, configuration_.cluster, configuration_.resident});
}

void GpuEmitter::choose_transform(const Affine& number) {
    if (!region_.around.empty()) context_.bind(region_.around.back().variable, first_transform_ + number);
    for (std::size_t k = 0; k < context_.loops.arrays.size(); ++k) {
        const Array& array = context_.loops.arrays[k];
        if (array.role != Array::Role::temporary || array.unused) continue;
        context_.choose_copy(static_cast<int>(k),
                             array.residence == Array::Residence::shared ? number : iteration_around(k));
    }
}

Affine GpuEmitter::iteration_around(std::size_t array) const {
    const std::vector<Loop>& loops = around_users_.at(array);
    Affine iteration = copy_ ? copy_->number : Affine(0);
    for (std::size_t k = copy_ ? copy_->loops : 0; k < loops.size(); ++k)
        iteration = loops[k].count * iteration + context_.placed(Affine::of(loops[k].variable));
    return iteration;
}

bool GpuEmitter::needs_barrier(const Call& call) const {
    return unsynchronized_.needs_barrier_before_read(call) ||
           (!waits_between(call) && unsynchronized_.needs_barrier_before_write(call));
}

Call GpuEmitter::bind_single_loops(const Call& original, const ThreadedIterations& shared) {
    Call call = original;
    call.loops = shared.loops_of_call();
    for (const Loop& loop : original.loops) {
        if (loop.count > 1) continue;
        context_.bind(loop.variable, 0);
        call.loops.insert(call.loops.begin(), loop);
    }
    return call;
}

ThreadedIterations::Digits GpuEmitter::choose(const ThreadedCall& step, Integer iteration) {
    const auto variables = step.shared.in_iteration(context_.builder, iteration);
    for (const auto& [loop, digit] : variables)
        if (!transforms() || loop.variable != transforms()->variable) context_.bind(loop.variable, digit);
    choose_transform(step.shared.transform(variables));
    return variables;
}

void GpuEmitter::emit_single(const Call& call) {
    if (const auto whole = over_all_transforms(context_.loops, region_, call, configuration_.transforms))
        return emit_contiguous_copy(*whole, call.loops.front().count);
    ThreadedCall step(*this, call);
    if (waits_between(call)) return emit_read_barrier_write({&step});
    emit(step);
}

void GpuEmitter::emit_joined(std::span<const Call> calls) {
    std::deque<ThreadedCall> steps;
    std::vector<ThreadedCall*> held, late;
    for (const Call& call : calls) {
        steps.emplace_back(*this, call);
        const bool elsewhere = is_shared(context_.loops, call.input) && call.input.array != call.output.array;
        (elsewhere || !waits_between(call) ? late : held).push_back(&steps.back());
    }
    if (!held.empty()) emit_read_barrier_write(held);
    for (ThreadedCall* const step : late) emit(*step);
}

void GpuEmitter::emit(ThreadedCall& step) {
    for (Integer iteration = 0; iteration < step.shared.iterations_per_thread(); ++iteration) {
        const ThreadedIterations::Digits digits = choose(step, iteration);
        std::vector<ir::Condition> conditions = participation_conditions(step.shared);
        add_limit(step.call, conditions);
        if (const auto excess = step.shared.excess(digits, iteration))
            conditions.push_back({*excess, ir::Condition::Relation::negative});
        if (end_)
            conditions.push_back({first_transform_ + step.shared.transform(digits) - *end_,
                                  ir::Condition::Relation::negative});
        under(std::move(conditions), [&] { step.bound.store(step.bound.compute(step.bound.load())); });
    }
}

void GpuEmitter::add_limit(const Call& call, std::vector<ir::Condition>& conditions) const {
    if (call.limit) conditions.push_back({context_.placed(*call.limit), ir::Condition::Relation::negative});
}

void GpuEmitter::emit_contiguous_copy(const Call& call, Integer entries) {
    BoundCall bound(context_, call);
    choose_transform(0);
    const Loop& loop = call.loops.front();
    const Affine thread = context_.builder.thread(0);
    const auto bind = [&](Integer iteration) {
        context_.bind(loop.variable, thread + iteration * configuration_.threads);
    };
    const Integer iterations_per_thread = loop.count / configuration_.threads;
    for (Integer iteration = 0; iteration < iterations_per_thread && !end_; iteration += iterations_at_once) {
        std::vector<BoundCall::Entries> held;
        const Integer last = std::min(iteration + iterations_at_once, iterations_per_thread);
        for (Integer k = iteration; k < last; ++k) {
            bind(k);
            held.push_back(bound.load());
        }
        for (Integer k = iteration; k < last; ++k) {
            bind(k);
            bound.store(bound.compute(std::move(held[static_cast<std::size_t>(k - iteration)])));
        }
    }
    for (Integer iteration = end_ ? 0 : iterations_per_thread;
         iteration * configuration_.threads < loop.count; ++iteration) {
        bind(iteration);
        const Affine index = thread + iteration * configuration_.threads;
        std::vector<ir::Condition> conditions;
        if ((iteration + 1) * configuration_.threads > loop.count)
            conditions.push_back({index - loop.count, ir::Condition::Relation::negative});
        if (end_)
            conditions.push_back(
                {entries * first_transform_ + index - entries * *end_, ir::Condition::Relation::negative});
        context_.builder.if_then(std::move(conditions), [&] { bound.store(bound.compute(bound.load())); });
    }
}

void GpuEmitter::emit_read_barrier_write(const std::vector<ThreadedCall*>& steps) {
    std::vector<std::vector<std::vector<Scaled>>> entries; // by call and iteration
    for (ThreadedCall* const step : steps) {
        auto& held = entries.emplace_back();
        for (Integer iteration = 0; iteration < step->shared.iterations_per_thread(); ++iteration) {
            choose(*step, iteration);
            held.push_back(step->bound.load());
        }
        for (Integer iteration = 0; iteration < step->shared.iterations_per_thread(); ++iteration) {
            choose(*step, iteration);
            auto& of_iteration = held[static_cast<std::size_t>(iteration)];
            of_iteration = step->bound.compute(std::move(of_iteration));
        }
    }
    barrier();
    for (std::size_t k = 0; k < steps.size(); ++k)
        under(participation_conditions(steps[k]->shared),
              [&] { store_after_barrier(*steps[k], std::move(entries[k])); });
}

void GpuEmitter::store_after_barrier(ThreadedCall& step, std::vector<std::vector<Scaled>> entries) {
    for (Integer iteration = 0; iteration < step.shared.iterations_per_thread(); ++iteration) {
        choose(step, iteration);
        std::vector<ir::Condition> conditions;
        add_limit(step.call, conditions);
        under(std::move(conditions),
              [&] { step.bound.store(std::move(entries[static_cast<std::size_t>(iteration)])); });
    }
}

void GpuEmitter::barrier() {
    if (!exchanges_ || configuration_.cluster == 1) return block_barrier();
    context_.builder.cluster_barrier();
    unsynchronized_.met();
}

void GpuEmitter::cooperative_barrier(const ir::Address& counter, ir::Barrier::Half half) {
    context_.builder.cooperative_barrier(counter, half);
    unsynchronized_.met();
}

void GpuEmitter::block_barrier() {
    context_.builder.barrier();
    unsynchronized_.met();
}

bool GpuEmitter::waits_between(const Call& call) const {
    return exchanges_ || overwrites_unread(context_.loops, call);
}

std::vector<ir::Condition> GpuEmitter::participation_conditions(const ThreadedIterations& shared) {
    if (shared.active() == configuration_.threads) return {};
    return {{context_.builder.thread(0) - shared.active(), ir::Condition::Relation::negative}};
}

std::optional<Loop> GpuEmitter::transforms() const {
    if (region_.around.empty() || configuration_.transforms == 1) return std::nullopt;
    return Loop{region_.around.back().variable, configuration_.transforms};
}

} // namespace swirl::lower
