#pragma once

#include <swirl/arrays.hpp>
#include <swirl/distributed/plan.hpp>

#include <istream>
#include <string>

namespace swirl::distributed {

/// Throws if an option is out of range or not supported.
void check_options(const DistributedOptions& options);
/// The options that all ranks must give alike, as text.
std::string text_of(const Machine& machine);

/// A box as numbers, for other ranks, and back.
std::string numbers(const Box& box);
Box box_of(std::istream& text);

/// Throws UserError unless the array has `count` elements of this type, as far as it says.
void check_array(const char* name, const detail::ArrayArgument& array, DataType type, Integer count,
                 bool is_written);

} // namespace swirl::distributed
