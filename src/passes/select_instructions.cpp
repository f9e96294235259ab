#include "passes/select_instructions.hpp"

#include "ir/analysis.hpp"
#include "target/shuffle.hpp"

#include <vector>

namespace swirl::passes {

using namespace ir;

namespace {

/// Keeps choices, since the many shuffles of a program have few lane maps.
class Choices {
public:
    explicit Choices(const target::Cpu& cpu) : cpu_(cpu) {}

    target::ShuffleChoice of(const Operation& shuffle) {
        const bool has_one_source = shuffle.operands[0] == shuffle.operands[1];
        for (const Choice& known : known_)
            if (known.type == shuffle.type && known.has_one_source == has_one_source &&
                known.lane_map == shuffle.lane_map)
                return known.choice;
        if (known_.size() == most) known_.clear();
        return known_
            .emplace_back(
                Choice{shuffle.type, has_one_source, shuffle.lane_map,
                       target::choose_shuffle(cpu_, shuffle.type, shuffle.lane_map, has_one_source)})
            .choice;
    }

private:
    struct Choice {
        Type type;
        bool has_one_source;
        std::vector<std::int8_t> lane_map;
        target::ShuffleChoice choice;
    };
    static constexpr std::size_t most = 16;

    const target::Cpu& cpu_;
    std::vector<Choice> known_; ///< the latest
};

} // namespace

Program select_instructions(Program program, const target::Cpu& cpu) {
    if (cpu.set == target::InstructionSet::portable) return program;
    Choices choices(cpu);
    for_each_straight_line_block(program, [&](const StraightLineBlock& block) {
        for (const Value value : block.operations) {
            Operation& operation = program[value];
            if (operation.opcode != Opcode::shuffle || is_integer(operation.type.scalar)) continue;
            const std::array<Value, 2> sources = {operation.operands[0], operation.operands[1]};
            const target::ShuffleChoice choice = choices.of(operation);
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
