#include "passes/statements.hpp"

namespace swirl::passes {

ir::StraightLineBlock& block_at_end(ir::Body& body) {
    if (body.empty() || !std::holds_alternative<ir::StraightLineBlock>(body.back().node))
        body.push_back({ir::StraightLineBlock{}});
    return std::get<ir::StraightLineBlock>(body.back().node);
}

void append(ir::Body& body, ir::Statement statement) {
    if (auto* block = std::get_if<ir::StraightLineBlock>(&statement.node)) {
        if (block->operations.empty()) return;
        auto& end = block_at_end(body).operations;
        if (end.empty())
            end = std::move(block->operations);
        else
            end.insert(end.end(), block->operations.begin(), block->operations.end());
    } else {
        body.push_back(std::move(statement));
    }
}

void tidy(ir::Body& body) {
    ir::Body result;
    result.reserve(body.size());
    for (ir::Statement& statement : body) {
        if (auto* loop = std::get_if<ir::For>(&statement.node)) {
            tidy(loop->body);
            if (loop->body.empty()) continue;
        } else if (auto* condition = std::get_if<ir::If>(&statement.node)) {
            tidy(condition->then);
            tidy(condition->otherwise);
            if (condition->then.empty() && condition->otherwise.empty()) continue;
        }
        append(result, std::move(statement));
    }
    body = std::move(result);
}

Integer constant_trip_count(const ir::For& loop) {
    if (loop.begin.terms() != loop.end.terms()) return -1;
    const Integer extent = loop.end.constant() - loop.begin.constant();
    return extent <= 0 ? 0 : ceil_divide(extent, loop.step);
}

Variable clone_variable(ir::Program& program, Variable like) {
    program.variables.push_back(ir::VariableInfo(program.variables[static_cast<std::size_t>(like)]));
    return static_cast<Variable>(program.variables.size() - 1);
}

} // namespace swirl::passes
