#include "passes/select_instructions.hpp"

#include "ir/analysis.hpp"
#include "target/shuffle.hpp"

namespace swirl::passes {

using namespace ir;

Program select_instructions(Program program, const target::Cpu& cpu) {
    if (cpu.set == target::InstructionSet::portable) return program;
    for_each_straight_line_block(program, [&](const StraightLineBlock& block) {
        for (const Value value : block.operations) {
            Operation& operation = program[value];
            if (operation.opcode != Opcode::shuffle || is_integer(operation.type.scalar)) continue;
            const std::array<Value, 2> sources = {operation.operands[0], operation.operands[1]};
            const target::ShuffleChoice choice =
                target::choose_shuffle(cpu, operation.type, operation.lane_map, sources[0] == sources[1]);
            operation.opcode = Opcode::instruction;
            operation.instruction = choice.instruction;
            operation.lane_map.clear();
            operation.operands = {no_value, no_value, no_value};
            for (std::size_t i = 0; i < choice.instruction->operands.size(); ++i)
                operation.operands[i] = sources[static_cast<std::size_t>(choice.sources[i])];
        }
    });
    return program;
}

} // namespace swirl::passes
