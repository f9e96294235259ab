#include <swirl/distributed/box.hpp>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "distributed/decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace swirl::distributed {

namespace {

void check_lengths(const std::vector<Integer>& lengths, int ranks) {
    if (lengths.empty()) throw UserError("lengths has no axes\n  give one length for each axis");
    for (const Integer n : lengths)
        if (n < 1) throw UserError("lengths has {}\n  each is at least 1", n);
    if (ranks < 1) throw UserError("ranks is {}\n  there is at least 1", ranks);
}

void check_axis(const std::vector<Integer>& lengths, std::size_t axis) {
    if (axis >= lengths.size())
        throw UserError("axis is {}, but there are {} axes, counted from 0", axis, lengths.size());
}

/// Every way to write `ranks` as an ordered product over these axes.
void for_each_grid(Integer ranks, const std::vector<std::size_t>& axes, std::size_t at, ProcessGrid& grid,
                   const std::function<void(const ProcessGrid&)>& visit) {
    if (at + 1 >= axes.size()) {
        if (!axes.empty()) grid.parts[axes[at]] = ranks;
        return visit(grid);
    }
    for (Integer parts = 1; parts <= ranks; ++parts) {
        if (ranks % parts != 0) continue;
        grid.parts[axes[at]] = parts;
        for_each_grid(ranks / parts, axes, at + 1, grid, visit);
    }
}

/// The grid over these axes whose largest box is the smallest, then has the least surface.
ProcessGrid best_grid(const std::vector<Integer>& lengths, int ranks, const std::vector<std::size_t>& axes) {
    ProcessGrid grid{std::vector<Integer>(lengths.size(), 1)}, best = grid;
    std::optional<std::pair<double, double>> least;
    for_each_grid(ranks, axes, 0, grid, [&](const ProcessGrid& candidate) {
        double volume = 1, surface = 0;
        for (std::size_t axis = 0; axis < lengths.size(); ++axis)
            volume *= static_cast<double>(ceil_divide(lengths[axis], candidate.parts[axis]));
        for (std::size_t axis = 0; axis < lengths.size(); ++axis)
            surface += volume / static_cast<double>(ceil_divide(lengths[axis], candidate.parts[axis]));
        if (const std::pair cost{volume, surface}; !least || cost < *least) {
            least = cost;
            best = candidate;
        }
    });
    return best;
}

std::vector<Integer> lengths_of(const Transform& problem, bool is_half_spectrum) {
    std::vector<Integer> lengths;
    for (const Dimension& loop : problem.batches) lengths.push_back(loop.length);
    for (const Dimension& axis : problem.dimensions) lengths.push_back(axis.length);
    if (is_half_spectrum && !lengths.empty()) lengths.back() = lengths.back() / 2 + 1;
    return lengths;
}

} // namespace

bool operator==(const Box& a, const Box& b) {
    return a.lower == b.lower && a.upper == b.upper && a.order == b.order;
}
bool operator==(const ProcessGrid& a, const ProcessGrid& b) { return a.parts == b.parts; }

Integer elements(const Box& box) {
    if (box.lower.empty()) return 0;
    Integer count = 1;
    for (std::size_t axis = 0; axis < box.lower.size(); ++axis)
        count *= std::max<Integer>(0, box.upper[axis] - box.lower[axis]);
    return count;
}

std::string to_text(const Box& box) {
    if (box.lower.empty()) return "empty";
    std::string text;
    for (std::size_t axis = 0; axis < box.lower.size() && axis < box.upper.size(); ++axis)
        text += fmt::format("{}[{},{})", axis == 0 ? "" : "x", box.lower[axis], box.upper[axis]);
    if (!box.order.empty() && !std::is_sorted(box.order.begin(), box.order.end()))
        text += fmt::format(" order ({})", fmt::join(box.order, ","));
    return text;
}

std::vector<Box> divide(const std::vector<Integer>& lengths, const ProcessGrid& grid, int ranks) {
    check_lengths(lengths, ranks);
    if (grid.parts.size() != lengths.size())
        throw UserError("the grid has {} axes, the array {}\n  give a number of parts for each axis",
                        grid.parts.size(), lengths.size());
    Integer used = 1;
    for (const Integer parts : grid.parts) {
        if (parts < 1) throw UserError("the grid has {} parts along an axis\n  there is at least 1", parts);
        const auto product = checked_multiply(used, parts);
        if (!product || *product > ranks)
            throw UserError("the grid {} is for more ranks than {}", fmt::join(grid.parts, "x"), ranks);
        used = *product;
    }
    std::vector<Box> boxes(static_cast<std::size_t>(ranks));
    for (Integer rank = 0; rank < used; ++rank) {
        Box& box = boxes[static_cast<std::size_t>(rank)];
        Integer rest = rank;
        box.lower.resize(lengths.size());
        box.upper.resize(lengths.size());
        for (std::size_t axis = lengths.size(); axis-- > 0; rest /= grid.parts[axis]) {
            const Integer parts = grid.parts[axis], at = rest % parts;
            box.lower[axis] = part_begin(lengths[axis], parts, at);
            box.upper[axis] = part_begin(lengths[axis], parts, at + 1);
        }
    }
    return boxes;
}

std::vector<Box> slabs(const std::vector<Integer>& lengths, int ranks, std::size_t axis) {
    check_lengths(lengths, ranks);
    check_axis(lengths, axis);
    ProcessGrid grid{std::vector<Integer>(lengths.size(), 1)};
    grid.parts[axis] = ranks;
    return divide(lengths, grid, ranks);
}

std::vector<Box> pencils(const std::vector<Integer>& lengths, int ranks, std::size_t whole_axis) {
    check_lengths(lengths, ranks);
    check_axis(lengths, whole_axis);
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < lengths.size(); ++axis)
        if (axis != whole_axis) axes.push_back(axis);
    if (axes.empty())
        throw UserError("an array of one axis has no pencils\n  use slabs, which divide that axis");
    return divide(lengths, best_grid(lengths, ranks, axes), ranks);
}

std::vector<Box> bricks(const std::vector<Integer>& lengths, int ranks) {
    check_lengths(lengths, ranks);
    std::vector<std::size_t> axes(lengths.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    return divide(lengths, best_grid(lengths, ranks, axes), ranks);
}

std::vector<Box> fftw_blocks(const std::vector<Integer>& lengths, int ranks, std::size_t axis) {
    check_lengths(lengths, ranks);
    check_axis(lengths, axis);
    const Integer n = lengths[axis], block = ceil_divide(n, ranks);
    std::vector<Box> boxes(static_cast<std::size_t>(ranks));
    for (Integer rank = 0; rank < ranks && rank * block < n; ++rank) {
        Box& box = boxes[static_cast<std::size_t>(rank)];
        box = {std::vector<Integer>(lengths.size(), 0), lengths};
        box.lower[axis] = rank * block;
        box.upper[axis] = std::min(n, (rank + 1) * block);
    }
    return boxes;
}

std::vector<Integer> input_lengths(const Transform& problem) {
    return lengths_of(problem,
                      problem.kind == TransformKind::real_dft && problem.direction == Direction::backward);
}
std::vector<Integer> output_lengths(const Transform& problem) {
    return lengths_of(problem,
                      problem.kind == TransformKind::real_dft && problem.direction == Direction::forward);
}

} // namespace swirl::distributed
