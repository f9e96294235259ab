// Tile sizes: larger tiles need fewer bytes per operation; smaller tiles occupy more blocks. A k-tile takes as long
// as its operations at the tensor cores' rate, or its bytes at L2 bandwidth.
#include "gemm/gpu/model/wgmma_model.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace swirl::gemm {

namespace {

/// Constants of an H100 (docs/results/gpu-products.md: `bench --device gpu --candidates`).
constexpr double launch = 1e-6; ///< seconds before the first k-tile arrives
constexpr double half_precision_flops =
    4096; ///< per multiprocessor and cycle, for 16-bit types; half for 32 bits, twice for 8
constexpr double reached = 0.85;                  ///< fraction of that rate, under the power limit
constexpr double reached_by_one_warpgroup = 0.75; ///< fraction of that, with one warpgroup per block
constexpr double reached_by_several_rows =
    0.75; ///< fraction of it, for warpgroups with several wgmmas of rows of A in registers
constexpr double narrow_n = 64;              ///< of B: wgmmas with N of only 64 are limited by shared memory
constexpr double loaded_bytes = 42;          ///< of A and B, per multiprocessor and cycle, from L2
constexpr double misaligned_cost = 1.8;      ///< factor if rows are not aligned to cache lines
constexpr double slowed_by_cluster = 1.04;   ///< factor for blocks that wait for each other
constexpr double epilogue_bytes = 40;        ///< of C, per multiprocessor and cycle
constexpr double cycles_per_promotion = 700; ///< cycles
constexpr double around_promotion = 150;     ///< cycles, if other warpgroups do not hide all of it
constexpr double split_launch = 3e-6;        ///< seconds
constexpr double range_check_seconds =
    4e-6; ///< seconds: clears a flag, and launches a kernel whose blocks exit at once
constexpr double cycles_per_tile = 1500; ///< cycles between a tile's last product and the next one's first
constexpr double reached_from_registers = 0.91; ///< fraction of the rate with A in registers
constexpr double eased_by_cluster =
    0.98; ///< factor for clusters where 4-byte elements come from shared memory

/// Tiles, clusters and warpgroups.
constexpr WgmmaGemm shapes[] = {
    {.cta_tile = {.m = 256, .n = 128}, .warpgroups = 2},
    {.cta_tile = {.m = 256, .n = 128}, .cluster = {.m = 1, .n = 2}, .warpgroups = 2},
    {.cta_tile = {.m = 128, .n = 256}, .warpgroups = 2},
    {.cta_tile = {.m = 128, .n = 256}, .cluster = {.m = 2, .n = 1}, .warpgroups = 2},
    {.cta_tile = {.m = 128, .n = 192}, .warpgroups = 3},
    {.cta_tile = {.m = 128, .n = 128}, .warpgroups = 2},
    {.cta_tile = {.m = 64, .n = 128}, .warpgroups = 2},
    {.cta_tile = {.m = 256, .n = 64}, .warpgroups = 1},
    {.cta_tile = {.m = 128, .n = 64}, .warpgroups = 1},
    {.cta_tile = {.m = 64, .n = 64}, .warpgroups = 1},
};
constexpr int rows_per_k_tile[] = {1, 2}; ///< shared-memory rows along K
/// Fraction of L2 for the rows of A that concurrent blocks share.
constexpr double fraction_of_l2 = 1.0 / 6;
constexpr Integer max_epilogue_bytes = 32768; ///< of C, for low-precision elements
/// A tenth of an H100's memory; larger matrices use SIMT kernels.
constexpr Integer max_bf16_split_bytes = Integer{8} << 30;
constexpr int max_stages = 8, max_raster_group = 8, max_raster_group_of_bf16_split = 4;

/// What tensor cores may multiply; alternatives of one accuracy are together.
using OperandChoice = decltype(WgmmaGemm::operands);
std::vector<std::vector<OperandChoice>> operands_for(const MatrixProduct& canonical, Accuracy accuracy) {
    if (canonical.type_of_a() != DataType::float32) return {{StoredOperands{}}};
    std::vector<OperandChoice> tf32 = {Tf32{}};
    if (canonical.a.column_stride != 1 && canonical.k > 0) tf32.emplace_back(Tf32{.transpose_a = true});
    switch (accuracy) {
    case Accuracy::ordinary: return {{Bf16Terms{.count = 3, .range_check = true}}};
    case Accuracy::ordinary_in_range: return {{Bf16Terms{.count = 3}}};
    case Accuracy::reduced: return {{Bf16Terms{.count = 2}}};
    case Accuracy::eleven_bits: return {tf32, {Bf16Terms{.count = 2}}};
    case Accuracy::low: return {tf32, {Bf16Terms{.count = 1}}};
    }
    return {};
}

/// Epilogue rows that fit their reserve when stages take the rest.
int epilogue_tile_m_of(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    const Integer element_bytes = bytes_of(canonical.type_of_c());
    const Integer row = ir::swizzle_row_bytes / element_bytes;
    Integer rows = std::max<Integer>(row, std::min(64, schedule.cta_tile.m));
    while (schedule.is_tf32() && rows > row &&
           rows * schedule.cta_tile.n * element_bytes > max_epilogue_bytes)
        rows /= 2;
    return static_cast<int>(rows);
}

/// Whether split terms may take that much GPU memory, and an interval is short enough for their accuracy.
bool is_worth_splitting(const MatrixProduct& canonical, int terms) {
    if (canonical.k == 0 || (terms == 3 && max_promotion_interval(canonical.k) == 0)) return false;
    const auto elements = [&](const MatrixLayout& layout, Integer rows, Integer columns) {
        return bf16_split_layout(layout, rows, columns, canonical.batch, terms).elements();
    };
    const Integer all = elements(canonical.a, canonical.rows, canonical.k) +
                        elements(canonical.b, canonical.k, canonical.columns);
    return all <= max_bf16_split_bytes / bytes_of(DataType::bfloat16);
}

/// Rows of tiles for which concurrent blocks read the fewest rows of A and columns of B: with 4-byte elements, hardly
/// a row of tiles stays in cache for longer.
int square_raster_group(const WgmmaGemm& schedule, const target::Gpu& gpu) {
    const double blocks = model_rates(gpu).multiprocessors;
    const auto lines = [&](int group) {
        return group * schedule.cta_tile.m + blocks / group * schedule.cta_tile.n;
    };
    int group = 1;
    while (lines(2 * group) < lines(group)) group *= 2;
    return group;
}

/// Rows of tiles whose rows of A stay in cache while a group of blocks reads it.
int raster_group_of(const WgmmaGemm& schedule, const MatrixProduct& canonical, const target::Gpu& gpu) {
    if (schedule.is_tf32()) return square_raster_group(schedule, gpu);
    const double row = static_cast<double>(canonical.k * bytes_of_operand_element(schedule, canonical)) *
                       schedule.cta_tile.m * schedule.cluster.m;
    const double rows = fraction_of_l2 * static_cast<double>(gpu.l2_bytes) / std::max(row, 1.0);
    const int most = schedule.has_bf16_split() ? max_raster_group_of_bf16_split : max_raster_group;
    int group = 1;
    while (group < most && 2 * group <= rows) group *= 2;
    return group;
}

/// Rows of A and columns of B that a block loads, weighted by the cost of misalignment to cache lines.
double rows_loaded(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    const auto weight = [&](const MatrixLayout& layout) {
        if (schedule.has_bf16_split()) return 1.0;
        const Integer pitch = layout.row_stride == 1 ? layout.column_stride : layout.row_stride;
        return pitch * bytes_of(canonical.type_of_a()) % ir::swizzle_row_bytes == 0 ? 1.0 : misaligned_cost;
    };
    return weight(canonical.a) * schedule.cta_tile.m / schedule.cluster.n +
           weight(canonical.b) * schedule.cta_tile.n / schedule.cluster.m;
}

/// Whether a thread has registers for both sets of accumulators and the compiler's temporaries. Threads of three
/// warpgroups have 160, and the accumulators take 128 of them; they spill, and kernels take up to twice as long.
bool has_registers_to_promote(const WgmmaGemm& schedule) {
    return !schedule.promotes_leading() || schedule.warpgroups < 3;
}

/// The largest number of stages that fits. It changes no operand's layout: `gemm` is of this schedule.
bool add_stages(WgmmaGemm& schedule, const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    for (schedule.stages = max_stages; schedule.stages >= 3; --schedule.stages)
        if (wgmma_shared_bytes(gemm) <= gpu.max_shared_bytes_per_block) return true;
    return false;
}

/// Without pipeline stages.
WgmmaGemm schedule_of(const WgmmaGemm& shape, const OperandChoice& operands, int rows_of_k,
                      const MatrixProduct& canonical, const target::Gpu& gpu, Accuracy accuracy) {
    WgmmaGemm schedule = shape;
    schedule.operands = operands;
    const Integer bytes = bytes_of_operand_element(schedule, canonical);
    schedule.cta_tile.k = rows_of_k * static_cast<int>(ir::swizzle_row_bytes / bytes);
    if (schedule.has_bf16_split() && accuracy <= Accuracy::ordinary_in_range) {
        schedule.accumulation_interval = max_accumulation_k / schedule.cta_tile.k;
        schedule.promotion_interval = max_promotion_interval(canonical.k);
    }
    schedule.epilogue_tile_m = epilogue_tile_m_of(schedule, canonical);
    schedule.raster_group = raster_group_of(schedule, canonical, gpu);
    return schedule;
}

void add_schedules(const WgmmaGemm& shape, const OperandChoice& operands, const CanonicalGemm& canonical,
                   const target::Gpu& gpu, Accuracy accuracy, std::vector<WgmmaGemm>& result) {
    for (const int rows_of_k : rows_per_k_tile) {
        WgmmaGemm schedule = schedule_of(shape, operands, rows_of_k, canonical.product, gpu, accuracy);
        const CanonicalWgmmaGemm gemm(canonical, schedule);
        if (has_registers_to_promote(schedule) && add_stages(schedule, gemm, gpu) &&
            wgmma_infeasibility(gemm, gpu).empty())
            result.push_back(schedule);
    }
}

/// Fraction of the tensor cores' rate.
double fraction_reached(const CanonicalWgmmaGemm& gemm) {
    const WgmmaGemm& schedule = gemm.schedule;
    const bool from_registers = gemm.has_register_a;
    const int columns = from_registers ? schedule.cta_tile.n : schedule.cta_tile.m; ///< N of a wgmma
    double fraction = reached * std::min(1.0, columns / (2 * narrow_n));
    if (schedule.warpgroups == 1) fraction *= reached_by_one_warpgroup;
    if (from_registers) {
        fraction *= reached_from_registers;
        if (schedule.cta_tile.m > schedule.warpgroups * rows_of_wgmma) fraction *= reached_by_several_rows;
    }
    return fraction;
}

} // namespace

WgmmaRates wgmma_rates(Integer bytes) {
    return {half_precision_flops * 2 / static_cast<double>(bytes), loaded_bytes};
}

double wgmma_seconds(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    const WgmmaGemm& schedule = gemm.schedule;
    const MatrixProduct& canonical = gemm.product();
    const ModelRates rates = model_rates(gpu);
    const auto whole = [](Integer extent, Integer tile) {
        return static_cast<double>(ceil_divide(extent, tile));
    };
    const int cluster = schedule.cluster.m * schedule.cluster.n;
    const double tiles = whole(canonical.rows, Integer{schedule.cta_tile.m} * schedule.cluster.m) *
                         whole(canonical.columns, Integer{schedule.cta_tile.n} * schedule.cluster.n) *
                         static_cast<double>(canonical.batch);
    const double each = std::ceil(tiles / std::floor(rates.multiprocessors / cluster));
    const double accumulators = static_cast<double>(schedule.cta_tile.m) * schedule.cta_tile.n;
    const double products = schedule.has_bf16_split()
                                ? static_cast<double>(bf16_split_products(schedule.bf16_terms()).size())
                                : 1;
    const double k = whole(canonical.k, schedule.cta_tile.k) * schedule.cta_tile.k * products;
    const auto bytes = static_cast<double>(gemm.element_bytes);
    const double rate = wgmma_rates(gemm.element_bytes).flops * fraction_reached(gemm);
    const double loads = bytes * k * rows_loaded(schedule, canonical) / loaded_bytes;
    const double of_tile =
        std::max(2 * accumulators * k / rate, loads) + cycles_per_tile +
        accumulators * static_cast<double>(bytes_of(canonical.type_of_c())) / epilogue_bytes;
    const double intervals =
        schedule.accumulation_interval == 0 ? 0 : k / (schedule.accumulation_interval * schedule.cta_tile.k);
    const double promotions = schedule.promotes_leading() ? k / products / schedule.promotion_interval : 0;
    const double elements =
        static_cast<double>((canonical.rows + canonical.columns) * canonical.k * canonical.batch);
    const double split = schedule.has_bf16_split()
                             ? 2 * split_launch + elements * (4 + 2 * schedule.bf16_terms()) / rates.memory
                             : 0;
    const auto transpose_seconds = [&](Integer mn_extent) {
        return split_launch +
               static_cast<double>(mn_extent * canonical.k * canonical.batch) * 2 * bytes / rates.memory;
    };
    const double transposes = (gemm.transposes_a ? transpose_seconds(canonical.rows) : 0) +
                              (gemm.transposes_b ? transpose_seconds(canonical.columns) : 0);
    const bool is_eased = schedule.is_tf32() && !gemm.has_register_a;
    const double cluster_factor = cluster == 1 ? 1 : is_eased ? eased_by_cluster : slowed_by_cluster;
    const double guard = schedule.has_range_check() ? range_check_seconds : 0;
    return launch + split + guard + transposes +
           each * cluster_factor *
               (of_tile + intervals * cycles_per_promotion + promotions * around_promotion) / rates.hertz;
}

std::vector<WgmmaGemm> wgmma_schedules(const CanonicalGemm& canonical, const target::Gpu& gpu,
                                       Accuracy accuracy) {
    std::vector<WgmmaGemm> result;
    for (const auto& alternatives : operands_for(canonical.product, accuracy)) {
        const auto* const terms = std::get_if<Bf16Terms>(&alternatives.front());
        if (terms != nullptr && !is_worth_splitting(canonical.product, terms->count)) continue;
        for (const WgmmaGemm& shape : shapes)
            for (const OperandChoice& operands : alternatives)
                add_schedules(shape, operands, canonical, gpu, accuracy, result);
    }
    return result;
}

std::string no_wgmma_because(const CanonicalGemm& canonical, const target::Gpu& gpu, Accuracy accuracy) {
    for (const auto& alternatives : operands_for(canonical.product, accuracy)) {
        const auto* const terms = std::get_if<Bf16Terms>(&alternatives.front());
        if (terms != nullptr && !is_worth_splitting(canonical.product, terms->count))
            return "its operands as bf16 splits take too much memory, or K is too long for their accuracy";
        WgmmaGemm schedule = schedule_of(shapes[0], alternatives.front(), rows_per_k_tile[0],
                                         canonical.product, gpu, accuracy);
        const CanonicalWgmmaGemm gemm(canonical, schedule);
        if (!add_stages(schedule, gemm, gpu)) return "a block's shared memory holds too few stages";
        if (std::string why = wgmma_infeasibility(gemm, gpu); !why.empty()) return why;
    }
    return "none of the model's tiles suits the problem";
}

} // namespace swirl::gemm
