#pragma once

#include "ir/program.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace swirl::ir {

using LaneMap = std::vector<std::int8_t>;

/// Appends operations to a program and to one of its straight-line blocks.
struct BlockWriter {
    Program& program;
    std::vector<Value>& block;

    Value append(Operation&& operation) {
        block.push_back(program.append(std::move(operation)));
        return block.back();
    }
    Value shuffle(Value a, Value b, LaneMap lane_map) {
        Operation operation;
        operation.opcode = Opcode::shuffle;
        operation.type = program[a].type;
        operation.operands = {a, b, no_value};
        operation.lane_map = std::move(lane_map);
        return append(std::move(operation));
    }
};

} // namespace swirl::ir
