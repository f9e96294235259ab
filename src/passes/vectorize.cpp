#include "passes/vectorize.hpp"

#include "ir/analysis.hpp"
#include "passes/lane_order.hpp"
#include "passes/loop_vectorizer.hpp"
#include "passes/statements.hpp"

#include <algorithm>

namespace swirl::passes {
namespace {

using namespace ir;

constexpr int shortest_vector = 16; ///< bytes

class Vectorizer {
public:
    Vectorizer(Program& program, int lanes, bool permutes_two)
        : program_(program),
          lanes_(lanes),
          permutes_two_(permutes_two),
          varies_(program.operations.size(), false) {}

    void run() {
        VariableRanges ranges(program_); // each loop has a variable of its own
        for_each_loop(program_, [&](const For& loop) {
            ranges.enter(loop);
            if (loop.kind == For::Kind::vector) collect(loop, ranges);
        });
        const LaneOrders orders = choose_lane_orders(program_, loops_, lanes_);
        LoopVectorizer vectorizer(program_, lanes_, permutes_two_, orders);
        rebuild(program_.body, vectorizer);
    }

private:
    /// Vectors just long enough for the longest loop: short ones waste no lanes, and stores of whole vectors can be
    /// forwarded to loads.
    int lanes_needed() const {
        int element = 8;
        for (const BufferInfo& buffer : program_.buffers)
            if (is_floating(buffer.element)) element = std::min<Integer>(element, bytes_of(buffer.element));
        int needed = std::min(lanes_, shortest_vector / element);
        for_each_loop(program_, [&](const For& loop) {
            if (loop.kind != For::Kind::vector) return;
            while (needed < lanes_ && needed < constant_trip_count(loop)) needed *= 2;
        });
        return needed;
    }

    /// The result of a vector loop.
    enum class Fate { vanishes, scalar, serial, vector };

    void collect(const For& loop, const VariableRanges& ranges) {
        const Integer trips = constant_trip_count(loop);
        ensure(trips >= 0 && trips <= lanes_, "a vector loop of {} iterations does not fit {} lanes", trips,
               lanes_);
        ensure(loop.inductions.empty(), "a vector loop has no inductions");
        ensure(loop.body.size() <= 1 &&
                   (loop.body.empty() || std::holds_alternative<StraightLineBlock>(loop.body[0].node)),
               "a vector loop holds one straight-line block");
        fates_.push_back(trips == 0 || loop.body.empty() ? Fate::vanishes
                         : trips == 1                    ? Fate::scalar
                         : can_be_vectors(loop)          ? Fate::vector
                                                         : Fate::serial);
        if (fates_.back() != Fate::vector) return;
        const StraightLineBlock& body = std::get<StraightLineBlock>(loop.body[0].node);
        std::vector<char> varies;
        varies.reserve(body.operations.size());
        for (const Value value : body.operations) varies.push_back(varies_[static_cast<std::size_t>(value)]);
        loops_.push_back({.loop = &loop,
                          .body = &body,
                          .trips = static_cast<int>(trips),
                          .blocks = find_memory_blocks(program_, ranges, loop, body, lanes_),
                          .varies = std::move(varies)});
    }

    /// Marks the values that depend on the lane, too.
    bool can_be_vectors(const For& loop) {
        for (const Value value : std::get<StraightLineBlock>(loop.body[0].node).operations) {
            const Operation& operation = program_[value];
            if (operation.type.lanes != 1 || operation.opcode == Opcode::instruction ||
                operation.opcode == Opcode::shuffle || operation.opcode == Opcode::atomic_add)
                return false;
            const bool moves = operation.address.index.coefficient(loop.variable) != 0;
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

    void rebuild(Body& body, LoopVectorizer& vectorizer) {
        Body result;
        result.reserve(body.size());
        for (Statement& statement : body) {
            if (auto* loop = std::get_if<For>(&statement.node)) {
                if (loop->kind == For::Kind::vector) {
                    replace(*loop, result, vectorizer);
                    continue;
                }
                rebuild(loop->body, vectorizer);
            } else if (auto* condition = std::get_if<If>(&statement.node)) {
                rebuild(condition->then, vectorizer);
                rebuild(condition->otherwise, vectorizer);
            }
            append(result, std::move(statement));
        }
        body = std::move(result);
    }

    void replace(For& loop, Body& to, LoopVectorizer& vectorizer) {
        switch (fates_[next_fate_++]) {
        case Fate::vanishes: return;
        case Fate::vector: return vectorizer.vectorize(loops_[next_loop_++], block_at_end(to).operations);
        case Fate::serial: loop.kind = For::Kind::serial; return append(to, {std::move(loop)});
        case Fate::scalar:
            for (const Value value : std::get<StraightLineBlock>(loop.body[0].node).operations) {
                Affine& index = program_[value].address.index;
                index = index.substitute(loop.variable, loop.begin);
            }
            return append(to, std::move(loop.body[0]));
        }
    }

    Program& program_;
    int lanes_;
    bool permutes_two_;
    std::vector<char> varies_; ///< by value: differs between lanes
    std::vector<Fate> fates_;  ///< of all vector loops, in program order
    std::vector<VectorLoop> loops_;
    std::size_t next_fate_ = 0, next_loop_ = 0;
};

} // namespace

Program vectorize(Program program, int lanes, bool permutes_two) {
    Vectorizer(program, lanes, permutes_two).run();
    return program;
}

} // namespace swirl::passes
