#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_product.hpp"

#include <fmt/format.h>

#include <tuple>

namespace swirl::gemm {

namespace {

bool is_multiple(int number, int of) { return number > 0 && number % of == 0; }

std::string objection_to_shape(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const int row = static_cast<int>(ir::tile_row_bytes / bytes_of_factor(schedule, oriented));
    const int c_row = static_cast<int>(ir::tile_row_bytes / bytes_of(oriented.number_of_c()));
    if (schedule.warpgroups > 3) return fmt::format("{} warpgroups; 1 … 3 are possible", schedule.warpgroups);
    if (!is_multiple(schedule.block_rows, row) || schedule.block_rows > 256)
        return fmt::format("block_rows is {}; multiples of {} up to 256 are possible", schedule.block_rows,
                           row);
    if (!is_multiple(schedule.block_columns, rows_of_product * schedule.warpgroups))
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
    const int registers = schedule.block_columns / schedule.warpgroups / 2 * schedule.block_rows / 64 *
                          (schedule.run > 0 ? 2 : 1);
    if (registers > (schedule.warpgroups == 3 ? 128 : 192))
        return fmt::format("{} sums in each thread", registers);
    if (schedule.splits > 1 || schedule.slices > 1 || schedule.matrices > 1)
        return "splits, slices and matrices of a block are for products by threads";
    return {};
}

std::string objection_to_cluster(const GpuSchedule& schedule, const target::Gpu& gpu) {
    const int rows = schedule.cluster_rows, columns = schedule.cluster_columns;
    if (rows < 1 || columns < 1 || (rows > 1 && columns > 1) || rows * columns > gpu.portable_cluster ||
        (rows * columns & (rows * columns - 1)) != 0)
        return fmt::format("clusters of {} by {}; 1, 2, 4 or {} along one of both are possible", rows,
                           columns, gpu.portable_cluster);
    if (schedule.block_columns % (64 * rows) != 0 || schedule.block_rows % (64 * columns) != 0)
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
    if (schedule.has_terms() ? number != Number::float32 || schedule.terms > 3 : !is_short)
        return fmt::format(
            "factors are {}, split into {} terms; float32 in 1 … 3, bfloat16, float16 and float8_e4m3 in "
            "none are possible",
            word_of(number), schedule.terms);
    if (oriented.number_of_b() != number || oriented.number != Number::float32)
        return fmt::format("factors are {} and {}, their sums {}", word_of(number),
                           word_of(oriented.number_of_b()), word_of(oriented.number));
    if (oriented.epilogue.tree() != nullptr) return "an epilogue, which products by threads have";
    if (oriented.c.row_stride != 1) return "neither C's rows nor its columns are next to each other";
    for (const GpuTileFactor& factor : tile_factors(schedule, oriented))
        if (!factor.layout.along_depth && size_in_bytes(factor.scalar) != 2)
            return fmt::format("tensor cores read {} along the depth only", word_of(number));
    for (const auto& [name, layout, stored] : {std::tuple{"A", oriented.a, number},
                                               {"B", oriented.b, number},
                                               {"C", oriented.c, oriented.number_of_c()}})
        if (const std::string why = objection_to_tensor(layout, stored, oriented.batch);
            !why.empty() && (!schedule.has_terms() || *name == 'C'))
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
