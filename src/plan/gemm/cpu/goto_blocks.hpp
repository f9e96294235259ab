#pragma once

#include "gemm/cpu/schedule.hpp"
#include "plan/gemm/cpu/packed_matrix.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>

namespace swirl::planning {

/// Goto's loops: columns in blocks of nc, k in blocks of kc, rows in blocks of mc (Goto and van de Geijn 2008). Calls
/// columns(B's range) for each block of k in the given range, and inside it rows(A's range, B's range).
template <class Columns, class Rows>
void over_blocks(const MatrixProduct& product, runtime::IterationRange of_k, const gemm::BlockSizes& blocks,
                 Columns&& columns, Rows&& rows) {
    for (Integer column = 0; column < product.columns; column += blocks.nc)
        for (Integer k = of_k.first; k < of_k.last; k += blocks.kc) {
            const Integer k_extent = std::min(blocks.kc, of_k.last - k);
            const PanelRange of_b{column, std::min(blocks.nc, product.columns - column), k, k_extent};
            columns(of_b);
            for (Integer row = 0; row < product.rows; row += blocks.mc)
                rows(PanelRange{row, std::min(blocks.mc, product.rows - row), k, k_extent}, of_b);
        }
}

} // namespace swirl::planning
