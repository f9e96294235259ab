#include "plan/stored_types.hpp"

#include "passes/change_storage.hpp"

namespace swirl::planning {

DataType stored_type(const Transform& problem, DataLocation location) {
    switch (location) {
    case DataLocation::input: return stored_precision(problem, Side::input);
    case DataLocation::output: return stored_precision(problem, Side::output);
    case DataLocation::intermediate: return arithmetic_of(problem.precision);
    }
    throw InternalError("unknown placement");
}

ir::Program with_stored_types(ir::Program program, const Transform& problem, const DimensionPass& pass) {
    using enum ir::ArgumentRole;
    for (std::size_t b = 0; b < program.buffers.size(); ++b) {
        const ir::BufferInfo& buffer = program.buffers[b];
        const ir::Role& role = buffer.role;
        if (buffer.space != ir::Space::argument || role.argument == workspace) continue;
        const DataType type = role.argument == auxiliary
                                  ? arrays_of(problem).at(static_cast<std::size_t>(role.index)).precision
                                  : stored_type(problem, role.argument == input ? pass.source : pass.target);
        program = passes::change_storage(std::move(program), static_cast<ir::Buffer>(b), type);
    }
    return program;
}

} // namespace swirl::planning
