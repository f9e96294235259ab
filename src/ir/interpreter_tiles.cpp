// Boxes that the copy engine brings to shared memory and takes from it.
#include "ir/interpreter_machine.hpp"
#include "ir/rounding.hpp"
#include "ir/tile.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::ir {

using namespace interpreted;

namespace {

constexpr int sector_bytes = 32;
constexpr Integer box_alignment = 128; // bytes in shared memory

const TensorInfo& tensor_of(const Program& program, const Step& step) {
    return program.tensors[static_cast<std::size_t>(step.source->tile->tensor)];
}

Integer elements_of(const TensorInfo& tensor) {
    return std::accumulate(tensor.box.begin(), tensor.box.end(), Integer{1}, std::multiplies<>());
}

} // namespace

/// Calls f(i, index) for the box's elements in the order of shared memory; `index` is no value outside of the tensor. What a store writes
/// goes on to the end of a row's last chunk.
template <class F> void Interpreter::Machine::for_each_of_box(const Step& step, int thread, F&& f) const {
    const TensorInfo& tensor = tensor_of(program_, step);
    const Integer elements = elements_of(tensor);
    const Integer chunk = tile_piece_bytes / views_[static_cast<std::size_t>(tensor.buffer)].element_bytes;
    const auto end = [&](std::size_t axis) {
        const bool is_whole = axis == 0 && step.opcode == Opcode::tile_store;
        return is_whole ? ceil_divide(tensor.extents[axis], chunk) * chunk : tensor.extents[axis];
    };
    for (Integer i = 0; i < elements; ++i) {
        Integer index = tensor.origin, rest = i;
        bool inside = true;
        for (std::size_t axis = 0; axis < tensor.box.size(); ++axis) {
            const Integer first = code_.cells[step.operands[axis] + static_cast<std::size_t>(thread)].integer;
            const Integer at = first + rest % tensor.box[axis];
            rest /= tensor.box[axis];
            inside = inside && at >= 0 && at < end(axis);
            index += at * tensor.strides[axis];
        }
        f(i, inside ? std::optional<Integer>(index) : std::nullopt);
    }
}

/// The index in shared memory of an element of a box that begins at `first`.
Integer Interpreter::Machine::place_in_box(const Step& step, Integer first, Integer element) const {
    const int bytes = views_[static_cast<std::size_t>(step.buffer)].element_bytes;
    const Integer row = tensor_of(program_, step).swizzle;
    return row > 0 ? swizzled(first + element, bytes, row) : first + element;
}

/// Rows of the box that lie in the tensor, in sectors; bytes are those of the whole box.
void Interpreter::Machine::count_box(const Step& step, int thread, AccessCounts& counts) const {
    const Integer bytes = views_[static_cast<std::size_t>(step.buffer)].element_bytes;
    std::optional<Integer> last_sector;
    ++counts.accesses;
    for_each_of_box(step, thread, [&](Integer, std::optional<Integer> index) {
        counts.bytes += bytes;
        if (!index || last_sector == floor_divide(*index * bytes, sector_bytes)) return;
        last_sector = floor_divide(*index * bytes, sector_bytes);
        ++counts.sectors;
    });
}

/// Whether the box has room in shared memory. In its tensor rows begin at whole chunks, inside of it or not.
bool Interpreter::Machine::box_is_inside(const Step& step, int thread) {
    const View& shared = view(step);
    const Integer first = base(step, thread);
    const Integer begin = code_.cells[step.operands[0] + static_cast<std::size_t>(thread)].integer;
    if (modulo(begin * shared.element_bytes, tile_piece_bytes) != 0)
        report(Finding::Kind::misaligned, step, tensor_of(program_, step).buffer, begin, thread);
    if (modulo(first * shared.element_bytes, box_alignment) != 0)
        report(Finding::Kind::misaligned, step, first, thread);
    if (first >= shared.low && first + elements_of(tensor_of(program_, step)) <= shared.high) return true;
    report(Finding::Kind::out_of_bounds, step, first, thread);
    return false;
}

void Interpreter::Machine::tile_load(const Step& step, Threads threads) {
    const TensorInfo& tensor = tensor_of(program_, step);
    const Buffer buffer = tensor.buffer;
    View& from = views_[static_cast<std::size_t>(buffer)];
    for (const int t : threads) {
        if (!box_is_inside(step, t)) continue;
        std::vector<Cell> values;
        for_each_of_box(step, t, [&](Integer, std::optional<Integer> index) {
            values.push_back(Cell{});
            if (!index) return;
            if (*index < from.low || *index >= from.high)
                return report(Finding::Kind::out_of_bounds, step, buffer, *index, t);
            const Integer at = position(from, *index, t);
            if (races_as_load(from, at, t)) report(Finding::Kind::race, step, buffer, *index, t);
            if (from.written[at] == 0) report(Finding::Kind::unwritten_read, step, buffer, *index, t);
            values.back() = from.cells[at];
            if (tensor.rounds) values.back().real = round_to_tf32(values.back().real);
        });
        count_box(step, t, report_.loads[static_cast<std::size_t>(buffer)]);
        const Integer own = block_in_cluster(t), cluster = program_.launch.cluster;
        const unsigned blocks = step.source->tile->blocks;
        if (blocks == 0) issue_load(step, t, own, values);
        for (Integer block = 0; block < cluster; ++block)
            if ((blocks >> block & 1U) != 0) issue_load(step, t, own / cluster * cluster + block, values);
    }
}

/// From here on until it lands, what the box will write is unwritten.
void Interpreter::Machine::issue_load(const Step& step, int thread, Integer block,
                                      const std::vector<Cell>& values) {
    View& to = view(step);
    Signal* const signal = signal_at(step, signal_place(step.places.front(), thread, block), thread);
    if (signal == nullptr) return;
    Arrival arrival{&step,
                    base(step, thread),
                    static_cast<int>(block * static_cast<Integer>(code_.block_threads)),
                    {},
                    values};
    for (Integer i = 0; i < std::ssize(values); ++i) {
        const Integer index = place_in_box(step, arrival.first, i);
        const Integer at = position_in_block(to, index, block);
        Element& element = to.elements[at];
        if (element.store(doer(thread))) report(Finding::Kind::race, step, index, thread);
        element.arriving = true;
        to.written[at] = 0;
        arrival.positions.push_back(at);
    }
    const Integer bytes = std::ssize(values) * to.element_bytes;
    signal->loaded += bytes;
    signal->under_way.push_back(std::move(arrival));
    report_.stores[static_cast<std::size_t>(step.buffer)].bytes += bytes;
    ++report_.stores[static_cast<std::size_t>(step.buffer)].accesses;
}

void Interpreter::Machine::land(const Arrival& arrival, const Signal& signal) {
    View& to = view(*arrival.step);
    for (std::size_t i = 0; i < arrival.positions.size(); ++i) {
        const Integer at = arrival.positions[i];
        Element& element = to.elements[at];
        if (to.written[at] != 0) // stored to in between
            report(Finding::Kind::race, *arrival.step, arrival.first, arrival.thread);
        element.arriving = false;
        element.publication = -1;
        element.stored = {.cluster = static_cast<std::int32_t>(block_ / code_.together),
                          .agent = signal.agent,
                          .time = static_cast<std::int32_t>(signal.phases + 1)};
        to.cells[at] = arrival.values[i];
        to.written[at] = 1;
    }
}

void Interpreter::Machine::tile_store(const Step& step, Threads threads) {
    const Buffer buffer = tensor_of(program_, step).buffer;
    View& to = views_[static_cast<std::size_t>(buffer)];
    const View& from = view(step);
    for (const int t : threads) {
        if (!box_is_inside(step, t)) continue;
        auto reading = std::make_shared<Reading>(Reading{&step, step.buffer, {}, 1, false, false});
        const Integer first = base(step, t);
        for_each_of_box(step, t, [&](Integer i, std::optional<Integer> index) {
            const Integer place = place_in_box(step, first, i), at = position(from, place, t);
            const double value = read_for_tile(step, step.buffer, place, at, doer(t), t);
            reading->positions.push_back(at);
            if (!index) return;
            if (*index < to.low || *index >= to.high)
                return report(Finding::Kind::out_of_bounds, step, buffer, *index, t);
            if (to.read_only) return report(Finding::Kind::read_only_write, step, buffer, *index, t);
            const Integer target = position(to, *index, t);
            if (races_as_store(to, target, t)) report(Finding::Kind::race, step, buffer, *index, t);
            to.cells[target].real = value;
            to.written[target] = 1;
        });
        count_box(step, t, report_.stores[static_cast<std::size_t>(buffer)]);
        tile_stores_[static_cast<std::size_t>(t)].open.push_back(std::move(reading));
    }
}

} // namespace swirl::ir
