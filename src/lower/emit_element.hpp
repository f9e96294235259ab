#pragma once

#include "lower/arithmetic.hpp"
#include "lower/context.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Access to single elements in GPU memory.
namespace swirl::lower {

/// Whether a form, in scalars of an array, is even for all values of its variables and for all copies of the array.
bool is_at_even_offset(const Array& array, const Affine& form);
/// Whether both components of a complex element are adjacent, at an even scalar offset.
bool is_one_access(const Context& context, const Memory& memory, const Location& location);

/// On a GPU, for each entry: the index of the adjacent real if the two make one access (this entry being the first),
/// its own index if it stands alone, nothing if it is the second of a pair.
using PairsOfReals = std::vector<std::optional<std::size_t>>;
PairsOfReals pairs_of_reals(const Context& context, const Memory& memory,
                            const std::vector<Location>& locations, bool complex);

/// Loads an element, with zeros for what the location's limits exclude; `instead` is a valid address to read in that
/// case.
Scaled load_if_present(Context& context, const Memory& memory, const Location& location,
                       const Location& instead, bool complex);
/// Stores what the location's limits do not exclude of a complex element.
void store_if_present(Context& context, const Memory& memory, const Location& location, ir::Value re,
                      ir::Value im);

} // namespace swirl::lower
