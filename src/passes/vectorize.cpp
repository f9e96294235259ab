#include "passes/vectorize.hpp"

#include "ir/analysis.hpp"
#include "passes/memory_blocks.hpp"
#include "passes/statements.hpp"
#include "passes/transpose.hpp"

#include <algorithm>

namespace swirl::passes {
namespace {

using namespace ir;

/// One loop of kind `vector`.
class LoopVectorizer {
public:
    LoopVectorizer(Program& program, const For& loop, int lanes)
        : program_(program), loop_(loop), lanes_(lanes), trips_(static_cast<int>(constant_trip_count(loop))) {
        ensure(loop.body.size() <= 1 &&
                   (loop.body.empty() || std::holds_alternative<Straight>(loop.body[0].node)),
               "a vector loop holds one straight run");
        ensure(trips_ >= 0 && trips_ <= lanes, "a vector loop of {} iterations does not fit {} lanes", trips_,
               lanes);
        ensure(loop.inductions.empty(), "a vector loop has no inductions");
    }

    void run(Body& to) {
        if (trips_ == 0 || loop_.body.empty()) return;
        source_ = &std::get<Straight>(loop_.body[0].node);
        if (trips_ == 1) return substitute_only_iteration(to);
        const std::size_t count = program_.operations.size();
        scalars_.assign(count, no_value);
        vectors_.assign(count, no_value);
        if (!classify()) return make_serial(to);
        blocks_ = find_memory_blocks(program_, loop_, *source_, lanes_);
        std::vector<Value>& run = run_at_end(to).operations;
        run_ = &run;
        run.reserve(run.size() + 2 * source_->operations.size());
        for (std::size_t p = 0; p < source_->operations.size(); ++p) convert(p);
    }

private:
    void substitute_only_iteration(Body& to) {
        for (const Value value : source_->operations) {
            Affine& index = program_[value].address.index;
            index = index.substitute(loop_.variable, loop_.begin);
        }
        append(to, {*source_});
    }

    void make_serial(Body& to) {
        For serial = loop_;
        serial.kind = For::Kind::serial;
        append(to, {std::move(serial)});
    }

    /// Marks what depends on the lane; false when the body cannot become vector operations.
    bool classify() {
        varies_.assign(program_.operations.size(), false);
        for (const Value value : source_->operations) {
            const Operation& operation = program_[value];
            if (operation.type.lanes != 1 || operation.opcode == Opcode::instruction ||
                operation.opcode == Opcode::shuffle || operation.opcode == Opcode::atomic_add)
                return false;
            const bool moves = operation.address.index.coefficient(loop_.variable) != 0;
            bool varies = moves;
            for (const Value operand : operands(operation))
                varies = varies || varies_[static_cast<std::size_t>(operand)];
            const Value dynamic = operation.address.dynamic;
            if (dynamic != no_value && varies_[static_cast<std::size_t>(dynamic)]) return false;
            if (operation.opcode == Opcode::store && !moves) return false;
            if (varies && operation.opcode == Opcode::index) return false;
            varies_[static_cast<std::size_t>(value)] = varies;
        }
        return true;
    }

    void convert(std::size_t position) {
        const Value value = source_->operations[position];
        const int block = blocks_.block_of[position];
        const Opcode opcode = program_[value].opcode;
        if (accesses_memory(opcode)) {
            if (block >= 0 &&
                blocks_.blocks[static_cast<std::size_t>(block)].position == static_cast<int>(position))
                access(blocks_.blocks[static_cast<std::size_t>(block)]);
        } else if (opcode == Opcode::constant || stays_scalar(value)) {
            for_each_operand(program_[value], [&](Value& operand) { operand = as_scalar(operand); });
            run_->push_back(value);
        } else if (opcode == Opcode::splat) {
            vector(value) = as_vector(program_[value].operands[0]);
        } else {
            for (std::size_t i = 0; i < operand_count(program_[value]); ++i) {
                const Value operand = as_vector(program_[value].operands[i]); // may move the table
                program_[value].operands[i] = operand;
            }
            program_[value].type.lanes = lanes_;
            run_->push_back(value);
            vector(value) = value;
        }
    }

    /// Integers and conditions that are the same in all lanes.
    bool stays_scalar(Value value) const {
        return !varies_[static_cast<std::size_t>(value)] && !is_floating(program_[value].type.scalar);
    }

    void access(const MemoryBlock& block) {
        if (block.kind == MemoryBlock::Kind::uniform) {
            const Value loaded = value_at(block.position);
            for (const int position : block.columns[0]) scalar(value_at(position)) = loaded;
            for_each_operand(program_[loaded], [&](Value& operand) { operand = as_scalar(operand); });
            run_->push_back(loaded);
            return;
        }
        if (block.is_store) {
            std::vector<Value> columns;
            for (const auto& column : block.columns)
                columns.push_back(as_vector(program_[value_at(column.back())].operands[0]));
            store_columns(block, columns);
        } else {
            const std::vector<Value> columns = load_columns(block);
            for (std::size_t j = 0; j < columns.size(); ++j)
                for (const int position : block.columns[j]) vector(value_at(position)) = columns[j];
        }
    }

    std::vector<Value> load_columns(const MemoryBlock& block) {
        switch (block.kind) {
        case MemoryBlock::Kind::uniform: break;
        case MemoryBlock::Kind::strided: return {load(block, 0, trips_, block.stride)};
        case MemoryBlock::Kind::contiguous: {
            const Value loaded = load(block, lowest(block), trips_, 1);
            return {block.stride == 1 ? loaded : writer().shuffle(loaded, loaded, reversal())};
        }
        case MemoryBlock::Kind::pairs: {
            const Value low = load(block, lowest(block), std::min(2 * trips_, lanes_), 1);
            const int rest = 2 * trips_ - lanes_;
            const Value high = rest > 0 ? load(block, lowest(block) + lanes_, rest, 1) : low;
            return {writer().shuffle(low, high, every_other(block.stride, 0)),
                    writer().shuffle(low, high, every_other(block.stride, 1))};
        }
        case MemoryBlock::Kind::rows: {
            const int width = static_cast<int>(block.columns.size());
            std::vector<Value> rows;
            for (int l = 0; l < trips_; ++l) rows.push_back(load(block, l * block.stride, width, 1));
            return columns_of_rows(writer(), rows, width);
        }
        }
        throw InternalError("a uniform access has no columns");
    }

    void store_columns(const MemoryBlock& block, const std::vector<Value>& columns) {
        switch (block.kind) {
        case MemoryBlock::Kind::uniform: break;
        case MemoryBlock::Kind::strided: return store(block, 0, columns[0], trips_, block.stride);
        case MemoryBlock::Kind::contiguous:
            return store(
                block, lowest(block),
                block.stride == 1 ? columns[0] : writer().shuffle(columns[0], columns[0], reversal()), trips_,
                1);
        case MemoryBlock::Kind::pairs: {
            const int rest = 2 * trips_ - lanes_;
            const Value low = writer().shuffle(columns[0], columns[1], interleave(block.stride, 0));
            if (rest <= 0) return store(block, lowest(block), low, 2 * trips_, 1);
            const Value high = writer().shuffle(columns[0], columns[1], interleave(block.stride, lanes_));
            store(block, lowest(block), low, lanes_, 1);
            return store(block, lowest(block) + lanes_, high, rest, 1);
        }
        case MemoryBlock::Kind::rows: {
            const std::vector<Value> rows = rows_of_columns(writer(), columns, trips_);
            for (int l = 0; l < trips_; ++l)
                store(block, l * block.stride, rows[static_cast<std::size_t>(l)],
                      static_cast<int>(columns.size()), 1);
            return;
        }
        }
        throw InternalError("a uniform store is not vectorized");
    }

    /// Distance from the first iteration's address to the lowest one.
    Integer lowest(const MemoryBlock& block) const {
        return block.stride < 0 ? (trips_ - 1) * block.stride : 0;
    }

    Operation access_of(const MemoryBlock& block, Integer distance, int active, Integer lane_stride) const {
        Operation operation;
        operation.type = {program_.buffers[static_cast<std::size_t>(block.address.buffer)].element, lanes_};
        operation.address = block.address;
        operation.address.index += distance;
        if (block.address.dynamic != no_value) operation.address.dynamic = as_scalar(block.address.dynamic);
        operation.address.lane_stride = lane_stride;
        operation.active = active;
        return operation;
    }

    Value load(const MemoryBlock& block, Integer distance, int active, Integer lane_stride) {
        Operation operation = access_of(block, distance, active, lane_stride);
        operation.opcode = Opcode::load;
        operation.type.scalar = program_[value_at(block.position)].type.scalar;
        return writer().append(std::move(operation));
    }

    void store(const MemoryBlock& block, Integer distance, Value stored, int active, Integer lane_stride) {
        Operation operation = access_of(block, distance, active, lane_stride);
        operation.opcode = Opcode::store;
        operation.type = program_[stored].type;
        operation.operands[0] = stored;
        writer().append(std::move(operation));
    }

    LaneMap reversal() const {
        LaneMap map(static_cast<std::size_t>(lanes_), -1);
        for (int l = 0; l < trips_; ++l)
            map[static_cast<std::size_t>(l)] = static_cast<std::int8_t>(trips_ - 1 - l);
        return map;
    }

    /// Lane l of column `column` in a contiguous piece of pairs, first pair last when the stride is negative.
    LaneMap every_other(Integer stride, int column) const {
        LaneMap map(static_cast<std::size_t>(lanes_), -1);
        for (int l = 0; l < trips_; ++l)
            map[static_cast<std::size_t>(l)] =
                static_cast<std::int8_t>(2 * (stride > 0 ? l : trips_ - 1 - l) + column);
        return map;
    }

    /// Elements from…from+lanes−1 of the piece that every_other takes apart.
    LaneMap interleave(Integer stride, int from) const {
        LaneMap map(static_cast<std::size_t>(lanes_), -1);
        for (int l = 0; l < lanes_ && from + l < 2 * trips_; ++l) {
            const int pair = (from + l) / 2;
            map[static_cast<std::size_t>(l)] =
                static_cast<std::int8_t>((from + l) % 2 * lanes_ + (stride > 0 ? pair : trips_ - 1 - pair));
        }
        return map;
    }

    Value as_scalar(Value value) const {
        const Value known = scalars_[static_cast<std::size_t>(value)];
        return known == no_value ? value : known;
    }

    /// The value in every lane or lane by lane; splats are made where first needed.
    Value as_vector(Value value) {
        const Value known = vector(value);
        if (known != no_value) return known;
        const Value source = as_scalar(value);
        Operation operation = program_[source];
        if (operation.opcode != Opcode::constant) {
            operation = Operation{};
            operation.opcode = Opcode::splat;
            operation.operands[0] = source;
            operation.type = program_[source].type;
        }
        operation.type.lanes = lanes_;
        return vector(value) = writer().append(std::move(operation));
    }

    RunWriter writer() { return {program_, *run_}; }
    Value value_at(int position) const { return source_->operations[static_cast<std::size_t>(position)]; }
    Value& scalar(Value value) { return scalars_[static_cast<std::size_t>(value)]; }
    Value& vector(Value value) { return vectors_[static_cast<std::size_t>(value)]; }

    Program& program_;
    const For& loop_;
    int lanes_;
    int trips_;
    const Straight* source_ = nullptr;
    MemoryBlocks blocks_;
    std::vector<Value>* run_ = nullptr;
    std::vector<Value> scalars_; ///< by value: the equal one that stands for it
    std::vector<Value> vectors_; ///< by value of the body or defined before the loop
    std::vector<char> varies_;
};

void vectorize_loops(Program& program, Body& body, int lanes) {
    Body result;
    result.reserve(body.size());
    for (Statement& statement : body) {
        if (auto* loop = std::get_if<For>(&statement.node)) {
            if (loop->kind == For::Kind::vector) {
                LoopVectorizer(program, *loop, lanes).run(result);
                continue;
            }
            vectorize_loops(program, loop->body, lanes);
        } else if (auto* condition = std::get_if<If>(&statement.node)) {
            vectorize_loops(program, condition->then, lanes);
            vectorize_loops(program, condition->otherwise, lanes);
        }
        append(result, std::move(statement));
    }
    body = std::move(result);
}

} // namespace

Program vectorize(Program program, int lanes) {
    vectorize_loops(program, program.body, lanes);
    return program;
}

} // namespace swirl::passes
