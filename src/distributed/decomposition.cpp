#include "distributed/decomposition.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace swirl::distributed {

namespace {

/// What is wrong with a box by itself; empty if nothing is.
std::string error_in(const Box& box, const std::vector<Integer>& lengths) {
    const std::size_t axes = lengths.size();
    if (box.lower.size() != box.upper.size())
        return fmt::format("has {} lower and {} upper bounds", box.lower.size(), box.upper.size());
    if (box.lower.empty()) return "";
    if (box.lower.size() != axes)
        return fmt::format("has {} axes, but the array has {}", box.lower.size(), axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (box.lower[axis] < 0 || box.upper[axis] < box.lower[axis] || box.upper[axis] > lengths[axis])
            return fmt::format("is not within 0 … {} along axis {}", lengths[axis], axis);
    }
    if (box.order.empty()) return "";
    std::vector<int> sorted = box.order;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> expected(axes);
    std::iota(expected.begin(), expected.end(), 0);
    return sorted == expected ? "" : "has an order that does not name each axis once";
}

} // namespace

Integer part_begin(Integer n, Integer parts, Integer at) {
    return n / parts * at + n % parts * at / parts; // as ⌊at·n/parts⌋, without overflow
}

Decomposition decomposition_of(const std::vector<Box>& boxes) {
    Decomposition result;
    for (const Box& box : boxes) {
        result.ranks.emplace_back();
        if (elements(box) > 0) result.ranks.back().push_back(box);
    }
    return result;
}

Integer elements(const Pieces& pieces) {
    Integer count = 0;
    for (const Box& box : pieces) count += elements(box);
    return count;
}

Integer largest(const Decomposition& decomposition) {
    Integer most = 0;
    for (const Pieces& pieces : decomposition.ranks) most = std::max(most, elements(pieces));
    return most;
}

std::vector<int> order_of(const Box& box) {
    if (!box.order.empty()) return box.order;
    std::vector<int> order(box.lower.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
}

bool is_whole(const Pieces& pieces, std::size_t axis, Integer axis_length) {
    return pieces.empty() || (pieces.size() == 1 && length(pieces.front(), axis) == axis_length);
}

Box intersection(const Box& a, const Box& b, const std::vector<int>& order) {
    Box common{a.lower, a.upper, order};
    for (std::size_t axis = 0; axis < a.lower.size(); ++axis) {
        common.lower[axis] = std::max(a.lower[axis], b.lower[axis]);
        common.upper[axis] = std::min(a.upper[axis], b.upper[axis]);
        if (common.lower[axis] >= common.upper[axis]) return {};
    }
    return common;
}

void check_partition(std::vector<Box>& boxes, const std::vector<Integer>& lengths, const char* side) {
    for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
        if (const std::string error = error_in(boxes[rank], lengths); !error.empty())
            throw UserError("rank {}: the {} box {} {}\n  the array is {}", rank, side, to_text(boxes[rank]),
                            error, fmt::join(lengths, "x"));
        if (elements(boxes[rank]) == 0) boxes[rank] = {};
    }
    // by their first indices, so that only boxes that can meet are compared
    std::vector<std::size_t> sorted;
    for (std::size_t rank = 0; rank < boxes.size(); ++rank)
        if (!boxes[rank].lower.empty()) sorted.push_back(rank);
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(boxes[a].lower.front(), a) < std::pair(boxes[b].lower.front(), b);
    });
    Integer held = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const Box& box = boxes[sorted[i]];
        held += elements(box);
        for (std::size_t j = i + 1; j < sorted.size(); ++j) {
            const Box& other = boxes[sorted[j]];
            if (other.lower.front() >= box.upper.front()) break;
            if (intersection(box, other, {}).lower.empty()) continue;
            const auto [first, second] = std::minmax(sorted[i], sorted[j]);
            throw UserError(
                "rank {}: its {} box {} overlaps that of rank {}, {}\n  each element is in one box", second,
                side, to_text(boxes[second]), first, to_text(boxes[first]));
        }
    }
    Integer all = 1;
    for (const Integer n : lengths) all *= n;
    if (held == all) return;
    throw UserError("the {} boxes hold {} of {} elements\n  each element is in one box: the array is {}",
                    side, held, all, fmt::join(lengths, "x"));
}

} // namespace swirl::distributed
