#pragma once

#include "lower/context.hpp"
#include "lower/factors.hpp"

#include <functional>
#include <vector>

namespace swirl::lower {

/// Straight-line code from `columns` entries to `rows`, to be run once an iteration of independent loops.
struct Codelet {
    Integer rows;
    Integer columns;
    std::function<std::vector<Scaled>(std::vector<Scaled>, Arithmetic&)> evaluate;
};

/// A formula evaluated straight-line.
Codelet codelet_of(const formula::Formula& formula);
/// One entry, unchanged: copies, permutations and diagonals are loops around it.
Codelet copying_codelet();
/// One entry set to zero.
Codelet zero_codelet();

/// Emits  for loops: out = codelet(in).  One loop becomes vector lanes when that pays. Index maps that are not affine
/// in the loops are done apart, by `emit_copy` through a temporary.
void emit_codelet(Context& context, const Codelet& codelet, const Endpoint& in, const Endpoint& out,
                  const std::vector<Loop>& loops);

/// Emits  out[i] = in[i]  for i < n inside `loops`, through tables of indices where the maps need them.
void emit_copy(Context& context, Integer n, const Endpoint& in, const Endpoint& out,
               const std::vector<Loop>& loops);

/// A fresh temporary for n entries in each iteration of `loops`, and the endpoint that sees it: [n][loops…].
struct Temporary {
    Memory memory;
    Endpoint endpoint;
};
Temporary make_temporary(Context& context, Integer n, const std::vector<Loop>& loops, bool complex);

} // namespace swirl::lower
