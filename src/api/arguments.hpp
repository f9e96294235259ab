#pragma once

#include <swirl/plan.hpp>

#include "plan/plan.hpp"

#include <span>
#include <string_view>

/// Checks of the public entry points before a plan sees its arguments.
namespace swirl::api {

/// The arrays of an execution by role. Throws UserError if their number, an element type or constness does not fit. The
/// plan itself detects null and overlapping pointers.
planning::Arguments arguments_of(const Transform& problem, std::span<const detail::Pointer> arrays);

/// Index in arrays_of of the auxiliary array with this name. `parts`: one pointer, or two for planar complex data.
/// Throws UserError if there is no such array, if element types or the number of parts differ, and for null.
std::size_t array_named(const Transform& problem, std::string_view name,
                        std::span<const detail::Pointer> parts);
/// The same by name alone.
std::size_t array_named(const Transform& problem, std::string_view name);

/// Element types of the input and the output, if an execution takes exactly these two arrays.
detail::Signature signature_of(const Transform& problem);

} // namespace swirl::api
