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
    for (std::size_t axis = 0; axis < a.lower.size(); ++axis)
        if (std::max(a.lower[axis], b.lower[axis]) >= std::min(a.upper[axis], b.upper[axis])) return {};
    Box common{a.lower, a.upper, order};
    for (std::size_t axis = 0; axis < a.lower.size(); ++axis) {
        common.lower[axis] = std::max(a.lower[axis], b.lower[axis]);
        common.upper[axis] = std::min(a.upper[axis], b.upper[axis]);
    }
    return common;
}

void check_partition(Decomposition& decomposition, const std::vector<Integer>& lengths, const char* side) {
    struct Held {
        std::size_t rank;
        const Box* box;
        Integer first() const { return box->lower.front(); }
    };
    std::vector<Held> held;
    for (std::size_t rank = 0; rank < decomposition.ranks.size(); ++rank) {
        Pieces& pieces = decomposition.ranks[rank];
        for (const Box& box : pieces)
            if (const std::string error = error_in(box, lengths); !error.empty())
                throw UserError("rank {}: the {} box {} {}\n  the array is {}", rank, side, to_text(box),
                                error, fmt::join(lengths, "x"));
        std::erase_if(pieces, [](const Box& box) { return elements(box) == 0; });
        for (const Box& box : pieces) held.push_back({rank, &box});
    }
    // by their first indices, so that only boxes that can meet are compared
    std::stable_sort(held.begin(), held.end(),
                     [](const Held& a, const Held& b) { return a.first() < b.first(); });
    Integer count = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
        count += elements(*held[i].box);
        for (std::size_t j = i + 1; j < held.size() && held[j].first() < held[i].box->upper.front(); ++j) {
            if (intersection(*held[i].box, *held[j].box, {}).lower.empty()) continue;
            const auto [first, second] =
                std::minmax(held[i], held[j], [](const Held& a, const Held& b) { return a.rank < b.rank; });
            throw UserError(
                "rank {}: its {} box {} overlaps that of rank {}, {}\n  each element is in one box",
                second.rank, side, to_text(*second.box), first.rank, to_text(*first.box));
        }
    }
    Integer all = 1;
    for (const Integer n : lengths) all *= n;
    if (count == all) return;
    throw UserError("the {} boxes hold {} of {} elements\n  each element is in one box: the array is {}",
                    side, count, all, fmt::join(lengths, "x"));
}

void check_partition(std::vector<Box>& boxes, const std::vector<Integer>& lengths, const char* side) {
    Decomposition decomposition;
    for (const Box& box : boxes) decomposition.ranks.push_back({box});
    check_partition(decomposition, lengths, side);
    for (Box& box : boxes)
        if (elements(box) == 0) box = {};
}

} // namespace swirl::distributed
