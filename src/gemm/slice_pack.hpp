#pragma once

#include "gemm/pack.hpp"
#include "gemm/slice_kernel.hpp"

namespace swirl::gemm {

/// A panel of A or B as slice kernels read it: for each group of 32 steps, slice by slice, two tile registers of 16 rows of A or
/// columns of B each. Steps p and p + 16 of a group lie next to each other. A register of A's holds such pairs of all rows, one pair
/// behind the other; one of B's all pairs of a column, one column behind the other. Of bytes a group is 64 steps, and steps p, p + 16,
/// p + 32 and p + 48 are an int32.
struct SlicePack {
    Operand operand = Operand::a;
    ir::Scalar from = ir::Scalar::float32; ///< or, of one slice, bfloat16, or uint8 for bytes of either kind
    int slices = 1;
    int count = slice_tile; ///< rows or columns that there are
    Pack::Source source = Pack::Source::across_panel;
    bool is_scaled = false; ///< numbers are multiplied by a power of two first
    Integer most_depth = 1;
    Integer most_stride = 1; ///< from one step or row or column to the next

    bool is_of_bytes() const { return from == ir::Scalar::uint8; }
    int steps() const { return is_of_bytes() ? 64 : 32; } ///< in a group
};

/// The program, with buffers `from`, `to`, bfloat16 or int32, and, if there is one, `scale`; and, in this order, the parameters
///   steps         the depth, rounded down to a multiple of steps()
///   depth         ≤ most_depth; zeros are packed up to whole groups
///   depth_stride  in numbers; 1 where the source is along the depth
///   stride        across the panel, in numbers; 1 where the source is across it
/// Of a panel of at most 16 rows or columns only the first register of two is written.
ir::Program slice_pack(const SlicePack& pack);

} // namespace swirl::gemm
