#pragma once

#include "gemm/schedule.hpp"
#include "plan/packed_matrix.hpp"

#include <algorithm>

namespace swirl::planning {

/// Goto's loops over a product: blocks of columns, each in blocks of the depth, each in blocks of rows (Goto and van de Geijn 2008).
/// Calls columns(B's range) for each block of the depth, and within it rows(A's range, B's range).
template <class Columns, class Rows>
void over_blocks(const MatrixProduct& product, const gemm::Blocks& blocks, Columns&& columns, Rows&& rows) {
    for (Integer column = 0; column < product.columns; column += blocks.columns)
        for (Integer step = 0; step < product.depth; step += blocks.depth) {
            const Integer depth = std::min(blocks.depth, product.depth - step);
            const PanelRange of_b{column, std::min(blocks.columns, product.columns - column), step, depth};
            columns(of_b);
            for (Integer row = 0; row < product.rows; row += blocks.rows)
                rows(PanelRange{row, std::min(blocks.rows, product.rows - row), step, depth}, of_b);
        }
}

} // namespace swirl::planning
