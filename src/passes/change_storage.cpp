#include "passes/change_storage.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

#include <algorithm>
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
            Operation& number = program[value];
            number = Operation{};
            number.opcode = Opcode::convert;
            number.type = access.type;
            number.operands[0] = loaded;
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

Program change_storage(Program program, std::string_view name, DataType storage) {
    const auto found = std::find_if(program.buffers.begin(), program.buffers.end(),
                                    [&](const BufferInfo& buffer) { return buffer.name == name; });
    ensure(found != program.buffers.end(), "program '{}' has no buffer '{}'", program.name, name);
    ensure(found->space == Space::argument && is_floating(found->element) && is_floating(storage),
           "buffer '{}' is no argument of floating numbers", name);
    if (found->element == storage) return program;
    found->alignment = found->alignment / bytes_of(found->element) * bytes_of(storage);
    found->element = storage;
    const auto buffer = static_cast<Buffer>(found - program.buffers.begin());
    for_each_straight_line_block(program, [&](StraightLineBlock& run) {
        run.operations = converted(program, run.operations, buffer, storage);
    });
    return program;
}

} // namespace swirl::passes
