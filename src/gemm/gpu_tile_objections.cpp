#include "gemm/gpu_tensor.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_product.hpp"

#include <fmt/format.h>

#include <tuple>

namespace swirl::gemm {

namespace {

constexpr int lines_of_pattern = static_cast<int>(ir::tile_pattern_bytes / ir::tile_row_bytes);

constexpr int bytes_of_steps = 32; ///< of a tile_product's depth

bool is_multiple(int number, int of) { return number > 0 && number % of == 0; }

/// Where A's rows are those of tile_products, warpgroups share them.
std::string objection_to_fragments(const GpuSchedule& schedule) {
    const int parts = schedule.block_rows / schedule.warpgroups / rows_of_product;
    if (!is_multiple(schedule.block_rows, rows_of_product * schedule.warpgroups) ||
        (parts > 1 && parts % 2 != 0))
        return fmt::format("block_rows is {}; {}, and even multiples of it, are possible for A as it lies",
                           schedule.block_rows, rows_of_product * schedule.warpgroups);
    if (!is_multiple(schedule.block_columns, lines_of_pattern))
        return fmt::format("block_columns is {}; multiples of {} are possible for A as it lies",
                           schedule.block_columns, lines_of_pattern);
    if (!is_multiple(columns_of_round(schedule), lines_of_pattern) ||
        schedule.staged_rows * schedule.block_columns % schedule.block_rows != 0)
        return fmt::format("staged_rows is {}, which is {} columns of A's rows; multiples of {} are possible",
                           schedule.staged_rows, columns_of_round(schedule), lines_of_pattern);
    return {};
}

/// An interval is a whole number of instructions and divides the k-tile.
std::string objection_to_promotion(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    if (!schedule.promotes()) return {};
    const int step = bytes_of_steps / static_cast<int>(bytes_of_factor(schedule, oriented));
    if (!is_multiple(schedule.promotion_interval, step) ||
        schedule.block_depth % schedule.promotion_interval != 0)
        return fmt::format("promotion_interval is {}; multiples of {} that divide {} are possible",
                           schedule.promotion_interval, step, schedule.block_depth);
    if (has_fragments(schedule, oriented))
        return fmt::format("promotion_interval is {}; 0 is possible for A as it lies",
                           schedule.promotion_interval);
    if (schedule.terms > 1 && schedule.run == 0)
        return fmt::format("promotion_interval is {}, of several terms of which run is 0",
                           schedule.promotion_interval);
    return {};
}

std::string objection_to_shape(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const int row = static_cast<int>(ir::tile_row_bytes / bytes_of_factor(schedule, oriented));
    const int c_row = static_cast<int>(ir::tile_row_bytes / bytes_of(oriented.number_of_c()));
    if (schedule.warpgroups > 3) return fmt::format("{} warpgroups; 1 … 3 are possible", schedule.warpgroups);
    if (!is_multiple(schedule.block_rows, row) || schedule.block_rows > 256)
        return fmt::format("block_rows is {}; multiples of {} up to 256 are possible", schedule.block_rows,
                           row);
    if (has_fragments(schedule, oriented)) {
        if (std::string why = objection_to_fragments(schedule); !why.empty()) return why;
    } else if (!is_multiple(schedule.block_columns, rows_of_product * schedule.warpgroups))
        return fmt::format("block_columns is {}; multiples of {} are possible", schedule.block_columns,
                           rows_of_product * schedule.warpgroups);
    if (schedule.block_columns / schedule.cluster_rows > 256)
        return fmt::format("block_columns is {}; a load has 256 at most", schedule.block_columns);
    if (!is_multiple(schedule.block_depth, row))
        return fmt::format("block_depth is {}; multiples of {} are possible", schedule.block_depth, row);
    if (!is_multiple(schedule.staged_rows, c_row) || schedule.block_rows % schedule.staged_rows != 0)
        return fmt::format("staged_rows is {}; multiples of {} that divide {} are possible",
                           schedule.staged_rows, c_row, schedule.block_rows);
    if (schedule.stages < 2 || schedule.stages > 32) return fmt::format("stages is {}", schedule.stages);
    const int registers = schedule.block_columns / 2 * schedule.block_rows / 64 / schedule.warpgroups *
                          (schedule.has_sums() ? 2 : 1);
    if (registers > (schedule.warpgroups == 3 ? 128 : 192))
        return fmt::format("{} sums in each thread", registers);
    if (std::string why = objection_to_promotion(schedule, oriented); !why.empty()) return why;
    if (schedule.guarded > 1 || (schedule.is_guarded() && !schedule.has_terms()))
        return fmt::format("guarded is {} of {} terms; 1 is possible where there are terms", schedule.guarded,
                           schedule.terms);
    if (schedule.splits > 1 || schedule.slices > 1 || schedule.matrices > 1)
        return "splits, slices and matrices of a block are for products by threads";
    if (schedule.streams() || schedule.whole_tiles > 0)
        return "stream_blocks and whole_tiles are for products by threads";
    return {};
}

std::string objection_to_cluster(const GpuSchedule& schedule, const target::Gpu& gpu) {
    const int rows = schedule.cluster_rows, columns = schedule.cluster_columns;
    if (rows < 1 || columns < 1 || (rows > 1 && columns > 1) || rows * columns > gpu.portable_cluster ||
        (rows * columns & (rows * columns - 1)) != 0)
        return fmt::format("clusters of {} by {}; 1, 2, 4 or {} along one of both are possible", rows,
                           columns, gpu.portable_cluster);
    if ((rows > 1 && schedule.block_columns % (64 * rows) != 0) ||
        (columns > 1 && schedule.block_rows % (64 * columns) != 0))
        return fmt::format("{} rows and {} columns, of which {} and {} blocks do not load shares of 64",
                           schedule.block_rows, schedule.block_columns, columns, rows);
    return {};
}

std::string objection_to_numbers(const GpuSchedule& schedule, const MatrixProduct& oriented,
                                 const target::Gpu& gpu) {
    const Number number = oriented.number_of_a();
    if (!gpu.tensor.warpgroup || !gpu.has_bulk_copy)
        return fmt::format("{} has no products of tiles", gpu.name);
    const bool is_short =
        number == Number::bfloat16 || number == Number::float16 || number == Number::float8_e4m3;
    const bool is_known = schedule.has_terms() ? number == Number::float32 && schedule.terms <= 3
                          : schedule.rounds()  ? number == Number::float32
                                               : is_short;
    if (!is_known)
        return fmt::format(
            "factors are {}, split into {} terms; float32 in 1 … 3, or in none and rounded, bfloat16, "
            "float16 "
            "and float8_e4m3 in none are possible",
            word_of(number), schedule.terms);
    if (schedule.rounds() && (schedule.rounded > 1 || !(number == Number::float32) || schedule.has_terms()))
        return fmt::format("rounded is {}; 1 is possible for float32 that is not split", schedule.rounded);
    if (schedule.a_along_depth > 1 || (schedule.a_along_depth > 0 && !schedule.rounds()))
        return fmt::format("a_along_depth is {}; 1 is possible for float32 that is rounded",
                           schedule.a_along_depth);
    if (schedule.rounds() && oriented.number_of_c() != Number::float32)
        return fmt::format("rounded is {}, and C {}; float32 is possible", schedule.rounded,
                           word_of(oriented.number_of_c()));
    if (oriented.number_of_b() != number || oriented.number != Number::float32)
        return fmt::format("factors are {} and {}, their sums {}", word_of(number),
                           word_of(oriented.number_of_b()), word_of(oriented.number));
    const Number c = oriented.number_of_c();
    if (c != Number::float32 && c != Number::bfloat16 && c != Number::float16)
        return fmt::format("C is {}, which products by threads store", word_of(c));
    if (oriented.depth == 0) return "a depth of 0, of which there are no k-tiles";
    if (oriented.listed) return "lists of pointers, which products by threads have";
    if (oriented.c.row_stride != 1) return "neither C's rows nor its columns are next to each other";
    for (const GpuTileFactor& factor : tile_factors(schedule, oriented))
        if (!factor.layout.along_depth && size_in_bytes(factor.scalar) != 2 && !schedule.rounds())
            return fmt::format("tensor cores read {} along the depth only", word_of(number));
    for (const auto& [name, layout, stored] : {std::tuple{"A", oriented.a, number},
                                               {"B", oriented.b, number},
                                               {"C", oriented.c, oriented.number_of_c()}})
        if (const std::string why = objection_to_tensor(layout, stored, oriented.batch);
            !why.empty() && (!schedule.has_terms() || *name == 'C') &&
            (*name != 'B' || !turns_b(schedule, oriented)) && (*name != 'A' || !turns_a(schedule, oriented)))
            return fmt::format("the copy engine cannot move {} with {}", name, why);
    return {};
}

} // namespace

std::string objection_to_tiles(const GpuSchedule& schedule, const MatrixProduct& oriented,
                               const target::Gpu& gpu) {
    if (std::string why = objection_to_numbers(schedule, oriented, gpu); !why.empty()) return why;
    if (std::string why = objection_to_shape(schedule, oriented); !why.empty()) return why;
    if (std::string why = objection_to_cluster(schedule, gpu); !why.empty()) return why;
    const Integer bytes = tile_shared_bytes(schedule, oriented);
    if (bytes > gpu.shared_bytes_per_block_at_most)
        return fmt::format("{} bytes of shared memory; a block has {} at most", bytes,
                           gpu.shared_bytes_per_block_at_most);
    return {};
}

} // namespace swirl::gemm
