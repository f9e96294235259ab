#pragma once

#include "ir/program.hpp"

/// Operations on the statement tree that several passes share.
namespace swirl::passes {

/// Joins adjacent straight-line blocks; removes empty blocks, loops and conditions.
void tidy(ir::Body& body);

/// Appends `statement`; a straight-line block extends one at the end of `body`, and an empty one is dropped.
void append(ir::Body& body, ir::Statement statement);

/// The straight-line block at the end of `body`, created if necessary.
ir::StraightLineBlock& block_at_end(ir::Body& body);

/// Trip count if it is constant, else −1.
Integer constant_trip_count(const ir::For& loop);

/// Number of lanes that a load or store accesses.
inline int active_lanes(const ir::Operation& operation) {
    return operation.active > 0 ? operation.active : operation.type.lanes;
}

/// A new loop variable named after `like`.
Variable clone_variable(ir::Program& program, Variable like);

} // namespace swirl::passes
