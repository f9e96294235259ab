#include "ir/analysis.hpp"

namespace swirl::ir {

std::vector<int> use_counts(const Program& program) {
    std::vector<int> uses(program.operations.size(), 0);
    for_each_operation(program, [&](Value value) {
        for_each_operand(program[value], [&](Value used) { ++uses[static_cast<std::size_t>(used)]; });
    });
    for_each_condition(program, [&](const Condition& condition) {
        if (condition.value != no_value) ++uses[static_cast<std::size_t>(condition.value)];
    });
    return uses;
}

bool has_conditions_on_values(const Program& program) {
    bool found = false;
    for_each_condition(program,
                       [&](const Condition& condition) { found = found || condition.value != no_value; });
    return found;
}

std::vector<char> live_operations(const Program& program) {
    std::vector<Value> order;
    order.reserve(program.operations.size());
    for_each_operation(program, [&](Value value) { order.push_back(value); });
    std::vector<char> live(program.operations.size(), 0);
    for_each_condition(program, [&](const Condition& condition) {
        if (condition.value != no_value) live[static_cast<std::size_t>(condition.value)] = 1;
    });
    // Uses follow definitions, so one backward walk reaches everything.
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const Operation& operation = program[*at];
        char& mark = live[static_cast<std::size_t>(*at)];
        if (has_side_effect(operation.opcode)) mark = 1;
        if (mark) for_each_operand(operation, [&](Value used) { live[static_cast<std::size_t>(used)] = 1; });
    }
    return live;
}

void compact(Program& program) {
    std::vector<Value> renamed(program.operations.size(), no_value);
    std::vector<Operation> kept;
    kept.reserve(program.operations.size());
    for_each_straight_line_block(program, [&](StraightLineBlock& block) {
        for (Value& value : block.operations) {
            kept.push_back(std::move(program[value]));
            for_each_operand(kept.back(),
                             [&](Value& used) { used = renamed[static_cast<std::size_t>(used)]; });
            renamed[static_cast<std::size_t>(value)] = static_cast<Value>(kept.size() - 1);
            value = static_cast<Value>(kept.size() - 1);
        }
    });
    for_each_condition(program, [&](Condition& condition) {
        if (condition.value != no_value) condition.value = renamed[static_cast<std::size_t>(condition.value)];
    });
    program.operations = std::move(kept);
}

std::vector<char> used_variables(const Program& program) {
    std::vector<char> used(program.variables.size(), 0);
    const auto mark = [&](const Affine& form) {
        for (const Affine::Term& term : form.terms()) used[static_cast<std::size_t>(term.variable)] = 1;
    };
    for_each_statement(program.body, [&](const Statement& statement) {
        if (const auto* block = std::get_if<StraightLineBlock>(&statement.node)) {
            for (const Value value : block->operations) {
                mark(program[value].address.index);
                if (program[value].tile == nullptr) continue;
                for (const Address& of_address : program[value].tile->addresses) mark(of_address.index);
            }
        } else if (const auto* loop = std::get_if<For>(&statement.node)) {
            mark(loop->begin);
            mark(loop->end);
            for (const Induction& induction : loop->inductions) mark(induction.start);
        } else if (const auto* choice = std::get_if<If>(&statement.node)) {
            for (const Condition& condition : choice->conditions) mark(condition.form);
        }
    });
    return used;
}

} // namespace swirl::ir
