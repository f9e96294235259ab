#include "distributed/product_grid.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace swirl::distributed {

namespace {

constexpr std::array<std::array<int, 3>, 6> orders{
    {{2, 0, 1}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {0, 1, 2}, {1, 0, 2}}};

using Coordinates = std::array<Integer, 3>; ///< row, column, k

std::optional<Coordinates> coordinates_of(const PlacedGrid& placed, Integer rank) {
    const Coordinates parts{placed.grid.rows, placed.grid.columns, placed.grid.k};
    Coordinates at{};
    for (std::size_t i = 3; i-- > 0;) {
        const auto which = static_cast<std::size_t>(placed.order[i]);
        at[which] = rank % parts[which];
        rank /= parts[which];
    }
    return rank == 0 ? std::optional(at) : std::nullopt;
}

Box block(Integer rows, Integer row_parts, Integer row, Integer columns, Integer column_parts,
          Integer column) {
    return {{part_begin(rows, row_parts, row), part_begin(columns, column_parts, column)},
            {part_begin(rows, row_parts, row + 1), part_begin(columns, column_parts, column + 1)}};
}

/// Part `at` of a block: of its rows, or of its columns if it has more of them.
Box part_of(const Box& box, Integer parts, Integer at) {
    const std::size_t axis = length(box, 0) >= length(box, 1) ? 0 : 1;
    Box part = box;
    part.lower[axis] = box.lower[axis] + part_begin(length(box, axis), parts, at);
    part.upper[axis] = box.lower[axis] + part_begin(length(box, axis), parts, at + 1);
    return part;
}

Integer common(const Pieces& a, const Pieces& b) {
    Integer count = 0;
    for (const Box& x : a)
        for (const Box& y : b) count += elements(intersection(x, y, {}));
    return count;
}

std::vector<Integer> numbers_of_parts(Integer ranks, Integer length) {
    constexpr Integer all_up_to = 128; // beyond, divisors
    std::vector<Integer> result;
    for (Integer parts = 1; parts <= std::min(ranks, std::max<Integer>(length, 1)); ++parts)
        if (ranks <= all_up_to || ranks % parts == 0) result.push_back(parts);
    return result;
}

/// Seconds of the slowest rank.
double seconds_of(const MatrixProduct& product, const PlacedGrid& placed, int ranks,
                  const ProductBlocks* held, const Machine& machine) {
    const ProductBlocks blocks = blocks_of(product, placed, ranks);
    const ProductGrid& grid = placed.grid;
    const auto bytes_a = static_cast<double>(bytes_of(product.type_of_a()));
    const auto bytes_b = static_cast<double>(bytes_of(product.type_of_b()));
    const auto bytes_c = static_cast<double>(bytes_of(product.data_type));
    const bool is_network = machine.ranks_per_node > 0 && machine.ranks_per_node < ranks;
    const double bandwidth = is_network ? machine.network_bandwidth : machine.node_bandwidth;
    const double latency = is_network ? machine.network_latency : machine.node_latency;
    double slowest = 0;
    for (std::size_t rank = 0; rank < blocks.a.ranks.size(); ++rank) {
        const auto a = static_cast<double>(elements(blocks.a.ranks[rank]));
        const auto b = static_cast<double>(elements(blocks.b.ranks[rank]));
        const auto c = static_cast<double>(elements(blocks.c.ranks[rank]));
        double received = 0;
        if (held != nullptr) {
            received =
                bytes_a * (a - static_cast<double>(common(blocks.a.ranks[rank], held->a.ranks[rank]))) +
                bytes_b * (b - static_cast<double>(common(blocks.b.ranks[rank], held->b.ranks[rank]))) +
                bytes_c * (c - static_cast<double>(common(blocks.c.ranks[rank], held->c.ranks[rank])));
        } else {
            const auto share = [](Integer parts) { return 1 - 1 / static_cast<double>(parts); };
            received = bytes_a * a * share(grid.columns) + bytes_b * b * share(grid.rows) +
                       bytes_c * c * share(grid.k);
        }
        const Pieces &of_a = blocks.a.ranks[rank], &of_c = blocks.c.ranks[rank];
        const double depth = of_a.empty() ? 0 : static_cast<double>(length(of_a.front(), 1));
        const double flops = of_c.empty() ? 0 : 2 * c * depth;
        slowest = std::max(slowest, received / bandwidth +
                                        latency * static_cast<double>(grid.rows + grid.columns + grid.k - 3) +
                                        flops / machine.flops +
                                        (bytes_a * a + bytes_b * b + bytes_c * c) / machine.memory_bandwidth);
    }
    return slowest;
}

} // namespace

bool operator==(const ProductGrid& a, const ProductGrid& b) {
    return a.rows == b.rows && a.columns == b.columns && a.k == b.k;
}

ProductBlocks blocks_of(const MatrixProduct& product, const PlacedGrid& placed, int ranks) {
    const ProductGrid& grid = placed.grid;
    ProductBlocks blocks;
    for (Decomposition* each : {&blocks.a, &blocks.b, &blocks.c})
        each->ranks.resize(static_cast<std::size_t>(ranks));
    for (Integer rank = 0; rank < ranks; ++rank) {
        const auto at = coordinates_of(placed, rank);
        if (!at) break;
        const auto [row, column, k] = *at;
        const auto own = static_cast<std::size_t>(rank);
        const auto put = [](Pieces& pieces, Box box) {
            if (elements(box) > 0) pieces.push_back(std::move(box));
        };
        put(blocks.a.ranks[own], block(product.rows, grid.rows, row, product.k, grid.k, k));
        put(blocks.b.ranks[own], block(product.k, grid.k, k, product.columns, grid.columns, column));
        put(blocks.c.ranks[own], block(product.rows, grid.rows, row, product.columns, grid.columns, column));
    }
    return blocks;
}

PlacedGrid choose_grid(const MatrixProduct& product, int ranks, const ProductBlocks* held,
                       const DistributedOptions& options) {
    std::optional<PlacedGrid> best;
    double least = std::numeric_limits<double>::infinity();
    double smallest_need = least;
    for (const Integer rows : numbers_of_parts(ranks, product.rows))
        for (const Integer columns : numbers_of_parts(ranks / rows, product.columns)) {
            const Integer k = std::min(ranks / rows / columns, std::max<Integer>(product.k, 1));
            for (const Integer parts : {k, Integer{1}}) {
                const PlacedGrid first{{rows, columns, parts}};
                const double need = static_cast<double>(ceil_divide(product.rows, rows)) *
                                        static_cast<double>(ceil_divide(product.k, parts)) *
                                        static_cast<double>(bytes_of(product.type_of_a())) +
                                    static_cast<double>(ceil_divide(product.k, parts)) *
                                        static_cast<double>(ceil_divide(product.columns, columns)) *
                                        static_cast<double>(bytes_of(product.type_of_b())) +
                                    static_cast<double>(ceil_divide(product.rows, rows)) *
                                        static_cast<double>(ceil_divide(product.columns, columns)) *
                                        static_cast<double>(bytes_of(product.data_type));
                smallest_need = std::min(smallest_need, need);
                const auto limit = static_cast<double>(options.local.memory_limit_bytes);
                if (limit > 0 && need > limit) continue;
                for (const std::array<int, 3>& order : orders) {
                    const PlacedGrid placed{first.grid, order};
                    const double seconds = seconds_of(product, placed, ranks, held, options.machine);
                    if (seconds < least) {
                        least = seconds;
                        best = placed;
                    }
                    if (held == nullptr) break; // the layout follows the grid
                }
            }
        }
    if (!best)
        throw OutOfMemory(
            "the blocks of a rank need {:.0f} bytes, but memory_limit_bytes is {}\n  use more ranks",
            smallest_need, options.local.memory_limit_bytes);
    return *best;
}

ProductGrid parse_grid(std::string_view text) {
    std::array<Integer, 3> parts{};
    const char *at = text.data(), *const end = at + text.size();
    for (std::size_t i = 0; i < 3; ++i) {
        const auto [next, error] = std::from_chars(at, end, parts[i]);
        const bool is_good =
            error == std::errc() && parts[i] > 0 && (i == 2 ? next == end : next != end && *next == 'x');
        if (!is_good)
            throw UserError("schedule is '{}'\n  use parts of rows, columns and k, such as 2x2x1", text);
        at = next + 1;
    }
    return {parts[0], parts[1], parts[2]};
}

std::vector<MatrixBoxes> product_boxes(const MatrixProduct& product, int ranks,
                                       const DistributedOptions& options) {
    validate(product);
    if (ranks < 1) throw UserError("ranks is {}\n  there is at least 1", ranks);
    PlacedGrid placed;
    if (options.schedule.empty())
        placed = choose_grid(product, ranks, nullptr, options);
    else
        placed.grid = parse_grid(options.schedule);
    const ProductBlocks blocks = blocks_of(product, placed, ranks);
    std::vector<MatrixBoxes> result(static_cast<std::size_t>(ranks));
    for (Integer rank = 0; rank < ranks; ++rank) {
        const auto at = coordinates_of(placed, rank);
        if (!at) break;
        const auto own = static_cast<std::size_t>(rank);
        const auto put = [](std::vector<Box>& boxes, const Pieces& of_block, Integer parts, Integer part) {
            if (of_block.empty()) return;
            Box box = part_of(of_block.front(), parts, part);
            if (elements(box) > 0) boxes.push_back(std::move(box));
        };
        put(result[own].a, blocks.a.ranks[own], placed.grid.columns, (*at)[1]);
        put(result[own].b, blocks.b.ranks[own], placed.grid.rows, (*at)[0]);
        put(result[own].c, blocks.c.ranks[own], placed.grid.k, (*at)[2]);
    }
    return result;
}

} // namespace swirl::distributed
