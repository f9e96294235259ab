#pragma once

#include "lower/arithmetic.hpp"
#include "lower/context.hpp"

/// Numbers in a GPU's memory, one at a time.
namespace swirl::lower {

/// Whether a form of scalars of an array has even values alone, also for neighbouring copies.
bool is_at_even_place(const Array& array, const Affine& form);
/// Whether both parts of a complex number lie together, at a multiple of two scalars.
bool is_one_access(const Context& context, const Memory& memory, const Location& place);

/// A number that is zero where its location says that there is none; there `instead` is read.
Scaled load_if_there(Context& context, const Memory& memory, const Location& place, const Location& instead,
                     bool complex);
/// A complex number, where its location says that there is one.
void store_if_there(Context& context, const Memory& memory, const Location& place, ir::Value re,
                    ir::Value im);

} // namespace swirl::lower
