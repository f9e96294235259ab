#pragma once

#include "lower/arithmetic.hpp"
#include "lower/context.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Numbers in a GPU's memory, one at a time.
namespace swirl::lower {

/// Whether a form of scalars of an array has even values alone, also for neighbouring copies.
bool is_at_even_place(const Array& array, const Affine& form);
/// Whether both parts of a complex number lie together, at a multiple of two scalars.
bool is_one_access(const Context& context, const Memory& memory, const Location& place);

/// On a GPU, what lies beside each entry that is a real and the first of two that are one access; itself where it is alone,
/// nothing where it is the second.
using PairsOfReals = std::vector<std::optional<std::size_t>>;
PairsOfReals pairs_of_reals(const Context& context, const Memory& memory, const std::vector<Location>& places,
                            bool complex);

/// A number that is zero where its location says that there is none; there `instead` is read.
Scaled load_if_there(Context& context, const Memory& memory, const Location& place, const Location& instead,
                     bool complex);
/// A complex number, where its location says that there is one.
void store_if_there(Context& context, const Memory& memory, const Location& place, ir::Value re,
                    ir::Value im);

} // namespace swirl::lower
