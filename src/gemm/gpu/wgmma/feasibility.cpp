#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/tensor_map.hpp"

#include <fmt/format.h>

#include <tuple>

namespace swirl::gemm {

namespace {

constexpr int lines_of_pattern = static_cast<int>(ir::swizzle_pattern_bytes / ir::swizzle_row_bytes);

constexpr int bytes_of_k = 32; ///< of a wgmma's K

bool is_multiple(int number, int of) { return number > 0 && number % of == 0; }

/// If A's rows are the rows of wgmmas, warpgroups share them.
std::string register_a_infeasibility(const GpuSchedule& schedule) {
    const int parts = schedule.cta_m / schedule.warpgroups / rows_of_wgmma;
    if (!is_multiple(schedule.cta_m, rows_of_wgmma * schedule.warpgroups) || (parts > 1 && parts % 2 != 0))
        return fmt::format("cta_m is {}; {}, and even multiples of it, are possible for A as it lies",
                           schedule.cta_m, rows_of_wgmma * schedule.warpgroups);
    if (!is_multiple(schedule.cta_n, lines_of_pattern))
        return fmt::format("cta_n is {}; multiples of {} are possible for A as it lies", schedule.cta_n,
                           lines_of_pattern);
    if (!is_multiple(epilogue_tile_n(schedule), lines_of_pattern) ||
        schedule.epilogue_tile_m * schedule.cta_n % schedule.cta_m != 0)
        return fmt::format(
            "epilogue_tile_m is {}, which is {} columns of A's rows; multiples of {} are possible",
            schedule.epilogue_tile_m, epilogue_tile_n(schedule), lines_of_pattern);
    return {};
}

/// An interval is a whole number of instructions and divides the k-tile.
std::string promotion_infeasibility(const GpuSchedule& schedule, const MatrixProduct& canonical) {
    if (!schedule.promotes_leading()) return {};
    const int step = bytes_of_k / static_cast<int>(bytes_of_operand_element(schedule, canonical));
    if (!is_multiple(schedule.promotion_interval, step) || schedule.cta_k % schedule.promotion_interval != 0)
        return fmt::format("promotion_interval is {}; multiples of {} that divide {} are possible",
                           schedule.promotion_interval, step, schedule.cta_k);
    if (has_register_a(schedule, canonical))
        return fmt::format("promotion_interval is {}; 0 is possible for A as it lies",
                           schedule.promotion_interval);
    if (schedule.bf16_split > 1 && schedule.accumulation_interval == 0)
        return fmt::format("promotion_interval is {}, of several terms of which run is 0",
                           schedule.promotion_interval);
    return {};
}

std::string tile_shape_infeasibility(const GpuSchedule& schedule, const MatrixProduct& canonical) {
    const int row = static_cast<int>(ir::swizzle_row_bytes / bytes_of_operand_element(schedule, canonical));
    const int c_row = static_cast<int>(ir::swizzle_row_bytes / bytes_of(canonical.type_of_c()));
    if (schedule.warpgroups > 3) return fmt::format("{} warpgroups; 1 … 3 are possible", schedule.warpgroups);
    if (!is_multiple(schedule.cta_m, row) || schedule.cta_m > 256)
        return fmt::format("cta_m is {}; multiples of {} up to 256 are possible", schedule.cta_m, row);
    if (has_register_a(schedule, canonical)) {
        if (std::string why = register_a_infeasibility(schedule); !why.empty()) return why;
    } else if (!is_multiple(schedule.cta_n, rows_of_wgmma * schedule.warpgroups))
        return fmt::format("cta_n is {}; multiples of {} are possible", schedule.cta_n,
                           rows_of_wgmma * schedule.warpgroups);
    if (schedule.cta_n / schedule.cluster_m > 256)
        return fmt::format("cta_n is {}; a load has 256 at most", schedule.cta_n);
    if (!is_multiple(schedule.cta_k, row))
        return fmt::format("cta_k is {}; multiples of {} are possible", schedule.cta_k, row);
    if (!is_multiple(schedule.epilogue_tile_m, c_row) || schedule.cta_m % schedule.epilogue_tile_m != 0)
        return fmt::format("epilogue_tile_m is {}; multiples of {} that divide {} are possible",
                           schedule.epilogue_tile_m, c_row, schedule.cta_m);
    if (schedule.stages < 2 || schedule.stages > 32) return fmt::format("stages is {}", schedule.stages);
    const int registers = schedule.cta_n / 2 * schedule.cta_m / 64 / schedule.warpgroups *
                          (schedule.promotes_accumulators() ? 2 : 1);
    if (registers > (schedule.warpgroups == 3 ? 128 : 192))
        return fmt::format("{} accumulators per thread", registers);
    if (std::string why = promotion_infeasibility(schedule, canonical); !why.empty()) return why;
    if (schedule.range_check > 1 || (schedule.has_range_check() && !schedule.has_bf16_split()))
        return fmt::format("guarded is {} of {} terms; 1 is possible where there are terms",
                           schedule.range_check, schedule.bf16_split);
    if (schedule.split_k > 1 || schedule.sliced_k > 1 || schedule.matrices > 1)
        return "splits, slices and matrices of a block are for products by threads";
    if (schedule.is_stream_k() || schedule.data_parallel_tiles > 0)
        return "stream_k_blocks and data_parallel_tiles are for products by threads";
    return {};
}

std::string cluster_infeasibility(const GpuSchedule& schedule, const target::Gpu& gpu) {
    const int rows = schedule.cluster_m, columns = schedule.cluster_n;
    if (rows < 1 || columns < 1 || (rows > 1 && columns > 1) || rows * columns > gpu.portable_cluster ||
        (rows * columns & (rows * columns - 1)) != 0)
        return fmt::format("clusters of {} by {}; 1, 2, 4 or {} along one of both are possible", rows,
                           columns, gpu.portable_cluster);
    if ((rows > 1 && schedule.cta_n % (64 * rows) != 0) ||
        (columns > 1 && schedule.cta_m % (64 * columns) != 0))
        return fmt::format("{} rows and {} columns, of which {} and {} blocks do not load shares of 64",
                           schedule.cta_m, schedule.cta_n, columns, rows);
    return {};
}

std::string data_type_infeasibility(const GpuSchedule& schedule, const MatrixProduct& canonical,
                                    const target::Gpu& gpu) {
    const DataType number = canonical.type_of_a();
    if (!gpu.tensor.warpgroup || !gpu.has_tma) return fmt::format("{} has no products of tiles", gpu.name);
    const bool is_short =
        number == DataType::bfloat16 || number == DataType::float16 || number == DataType::float8_e4m3;
    const bool is_known = schedule.has_bf16_split() ? number == DataType::float32 && schedule.bf16_split <= 3
                          : schedule.is_tf32()      ? number == DataType::float32
                                                    : is_short;
    if (!is_known)
        return fmt::format(
            "operands are {}, split into {} terms; float32 in 1 … 3, or in none and rounded, bfloat16, "
            "float16 "
            "and float8_e4m3 in none are possible",
            name_of(number), schedule.bf16_split);
    if (schedule.is_tf32() &&
        (schedule.tf32 > 1 || !(number == DataType::float32) || schedule.has_bf16_split()))
        return fmt::format("rounded is {}; 1 is possible for float32 that is not split", schedule.tf32);
    if (schedule.transpose_a > 1 || (schedule.transpose_a > 0 && !schedule.is_tf32()))
        return fmt::format("transpose_a is {}; 1 is possible for float32 that is rounded",
                           schedule.transpose_a);
    if (schedule.is_tf32() && canonical.type_of_c() != DataType::float32)
        return fmt::format("rounded is {}, and C {}; float32 is possible", schedule.tf32,
                           name_of(canonical.type_of_c()));
    if (canonical.type_of_b() != number || canonical.data_type != DataType::float32)
        return fmt::format("operands are {} and {}, accumulators {}", name_of(number),
                           name_of(canonical.type_of_b()), name_of(canonical.data_type));
    const DataType c = canonical.type_of_c();
    if (c != DataType::float32 && c != DataType::bfloat16 && c != DataType::float16)
        return fmt::format("C is {}, which products by threads store", name_of(c));
    if (canonical.k == 0) return "a depth of 0, of which there are no k-tiles";
    if (canonical.listed) return "lists of pointers, which products by threads have";
    if (canonical.c.row_stride != 1) return "neither C's rows nor its columns are next to each other";
    for (const WgmmaOperand& factor : wgmma_operands(schedule, canonical))
        if (!factor.layout.k_major && bytes_of(factor.scalar) != 2 && !schedule.is_tf32())
            return fmt::format("tensor cores read {} along the depth only", name_of(number));
    for (const auto& [name, layout, stored] : {std::tuple{"A", canonical.a, number},
                                               {"B", canonical.b, number},
                                               {"C", canonical.c, canonical.type_of_c()}})
        if (const std::string why = tensor_map_infeasibility(layout, stored, canonical.batch);
            !why.empty() && (!schedule.has_bf16_split() || *name == 'C') &&
            (*name != 'B' || !transposes_b(schedule, canonical)) &&
            (*name != 'A' || !transposes_a(schedule, canonical)))
            return fmt::format("the copy engine cannot move {} with {}", name, why);
    return {};
}

} // namespace

std::string wgmma_infeasibility(const GpuSchedule& schedule, const MatrixProduct& canonical,
                                const target::Gpu& gpu) {
    if (std::string why = data_type_infeasibility(schedule, canonical, gpu); !why.empty()) return why;
    if (std::string why = tile_shape_infeasibility(schedule, canonical); !why.empty()) return why;
    if (std::string why = cluster_infeasibility(schedule, gpu); !why.empty()) return why;
    const Integer bytes = wgmma_shared_bytes(schedule, canonical);
    if (bytes > gpu.max_shared_bytes_per_block)
        return fmt::format("{} bytes of shared memory; a block has {} at most", bytes,
                           gpu.max_shared_bytes_per_block);
    return {};
}

} // namespace swirl::gemm
