#include "ir/interpreter_arithmetic.hpp"
#include "ir/interpreter_executor.hpp"
#include "ir/type_rules.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace swirl::ir {

using namespace interpreted;

namespace {

constexpr int widest_gpu_access = 16; // bytes

bool is_own(Space space) { return space == Space::local || space == Space::shared; }

/// The base address is a multiple of this many bytes. Memory allocated by swirl suits every access.
int base_alignment(const BufferInfo& info) {
    const bool placed_by_us = is_own(info.space) || info.space == Space::table || info.by_value;
    const int least = placed_by_us ? widest_gpu_access : bytes_of(info.element);
    return std::max(least, info.alignment);
}

} // namespace

// ---- binding --------------------------------------------------------------------------------------------------

void Interpreter::Executor::bind(Arguments& arguments) {
    shadows_.clear();
    elements_.clear();
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
        const BufferInfo& info = program_.buffers[b];
        View& view = views_[b];
        view.low = info.first;
        view.high = info.first + info.elements;
        view.space = info.space;
        view.read_only = info.space == Space::table || !info.written;
        view.nest_depth = info.nest_depth;
        view.element_bytes = bytes_of(info.element);
        view.alignment = base_alignment(info);
        if (is_own(info.space)) {
            bind_own(b);
            continue;
        }
        Memory& memory = arguments[static_cast<Buffer>(b)];
        if (info.absolute) { // it spans the whole address space
            view.low = memory.first();
            view.high = memory.first() + memory.elements();
        }
        ensure(memory.element() == info.element && memory.first() <= view.low &&
                   view.high <= memory.first() + memory.elements(),
               "'{}': buffer '{}' is given {} elements of {} from {}", program_.name, info.name,
               memory.elements(), name_of(memory.element()), memory.first());
        view.cells = memory.cells();
        view.written = memory.written();
        view.origin = memory.first();
        const bool is_watched = checks_races_ && info.space != Space::table && info.nest_depth == 0;
        watch(view, memory, is_watched);
    }
}

void Interpreter::Executor::watch(View& view, const Memory& memory, bool is_watched) {
    const auto elements = static_cast<std::size_t>(memory.elements());
    view.shadow = nullptr;
    view.elements = nullptr;
    if (!is_watched) return;
    if (code_.has_async_agents)
        view.elements = elements_.try_emplace(&memory, elements).first->second.data();
    else
        view.shadow = &shadows_.try_emplace(&memory, elements).first->second;
}

void Interpreter::Executor::bind_own(std::size_t buffer) {
    const BufferInfo& info = program_.buffers[buffer];
    View& view = views_[buffer];
    const bool local = info.space == Space::local;
    const bool of_block = !local && info.dsmem_elements_per_block == 0;
    const Integer copies = local      ? static_cast<Integer>(code_.threads)
                           : of_block ? code_.blocks_per_group
                                      : 1;
    auto& memory = own_memories_[buffer];
    if (memory == nullptr)
        memory = std::make_unique<Memory>(info.element, info.elements * copies, info.first);
    view.cells = memory->cells();
    view.written = memory->written();
    view.origin = info.first;
    view.thread_elements = local ? info.elements : 0;
    view.block_elements = of_block ? info.elements : 0;
    watch(view, *memory, on_gpu_ && !local);
    accumulators_[buffer].assign(
        local && code_.has_async_agents ? static_cast<std::size_t>(memory->elements()) : 0, {});
    view.accumulators = accumulators_[buffer].empty() ? nullptr : accumulators_[buffer].data();
}

void Interpreter::Executor::reset_own_memory() {
    for (const auto& memory : own_memories_)
        if (memory != nullptr) memory->mark_unwritten();
}

void Interpreter::Executor::reset_memory_of_iteration() {
    for (View& view : views_)
        if (view.nest_depth > nest_depth_)
            std::fill(view.written + (view.low - view.origin), view.written + (view.high - view.origin), 0);
}

// ---- loads and stores -----------------------------------------------------------------------------------------

Integer Interpreter::Executor::base(const DecodedOperation& op, int thread) const {
    const Integer index = evaluate(op.index, thread);
    if (op.dynamic == nowhere) return index;
    return index + op.dynamic_scale * code_.cells[op.dynamic + static_cast<std::size_t>(thread)].integer;
}

Moment Interpreter::Executor::now(const View& view, int thread) const {
    const auto in_cluster = static_cast<std::int32_t>(block_in_cluster(thread));
    const std::int32_t epoch = on_gpu_ ? epochs_[static_cast<std::size_t>(in_cluster)] : 0;
    // Clusters have separate shared memory and fresh epochs; blocks in one cluster synchronize only at its barriers.
    if (view.space == Space::shared)
        return {.region = cluster_epoch_, .group = 0, .block = in_cluster, .epoch = epoch, .thread = thread};
    const auto block = static_cast<std::int32_t>(block_) + in_cluster;
    const bool may_synchronize = program_.launch.cooperative_group > 1 || program_.launch.cluster > 1;
    return {.region = region_,
            .group = may_synchronize ? static_cast<std::int32_t>(block_ / code_.blocks_per_group) : block,
            .block = block,
            .epoch = epoch,
            .thread = thread,
            .arrivals = arrivals_,
            .waits = waits_};
}

bool Interpreter::Executor::races_as_load(View& view, Integer position, int thread) const {
    const auto at = static_cast<std::size_t>(position);
    if (view.elements != nullptr) return view.elements[at].load(actor(thread), loader(thread));
    return view.shadow != nullptr && view.shadow->load(at, now(view, thread));
}

bool Interpreter::Executor::races_as_store(View& view, Integer position, int thread) const {
    const auto at = static_cast<std::size_t>(position);
    if (view.elements == nullptr) return view.shadow != nullptr && view.shadow->store(at, now(view, thread));
    view.elements[at].publication =
        static_cast<std::int32_t>(publications_[static_cast<std::size_t>(thread)].size());
    return view.elements[at].store(actor(thread));
}

bool Interpreter::Executor::races_as_atomic_add(View& view, Integer position, int thread) const {
    const auto at = static_cast<std::size_t>(position);
    if (view.elements != nullptr) return view.elements[at].atomic_add(actor(thread));
    return view.shadow != nullptr && view.shadow->atomic_add(at, now(view, thread));
}

void Interpreter::Executor::load(const DecodedOperation& op, Threads threads) {
    View& from = view(op);
    for (const int t : threads) load_lanes(op, from, t);
    count_traffic(op, threads, report_.loads[static_cast<std::size_t>(op.buffer)]);
}

void Interpreter::Executor::load_lanes(const DecodedOperation& op, View& view, int thread) {
    const Integer first = base(op, thread);
    const Integer last = first + (op.active - 1) * op.lane_stride;
    Cell* result = code_.cells.data() + op.result + static_cast<std::size_t>(thread * op.lanes);
    const bool inside = std::min(first, last) >= view.low && std::max(first, last) < view.high;
    if (inside && view.is_plain()) {
        Integer at = position(view, first, thread);
        for (int l = 0; l < op.active; ++l, at += op.lane_stride) {
            if (view.written[at] == 0)
                load_lane(op, view, first + l * op.lane_stride, thread, result[l]);
            else
                result[l] = view.cells[at];
        }
    } else {
        for (int l = 0; l < op.active; ++l)
            load_lane(op, view, first + l * op.lane_stride, thread, result[l]);
    }
    for (int l = op.active; l < op.lanes; ++l) result[l] = Cell{};
}

/// Slow path for a lane that may have errors. A lane without a value is NaN (or 0, for integers).
void Interpreter::Executor::load_lane(const DecodedOperation& op, View& view, Integer index, int thread,
                                      Cell& result) {
    result = Cell{};
    if (is_floating(op.scalar)) result.real = std::nan("");
    if (index < view.low || index >= view.high)
        return report(Diagnostic::Kind::out_of_bounds, op, index, thread);
    const Integer at = position(view, index, thread);
    if (view.accumulators != nullptr && touch(view, at, thread))
        return report(Diagnostic::Kind::unwritten_read, op, index, thread);
    if (races_as_load(view, at, thread)) report(Diagnostic::Kind::race, op, index, thread);
    if (view.written[at] == 0) return report(Diagnostic::Kind::unwritten_read, op, index, thread);
    result = view.cells[at];
}

void Interpreter::Executor::store(const DecodedOperation& op, Threads threads) {
    View& to = view(op);
    if (to.read_only) {
        for (const int t : threads) report(Diagnostic::Kind::read_only_write, op, base(op, t), t);
        return;
    }
    if (op.asynchronous) return store_asynchronously(op, threads);
    for (const int t : threads) store_lanes(op, to, t);
    count_traffic(op, threads, report_.stores[static_cast<std::size_t>(op.buffer)]);
}

void Interpreter::Executor::store_lanes(const DecodedOperation& op, View& view, int thread) {
    const Integer first = base(op, thread);
    const Integer last = first + (op.active - 1) * op.lane_stride;
    const Cell* values = code_.cells.data() + op.operands[0] + static_cast<std::size_t>(thread * op.lanes);
    const bool inside = std::min(first, last) >= view.low && std::max(first, last) < view.high;
    if (!inside || !view.is_plain()) {
        for (int l = 0; l < op.active; ++l)
            store_lane(op, view, first + l * op.lane_stride, thread, values[l]);
        return;
    }
    Integer at = position(view, first, thread);
    for (int l = 0; l < op.active; ++l, at += op.lane_stride) {
        view.cells[at] = values[l];
        view.written[at] = 1;
    }
}

void Interpreter::Executor::store_lane(const DecodedOperation& op, View& view, Integer index, int thread,
                                       const Cell& value) {
    if (index < view.low || index >= view.high)
        return report(Diagnostic::Kind::out_of_bounds, op, index, thread);
    const Integer at = position(view, index, thread);
    const bool has_pending_accumulation = view.accumulators != nullptr && touch(view, at, thread);
    if (view.accumulators != nullptr) fill(view, at, thread);
    if (races_as_store(view, at, thread) || has_pending_accumulation)
        report(Diagnostic::Kind::race, op, index, thread);
    view.cells[at] = value;
    view.written[at] = 1;
}

void Interpreter::Executor::atomic_add(const DecodedOperation& op, Threads threads) {
    View& to = view(op);
    for (const int t : threads) {
        const Integer index = base(op, t);
        if (to.read_only) {
            report(Diagnostic::Kind::read_only_write, op, index, t);
            continue;
        }
        if (index < to.low || index >= to.high) {
            report(Diagnostic::Kind::out_of_bounds, op, index, t);
            continue;
        }
        const Integer at = position(to, index, t);
        if (races_as_atomic_add(to, at, t)) report(Diagnostic::Kind::race, op, index, t);
        if (to.written[at] == 0) report(Diagnostic::Kind::unwritten_read, op, index, t);
        const Cell value = code_.cells[op.operands[0] + static_cast<std::size_t>(t)];
        to.cells[at] = to.written[at] == 0 ? value : sum(op.scalar, to.cells[at], value);
        to.written[at] = 1;
    }
    report_.flops += static_cast<Integer>(threads.size()) * (is_floating(op.scalar) ? 1 : 0);
    count_traffic(op, threads, report_.stores[static_cast<std::size_t>(op.buffer)]);
}

// ---- counting -------------------------------------------------------------------------------------------------

void Interpreter::Executor::count_traffic(const DecodedOperation& op, Threads threads, AccessCounts& counts) {
    const View& of = view(op);
    if (!on_gpu_) {
        ++counts.accesses;
        counts.bytes += op.active * of.element_bytes;
        return;
    }
    if (op.lane_stride == 1) {
        if (op.active > 1) check_alignment(op, threads);
        return count_warps(op, threads, op.active * of.element_bytes, 0, counts);
    }
    for (int l = 0; l < op.active; ++l)
        count_warps(op, threads, of.element_bytes, l * op.lane_stride * of.element_bytes, counts);
}

void Interpreter::Executor::count_warps(const DecodedOperation& op, Threads threads, int bytes,
                                        Integer offset, AccessCounts& counts) {
    const View& of = view(op);
    const auto finish = [&] {
        if (of.space == Space::shared)
            warp_.count_banks(counts);
        else if (of.space == Space::local)
            warp_.count_request(counts);
        else
            warp_.count_sectors(counts);
    };
    warp_.start(bytes);
    const int warps = static_cast<int>(ceil_divide(static_cast<Integer>(code_.block_threads), warp_size));
    int current = -1;
    for (const int t : threads) {
        const int block = static_cast<int>(block_in_cluster(t)),
                  own = t % static_cast<int>(code_.block_threads);
        const int warp = block * warps + own / warp_size;
        if (warp != current) {
            finish();
            warp_.start(bytes);
            current = warp;
        }
        warp_.add(own % warp_size, base(op, t) * of.element_bytes + offset);
    }
    finish();
}

void Interpreter::Executor::check_alignment(const DecodedOperation& op, Threads threads) {
    const View& of = view(op);
    const unsigned bytes = std::bit_floor(static_cast<unsigned>(op.active * of.element_bytes));
    const int needed = std::min(widest_gpu_access, static_cast<int>(bytes));
    for (const int t : threads) {
        const Integer index = base(op, t);
        if (of.alignment < needed || modulo(index * of.element_bytes, needed) != 0)
            report(Diagnostic::Kind::misaligned, op, index, t);
    }
}

} // namespace swirl::ir
