#pragma once

#include "gemm/complex_lanes.hpp"
#include "ir/builder.hpp"
#include "target/cpu.hpp"

#include <vector>

/// Squares of elements in registers: as many vectors as a vector has lanes.
namespace swirl::gemm {

/// Vectors of a square's rows, or of its columns.
using SquareLines = std::vector<Components>;

/// Lanes of the largest square that half of the CPU's registers hold.
int square_lanes(DataType data_type, const target::Cpu& cpu);

/// The first `count` columns of a square whose first rows these are. Lanes without an element are unspecified.
SquareLines transposed(ir::Builder& builder, const SquareLines& rows, int count);

/// The first `active` lanes, moved to lane `from` and after it; the lanes before are zero. They pass through `memory`, which
/// has a vector of each component at `at`.
Components moved(ir::Builder& builder, const Components& values, int from, int active, ir::Buffer memory,
                 Integer at);

} // namespace swirl::gemm
