// TMA: boxes copied to and from shared memory.
#include "ir/interpreter_executor.hpp"
#include "ir/rounding.hpp"
#include "ir/tile.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::ir {

using namespace interpreted;

namespace {

constexpr int tma_sector_bytes = 32;

const TensorInfo& tensor_map_of(const Program& program, const DecodedOperation& op) {
    return program.tensors[static_cast<std::size_t>(op.source->tile->tensor)];
}

Integer elements_of(const TensorInfo& tensor) {
    return std::accumulate(tensor.box.begin(), tensor.box.end(), Integer{1}, std::multiplies<>());
}

} // namespace

/// Calls f(i, index) for the box's elements in the order of shared memory; `index` is empty outside the tensor. A
/// store extends to the end of a row's last chunk.
template <class F>
void Interpreter::Executor::for_each_of_box(const DecodedOperation& op, int thread, F&& f) const {
    const TensorInfo& tensor = tensor_map_of(program_, op);
    const Integer elements = elements_of(tensor);
    const Integer chunk = swizzle_chunk_bytes / views_[static_cast<std::size_t>(tensor.buffer)].element_bytes;
    const auto end = [&](std::size_t axis) {
        const bool is_whole = axis == 0 && op.opcode == Opcode::tma_store;
        return is_whole ? ceil_divide(tensor.extents[axis], chunk) * chunk : tensor.extents[axis];
    };
    for (Integer i = 0; i < elements; ++i) {
        Integer index = tensor.origin, rest = i;
        bool inside = true;
        for (std::size_t axis = 0; axis < tensor.box.size(); ++axis) {
            const Integer first = code_.cells[op.operands[axis] + static_cast<std::size_t>(thread)].integer;
            const Integer at = first + rest % tensor.box[axis];
            rest /= tensor.box[axis];
            inside = inside && at >= 0 && at < end(axis);
            index += at * tensor.strides[axis];
        }
        f(i, inside ? std::optional<Integer>(index) : std::nullopt);
    }
}

/// The index in shared memory of an element of a box that starts at `first`.
Integer Interpreter::Executor::offset_in_box(const DecodedOperation& op, Integer first,
                                             Integer element) const {
    const int bytes = views_[static_cast<std::size_t>(op.buffer)].element_bytes;
    const Integer row = tensor_map_of(program_, op).swizzle;
    return row > 0 ? swizzled(first + element, bytes, row) : first + element;
}

/// Counts the sectors of the box's rows inside the tensor; bytes are those of the whole box.
void Interpreter::Executor::count_box(const DecodedOperation& op, int thread, AccessCounts& counts) const {
    const Integer bytes = views_[static_cast<std::size_t>(op.buffer)].element_bytes;
    std::optional<Integer> last_sector;
    ++counts.accesses;
    for_each_of_box(op, thread, [&](Integer, std::optional<Integer> index) {
        counts.bytes += bytes;
        if (!index || last_sector == floor_divide(*index * bytes, tma_sector_bytes)) return;
        last_sector = floor_divide(*index * bytes, tma_sector_bytes);
        ++counts.sectors;
    });
}

/// Whether the box fits into shared memory. In the tensor, its rows must start at whole chunks, inside the tensor or
/// not.
bool Interpreter::Executor::box_is_inside(const DecodedOperation& op, int thread) {
    const View& shared = view(op);
    const Integer first = base(op, thread);
    const Integer begin = code_.cells[op.operands[0] + static_cast<std::size_t>(thread)].integer;
    if (modulo(begin * shared.element_bytes, swizzle_chunk_bytes) != 0)
        report(Diagnostic::Kind::misaligned, op, tensor_map_of(program_, op).buffer, begin, thread);
    if (modulo(first * shared.element_bytes, box_alignment_bytes) != 0)
        report(Diagnostic::Kind::misaligned, op, first, thread);
    if (first >= shared.low && first + elements_of(tensor_map_of(program_, op)) <= shared.high) return true;
    report(Diagnostic::Kind::out_of_bounds, op, first, thread);
    return false;
}

void Interpreter::Executor::tma_load(const DecodedOperation& op, Threads threads) {
    const TensorInfo& tensor = tensor_map_of(program_, op);
    const Buffer buffer = tensor.buffer;
    View& from = views_[static_cast<std::size_t>(buffer)];
    for (const int t : threads) {
        if (!box_is_inside(op, t)) continue;
        std::vector<Cell> values;
        for_each_of_box(op, t, [&](Integer, std::optional<Integer> index) {
            values.push_back(Cell{});
            if (!index) return;
            if (*index < from.low || *index >= from.high)
                return report(Diagnostic::Kind::out_of_bounds, op, buffer, *index, t);
            const Integer at = position(from, *index, t);
            if (races_as_load(from, at, t)) report(Diagnostic::Kind::race, op, buffer, *index, t);
            if (from.written[at] == 0) report(Diagnostic::Kind::unwritten_read, op, buffer, *index, t);
            values.back() = from.cells[at];
            if (tensor.rounds) values.back().real = round_to_tf32(values.back().real);
        });
        count_box(op, t, report_.loads[static_cast<std::size_t>(buffer)]);
        const Integer own = block_in_cluster(t), cluster = program_.launch.cluster;
        const unsigned blocks = op.source->tile->blocks;
        if (blocks == 0) issue_load(op, t, own, values);
        for (Integer block = 0; block < cluster; ++block)
            if ((blocks >> block & 1U) != 0) issue_load(op, t, own / cluster * cluster + block, values);
    }
}

/// Marks the box's destination as unwritten until the load completes.
void Interpreter::Executor::issue_load(const DecodedOperation& op, int thread, Integer block,
                                       const std::vector<Cell>& values) {
    View& to = view(op);
    Mbarrier* const mbarrier =
        mbarrier_at(op, mbarrier_address(op.tile_operands.front(), thread, block), thread);
    if (mbarrier == nullptr) return;
    PendingTransfer arrival{&op,
                            base(op, thread),
                            static_cast<int>(block * static_cast<Integer>(code_.block_threads)),
                            {},
                            values};
    for (Integer i = 0; i < std::ssize(values); ++i) {
        const Integer index = offset_in_box(op, arrival.first, i);
        const Integer at = position_in_block(to, index, block);
        Element& element = to.elements[at];
        if (element.store(actor(thread))) report(Diagnostic::Kind::race, op, index, thread);
        element.arriving = true;
        to.written[at] = 0;
        arrival.positions.push_back(at);
    }
    const Integer bytes = std::ssize(values) * to.element_bytes;
    mbarrier->loaded += bytes;
    mbarrier->in_flight.push_back(std::move(arrival));
    report_.stores[static_cast<std::size_t>(op.buffer)].bytes += bytes;
    ++report_.stores[static_cast<std::size_t>(op.buffer)].accesses;
}

void Interpreter::Executor::land(const PendingTransfer& arrival, const Mbarrier& mbarrier) {
    View& to = view(*arrival.op);
    for (std::size_t i = 0; i < arrival.positions.size(); ++i) {
        const Integer at = arrival.positions[i];
        Element& element = to.elements[at];
        if (to.written[at] != 0) // stored to in the meantime
            report(Diagnostic::Kind::race, *arrival.op, arrival.first, arrival.thread);
        element.arriving = false;
        element.publication = -1;
        element.stored = {.cluster = static_cast<std::int32_t>(block_ / code_.blocks_per_group),
                          .agent = mbarrier.agent,
                          .time = static_cast<std::int32_t>(mbarrier.phases + 1)};
        to.cells[at] = arrival.values[i];
        to.written[at] = 1;
    }
}

void Interpreter::Executor::tma_store(const DecodedOperation& op, Threads threads) {
    const Buffer buffer = tensor_map_of(program_, op).buffer;
    View& to = views_[static_cast<std::size_t>(buffer)];
    const View& from = view(op);
    for (const int t : threads) {
        if (!box_is_inside(op, t)) continue;
        auto reading = std::make_shared<PendingRead>(PendingRead{&op, op.buffer, {}, 1, false, false});
        const Integer first = base(op, t);
        for_each_of_box(op, t, [&](Integer i, std::optional<Integer> index) {
            const Integer offset = offset_in_box(op, first, i), at = position(from, offset, t);
            const double value = read_for_tile(op, op.buffer, offset, at, actor(t), t);
            reading->positions.push_back(at);
            if (!index) return;
            if (*index < to.low || *index >= to.high)
                return report(Diagnostic::Kind::out_of_bounds, op, buffer, *index, t);
            if (to.read_only) return report(Diagnostic::Kind::read_only_write, op, buffer, *index, t);
            const Integer target = position(to, *index, t);
            if (races_as_store(to, target, t)) report(Diagnostic::Kind::race, op, buffer, *index, t);
            to.cells[target].real = value;
            to.written[target] = 1;
        });
        count_box(op, t, report_.stores[static_cast<std::size_t>(buffer)]);
        tma_stores_[static_cast<std::size_t>(t)].open.push_back(std::move(reading));
    }
}

} // namespace swirl::ir
