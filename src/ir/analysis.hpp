#pragma once

#include "ir/instruction.hpp"
#include "ir/program.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// Program traversals that every pass needs.
namespace swirl::ir {

/// Number of used entries of `operation.operands`, including target instructions.
inline std::size_t operand_count(const Operation& operation) {
    if (operand_count(operation.opcode) >= 0)
        return static_cast<std::size_t>(operand_count(operation.opcode));
    if (operation.opcode != Opcode::instruction) { // count the operands present
        std::size_t count = 0;
        while (count < operation.operands.size() && operation.operands[count] != no_value) ++count;
        return count;
    }
    return operation.instruction == nullptr ? 0 : operation.instruction->operands.size();
}

/// The used operands, without the address's dynamic index.
inline std::span<const Value> operands(const Operation& operation) {
    return {operation.operands.data(), operand_count(operation)};
}

inline std::span<Value> operands(Operation& operation) {
    return {operation.operands.data(), operand_count(operation)};
}

constexpr bool accesses_memory(Opcode opcode) {
    return opcode == Opcode::load || opcode == Opcode::store || opcode == Opcode::atomic_add;
}
/// Tiles and mbarriers (ir/tile.hpp).
constexpr bool is_async_tile_operation(Opcode opcode) { return opcode >= Opcode::tma_load; }
constexpr bool has_address(Opcode opcode) {
    return accesses_memory(opcode) || opcode == Opcode::prefetch || is_async_tile_operation(opcode);
}
constexpr bool has_result(Opcode opcode) {
    return opcode != Opcode::store && opcode != Opcode::atomic_add && opcode != Opcode::prefetch &&
           !is_async_tile_operation(opcode);
}
constexpr bool has_side_effect(Opcode opcode) { return !has_result(opcode); }

/// Depends only on its operands (and, for `index`, on variables): may be shared, moved and dropped.
constexpr bool is_pure(Opcode opcode) { return !has_address(opcode); }

/// Floating-point operations per lane; a change of sign does not count.
constexpr int flops_of(Opcode opcode, DataType scalar) {
    if (!is_floating(scalar)) return 0;
    switch (opcode) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::square_root:
    case Opcode::atomic_add: return 1;
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma: return 2;
    default: return 0;
    }
}

/// Calls f(value) for every value the operation uses: operands in order, then the dynamic indices of its addresses.
template <class F> void for_each_operand(const Operation& operation, F&& f) {
    for (const Value value : operands(operation)) f(value);
    if (has_address(operation.opcode) && operation.address.dynamic != no_value) f(operation.address.dynamic);
    if (operation.tile == nullptr) return;
    for (const Address& of_address : operation.tile->addresses)
        if (of_address.dynamic != no_value) f(of_address.dynamic);
}

/// The same with f(Value&), to replace operands.
template <class F> void for_each_operand(Operation& operation, F&& f) {
    for (Value& value : operands(operation)) f(value);
    if (has_address(operation.opcode) && operation.address.dynamic != no_value) f(operation.address.dynamic);
    if (operation.tile == nullptr || operation.tile->addresses.empty()) return;
    auto tile = std::make_shared<AsyncTileOperation>(*operation.tile); // may be shared with other operations
    for (Address& of_address : tile->addresses)
        if (of_address.dynamic != no_value) f(of_address.dynamic);
    operation.tile = std::move(tile);
}

/// Calls f(statement) for a statement and all nested ones, in program order: a loop or condition before its body.
template <class StatementType, class F>
requires std::is_same_v<std::remove_const_t<StatementType>, Statement>
void for_each_statement_in(StatementType& statement, F&& f) {
    f(statement);
    const auto visit = [&](auto& body) {
        for (auto& inside : body) for_each_statement_in(inside, f);
    };
    if (auto* loop = std::get_if<For>(&statement.node)) {
        visit(loop->body);
    } else if (auto* condition = std::get_if<If>(&statement.node)) {
        visit(condition->then);
        visit(condition->otherwise);
    } else if (auto* warp_roles = std::get_if<WarpRoles>(&statement.node)) {
        for (auto& role : warp_roles->roles) visit(role.body);
    }
}

/// The same for all statements of a body.
template <class BodyType, class F>
requires std::is_same_v<std::remove_const_t<BodyType>, Body>
void for_each_statement(BodyType& body, F&& f) {
    for (auto& statement : body) for_each_statement_in(statement, f);
}

/// Calls f(StraightLineBlock&) for all straight-line blocks in program order.
template <class ProgramType, class F>
requires std::is_same_v<std::remove_const_t<ProgramType>, Program>
void for_each_straight_line_block(ProgramType& program, F&& f) {
    for_each_statement(program.body, [&](auto& statement) {
        if (auto* block = std::get_if<StraightLineBlock>(&statement.node)) f(*block);
    });
}

/// Calls f(Condition&) for all conditions in program order.
template <class ProgramType, class F>
requires std::is_same_v<std::remove_const_t<ProgramType>, Program>
void for_each_condition(ProgramType& program, F&& f) {
    for_each_statement(program.body, [&](auto& statement) {
        if (auto* choice = std::get_if<If>(&statement.node))
            for (auto& condition : choice->conditions) f(condition);
    });
}

/// Calls f(For&) for all loops in program order, outer before inner.
template <class ProgramType, class F>
requires std::is_same_v<std::remove_const_t<ProgramType>, Program>
void for_each_loop(ProgramType& program, F&& f) {
    for_each_statement(program.body, [&](auto& statement) {
        if (auto* loop = std::get_if<For>(&statement.node)) f(*loop);
    });
}

/// Calls f(value) for all operations in program order.
template <class F> void for_each_operation(const Program& program, F&& f) {
    for_each_straight_line_block(program, [&](const StraightLineBlock& block) {
        for (const Value value : block.operations) f(value);
    });
}

/// The number of uses of each value as an operand (or dynamic index) or condition in the program's body.
std::vector<int> use_counts(const Program& program);

/// Whether control flow depends on data.
bool has_conditions_on_values(const Program& program);

/// For each operation: 1 if it is in the body and a store or a condition depends on it.
std::vector<char> live_operations(const Program& program);

/// Removes from Program::operations what no straight-line block refers to, and renumbers the rest in program order.
void compact(Program& program);

/// The variables that occur in an address, loop bound, condition or induction of the program's body.
std::vector<char> used_variables(const Program& program);

} // namespace swirl::ir
