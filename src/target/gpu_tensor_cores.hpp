#pragma once

#include "ir/instruction.hpp"

namespace swirl::target {

/// Products of small matrices by the 32 threads of a warp: C + A·B, operands A, B and C (PTX ISA, "Matrix Fragments for mma").
/// The thread of number t has, with g = t / 4 and r = t mod 4, of A the rows g, g + 8, … of the columns r, r + 4, …, rows first;
/// of B the rows r, r + 4, … of column g; and of C the columns 2r and 2r + 1 of the rows g, g + 8, ….
struct WarpProduct {
    int rows = 16;
    int columns = 8;
    int depth = 16;
    bool operator==(const WarpProduct&) const = default;
};

/// Of float64: each element is one chain of fused multiply-adds, from the first step of the depth to the last. 8 × 8 × 4 from
/// compute capability 8.0 on, 16 × 8 × 4, 8 and 16 from 9.0 on; InternalError for any other.
const ir::Instruction& warp_product_of_float64(const WarpProduct& shape);

/// Of bfloat16 or float16 with sums of float32, 16 × 8 × 16, from compute capability 8.0 on; InternalError for other factors. Of these
/// the thread has in each row, or column, the steps 2r, 2r + 1, 2r + 8 and 2r + 9: of A the first two of row g, those of row g + 8,
/// then the others. How sums are rounded is the chip's; here they are once, when all products have been added.
const ir::Instruction& warp_product_of_short(ir::Scalar factor);

} // namespace swirl::target
