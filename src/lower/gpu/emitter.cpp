#include "lower/gpu/emitter.hpp"

#include <algorithm>
#include <deque>

namespace swirl::lower {

namespace {

/// Each loop's variable in an iteration, as a form of digits of the index of one of `threads` threads. Idle threads get
/// the values of a participating one.
ThreadedIterations::Digits in_iteration(ir::Builder& builder, const ThreadedIterations& shared,
                                        Integer threads, Integer iteration) {
    const Integer active = shared.active();
    ThreadedIterations::Digits result;
    for (const ThreadedIterations::Digit& each : shared.digits()) {
        const auto& [loop, inner, count] = each;
        const Integer whole = each.whole();
        Affine form = 0;
        if (inner % active == 0)
            form = iteration / (inner / active) % count;
        else if (active % whole == 0)
            form = builder.thread(0, inner, whole == threads ? 0 : count);
        else
            form = builder.thread(0, inner, active == threads ? 0 : active / inner) +
                   active / inner * (iteration % (whole / active));
        result.emplace_back(loop, std::move(form));
    }
    return result;
}

/// Conditions that hold only where all of the given ones hold.
std::vector<ir::Condition> all_of(const std::vector<std::vector<ir::Condition>>& conditions) {
    std::vector<ir::Condition> result;
    for (const std::vector<ir::Condition>& some : conditions)
        for (const ir::Condition& each : some) {
            const auto same = std::find_if(result.begin(), result.end(), [&](const ir::Condition& other) {
                return (each.form - other.form).is_constant();
            });
            if (same == result.end())
                result.push_back(each);
            else if ((each.form - same->form).constant() > 0)
                *same = each;
        }
    return result;
}

} // namespace

/// A call, and how threads share it.
struct GpuEmitter::ThreadedCall {
    ThreadedCall(GpuEmitter& emitter, std::size_t index)
        : call(emitter.region_.calls[index]),
          shared(emitter.region_.shares[index].iterations),
          entries_at_once(emitter.region_.shares[index].entries_at_once),
          bound(emitter.context_, emitter.with_single_loops_bound(call)) {}

    const Call& call;
    const ThreadedIterations& shared;
    Integer entries_at_once; ///< that a copying thread has in flight
    BoundCall bound;

    Integer entries() const { return std::max(call.codelet.rows, call.codelet.columns); }
};

template <class Body> void GpuEmitter::under(std::vector<ir::Condition> conditions, const Body& body) {
    if (conditions.empty()) return body();
    context_.builder.if_then(std::move(conditions), body);
}

void GpuEmitter::emit(const std::optional<KernelLoops::Range>& range) {
    context_.assume_loops(region_.around);
    bind_blocks(range);
    emit_calls({});
}

void GpuEmitter::emit_in_cooperative_group(const Affine& first_transform, const GroupBufferCopy& copy,
                                           const HalfBarriers& halves) {
    context_.assume_loops(region_.around);
    first_transform_ = first_transform;
    copy_ = copy;
    const Integer count = region_.around.empty() ? 1 : region_.around.back().count;
    if (count % configuration_.transforms != 0) end_ = count;
    emit_calls(halves);
}

void GpuEmitter::emit_calls(const HalfBarriers& halves) {
    for (std::size_t k = 0, end = 0; k < region_.calls.size(); k = end) {
        for (end = k + 1; region_.joined.contains(end);) ++end;
        if (k == halves.wait_before) cooperative_barrier(halves.counter, ir::Barrier::Half::wait);
        if (exchanges_) barrier();
        exchanges_ = region_.shares[k].exchanges;
        bool barrier_before = false;
        for (std::size_t call = k; call < end; ++call) barrier_before = barrier_before || needs_barrier(call);
        if (barrier_before) block_barrier();
        if (end - k > 1)
            emit_joined(k, end);
        else
            emit_single(k);
        for (std::size_t call = k; call < end; ++call) unsynchronized_.add(region_.calls[call]);
        if (k == halves.arrive_after) cooperative_barrier(halves.counter, ir::Barrier::Half::arrive);
    }
}

void GpuEmitter::bind_blocks(const std::optional<KernelLoops::Range>& own) {
    const KernelLoops::Range range =
        own ? *own : KernelLoops::Range{0, region_.around.empty() ? 1 : region_.around.back().count};
    ir::Builder& builder = context_.builder;
    Integer blocks = 1;
    for (std::size_t k = region_.around.size(); k-- > 0;) {
        const bool innermost = k + 1 == region_.around.size();
        const Loop& loop = region_.around[k];
        const Integer count = innermost ? ceil_divide(range.count, loop.per_block) : loop.count;
        const Affine digit = count > 1 ? builder.block(0, blocks, k == 0 ? 0 : count) : Affine(0);
        if (innermost) {
            first_transform_ = range.first + loop.per_block * digit;
            if (count * loop.per_block != range.count) end_ = range.first + range.count;
        } else {
            context_.bind(loop.variable, digit);
        }
        blocks *= count;
    }
    builder.launch(
        {{blocks, 1, 1}, {configuration_.threads, 1, 1}, configuration_.cluster, configuration_.resident});
}

void GpuEmitter::choose_transform(const Affine& transform) {
    if (!region_.around.empty()) context_.bind(region_.around.back().variable, first_transform_ + transform);
    for (std::size_t k = 0; k < context_.loops.arrays.size(); ++k) {
        const Array& array = context_.loops.arrays[k];
        if (array.role != Array::Role::temporary || array.unused) continue;
        context_.choose_copy(static_cast<int>(k),
                             array.residence == Array::Residence::shared ? transform : iteration_around(k));
    }
}

Affine GpuEmitter::iteration_around(std::size_t array) const {
    const std::vector<Loop>& loops = context_.loops.arrays[array].users_in;
    Affine iteration = copy_ ? copy_->index : Affine(0);
    for (std::size_t k = copy_ ? copy_->loops : 0; k < loops.size(); ++k)
        iteration = loops[k].count * iteration + context_.placed(Affine::of(loops[k].variable));
    return iteration;
}

bool GpuEmitter::needs_barrier(std::size_t index) const {
    const Call& call = region_.calls[index];
    return unsynchronized_.needs_barrier_before_read(call) ||
           (!region_.shares[index].waits && unsynchronized_.needs_barrier_before_write(call));
}

const Call& GpuEmitter::with_single_loops_bound(const Call& call) {
    for (const Loop& loop : call.loops)
        if (loop.count == 1) context_.bind(loop.variable, 0);
    return call;
}

ThreadedIterations::Digits GpuEmitter::choose(const ThreadedCall& threaded, Integer iteration) {
    const auto variables = in_iteration(context_.builder, threaded.shared, configuration_.threads, iteration);
    for (const auto& [loop, digit] : variables)
        if (!is_over_transforms(loop)) context_.bind(loop.variable, digit);
    choose_transform(threaded.shared.transform(variables));
    return variables;
}

void GpuEmitter::emit_single(std::size_t index) {
    if (region_.shares[index].over_all_transforms)
        return emit_contiguous_copy(region_.shares[index], region_.calls[index].loops.front().count);
    ThreadedCall threaded(*this, index);
    if (region_.shares[index].waits) return emit_read_barrier_write({&threaded});
    emit(threaded);
}

void GpuEmitter::emit_joined(std::size_t first, std::size_t end) {
    std::deque<ThreadedCall> calls;
    std::vector<ThreadedCall*> held, late;
    for (std::size_t k = first; k < end; ++k) {
        const Call& call = calls.emplace_back(*this, k).call;
        const bool elsewhere = is_shared(context_.loops, call.input) && call.input.array != call.output.array;
        (elsewhere || !region_.shares[k].waits ? late : held).push_back(&calls.back());
    }
    if (!held.empty()) emit_read_barrier_write(held);
    for (ThreadedCall* const call : late) emit(*call);
}

void GpuEmitter::emit(ThreadedCall& threaded) {
    const bool waits_long = !threaded.call.codelet.formula || !is_shared(context_.loops, threaded.call.input);
    const Integer count = threaded.shared.iterations_per_thread(),
                  at_once =
                      waits_long ? std::max<Integer>(threaded.entries_at_once / threaded.entries(), 1) : 1;
    under(participation_conditions(threaded.shared), [&] {
        const auto excess_in = [&](Integer k) { return threaded.shared.excess(choose(threaded, k), k); };
        for (Integer first = 0, last = 0; first < count; first = last) {
            // Threads of a warp stay together: iterations that not all threads have are apart from the others.
            std::vector<std::vector<ir::Condition>> conditions;
            for (last = first; last < std::min(first + at_once, count) && excess_in(last) == excess_in(first);
                 ++last)
                conditions.push_back(conditions_of(threaded, last, choose(threaded, last)));
            emit_together(
                first, conditions,
                [&](Integer iteration) {
                    choose(threaded, iteration);
                    return threaded.bound.load();
                },
                [&](Integer iteration, BoundCall::Entries entries) {
                    choose(threaded, iteration);
                    threaded.bound.store(threaded.bound.compute(std::move(entries)));
                });
        }
    });
}

std::vector<ir::Condition> GpuEmitter::conditions_of(const ThreadedCall& threaded, Integer iteration,
                                                     const ThreadedIterations::Digits& digits) const {
    std::vector<ir::Condition> conditions;
    add_limit(threaded.call, conditions);
    if (const auto excess = threaded.shared.excess(digits, iteration))
        conditions.push_back({*excess, ir::Condition::Relation::negative});
    if (end_)
        conditions.push_back({first_transform_ + threaded.shared.transform(digits) - *end_,
                              ir::Condition::Relation::negative});
    return conditions;
}

template <class Load, class Store>
void GpuEmitter::emit_together(Integer first, const std::vector<std::vector<ir::Condition>>& conditions,
                               const Load& load, const Store& store) {
    const auto count = std::ssize(conditions);
    const auto together = [&] {
        std::vector<BoundCall::Entries> held;
        for (Integer k = 0; k < count; ++k) held.push_back(load(first + k));
        for (Integer k = 0; k < count; ++k) store(first + k, std::move(held[static_cast<std::size_t>(k)]));
    };
    std::vector<ir::Condition> all = all_of(conditions);
    if (all.empty() || count == 1) return under(std::move(all), together);
    context_.builder.if_then(std::move(all), together, [&] {
        for (Integer k = 0; k < count; ++k)
            under(conditions[static_cast<std::size_t>(k)], [&] { store(first + k, load(first + k)); });
    });
}

void GpuEmitter::add_limit(const Call& call, std::vector<ir::Condition>& conditions) const {
    if (call.limit) conditions.push_back({context_.placed(*call.limit), ir::Condition::Relation::negative});
}

void GpuEmitter::emit_contiguous_copy(const ThreadShare& share, Integer entries) {
    const Call& call = *share.over_all_transforms;
    BoundCall bound(context_, call);
    choose_transform(0);
    const Loop& loop = call.loops.front();
    const Affine thread = context_.builder.thread(0);
    const auto bind = [&](Integer iteration) {
        context_.bind(loop.variable, thread + iteration * configuration_.threads);
    };
    const auto conditions_in = [&](Integer iteration) {
        const Affine index = thread + iteration * configuration_.threads;
        std::vector<ir::Condition> conditions;
        if ((iteration + 1) * configuration_.threads > loop.count)
            conditions.push_back({index - loop.count, ir::Condition::Relation::negative});
        if (end_)
            conditions.push_back(
                {entries * first_transform_ + index - entries * *end_, ir::Condition::Relation::negative});
        return conditions;
    };
    const Integer whole = loop.count / configuration_.threads,
                  all = ceil_divide(loop.count, configuration_.threads);
    for (Integer first = 0, last = 0; first < all;
         first = last) { // those that not all threads have are apart
        last = first < whole ? std::min(first + share.entries_at_once, whole) : all;
        std::vector<std::vector<ir::Condition>> conditions;
        for (Integer k = first; k < last; ++k) conditions.push_back(conditions_in(k));
        emit_together(
            first, conditions,
            [&](Integer iteration) {
                bind(iteration);
                return bound.load();
            },
            [&](Integer iteration, BoundCall::Entries loaded) {
                bind(iteration);
                bound.store(bound.compute(std::move(loaded)));
            });
    }
}

void GpuEmitter::emit_read_barrier_write(const std::vector<ThreadedCall*>& calls) {
    std::vector<std::vector<std::vector<Scaled>>> entries; // by call and iteration
    for (ThreadedCall* const call : calls) {
        auto& held = entries.emplace_back();
        for (Integer iteration = 0; iteration < call->shared.iterations_per_thread(); ++iteration) {
            choose(*call, iteration);
            held.push_back(call->bound.load());
        }
        for (Integer iteration = 0; iteration < call->shared.iterations_per_thread(); ++iteration) {
            choose(*call, iteration);
            auto& of_iteration = held[static_cast<std::size_t>(iteration)];
            of_iteration = call->bound.compute(std::move(of_iteration));
        }
    }
    barrier();
    for (std::size_t k = 0; k < calls.size(); ++k)
        under(participation_conditions(calls[k]->shared),
              [&] { store_after_barrier(*calls[k], std::move(entries[k])); });
}

void GpuEmitter::store_after_barrier(ThreadedCall& threaded, std::vector<std::vector<Scaled>> entries) {
    for (Integer iteration = 0; iteration < threaded.shared.iterations_per_thread(); ++iteration) {
        choose(threaded, iteration);
        std::vector<ir::Condition> conditions;
        add_limit(threaded.call, conditions);
        under(std::move(conditions),
              [&] { threaded.bound.store(std::move(entries[static_cast<std::size_t>(iteration)])); });
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

std::vector<ir::Condition> GpuEmitter::participation_conditions(const ThreadedIterations& shared) {
    if (shared.active() == configuration_.threads) return {};
    return {{context_.builder.thread(0) - shared.active(), ir::Condition::Relation::negative}};
}

bool GpuEmitter::is_over_transforms(const Loop& loop) const {
    return configuration_.transforms > 1 && !region_.around.empty() &&
           loop.variable == region_.around.back().variable;
}

} // namespace swirl::lower
