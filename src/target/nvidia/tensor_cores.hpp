#pragma once

#include "ir/instruction.hpp"

namespace swirl::target {

/// mma.sync by the 32 threads of a warp: C + A·B, operands A, B and C (PTX ISA, "Matrix Fragments for mma"). With
/// g = t / 4 and r = t mod 4, thread t holds rows g, g + 8, … of columns r, r + 4, … of A, row index fastest; rows
/// r, r + 4, … of column g of B; and columns 2r and 2r + 1 of rows g, g + 8, … of C.
struct MmaShape {
    int rows = 16;
    int columns = 8;
    int k = 16;
    bool operator==(const MmaShape&) const = default;
};

/// For float64: each element is one chain of fused multiply-adds in ascending k. 8 × 8 × 4 from compute capability 8.0
/// on; 16 × 8 × 4, 8 and 16 from 9.0 on; InternalError for any other shape.
const ir::Instruction& mma_float64(const MmaShape& shape);

/// For bfloat16 or float16 with float32 accumulators, 16 × 8 × 16, from compute capability 8.0 on; InternalError for
/// other data types. In each row of A, or column of B, a thread holds k = 2r, 2r + 1, 2r + 8 and 2r + 9: for A the
/// first two of row g, those of row g + 8, then the remaining ones. How accumulators round depends on the GPU; here
/// they round once, after all products are added.
const ir::Instruction& mma_half_precision(DataType operand_type);

} // namespace swirl::target
