#include "target/gpu_tiles.hpp"
#include <map>
#include <string>
namespace swirl::target {
const ir::TileInstruction& tile_product_of(ir::Scalar factor, int columns) {
    static std::map<int, ir::TileInstruction> all;
    auto& e = all[columns];
    e.name = "tile"; e.columns = columns; e.depth = 16; e.factor = factor; e.has_layouts = true;
    return e;
}
} // namespace swirl::target
