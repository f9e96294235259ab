#include "passes/strength_reduce_addresses.hpp"

#include "ir/analysis.hpp"
#include "passes/statements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::passes {
namespace {

using namespace ir;

bool is_reduced(const Affine& index) {
    return index.terms().empty() || (index.terms().size() == 1 && index.terms()[0].coefficient == 1);
}

class Reduction {
public:
    explicit Reduction(Program& program) : program_(program) {}

    void visit(Body& body) {
        for (Statement& statement : body) {
            if (auto* block = std::get_if<StraightLineBlock>(&statement.node)) {
                visit(*block);
            } else if (auto* loop = std::get_if<For>(&statement.node)) {
                loops_.push_back({loop, {}});
                visit(loop->body);
                loops_.pop_back();
            } else if (auto* condition = std::get_if<If>(&statement.node)) {
                visit(condition->then);
                visit(condition->otherwise);
            }
        }
    }

private:
    struct OpenLoop {
        For* loop;
        std::vector<std::pair<Affine::Terms, Variable>> inductions; ///< by variable part of an index
    };

    void visit(StraightLineBlock& block) {
        for (const Value value : block.operations) {
            Operation& operation = program_[value];
            if (!has_address(operation.opcode) && operation.opcode != Opcode::index) continue;
            Affine& index = operation.address.index;
            if (!is_reduced(index)) index = Affine::of(induction_for(index)) + index.constant();
        }
    }

    Variable induction_for(const Affine& index) {
        OpenLoop& open = loop_of(index);
        for (const auto& [terms, variable] : open.inductions)
            if (terms == index.terms()) return variable;
        For& loop = *open.loop;
        Affine start = index - index.constant();
        Integer step = index.coefficient(loop.variable) * loop.step;
        std::size_t lasts = 0;
        for (const Induction& other : loop.inductions) {
            step += index.coefficient(other.variable) * other.step;
            start = start.substitute(other.variable, other.start);
            if (index.coefficient(other.variable) != 0) lasts = std::max(lasts, other.last.size());
        }
        start = start.substitute(loop.variable, loop.begin);
        std::vector<Integer> last;
        const Integer trips = lasts == 0 ? 0 : constant_trip_count(loop);
        for (Integer trip = trips - static_cast<Integer>(lasts); trip < trips; ++trip) {
            last.push_back(index.coefficient(loop.variable) * loop.step * trip);
            for (const Induction& other : loop.inductions)
                last.back() += index.coefficient(other.variable) * other.distance(trip, trips);
        }
        const auto variable = static_cast<Variable>(program_.variables.size());
        program_.variables.push_back({fmt::format("at{}", count_++), VariableInfo::Kind::induction, 0});
        loop.inductions.push_back({variable, std::move(start), step, std::move(last)});
        open.inductions.emplace_back(index.terms(), variable);
        return variable;
    }

    /// The innermost open loop that changes a variable of the index; else the outermost.
    OpenLoop& loop_of(const Affine& index) {
        for (auto open = loops_.rbegin(); open != loops_.rend(); ++open) {
            if (index.coefficient(open->loop->variable) != 0) return *open;
            for (const Induction& induction : open->loop->inductions)
                if (index.coefficient(induction.variable) != 0) return *open;
        }
        return loops_.front();
    }

    Program& program_;
    std::vector<OpenLoop> loops_;
    int count_ = 0;
};

/// Whether an index to be reduced is outside all loops.
bool needs_loop(const Program& program) {
    for (const Statement& statement : program.body) {
        bool needed = false;
        const auto check = [&](const StraightLineBlock& block) {
            for (const Value value : block.operations)
                needed = needed || !is_reduced(program[value].address.index);
        };
        if (const auto* block = std::get_if<StraightLineBlock>(&statement.node)) check(*block);
        if (const auto* condition = std::get_if<If>(&statement.node))
            for (const Body* body : {&condition->then, &condition->otherwise})
                for_each_statement(*body, [&](const Statement& inner) {
                    if (const auto* block = std::get_if<StraightLineBlock>(&inner.node)) check(*block);
                });
        if (needed) return true;
    }
    return false;
}

} // namespace

Program strength_reduce_addresses(Program program) {
    if (needs_loop(program)) {
        For once;
        once.variable = static_cast<Variable>(program.variables.size());
        program.variables.push_back({"once", VariableInfo::Kind::loop, 0});
        once.end = 1;
        once.body = std::move(program.body);
        program.body.clear();
        program.body.push_back({std::move(once)});
    }
    Reduction(program).visit(program.body);
    return program;
}

} // namespace swirl::passes
