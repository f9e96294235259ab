#pragma once

#include "distributed/decomposition.hpp"

#include <swirl/distributed/matrix_product.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace swirl::distributed {

/// A grid, and which of its coordinates (0 rows, 1 columns, 2 k) are slow: ranks are row-major in this order.
struct PlacedGrid {
    ProductGrid grid;
    std::array<int, 3> order = {2, 0, 1};
    bool operator==(const PlacedGrid&) const = default;
};

/// The blocks that ranks multiply. Several ranks have the same block: of A those of all columns, of C those of all parts of k.
struct ProductBlocks {
    Decomposition a, b, c;
};
ProductBlocks blocks_of(const MatrixProduct& product, const PlacedGrid& grid, int ranks);

/// The grid of least time by the model: that of the slowest rank to receive, multiply and add. With boxes in which the caller has
/// the matrices; without them, in the layout of product_boxes. Throws OutOfMemory if no grid's blocks fit.
PlacedGrid choose_grid(const MatrixProduct& product, int ranks, const ProductBlocks* held,
                       const DistributedOptions& options);

/// "2x2x1". Throws UserError.
ProductGrid parse_grid(std::string_view text);

} // namespace swirl::distributed
