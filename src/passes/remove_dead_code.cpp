#include "passes/remove_dead_code.hpp"

#include "ir/analysis.hpp"
#include "passes/statements.hpp"

namespace swirl::passes {

void erase_dead_code(ir::Program& program) {
    const std::vector<char> live = ir::live_operations(program);
    ir::for_each_straight_line_block(program, [&](ir::StraightLineBlock& block) {
        std::erase_if(block.operations,
                      [&](ir::Value value) { return !live[static_cast<std::size_t>(value)]; });
    });
    tidy(program.body);
}

ir::Program remove_dead_code(ir::Program program) {
    erase_dead_code(program);
    ir::compact(program);
    return program;
}

} // namespace swirl::passes
