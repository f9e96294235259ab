#include "gemm/gpu/tensor_map.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/register_store.hpp"
#include "gemm/gpu/wgmma/split_k.hpp"

#include <fmt/format.h>

#include <tuple>

namespace swirl::gemm {

namespace {

constexpr int rows_per_swizzle_pattern = static_cast<int>(ir::swizzle_pattern_bytes / ir::swizzle_row_bytes);

constexpr int bytes_of_k = 32; ///< of a wgmma's K
/// Rows of C that fill a row of the epilogue's shared memory, with 4-byte elements: one of 128 bytes, or half of one.
constexpr int granularity_of_m = 32, fine_granularity_of_m = 16;

bool is_multiple(int value, int of) { return value > 0 && value % of == 0; }

/// If A's rows are the rows of wgmmas, warpgroups share them.
std::string register_a_infeasibility(const WgmmaGemm& schedule) {
    const int wgmmas = schedule.cta_tile.m / schedule.warpgroups / rows_of_wgmma;
    if (!is_multiple(schedule.cta_tile.m, rows_of_wgmma * schedule.warpgroups) ||
        (wgmmas > 1 && wgmmas % 2 != 0))
        return fmt::format("cta_m is {}; {}, and even multiples of it, are possible for A in registers",
                           schedule.cta_tile.m, rows_of_wgmma * schedule.warpgroups);
    if (!is_multiple(schedule.cta_tile.n, rows_per_swizzle_pattern))
        return fmt::format("cta_n is {}; multiples of {} are possible for A in registers",
                           schedule.cta_tile.n, rows_per_swizzle_pattern);
    if (!is_multiple(epilogue_tile_n(schedule), rows_per_swizzle_pattern) ||
        schedule.epilogue_tile_m * schedule.cta_tile.n % schedule.cta_tile.m != 0)
        return fmt::format(
            "epilogue_tile_m is {}, which is {} columns of A's rows; multiples of {} are possible",
            schedule.epilogue_tile_m, epilogue_tile_n(schedule), rows_per_swizzle_pattern);
    return {};
}

/// An interval is a whole number of instructions and divides the k-tile.
std::string promotion_infeasibility(const CanonicalWgmmaGemm& gemm) {
    const WgmmaGemm& schedule = gemm.schedule;
    if (!schedule.promotes_leading()) return {};
    const int k_step = bytes_of_k / static_cast<int>(gemm.element_bytes);
    if (!is_multiple(schedule.promotion_interval, k_step) ||
        schedule.cta_tile.k % schedule.promotion_interval != 0)
        return fmt::format("promotion_interval is {}; multiples of {} that divide {} are possible",
                           schedule.promotion_interval, k_step, schedule.cta_tile.k);
    if (gemm.has_register_a)
        return fmt::format("promotion_interval is {}; 0 is possible for A in registers",
                           schedule.promotion_interval);
    if (schedule.bf16_terms() > 1 && schedule.accumulation_interval == 0)
        return fmt::format(
            "promotion_interval is {}, bf16_split {} and accumulation_interval 0; an interval is "
            "possible for several terms",
            schedule.promotion_interval, schedule.bf16_terms());
    return {};
}

std::string tile_shape_infeasibility(const CanonicalWgmmaGemm& gemm) {
    const WgmmaGemm& schedule = gemm.schedule;
    const int row = static_cast<int>(ir::swizzle_row_bytes / gemm.element_bytes);
    const int c_row =
        static_cast<int>(row_bytes_of_c(schedule, gemm.product()) / bytes_of(gemm.product().type_of_c()));
    if (schedule.warpgroups > 3)
        return fmt::format("warpgroups is {}; 1 … 3 are possible", schedule.warpgroups);
    const bool has_whole_rows = schedule.split_k > 1 || !gemm.product().reductions.empty();
    const int m_granularity = gemm.has_register_a ? row
                              : has_whole_rows    ? granularity_of_m
                                                  : fine_granularity_of_m;
    if (!is_multiple(schedule.cta_tile.m, m_granularity) || schedule.cta_tile.m > 256)
        return fmt::format("cta_m is {}; multiples of {} up to 256 are possible", schedule.cta_tile.m,
                           m_granularity);
    if (gemm.has_register_a) {
        if (std::string why = register_a_infeasibility(schedule); !why.empty()) return why;
    } else if (!is_multiple(schedule.cta_tile.n, rows_of_wgmma * schedule.warpgroups))
        return fmt::format("cta_n is {}; multiples of {} are possible", schedule.cta_tile.n,
                           rows_of_wgmma * schedule.warpgroups);
    if (schedule.cta_tile.n / schedule.cluster.m > 256)
        return fmt::format("cta_n is {} and cluster_m {}; a TMA load has 256 columns at most",
                           schedule.cta_tile.n, schedule.cluster.m);
    if (!is_multiple(schedule.cta_tile.k, row))
        return fmt::format("cta_k is {}; multiples of {} are possible", schedule.cta_tile.k, row);
    if (schedule.epilogue_tile_m > 0 && (!is_multiple(schedule.epilogue_tile_m, c_row) ||
                                         schedule.cta_tile.m % schedule.epilogue_tile_m != 0))
        return fmt::format("epilogue_tile_m is {}; multiples of {} that divide {}, and 0, are possible",
                           schedule.epilogue_tile_m, c_row, schedule.cta_tile.m);
    if (schedule.stages < 2 || schedule.stages > 32)
        return fmt::format("stages is {}; 2 … 32 are possible", schedule.stages);
    const int registers = schedule.cta_tile.n / 2 * schedule.cta_tile.m / 64 / schedule.warpgroups *
                          (schedule.promotes_accumulators() ? 2 : 1);
    if (const int most = schedule.warpgroups == 3 ? 128 : 192; registers > most)
        return fmt::format("a thread has {} accumulators; {} at most are possible with {} warpgroups",
                           registers, most, schedule.warpgroups);
    if (std::string why = promotion_infeasibility(gemm); !why.empty()) return why;
    return {};
}

std::string cluster_infeasibility(const WgmmaGemm& schedule, const target::Gpu& gpu) {
    const int rows = schedule.cluster.m, columns = schedule.cluster.n;
    if (rows < 1 || columns < 1 || (rows > 1 && columns > 1) || rows * columns > gpu.portable_cluster ||
        (rows * columns & (rows * columns - 1)) != 0)
        return fmt::format("cluster_m is {} and cluster_n {}; 1, 2, 4 or {} along one of both are possible",
                           rows, columns, gpu.portable_cluster);
    if ((rows > 1 && schedule.cta_tile.n % (64 * rows) != 0) ||
        (columns > 1 && schedule.cta_tile.m % (64 * columns) != 0))
        return fmt::format(
            "cta_m is {} and cta_n {}; multiples of 64 × cluster_n, {}, and of 64 × cluster_m, {}, "
            "are possible",
            schedule.cta_tile.m, schedule.cta_tile.n, 64 * columns, 64 * rows);
    return {};
}

std::string data_type_infeasibility(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    const WgmmaGemm& schedule = gemm.schedule;
    const MatrixProduct& canonical = gemm.product();
    const DataType data_type = canonical.type_of_a();
    if (!gpu.tensor.warpgroup || !gpu.has_tma)
        return fmt::format("{} has no wgmma; simt schedules are possible", gpu.name);
    const bool is_short = data_type == DataType::bfloat16 || data_type == DataType::float16 ||
                          data_type == DataType::float8_e4m3;
    const bool is_known = schedule.has_bf16_split()
                              ? data_type == DataType::float32 && schedule.bf16_terms() <= 3
                          : schedule.is_tf32() ? data_type == DataType::float32
                                               : is_short;
    if (!is_known)
        return fmt::format(
            "operands are {}, bf16_split is {} and tf32 {}; bf16_split=1 … 3 or tf32=1 are possible "
            "for float32, bf16_split=0 and tf32=0 for bfloat16, float16 and float8_e4m3",
            name_of(data_type), schedule.bf16_terms(), schedule.is_tf32() ? 1 : 0);
    if (schedule.is_tf32() && canonical.type_of_c() != DataType::float32)
        return fmt::format("tf32 is 1, and C {}; float32 is possible", name_of(canonical.type_of_c()));
    if (canonical.type_of_b() != data_type || canonical.data_type != DataType::float32)
        return fmt::format(
            "operands are {} and {}, accumulators {}; equal operands with float32 are possible",
            name_of(data_type), name_of(canonical.type_of_b()), name_of(canonical.data_type));
    const DataType c = canonical.type_of_c();
    if (c != DataType::float32 && c != DataType::bfloat16 && c != DataType::float16)
        return fmt::format("C is {}; float32, bfloat16 and float16 are possible, others with simt schedules",
                           name_of(c));
    if (canonical.k == 0) return "K is 0; simt schedules are possible";
    if (canonical.listed) return "matrices are in pointer lists; simt schedules are possible";
    if (canonical.c.row_stride != 1)
        return "neither C's rows nor its columns are contiguous; simt schedules are possible";
    for (const WgmmaOperand& operand : gemm.operands)
        if (!operand.layout.k_major && bytes_of(operand.scalar) != 2 && !schedule.is_tf32())
            return fmt::format(
                "tensor cores read {} K-major only, and an operand is not; simt schedules are possible",
                name_of(data_type));
    const bool splits = schedule.has_bf16_split();
    for (const auto& [name, layout, stored, is_moved_by_tma] :
         {std::tuple{"A", canonical.a, data_type, !splits && !gemm.transposes_a},
          {"B", canonical.b, data_type, !splits && !gemm.transposes_b},
          {"C", canonical.c, canonical.type_of_c(), !stores_from_registers(schedule)}})
        if (const std::string why = tensor_map_infeasibility(layout, stored, canonical.batch);
            is_moved_by_tma && !why.empty())
            return fmt::format("TMA cannot access {} with {}", name, why);
    return {};
}

} // namespace

std::string wgmma_infeasibility(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    if (std::string why = data_type_infeasibility(gemm, gpu); !why.empty()) return why;
    if (std::string why = tile_shape_infeasibility(gemm); !why.empty()) return why;
    if (std::string why = cluster_infeasibility(gemm.schedule, gpu); !why.empty()) return why;
    if (std::string why = WgmmaSplitK::infeasibility(gemm, gpu); !why.empty()) return why;
    if (std::string why = WgmmaRegisterStore::infeasibility(gemm); !why.empty()) return why;
    const Integer bytes = wgmma_shared_bytes(gemm);
    if (bytes > gpu.max_shared_bytes_per_block)
        return fmt::format("a block needs {} bytes of shared memory; {} at most are possible", bytes,
                           gpu.max_shared_bytes_per_block);
    return {};
}

} // namespace swirl::gemm
