#include "ir/instruction_mix.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"
#include "ir/count.hpp"
#include "ir/tile.hpp"

#include <numeric>
#include <set>

namespace swirl::ir {

namespace {

bool is_loop_over(const Statement& statement, const Program& program, std::string_view variable) {
    const auto* const loop = std::get_if<For>(&statement.node);
    return loop != nullptr && program.variables[static_cast<std::size_t>(loop->variable)].name == variable;
}

/// The loop over the variable as a body of its first iteration alone, in the first iterations of the loops and in the
/// role around it, whose variables its conditions may contain; empty if there is none.
Body first_iteration(const Body& body, const Program& program, std::string_view variable) {
    for (const Statement& statement : body) {
        if (const auto* const loop = std::get_if<For>(&statement.node)) {
            const bool is_it = is_loop_over(statement, program, variable);
            Body inside = is_it ? loop->body : first_iteration(loop->body, program, variable);
            if (!is_it && inside.empty()) continue;
            For first = *loop;
            first.end = first.begin + first.step;
            first.body = std::move(inside);
            return {Statement{std::move(first)}};
        }
        if (const auto* const choice = std::get_if<If>(&statement.node)) {
            for (const Body* const side : {&choice->then, &choice->otherwise})
                if (Body inside = first_iteration(*side, program, variable); !inside.empty()) return inside;
        } else if (const auto* const warp_roles = std::get_if<WarpRoles>(&statement.node)) {
            for (const WarpRole& role : warp_roles->roles) {
                WarpRole first = role;
                first.body = first_iteration(role.body, program, variable);
                if (!first.body.empty()) return {Statement{WarpRoles{{std::move(first)}}}};
            }
        }
    }
    return {};
}

void require_innermost(const Program& program, std::string_view variable) {
    for_each_statement(program.body, [&](const Statement& statement) {
        if (!is_loop_over(statement, program, variable)) return;
        for_each_statement(std::get<For>(statement.node).body, [&](const Statement& inside) {
            ensure(!std::holds_alternative<For>(inside.node), "'{}' has a loop inside that over '{}'",
                   program.name, variable);
        });
    });
}

Integer sum(const std::map<Integer, Integer>& counts) {
    return std::accumulate(counts.begin(), counts.end(), Integer{0},
                           [](Integer before, const auto& entry) { return before + entry.second; });
}

class Counter {
public:
    explicit Counter(const Program& program) : program_(program) {
        for (const Operation& operation : program.operations)
            if (operation.asynchronous) copied_.insert(operation.operands[0]);
    }

    void add(Value value, Integer times) {
        const Operation& operation = program_[value];
        if (accesses_memory(operation.opcode)) return add_access(operation, copied_.contains(value), times);
        if (operation.opcode == Opcode::wgmma) {
            const WgmmaInstruction& entry = *operation.tile->instruction;
            mix.mma_instructions += times;
            mix.mma_multiply_adds += times * entry.flops() / 2 / entry.threads;
            return;
        }
        if (is_async_tile_operation(operation.opcode)) {
            mix.other_accesses += times;
            return;
        }
        switch (operation.opcode) {
        case Opcode::constant:
        case Opcode::shuffle:
        case Opcode::splat: return;
        case Opcode::index:
            if (!operation.address.index.terms().empty()) mix.integers += times;
            return;
        case Opcode::fma:
        case Opcode::fms:
        case Opcode::fnma: mix.fused += times * operation.type.lanes; return;
        case Opcode::instruction:
            if (operation.instruction->threads == 1) {
                mix.other_floating += times;
                return;
            }
            mix.mma_instructions += times;
            mix.mma_multiply_adds += times * operation.instruction->flops / 2;
            return;
        case Opcode::less: {
            const Type compared = program_[operation.operands[0]].type;
            (is_integer(compared.scalar) ? mix.integers : mix.other_floating) += times;
            return;
        }
        default:
            (is_integer(operation.type.scalar) ? mix.integers : mix.other_floating) +=
                times * operation.type.lanes;
        }
    }

    InstructionMix mix;

private:
    void add_access(const Operation& operation, bool is_copied, Integer times) {
        const Space space = program_.buffers[static_cast<std::size_t>(operation.address.buffer)].space;
        if (space == Space::local || is_copied) return;
        const Integer bytes = Integer{operation.active} * bytes_of(operation.type.scalar);
        if (operation.asynchronous)
            mix.copies[bytes] += times;
        else if (space == Space::shared && operation.opcode == Opcode::load)
            mix.shared_loads[bytes] += times;
        else
            mix.other_accesses += times;
    }

    const Program& program_;
    std::set<Value> copied_; ///< loads that belong to an asynchronous copy
};

InstructionMix mix_of(const Program& program, std::span<const Integer> parameters) {
    Counter counter(program);
    for_each_weighted_block(program, parameters, [&](const StraightLineBlock& block, Integer times) {
        for (const Value value : block.operations) counter.add(value, times);
    });
    InstructionMix& mix = counter.mix;
    const auto& of_block = program.launch.threads;
    const auto* const warp_roles = std::get_if<WarpRoles>(&program.body.front().node);
    const Integer along_x = warp_roles == nullptr ? of_block[0] : warp_roles->roles.front().threads;
    mix.threads = program.launch.blocks[0] * along_x * of_block[1] * of_block[2];
    for_each_statement(program.body, [&](const Statement& statement) {
        if (std::holds_alternative<If>(statement.node)) mix.conditions += mix.threads;
        if (std::holds_alternative<Barrier>(statement.node)) mix.barriers += mix.threads;
        if (std::holds_alternative<AsyncFence>(statement.node)) mix.fences += mix.threads;
    });
    return mix;
}

} // namespace

Integer InstructionMix::instructions() const {
    return fused + mma_instructions + other_floating + integers + sum(shared_loads) + sum(copies) +
           other_accesses + conditions + barriers + fences + (repeats ? of_the_loop * threads : 0);
}

bool has_loop(const Program& program, std::string_view variable) {
    bool result = false;
    for_each_statement(program.body, [&](const Statement& statement) {
        result = result || is_loop_over(statement, program, variable);
    });
    return result;
}

InstructionMix instruction_mix_of_loop(const Program& program, std::string_view variable) {
    Program first = program;
    first.body = first_iteration(program.body, program, variable);
    ensure(!first.body.empty(), "'{}' has no loop over '{}'", program.name, variable);
    require_innermost(program, variable);
    first.launch.blocks = {program.launch.cluster * program.launch.cooperative_group, 1, 1};
    return mix_of(first, {});
}

InstructionMix instruction_mix_of_kernel(const Program& program, std::span<const Integer> parameters) {
    Program one_cluster = program;
    one_cluster.launch.blocks = {program.launch.cluster * program.launch.cooperative_group, 1, 1};
    InstructionMix result = mix_of(one_cluster, parameters);
    result.repeats = false;
    return result;
}

} // namespace swirl::ir
