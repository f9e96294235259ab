#pragma once

#include "ir/program.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/problem.hpp"

/// The data types of the caller's arrays, which may differ from that of the arithmetic.
namespace swirl::planning {

/// The type of a pass's data at a location: of the caller's elements, or of the intermediate.
DataType stored_type(const Transform& problem, DataLocation location);

/// The kernel with the problem's types for the caller's arrays: accesses to them convert.
ir::Program with_stored_types(ir::Program program, const Transform& problem, const DimensionPass& pass);

} // namespace swirl::planning
