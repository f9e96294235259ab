#pragma once

#include "gemm/cpu/amx_kernel.hpp"
#include "gemm/cpu/pack.hpp"

namespace swirl::gemm {

/// A panel of A or B as the AMX kernels read it: for each K group of 32, term by term, two tile registers of 16 rows
/// of A or 16 columns of B each. k indices p and p + 16 of a group are adjacent. A register of A holds such pairs of
/// all rows, pair after pair; one of B holds all pairs of a column, column after column. For bytes a K group is 64,
/// and k indices p, p + 16, p + 32 and p + 48 form an int32.
struct AmxPack {
    Operand operand = Operand::a;
    DataType from = DataType::float32; ///< or bfloat16 (one term), or uint8 for bytes of either sign
    int terms = 1;
    int count = amx_tile; ///< valid rows or columns
    Pack::Source source = Pack::Source::across_panel;
    bool is_scaled = false; ///< elements are multiplied by a power of two first
    Integer max_k = 1;
    Integer max_stride = 1; ///< from one k index, row or column to the next

    bool is_of_bytes() const { return from == DataType::uint8; }
    int k_group() const { return is_of_bytes() ? 64 : 32; } ///< k indices in a group
};

/// The program. Buffers: `from`, `to` (bfloat16 or int32) and, if scaled, `scale`. Parameters, in this order:
///   k_main        K, rounded down to a multiple of k_group()
///   k             K, ≤ max_k; zeros pad the last K group
///   k_stride      in elements; 1 where the source is contiguous along K
///   stride        across the panel, in elements; 1 where the source is contiguous across it
/// A panel of at most 16 rows or columns writes only the first register of two.
ir::Program amx_pack(const AmxPack& pack);

} // namespace swirl::gemm
