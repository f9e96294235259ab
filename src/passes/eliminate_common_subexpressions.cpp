#include "passes/eliminate_common_subexpressions.hpp"

#include "ir/analysis.hpp"
#include "ir/builder.hpp"
#include "passes/footprint.hpp"
#include "passes/value_table.hpp"

#include <numeric>
#include <utility>

namespace swirl::passes {
namespace {

using namespace ir;

/// Whether a buffer's contents may have changed since a position in program order.
class Writes {
public:
    explicit Writes(const Program& program) : program_(program), stores_(program.buffers.size()) {}

    void store(const Operation& operation, int position) {
        of(operation.address.buffer).push_back({position, true, table_.footprint(operation)});
    }
    void anywhere(Buffer buffer, int position) { of(buffer).push_back({position, false, {}}); }

    bool may_have_changed(const Operation& load, int since) {
        auto& stores = of(load.address.buffer);
        if (stores.empty() || stores.back().position < since) return false;
        const Footprint read = table_.footprint(load);
        for (auto at = stores.rbegin(); at != stores.rend() && at->position > since; ++at)
            if (!at->is_known || table_.may_overlap(at->footprint, read)) return true;
        return false;
    }

    /// Treats all writes of a body as writes at `position`.
    void all_of(const Body& body, int position) {
        for_each_statement(body, [&](const Statement& statement) {
            if (std::holds_alternative<Barrier>(statement.node) ||
                std::holds_alternative<AsyncFence>(statement.node))
                barrier(position);
            const auto* block = std::get_if<StraightLineBlock>(&statement.node);
            if (block == nullptr) return;
            for (const Value value : block->operations)
                if (has_side_effect(program_[value].opcode))
                    anywhere(program_[value].address.buffer, position);
        });
    }

    void barrier(int position) {
        for (std::size_t b = 0; b < stores_.size(); ++b)
            if (program_.buffers[b].written) anywhere(static_cast<Buffer>(b), position);
    }

private:
    struct Store {
        int position;
        bool is_known;
        Footprint footprint;
    };
    std::vector<Store>& of(Buffer buffer) { return stores_[static_cast<std::size_t>(buffer)]; }

    const Program& program_;
    FootprintTable table_;
    std::vector<std::vector<Store>> stores_; ///< by buffer, in program order
};

class Sharing {
public:
    explicit Sharing(Program& program)
        : program_(program),
          table_(program.operations.size()),
          writes_(program),
          same_(program.operations.size()),
          is_copied_(program.operations.size()) {
        std::iota(same_.begin(), same_.end(), 0);
        for (const Operation& operation : program.operations)
            if (operation.asynchronous) is_copied_[static_cast<std::size_t>(operation.operands[0])] = true;
    }

    void walk(Body& body) {
        const std::size_t scope = table_.size();
        for (Statement& statement : body) std::visit([&](auto& node) { visit(node); }, statement.node);
        table_.shrink(scope);
    }

private:
    void visit(For& loop) {
        writes_.all_of(loop.body, ++position_);
        const bool is_phase = loop.kind == For::Kind::parallel && loops_ == parallel_loops_;
        if (is_phase) visible_since_ = position_;
        ++loops_;
        parallel_loops_ += is_phase;
        walk(loop.body);
        --loops_;
        parallel_loops_ -= is_phase;
        writes_.all_of(loop.body, ++position_);
        if (is_phase) visible_since_ = position_;
    }

    void visit(If& condition) {
        walk(condition.then);
        walk(condition.otherwise);
    }

    void visit(WarpRoles& warp_roles) {
        for (WarpRole& role : warp_roles.roles) walk(role.body);
    }

    void visit(Barrier&) { writes_.barrier(++position_); }
    void visit(AsyncFence&) { writes_.barrier(++position_); }

    void visit(StraightLineBlock& block) {
        const auto block_begin = position_;
        std::size_t kept = 0;
        for (const Value value : block.operations) {
            ++position_;
            if (!replace(value, block_begin)) block.operations[kept++] = value;
        }
        block.operations.resize(kept);
    }

    /// True if an earlier value replaces this one from here on.
    bool replace(Value value, int block_begin) {
        Operation& operation = program_[value];
        for_each_operand(operation,
                         [&](Value& operand) { operand = same_[static_cast<std::size_t>(operand)]; });
        if (has_side_effect(operation.opcode)) {
            writes_.store(operation, position_);
            return false;
        }
        if (is_copied_[static_cast<std::size_t>(value)]) return false;
        order_operands(operation);
        const std::size_t hash = hash_of(operation);
        const auto* found =
            table_.find(hash, [&](Value other) { return same_operation(program_[other], operation); });
        if (found != nullptr && still_holds(operation, found->position, block_begin)) {
            same_[static_cast<std::size_t>(value)] = found->value;
            return true;
        }
        table_.insert(hash, value, position_);
        return false;
    }

    bool still_holds(const Operation& operation, int found_at, int block_begin) {
        if (found_at <= visible_since_) return false;
        if (operation.opcode == Opcode::constant) return found_at > block_begin;
        if (operation.opcode == Opcode::load) return !writes_.may_have_changed(operation, found_at);
        return true;
    }

    static void order_operands(Operation& operation) {
        switch (operation.opcode) {
        case Opcode::add:
        case Opcode::multiply:
        case Opcode::fma:
        case Opcode::fms:
        case Opcode::fnma:
            if (operation.operands[0] > operation.operands[1])
                std::swap(operation.operands[0], operation.operands[1]);
            break;
        default: break;
        }
    }

    Program& program_;
    ValueTable table_;
    Writes writes_;
    std::vector<Value> same_;
    std::vector<bool> is_copied_; ///< loaded only for an asynchronous store
    int position_ = 0;
    int loops_ = 0;          ///< enclosing loops
    int parallel_loops_ = 0; ///< those of them that are parallel and in parallel loops alone
    int visible_since_ = 0;  ///< no value crosses the start or end of such a loop
};

} // namespace

Program eliminate_common_subexpressions(Program program) {
    Sharing(program).walk(program.body);
    return program;
}

} // namespace swirl::passes
