#pragma once

#include <swirl/plan.hpp>

#include "plan/plan.hpp"

#include <span>
#include <string_view>

/// What the public entry points check before a plan sees its arguments.
namespace swirl::api {

/// The arrays that an execution of the problem takes, by role. Throws UserError where their number, an element type or
/// a const does not fit; null and overlapping pointers are the plan's to find.
planning::Arguments arguments_of(const Problem& problem, std::span<const detail::Pointer> arrays);

/// The number in arrays_of of the array that these are the parts of: one, or two of planar complex numbers. UserError where
/// there is none of this name, and for other elements or parts, and null.
std::size_t array_named(const Problem& problem, std::string_view name,
                        std::span<const detail::Pointer> parts);
/// The same by name alone.
std::size_t array_named(const Problem& problem, std::string_view name);

/// The elements of the two arrays that an execution takes, if it is two.
detail::Signature signature_of(const Problem& problem);

} // namespace swirl::api
