#include "passes/change_precision.hpp"

#include "base/error.hpp"

namespace swirl::passes {

using namespace ir;

Program change_precision(Program program, DataType from, DataType to) {
    ensure(is_floating(from) && is_floating(to), "a change of precision is between floating types");
    for (BufferInfo& buffer : program.buffers)
        if (buffer.element == from) buffer.element = to;
    for (Operation& operation : program.operations) {
        ensure(operation.opcode != Opcode::instruction, "precision changes before instructions are selected");
        if (operation.type.scalar == from) operation.type.scalar = to;
    }
    return program;
}

} // namespace swirl::passes
