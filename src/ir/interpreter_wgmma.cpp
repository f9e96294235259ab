// wgmma, and the fences of asynchronous tile reads.
#include "ir/interpreter_executor.hpp"
#include "ir/tile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace swirl::ir {

using namespace interpreted;

namespace {

/// The value with the lowest bits of its float32 fraction cleared.
double without_bits(double value, int ignored) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<float>(bits & ~((1U << ignored) - 1U));
}

std::vector<TensorCoreOperand> factors_of(const std::vector<double>& values, const WgmmaInstruction& entry) {
    std::vector<TensorCoreOperand> result;
    result.reserve(values.size());
    for (const double value : values) result.push_back(tensor_core_operand(value, entry.least_exponent));
    return result;
}

} // namespace

void Interpreter::Executor::wgmma(const DecodedOperation& op, Threads threads) {
    const AsyncTileOperation& tile = *op.source->tile;
    const auto team = static_cast<std::size_t>(tile.instruction->threads);
    const auto differs = [&](int t, int from) {
        return std::any_of(op.tile_operands.begin(), op.tile_operands.end(),
                           [&](const MemoryOperand& memory_operand) {
                               return base(memory_operand, t) != base(memory_operand, from);
                           });
    };
    for (std::size_t first = 0; first < threads.size(); first += team) {
        const int thread = threads[first];
        for (std::size_t t = 1; t < team; ++t)
            if (differs(threads[first + t], thread)) report_incomplete_warp(op, threads[first + t]);
        const bool a_in_registers =
            views_[static_cast<std::size_t>(op.tile_operands[0].buffer)].accumulators != nullptr;
        const std::vector<double> a =
            a_in_registers ? read_registers(op, thread) : read_operand(op, 0, thread);
        const std::vector<double> b = read_operand(op, 1, thread);
        accumulate_products(op, thread, a, b);
        report_.flops += tile.instruction->flops();
    }
}

/// Reads an operand from shared memory: element (i, k) at i·K + k. The warpgroup's threads read it until all have
/// waited.
std::vector<double> Interpreter::Executor::read_operand(const DecodedOperation& op, std::size_t operand,
                                                        int thread) {
    const AsyncTileOperation& tile = *op.source->tile;
    const WgmmaInstruction& entry = *tile.instruction;
    const MemoryOperand& memory_operand = op.tile_operands[operand];
    const View& view = views_[static_cast<std::size_t>(memory_operand.buffer)];
    const int rows = operand == 0 ? entry.rows : entry.columns;
    const Integer first = base(memory_operand, thread);
    if (modulo(first * view.element_bytes, swizzle_chunk_bytes) != 0)
        report(Diagnostic::Kind::misaligned, op, memory_operand.buffer, first, thread);
    auto reading = std::make_shared<PendingRead>(
        PendingRead{&op, memory_operand.buffer, {}, entry.threads, true, operand == 0});
    std::vector<double> values;
    VectorClock known;
    const Actor team = warpgroup_actor(thread, known);
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < entry.k; ++k) {
            const Integer inside = first + offset_in_tile(tile.layouts[operand], view.element_bytes, i, k);
            const Integer index = inside < 0 ? inside : swizzled(inside, view.element_bytes);
            if (index < view.low || index >= view.high) {
                report(Diagnostic::Kind::out_of_bounds, op, memory_operand.buffer, index, thread);
                values.push_back(std::nan(""));
                continue;
            }
            const Integer at = position(view, index, thread);
            const double value = read_for_tile(op, memory_operand.buffer, index, at, team, thread);
            values.push_back(without_bits(value, entry.ignored_bits));
            reading->positions.push_back(at);
        }
    for (int t = 0; t < entry.threads; ++t)
        products_[static_cast<std::size_t>(thread + t)].open.push_back(reading);
    return values;
}

/// Reads the A operand from the registers of a warpgroup's threads, which must not be accessed until waited for. A
/// thread's loads from shared memory complete in order.
std::vector<double> Interpreter::Executor::read_registers(const DecodedOperation& op, int first_thread) {
    const WgmmaInstruction& entry = *op.source->tile->instruction;
    const MemoryOperand& memory_operand = op.tile_operands[0];
    const View& view = views_[static_cast<std::size_t>(memory_operand.buffer)];
    std::vector<double> values(static_cast<std::size_t>(entry.rows) * static_cast<std::size_t>(entry.k));
    const auto reading =
        std::make_shared<PendingRead>(PendingRead{&op, memory_operand.buffer, {}, entry.threads, true, true});
    for (int t = 0; t < entry.threads; ++t) {
        const int thread = first_thread + t;
        std::int32_t& filled = reading->loads.emplace_back(0);
        for (int r = 0; r < entry.a_registers(); ++r) {
            const Integer index = base(memory_operand, thread) + r, at = position(view, index, thread);
            use_register(op, memory_operand.buffer, index, thread);
            filled = std::max(filled, view.accumulators[at].filled);
            const double value = view.written[at] == 0 ? std::nan("") : view.cells[at].real;
            const int element = row_of_a_fragment(t, r) * entry.k + k_of_a_fragment(t, r);
            values[static_cast<std::size_t>(element)] = without_bits(value, entry.ignored_bits);
        }
        products_[static_cast<std::size_t>(thread)].open.push_back(reading);
    }
    return values;
}

/// Starts a wgmma's use of a register: as operand, or as accumulator that it adds to or overwrites.
void Interpreter::Executor::use_register(const DecodedOperation& op, Buffer buffer, Integer index,
                                         int thread) {
    const View& view = views_[static_cast<std::size_t>(buffer)];
    const Integer at = position(view, index, thread);
    AccumulatorState& used = view.accumulators[at];
    const bool is_read = buffer != op.buffer || op.source->tile->instruction->accumulates;
    if (is_read && view.written[at] == 0) report(Diagnostic::Kind::unwritten_read, op, buffer, index, thread);
    if (used.products == 0 && used.touched > begins_[static_cast<std::size_t>(thread)])
        report(Diagnostic::Kind::missing_wgmma_fence, op, buffer, index, thread);
    ++used.products;
}

/// A read by TMA or wgmma, in flight until waited for.
double Interpreter::Executor::read_for_tile(const DecodedOperation& op, Buffer buffer, Integer index,
                                            Integer position, const Actor& by, int thread) {
    const View& view = views_[static_cast<std::size_t>(buffer)];
    Element& element = view.elements[position];
    ++element.readers;
    if (view.written[position] == 0) {
        report(Diagnostic::Kind::unwritten_read, op, buffer, index, thread);
        return std::nan("");
    }
    if (!by.happens_after(element.stored) || !element.added.all_happened_before(by)) {
        report(Diagnostic::Kind::race, op, buffer, index, thread);
    } else if (element.publication >= 0) {
        const auto& publications = publications_[static_cast<std::size_t>(element.stored.agent)];
        const auto wanted = static_cast<std::size_t>(element.publication);
        if (wanted >= publications.size() || !by.happens_after(publications[wanted]))
            report(Diagnostic::Kind::missing_proxy_fence, op, buffer, index, thread);
    }
    return view.cells[position].real;
}

void Interpreter::Executor::accumulate_products(const DecodedOperation& op, int first_thread,
                                                const std::vector<double>& a, const std::vector<double>& b) {
    const WgmmaInstruction& entry = *op.source->tile->instruction;
    View& accumulators = view(op);
    const std::vector<TensorCoreOperand> lefts = factors_of(a, entry), rights = factors_of(b, entry);
    const auto k = static_cast<std::size_t>(entry.k);
    for (int t = 0; t < entry.threads; ++t) {
        const int thread = first_thread + t;
        for (int r = 0; r < entry.registers(); ++r) {
            const Integer index = base(op, thread) + r, at = position(accumulators, index, thread);
            use_register(op, op.buffer, index, thread);
            const std::span left(lefts.data() + row_of_accumulator(t, r) * entry.k, k);
            const std::span right(rights.data() + column_of_accumulator(t, r) * entry.k, k);
            const bool adds = entry.accumulates && accumulators.written[at] != 0;
            const float before = adds ? static_cast<float>(accumulators.cells[at].real) : 0.0F;
            accumulators.cells[at].real = tensor_core_accumulate(left, right, before, entry.rounding);
            accumulators.written[at] = 1;
        }
    }
}

/// Records a store to a register that may become a wgmma operand: it does not depend on later loads.
void Interpreter::Executor::fill(const View& view, Integer position, int thread) {
    VectorClock& clock = clocks_[static_cast<std::size_t>(thread)];
    const std::int32_t loads = loads_of(thread);
    view.accumulators[position].filled = clock[loads];
    clock.set(loads, clock[loads] + 1);
}

/// Records an access other than by wgmma; true if a wgmma on the register is in flight.
bool Interpreter::Executor::touch(const View& view, Integer position, int thread) const {
    AccumulatorState& sum = view.accumulators[position];
    sum.touched = begins_[static_cast<std::size_t>(thread)] + 1;
    return sum.products > 0;
}

void Interpreter::Executor::execute_wgmma_fence(const AsyncFence& fence, int thread) {
    const auto t = static_cast<std::size_t>(thread);
    PendingReads& readings = fence.what == AsyncFence::What::wgmmas ? products_[t] : tma_stores_[t];
    switch (fence.kind) {
    case AsyncFence::Kind::begin: ++begins_[t]; return;
    case AsyncFence::Kind::publish: publications_[t].push_back(actor(thread).event); return;
    case AsyncFence::Kind::commit:
        readings.groups.push_back(std::move(readings.open));
        readings.open.clear();
        return;
    case AsyncFence::Kind::wait:
        for (; std::ssize(readings.groups) > fence.pending; readings.groups.pop_front())
            for (const auto& reading : readings.groups.front()) finish(*reading, thread);
        return;
    }
}

/// Completes a thread's wait; memory may be overwritten once all threads of the warpgroup have waited.
void Interpreter::Executor::finish(PendingRead& reading, int thread) {
    if (reading.adds) {
        const WgmmaInstruction& entry = *reading.op->source->tile->instruction;
        const auto give_back = [&](const View& registers, Integer index, int count) {
            if (registers.accumulators == nullptr) return;
            const Integer first = position(registers, index, thread);
            for (int r = 0; r < count; ++r) --registers.accumulators[first + r].products;
        };
        const MemoryOperand& a = reading.op->tile_operands[0];
        give_back(view(*reading.op), base(*reading.op, thread), entry.registers());
        give_back(views_[static_cast<std::size_t>(a.buffer)], base(a, thread), entry.a_registers());
    }
    if (--reading.threads > 0) return;
    VectorClock known;
    Actor by = actor(thread);
    if (reading.by_team) {
        const int in_block = thread % static_cast<int>(code_.block_threads);
        const int team_threads = reading.op->source->tile->instruction->threads;
        const int first = thread - in_block % team_threads;

        by = warpgroup_actor(first, known);
        for (int t = first; t < first + team_threads; ++t) {
            VectorClock& clock = clocks_[static_cast<std::size_t>(t)];
            clock.set(by.event.agent, by.event.time);
            for (int other = 0; other < std::ssize(reading.loads); ++other) {
                const std::int32_t loads = loads_of(first + other);
                clock.set(loads, std::max(clock[loads], reading.loads[static_cast<std::size_t>(other)]));
            }
        }
    }
    Element* const elements = views_[static_cast<std::size_t>(reading.buffer)].elements;
    for (const Integer position : reading.positions) {
        --elements[position].readers;
        elements[position].loaded.add(by);
    }
}

void Interpreter::Executor::expect_no_pending_reads(int thread) {
    for (auto* all : {&products_, &tma_stores_}) {
        PendingReads& readings = (*all)[static_cast<std::size_t>(thread)];
        const auto unfinished = [&](const PendingReads::Group& group) {
            for (const auto& reading : group)
                report(Diagnostic::Kind::unfinished_async_copy, *reading->op, base(*reading->op, thread),
                       thread);
        };
        for (const PendingReads::Group& group : readings.groups) unfinished(group);
        unfinished(readings.open);
        readings = {};
    }
}

} // namespace swirl::ir
