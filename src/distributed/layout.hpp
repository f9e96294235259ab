#pragma once

#include "distributed/decomposition.hpp"
#include "formula/index_map.hpp"

#include <optional>
#include <vector>

namespace swirl::distributed {

/// A box of elements in memory, contiguous in its order.
struct Block {
    Box box;
    Integer offset; ///< of its first element
    bool operator==(const Block&) const = default;
};

/// Blocks that together hold a rank's box, one after the other without gaps, in the order of their offsets.
using Layout = std::vector<Block>;

/// Of a rank's array as the caller has it, or of boxes one after the other.
Layout layout_of(const Pieces& pieces);

/// Strides of a box's axes, in elements, if one stride for each axis says where all of its elements are; 0 for axes of one
/// index. The box's first element is then the layout's.
std::optional<std::vector<Integer>> strides_of(const Layout& layout, const Box& box);

/// From positions in memory to positions in the box, its axes in this order.
formula::IndexMap map_to_box(const Layout& layout, const Box& box, const std::vector<int>& order);

/// Axes from the largest to the smallest stride; those without one first.
std::vector<int> order_of_strides(const std::vector<Integer>& strides);

} // namespace swirl::distributed
