#include "passes/change_storage.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

#include <utility>
#include <vector>

namespace swirl::passes {

using namespace ir;

namespace {

Value convert(Program& program, Value from, Type to) {
    Operation operation;
    operation.opcode = Opcode::convert;
    operation.type = to;
    operation.operands[0] = from;
    return program.append(std::move(operation));
}

/// The operations with accesses to `buffer` replaced by converted ones.
std::vector<Value> converted(Program& program, const std::vector<Value>& operations, Buffer buffer,
                             DataType storage) {
    std::vector<Value> result;
    for (const Value value : operations) {
        const Operation access = program[value];
        if (!accesses_memory(access.opcode) || access.address.buffer != buffer) {
            result.push_back(value);
            continue;
        }
        ensure(access.opcode == Opcode::load || access.opcode == Opcode::store,
               "change of storage: an access that is neither load nor store");
        Operation narrow = access;
        narrow.type.scalar = storage;
        if (access.opcode == Opcode::load) {
            // The value keeps its identity: it becomes the conversion.
            const Value loaded = program.append(std::move(narrow));
            Operation& converted = program[value];
            converted = Operation{};
            converted.opcode = Opcode::convert;
            converted.type = access.type;
            converted.operands[0] = loaded;
            result.insert(result.end(), {loaded, value});
        } else {
            narrow.operands[0] = convert(program, access.operands[0], narrow.type);
            result.push_back(narrow.operands[0]);
            program[value] = std::move(narrow);
            result.push_back(value);
        }
    }
    return result;
}

} // namespace

Program change_storage(Program program, Buffer buffer, DataType storage) {
    ensure(buffer >= 0 && static_cast<std::size_t>(buffer) < program.buffers.size(),
           "program '{}' has no buffer {}", program.name, buffer);
    BufferInfo& info = program.buffers[static_cast<std::size_t>(buffer)];
    ensure(info.space == Space::argument && is_floating(info.element) && is_floating(storage),
           "buffer '{}' is no floating-point argument", info.name);
    if (info.element == storage) return program;
    info.alignment = info.alignment / bytes_of(info.element) * bytes_of(storage);
    info.element = storage;
    for_each_straight_line_block(program, [&](StraightLineBlock& block) {
        block.operations = converted(program, block.operations, buffer, storage);
    });
    return program;
}

} // namespace swirl::passes
