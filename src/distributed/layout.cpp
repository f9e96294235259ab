#include "distributed/layout.hpp"

#include "formula/digits.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::distributed {

namespace {

/// Strides of a contiguous box.
std::vector<Integer> strides_within(const Box& box, const std::vector<int>& order) {
    std::vector<Integer> strides(box.lower.size());
    Integer stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(order[i]);
        strides[axis] = stride;
        stride *= length(box, axis);
    }
    return strides;
}

} // namespace

Layout layout_of(const Pieces& pieces) {
    Layout layout;
    Integer offset = 0;
    for (const Box& box : pieces) {
        layout.push_back({box, offset});
        offset += elements(box);
    }
    return layout;
}

std::optional<std::vector<Integer>> strides_of(const Layout& layout, const Box& box) {
    const std::size_t axes = box.lower.size();
    std::vector<std::optional<Integer>> known(axes);
    for (std::size_t axis = 0; axis < axes; ++axis)
        if (length(box, axis) == 1) known[axis] = 0;
    const auto agrees = [&](std::size_t axis, Integer stride) {
        if (!known[axis]) known[axis] = stride;
        return *known[axis] == stride;
    };
    const Block* origin = nullptr; // the block of the box's first element
    for (const Block& block : layout) {
        if (block.box.lower == box.lower) origin = &block;
        const std::vector<Integer> strides = strides_within(block.box, order_of(block.box));
        for (std::size_t axis = 0; axis < axes; ++axis)
            if (length(block.box, axis) > 1 && !agrees(axis, strides[axis])) return std::nullopt;
    }
    if (origin == nullptr) return std::nullopt;
    // axes along which all blocks have one index: from blocks that differ from the first along one of them
    for (const Block& block : layout) {
        std::optional<std::size_t> unknown;
        Integer rest = block.offset - origin->offset;
        bool is_one = true;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const Integer distance = block.box.lower[axis] - box.lower[axis];
            if (distance == 0) continue;
            if (known[axis]) {
                rest -= distance * *known[axis];
            } else {
                is_one = is_one && !unknown;
                unknown = axis;
            }
        }
        if (!unknown || !is_one) continue;
        const Integer distance = block.box.lower[*unknown] - box.lower[*unknown];
        if (rest % distance != 0) return std::nullopt;
        known[*unknown] = rest / distance;
    }
    for (const auto& stride : known)
        if (!stride || *stride < 0) return std::nullopt;
    for (const Block& block : layout) {
        Integer expected = origin->offset;
        for (std::size_t axis = 0; axis < axes; ++axis)
            expected += (block.box.lower[axis] - box.lower[axis]) * *known[axis];
        if (block.offset != expected) return std::nullopt;
    }
    std::vector<Integer> strides(axes);
    for (std::size_t axis = 0; axis < axes; ++axis) strides[axis] = *known[axis];
    return origin->offset == layout.front().offset ? std::optional(strides) : std::nullopt;
}

formula::IndexMap map_to_box(const Layout& layout, const Box& box, const std::vector<int>& order) {
    const std::vector<Integer> strides = strides_within(box, order);
    std::vector<formula::DigitMap> pieces;
    std::vector<Integer> bases;
    for (const Block& block : layout) {
        formula::DigitMap piece;
        Integer base = 0;
        for (const int number : order_of(block.box)) {
            const auto axis = static_cast<std::size_t>(number);
            piece.radices.push_back(length(block.box, axis));
            piece.strides.push_back(strides[axis]);
            base += (block.box.lower[axis] - box.lower[axis]) * strides[axis];
        }
        piece.base = base;
        bases.push_back(base);
        pieces.push_back(std::move(piece));
    }
    // equal blocks at regular distances: the number of a block is one digit, or several
    const bool are_equal =
        pieces.size() > 1 && std::all_of(pieces.begin(), pieces.end(), [&](const auto& piece) {
            return piece.radices == pieces[0].radices && piece.strides == pieces[0].strides;
        });
    if (const auto number = are_equal ? formula::recognise_digits(bases, 0) : std::nullopt) {
        formula::DigitMap& all = pieces.front();
        all.radices.insert(all.radices.begin(), number->radices.begin(), number->radices.end());
        all.strides.insert(all.strides.begin(), number->strides.begin(), number->strides.end());
        pieces.resize(1);
    }
    return formula::IndexMap::piecewise(std::move(pieces), elements(box)).canonical();
}

std::vector<int> order_of_strides(const std::vector<Integer>& strides) {
    std::vector<int> order(strides.size());
    std::iota(order.begin(), order.end(), 0);
    const auto stride = [&](int axis) { return strides[static_cast<std::size_t>(axis)]; };
    // axes of one index take no room wherever they stand
    const auto rest =
        std::stable_partition(order.begin(), order.end(), [&](int axis) { return stride(axis) == 0; });
    std::stable_sort(rest, order.end(), [&](int a, int b) { return stride(a) > stride(b); });
    return order;
}

} // namespace swirl::distributed
