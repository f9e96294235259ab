#pragma once

#include "ir/program.hpp"

/// What several passes do to the statement tree.
namespace swirl::passes {

/// Joins neighbouring straight runs; drops empty runs, loops and conditions.
void tidy(ir::Body& body);

/// Appends `statement`; a run extends a run at the end of `body` instead of starting another, an empty run is dropped.
void append(ir::Body& body, ir::Statement statement);

/// The run at the end of `body`, a new one if there is none.
ir::Straight& run_at_end(ir::Body& body);

/// Number of iterations when it is a constant, else −1.
Integer constant_trip_count(const ir::For& loop);

/// Lanes that a load or store touches.
inline int active_lanes(const ir::Operation& operation) {
    return operation.active > 0 ? operation.active : operation.type.lanes;
}

/// A new loop variable named after `like`.
Variable clone_variable(ir::Program& program, Variable like);

} // namespace swirl::passes
