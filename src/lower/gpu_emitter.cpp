#include "lower/gpu_emitter.hpp"

#include "lower/gpu_staging.hpp"

#include <algorithm>
#include <deque>

namespace swirl::lower {

namespace {

/// Entries that a thread which copies has under way at a time.
constexpr Integer turns_at_once = 8;

} // namespace

/// A step with its iterations shared out.
struct GpuEmitter::Step {
    Step(GpuEmitter& emitter, const Call& original)
        : shared(emitter.context_.loops, original, emitter.transforms(), emitter.mapping_.threads,
                 !emitter.waits_between(original)),
          call(emitter.bind_single_loops(original, shared)),
          bound(emitter.context_, call) {}

    SharedIterations shared;
    Call call;
    BoundCall bound;
};

template <class Body> void GpuEmitter::under(std::vector<ir::Condition> conditions, const Body& body) {
    if (conditions.empty()) return body();
    context_.builder.if_then(std::move(conditions), body);
}

void GpuEmitter::emit(const Range& range, const std::vector<std::size_t>& exchanges,
                      const std::set<std::size_t>& joined) {
    context_.assume_loops(part_.around);
    bind_blocks(range);
    emit_steps(exchanges, joined, {});
}

void GpuEmitter::emit_in_group(const Affine& first_transform, const GroupCopy& copy,
                               const HalfBarriers& halves) {
    context_.assume_loops(part_.around);
    first_transform_ = first_transform;
    copy_ = copy;
    const Integer count = part_.around.empty() ? 1 : part_.around.back().count;
    if (count % mapping_.transforms != 0) end_ = count;
    emit_steps({}, {}, halves);
}

void GpuEmitter::emit_steps(const std::vector<std::size_t>& exchanges, const std::set<std::size_t>& joined,
                            const HalfBarriers& halves) {
    for (std::size_t k = 0, end = 0; k < part_.calls.size(); k = end) {
        for (end = k + 1; joined.contains(end);) ++end;
        if (k == halves.wait_before) meet_in_group(halves.counter, ir::Barrier::Half::wait);
        if (exchanges_) meet();
        exchanges_ = std::any_of(exchanges.begin(), exchanges.end(),
                                 [&](std::size_t step) { return k <= step && step < end; });
        const std::span<const Call> calls(part_.calls.data() + k, end - k);
        if (std::any_of(calls.begin(), calls.end(), [&](const Call& call) { return must_meet(call); }))
            meet_in_block();
        if (calls.size() > 1)
            emit_joined(calls);
        else
            emit_alone(calls.front());
        for (const Call& call : calls) unmet_.add(call);
        if (k == halves.arrive_after) meet_in_group(halves.counter, ir::Barrier::Half::arrive);
    }
}

void GpuEmitter::bind_blocks(const Range& range) {
    ir::Builder& builder = context_.builder;
    Integer blocks = 1;
    for (std::size_t k = part_.around.size(); k-- > 0;) {
        const bool innermost = k + 1 == part_.around.size();
        const Loop& loop = part_.around[k];
        const Integer count = innermost ? ceil_divide(range.count, mapping_.transforms) : loop.count;
        const Affine digit = count > 1 ? builder.block(0, blocks, k == 0 ? 0 : count) : Affine(0);
        if (innermost) {
            first_transform_ = range.first + mapping_.transforms * digit;
            if (count * mapping_.transforms != range.count) end_ = range.first + range.count;
        } else {
            context_.bind(loop.variable, digit);
        }
        blocks *= count;
    }
    builder.launch({{blocks, 1, 1}, {mapping_.threads, 1, 1}, mapping_.cluster, mapping_.resident});
}

void GpuEmitter::choose_transform(const Affine& number) {
    if (!part_.around.empty()) context_.bind(part_.around.back().variable, first_transform_ + number);
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

bool GpuEmitter::must_meet(const Call& call) const {
    return unmet_.must_meet_to_read(call) || (!waits_between(call) && unmet_.must_meet_to_write(call));
}

Call GpuEmitter::bind_single_loops(const Call& original, const SharedIterations& shared) {
    Call call = original;
    call.loops = shared.loops_of_call();
    for (const Loop& loop : original.loops) {
        if (loop.count > 1) continue;
        context_.bind(loop.variable, 0);
        call.loops.insert(call.loops.begin(), loop);
    }
    return call;
}

SharedIterations::Digits GpuEmitter::choose(const Step& step, Integer turn) {
    const auto variables = step.shared.in_turn(context_.builder, turn);
    for (const auto& [loop, digit] : variables)
        if (!transforms() || loop.variable != transforms()->variable) context_.bind(loop.variable, digit);
    choose_transform(step.shared.transform(variables));
    return variables;
}

void GpuEmitter::emit_alone(const Call& call) {
    if (const auto whole = over_all_transforms(context_.loops, part_, call, mapping_.transforms))
        return emit_whole(*whole, call.loops.front().count);
    Step step(*this, call);
    if (waits_between(call)) return emit_held({&step});
    emit(step);
}

void GpuEmitter::emit_joined(std::span<const Call> calls) {
    std::deque<Step> steps;
    std::vector<Step*> held, late;
    for (const Call& call : calls) {
        steps.emplace_back(*this, call);
        const bool elsewhere = is_shared(context_.loops, call.input) && call.input.array != call.output.array;
        (elsewhere || !waits_between(call) ? late : held).push_back(&steps.back());
    }
    if (!held.empty()) emit_held(held);
    for (Step* const step : late) emit(*step);
}

void GpuEmitter::emit(Step& step) {
    for (Integer turn = 0; turn < step.shared.turns(); ++turn) {
        const SharedIterations::Digits digits = choose(step, turn);
        std::vector<ir::Condition> conditions = taking_part(step.shared);
        add_limit(step.call, conditions);
        if (const auto excess = step.shared.excess(digits, turn))
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

void GpuEmitter::emit_whole(const Call& call, Integer entries) {
    BoundCall bound(context_, call);
    choose_transform(0);
    const Loop& loop = call.loops.front();
    const Affine thread = context_.builder.thread(0);
    const auto bind = [&](Integer turn) { context_.bind(loop.variable, thread + turn * mapping_.threads); };
    const Integer turns = loop.count / mapping_.threads;
    for (Integer turn = 0; turn < turns && !end_; turn += turns_at_once) {
        std::vector<BoundCall::Entries> held;
        const Integer last = std::min(turn + turns_at_once, turns);
        for (Integer k = turn; k < last; ++k) {
            bind(k);
            held.push_back(bound.load());
        }
        for (Integer k = turn; k < last; ++k) {
            bind(k);
            bound.store(bound.compute(std::move(held[static_cast<std::size_t>(k - turn)])));
        }
    }
    for (Integer turn = end_ ? 0 : turns; turn * mapping_.threads < loop.count; ++turn) {
        bind(turn);
        const Affine index = thread + turn * mapping_.threads;
        std::vector<ir::Condition> conditions;
        if ((turn + 1) * mapping_.threads > loop.count)
            conditions.push_back({index - loop.count, ir::Condition::Relation::negative});
        if (end_)
            conditions.push_back(
                {entries * first_transform_ + index - entries * *end_, ir::Condition::Relation::negative});
        context_.builder.if_then(std::move(conditions), [&] { bound.store(bound.compute(bound.load())); });
    }
}

void GpuEmitter::emit_held(const std::vector<Step*>& steps) {
    std::vector<std::vector<std::vector<Scaled>>> entries; // by step and turn
    for (Step* const step : steps) {
        auto& held = entries.emplace_back();
        for (Integer turn = 0; turn < step->shared.turns(); ++turn) {
            choose(*step, turn);
            held.push_back(step->bound.load());
        }
        for (Integer turn = 0; turn < step->shared.turns(); ++turn) {
            choose(*step, turn);
            auto& of_turn = held[static_cast<std::size_t>(turn)];
            of_turn = step->bound.compute(std::move(of_turn));
        }
    }
    meet();
    for (std::size_t k = 0; k < steps.size(); ++k)
        under(taking_part(steps[k]->shared), [&] { store_held(*steps[k], std::move(entries[k])); });
}

void GpuEmitter::store_held(Step& step, std::vector<std::vector<Scaled>> entries) {
    for (Integer turn = 0; turn < step.shared.turns(); ++turn) {
        choose(step, turn);
        std::vector<ir::Condition> conditions;
        add_limit(step.call, conditions);
        under(std::move(conditions),
              [&] { step.bound.store(std::move(entries[static_cast<std::size_t>(turn)])); });
    }
}

void GpuEmitter::meet() {
    if (!exchanges_ || mapping_.cluster == 1) return meet_in_block();
    context_.builder.cluster_barrier();
    unmet_.met();
}

void GpuEmitter::meet_in_group(const ir::Address& counter, ir::Barrier::Half half) {
    context_.builder.group_barrier(counter, half);
    unmet_.met();
}

void GpuEmitter::meet_in_block() {
    context_.builder.barrier();
    unmet_.met();
}

bool GpuEmitter::waits_between(const Call& call) const {
    return exchanges_ || writes_over_others(context_.loops, call);
}

std::vector<ir::Condition> GpuEmitter::taking_part(const SharedIterations& shared) {
    if (shared.active() == mapping_.threads) return {};
    return {{context_.builder.thread(0) - shared.active(), ir::Condition::Relation::negative}};
}

std::optional<Loop> GpuEmitter::transforms() const {
    if (part_.around.empty() || mapping_.transforms == 1) return std::nullopt;
    return Loop{part_.around.back().variable, mapping_.transforms};
}

} // namespace swirl::lower
