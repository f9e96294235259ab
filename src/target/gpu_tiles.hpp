#pragma once

#include "ir/tile.hpp"

namespace swirl::target {
const ir::TileInstruction& tile_product_of(ir::Scalar factor, int columns);
} // namespace swirl::target
