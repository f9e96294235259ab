#include "passes/loop_vectorizer.hpp"

#include "ir/analysis.hpp"
#include "ir/records.hpp"
#include "ir/transpose.hpp"

#include <algorithm>

namespace swirl::passes {

using namespace ir;
using Kind = MemoryBlock::Kind;

LoopVectorizer::LoopVectorizer(Program& program, int lanes, bool permutes_two, const LaneOrders& orders)
    : program_(program),
      lanes_(lanes),
      permutes_two_(permutes_two),
      orders_(orders),
      scalars_(program.operations.size(), no_value),
      vectors_(program.operations.size(), no_value) {}

void LoopVectorizer::vectorize(const VectorLoop& loop, std::vector<Value>& vectorized) {
    loop_ = &loop;
    run_ = &vectorized;
    const std::size_t count = loop.body->operations.size();
    vectorized.reserve(vectorized.size() + 2 * count);
    for (std::size_t p = 0; p < count; ++p) convert(p);
    for (const Value value : used_) vector(value) = no_value;
    used_.clear();
}

void LoopVectorizer::convert(std::size_t position) {
    const Value value = value_at(static_cast<int>(position));
    const int block = loop_->blocks.block_of[position];
    const Opcode opcode = program_[value].opcode;
    // Integers and their comparisons are uniform across lanes, and so are floats converted from int64.
    const auto is_of_integers = [&] {
        return program_[program_[value].operands[0]].type.scalar == DataType::int64;
    };
    const bool stays_scalar =
        !loop_->varies[position] && opcode != Opcode::constant &&
        (opcode == Opcode::convert || opcode == Opcode::less ? is_of_integers()
                                                             : !is_floating(program_[value].type.scalar));
    if (accesses_memory(opcode)) {
        if (block < 0) return;
        const MemoryBlock& memory = loop_->blocks.blocks[static_cast<std::size_t>(block)];
        if (memory.position == static_cast<int>(position)) access(memory);
    } else if (opcode == Opcode::constant || stays_scalar) {
        for_each_operand(program_[value], [&](Value& operand) { operand = as_scalar(operand); });
        run_->push_back(value);
    } else if (opcode == Opcode::splat) {
        vector(value) = as_vector(program_[value].operands[0]);
    } else {
        for (std::size_t i = 0; i < operand_count(program_[value]); ++i) {
            const Value operand = as_vector(program_[value].operands[i]); // may move the table of operations
            program_[value].operands[i] = operand;
        }
        program_[value].type.lanes = lanes_;
        run_->push_back(value);
        vector(value) = value;
    }
}

void LoopVectorizer::access(const MemoryBlock& block) {
    if (block.kind == Kind::uniform) {
        const Value loaded = value_at(block.position);
        for (const int position : block.columns[0]) scalar(value_at(position)) = loaded;
        for_each_operand(program_[loaded], [&](Value& operand) { operand = as_scalar(operand); });
        run_->push_back(loaded);
        return;
    }
    const bool permuted = has_permuted_columns(block);
    const auto column_at = [&](std::size_t j) -> const MemoryBlock::Column& {
        return block.columns[permuted ? static_cast<std::size_t>(orders_.order[j]) : j];
    };
    if (block.is_store) {
        columns_.clear();
        for (std::size_t j = 0; j < block.columns.size(); ++j)
            columns_.push_back(as_vector(program_[value_at(column_at(j).back())].operands[0]));
        return store_columns(block, columns_);
    }
    load_columns(block);
    for (std::size_t j = 0; j < columns_.size(); ++j)
        for (const int position : column_at(j)) vector(value_at(position)) = columns_[j];
}

void LoopVectorizer::load_columns(const MemoryBlock& block) {
    const int trips = loop_->trips;
    switch (block.kind) {
    case Kind::uniform: break;
    case Kind::strided: {
        const Value loaded = load(block, 0, trips, block.stride);
        columns_ = {loop_->permuted ? writer().shuffle(loaded, loaded, from_memory(block)) : loaded};
        return;
    }
    case Kind::contiguous: {
        const Value loaded = load(block, lowest(block), trips, 1);
        columns_ = {lanes_are_in_memory_order(block) ? loaded
                                                     : writer().shuffle(loaded, loaded, from_memory(block))};
        return;
    }
    case Kind::pairs: {
        const Value low = load(block, lowest(block), std::min(2 * trips, lanes_), 1);
        const int rest = 2 * trips - lanes_;
        const Value high = rest > 0 ? load(block, lowest(block) + lanes_, rest, 1) : low;
        const Value first = writer().shuffle(low, high, every_other(block, 0));
        columns_ = {first, writer().shuffle(low, high, every_other(block, 1))};
        return;
    }
    case Kind::rows: {
        if (are_records(block)) return load_records(block);
        const int width = static_cast<int>(block.columns.size());
        std::vector<Value> rows;
        for (int l = 0; l < trips; ++l) rows.push_back(load(block, iteration_of(l) * block.stride, width, 1));
        columns_ = columns_of_rows(writer(), rows, width);
        return;
    }
    }
    throw InternalError("a uniform access has no columns");
}

void LoopVectorizer::store_columns(const MemoryBlock& block, const std::vector<Value>& columns) {
    const int trips = loop_->trips;
    switch (block.kind) {
    case Kind::uniform: break;
    case Kind::strided:
    case Kind::contiguous: {
        Value stored = columns[0];
        const bool strided = block.kind == Kind::strided;
        if (strided ? loop_->permuted : !lanes_are_in_memory_order(block))
            stored = writer().shuffle(stored, stored, to_memory(block));
        return strided ? store(block, 0, stored, trips, block.stride)
                       : store(block, lowest(block), stored, trips, 1);
    }
    case Kind::pairs: {
        const int rest = 2 * trips - lanes_;
        const Value low = writer().shuffle(columns[0], columns[1], interleave(block, 0));
        if (rest <= 0) return store(block, lowest(block), low, 2 * trips, 1);
        const Value high = writer().shuffle(columns[0], columns[1], interleave(block, lanes_));
        store(block, lowest(block), low, lanes_, 1);
        return store(block, lowest(block) + lanes_, high, rest, 1);
    }
    case Kind::rows: {
        if (are_records(block)) return store_records(block, columns);
        const std::vector<Value> rows = rows_of_columns(writer(), columns, trips);
        for (int l = 0; l < trips; ++l)
            store(block, iteration_of(l) * block.stride, rows[static_cast<std::size_t>(l)],
                  static_cast<int>(columns.size()), 1);
        return;
    }
    }
    throw InternalError("a uniform store is not vectorized");
}

bool LoopVectorizer::are_records(const MemoryBlock& block) const {
    const auto width = static_cast<Integer>(block.columns.size());
    return permutes_two_ && block.stride == width &&
           suit_records(lanes_, program_[value_at(block.position)].type.scalar, width);
}

void LoopVectorizer::load_records(const MemoryBlock& block) {
    const auto width = static_cast<int>(block.columns.size());
    std::vector<Value> vectors;
    for (int first = 0; first < loop_->trips * width; first += lanes_)
        vectors.push_back(load(block, first, std::min(lanes_, loop_->trips * width - first), 1));
    std::vector<int> iterations;
    for (int l = 0; l < lanes_; ++l) iterations.push_back(iteration_of(l));
    columns_ = columns_of_records(writer(), vectors, width, {loop_->trips, iterations});
}

void LoopVectorizer::store_records(const MemoryBlock& block, const std::vector<Value>& columns) {
    const int elements = loop_->trips * static_cast<int>(columns.size());
    std::vector<int> iterations;
    for (int l = 0; l < lanes_; ++l) iterations.push_back(iteration_of(l));
    int first = 0;
    for (const Value vector : records_of_columns(writer(), columns, {loop_->trips, iterations})) {
        store(block, first, vector, std::min(lanes_, elements - first), 1);
        first += lanes_;
    }
}

Operation LoopVectorizer::access_of(const MemoryBlock& block, Integer distance, int active,
                                    Integer lane_stride) const {
    Operation operation;
    operation.type = {DataType::float64, lanes_};
    operation.address = block.address;
    operation.address.index += distance;
    if (block.address.dynamic != no_value) operation.address.dynamic = as_scalar(block.address.dynamic);
    operation.address.lane_stride = lane_stride;
    operation.active = active;
    return operation;
}

Value LoopVectorizer::load(const MemoryBlock& block, Integer distance, int active, Integer lane_stride) {
    Operation operation = access_of(block, distance, active, lane_stride);
    operation.opcode = Opcode::load;
    operation.type.scalar = program_[value_at(block.position)].type.scalar;
    const Buffer permuted = orders_.table_for_permuted_loops[static_cast<std::size_t>(block.address.buffer)];
    if (loop_->permuted && permuted >= 0) operation.address.buffer = permuted;
    return writer().append(std::move(operation));
}

void LoopVectorizer::store(const MemoryBlock& block, Integer distance, Value stored, int active,
                           Integer lane_stride) {
    Operation operation = access_of(block, distance, active, lane_stride);
    operation.opcode = Opcode::store;
    operation.type = program_[stored].type;
    operation.operands[0] = stored;
    writer().append(std::move(operation));
}

int LoopVectorizer::iteration_of(int lane) const {
    return loop_->permuted ? orders_.order[static_cast<std::size_t>(lane)] : lane;
}

int LoopVectorizer::lane_of(int iteration) const {
    return loop_->permuted ? orders_.inverse[static_cast<std::size_t>(iteration)] : iteration;
}

/// Only permuted loops permute, and they do so in all of their contiguous buffers.
bool LoopVectorizer::lanes_are_in_memory_order(const MemoryBlock& block) const {
    const auto buffer = static_cast<std::size_t>(block.address.buffer);
    if (block.stride < 0) return false;
    return !loop_->permuted || orders_.permuted[buffer] || orders_.table_for_permuted_loops[buffer] >= 0;
}

bool LoopVectorizer::has_permuted_columns(const MemoryBlock& block) const {
    return block.kind == Kind::rows && orders_.permuted[static_cast<std::size_t>(block.address.buffer)];
}

template <class Of> LaneMap LoopVectorizer::map_lanes(Of&& of) const {
    LaneMap map(static_cast<std::size_t>(lanes_), -1);
    for (int l = 0; l < loop_->trips; ++l)
        map[static_cast<std::size_t>(l)] = static_cast<std::int8_t>(of(iteration_of(l)));
    return map;
}

/// Memory holds the iterations in order, reversed if it is contiguous with a negative stride.
LaneMap LoopVectorizer::from_memory(const MemoryBlock& block) const {
    const bool reversed = block.kind == Kind::contiguous && block.stride < 0;
    return map_lanes([&](int iteration) { return reversed ? loop_->trips - 1 - iteration : iteration; });
}

LaneMap LoopVectorizer::to_memory(const MemoryBlock& block) const {
    const LaneMap from = from_memory(block);
    LaneMap map(from.size(), -1);
    for (std::size_t l = 0; l < from.size(); ++l)
        if (from[l] >= 0) map[static_cast<std::size_t>(from[l])] = static_cast<std::int8_t>(l);
    return map;
}

/// Column `column` of a contiguous range of pairs; the first iteration comes last if the stride is negative.
LaneMap LoopVectorizer::every_other(const MemoryBlock& block, int column) const {
    return map_lanes([&](int iteration) {
        return 2 * (block.stride > 0 ? iteration : loop_->trips - 1 - iteration) + column;
    });
}

/// The inverse of every_other: elements from…from+lanes−1 of the range of pairs.
LaneMap LoopVectorizer::interleave(const MemoryBlock& block, int from) const {
    LaneMap map(static_cast<std::size_t>(lanes_), -1);
    for (int l = 0; l < lanes_ && from + l < 2 * loop_->trips; ++l) {
        const int pair = (from + l) / 2;
        const int iteration = block.stride > 0 ? pair : loop_->trips - 1 - pair;
        map[static_cast<std::size_t>(l)] =
            static_cast<std::int8_t>((from + l) % 2 * lanes_ + lane_of(iteration));
    }
    return map;
}

Value LoopVectorizer::as_scalar(Value value) const {
    const Value known = scalars_[static_cast<std::size_t>(value)];
    return known == no_value ? value : known;
}

/// The value as a vector: computed per lane, or a splat, created on first use.
Value LoopVectorizer::as_vector(Value value) {
    const Value known = vector(value);
    if (known != no_value) return known;
    const Value source = as_scalar(value);
    Operation operation;
    operation.opcode = program_[source].opcode == Opcode::constant ? Opcode::constant : Opcode::splat;
    operation.type = {program_[source].type.scalar, lanes_};
    if (operation.opcode == Opcode::constant)
        operation.constant = program_[source].constant;
    else
        operation.operands[0] = source;
    used_.push_back(value);
    return vector(value) = writer().append(std::move(operation));
}

} // namespace swirl::passes
