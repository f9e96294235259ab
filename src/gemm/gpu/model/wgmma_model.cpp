// Tile sizes: larger tiles need fewer bytes per operation; smaller tiles occupy more blocks. A k-tile takes as long
// as its operations at the tensor cores' rate, or its bytes at L2 bandwidth.
#include "gemm/gpu/model/wgmma_model.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/gpu/tensor_map.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/register_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace swirl::gemm {

namespace {

/// Constants of an H100, in cycles unless stated otherwise.
struct WgmmaConstants {
    double launch;                   ///< seconds, before and after all blocks
    double first;                    ///< until a block's first k-tile arrives
    double reached;                  ///< fraction of the tensor cores' rate
    double reached_by_one_warpgroup; ///< fraction of that, with one warpgroup per block
    double narrow_m;                 ///< of A: wgmmas with a smaller N are limited by shared memory
    double loaded;                   ///< bytes of A and B per cycle of a multiprocessor
    double loaded_alone;        ///< likewise, if no two multiprocessors that share a port to L2 have a block
    double eased_by_warpgroups; ///< factor on the time of loads with several warpgroups
    double misaligned;          ///< factor if rows are not aligned to cache lines
    double by_cluster;          ///< factor for blocks that wait for each other
    double cluster;             ///< for the launch and the barriers of clusters
    double per_tile;            ///< between a tile's last product and the next one's first
    double per_k_tile; ///< that a k-tile's products wait, which several warpgroups hide from each other
    double epilogue;   ///< bytes of C per cycle of a multiprocessor
    double
        short_rows; ///< factor on the time of these where C's columns have less than 128 bytes in shared memory
    double staged;         ///< that C's way through shared memory adds
    double from_registers; ///< bytes of C per cycle without it
    double memory;         ///< bytes of operands and C, each once, per cycle of the GPU
    double overlap;        ///< exponent: of products, loads and memory traffic
};
/// 16-bit operands, fitted to some 3000 schedules of 119 products drawn at random on an H100.
constexpr WgmmaConstants of_half_precision{.launch = 1.56e-07,
                                           .first = 2409,
                                           .reached = 1.111,
                                           .reached_by_one_warpgroup = 1.316,
                                           .narrow_m = 67.56,
                                           .loaded = 48.58,
                                           .loaded_alone = 87.66,
                                           .eased_by_warpgroups = 0.8787,
                                           .misaligned = 2.107,
                                           .by_cluster = 1.064,
                                           .cluster = 3068,
                                           .per_tile = 15.42,
                                           .per_k_tile = 0.8247,
                                           .epilogue = 30.47,
                                           .short_rows = 1.923,
                                           .staged = 614.2,
                                           .from_registers = 16.62,
                                           .memory = 1749,
                                           .overlap = 2.223};
/// Split terms, tf32 and 8 bits (docs/results/gpu-products.md: `bench --device gpu --candidates`).
constexpr WgmmaConstants of_other_operands{.launch = 1e-6,
                                           .first = 0,
                                           .reached = 0.85,
                                           .reached_by_one_warpgroup = 0.75,
                                           .narrow_m = 128,
                                           .loaded = 42,
                                           .loaded_alone = 42,
                                           .eased_by_warpgroups = 1,
                                           .misaligned = 1.8,
                                           .by_cluster = 1.04,
                                           .cluster = 0,
                                           .per_tile = 1500,
                                           .per_k_tile = 0,
                                           .epilogue = 40,
                                           .short_rows = 1,
                                           .staged = 0,
                                           .from_registers = 40,
                                           .memory = INFINITY,
                                           .overlap = 16};

constexpr double split_k_cycles = 2028; ///< of the cluster's barriers, and of remote loads' latency
constexpr double split_k_bytes = 34.21; ///< of accumulators, exchanged per multiprocessor and cycle
constexpr double half_precision_flops =
    4096; ///< per multiprocessor and cycle, for 16-bit types; half for 32 bits, twice for 8
constexpr double reached_by_several_rows =
    0.75; ///< fraction of it, for warpgroups with several wgmmas of rows of A in registers
constexpr double multiprocessors_of_port = 2;
constexpr double cycles_per_promotion = 700; ///< cycles
constexpr double around_promotion = 150;     ///< cycles, if other warpgroups do not hide all of it
constexpr double split_launch = 3e-6;        ///< seconds
constexpr double range_check_seconds =
    4e-6; ///< seconds: clears a flag, and launches a kernel whose blocks exit at once
constexpr double reached_from_registers = 0.91; ///< fraction of the rate with A in registers
constexpr double eased_by_cluster =
    0.98; ///< factor for clusters where 4-byte elements come from shared memory

/// Candidates: extents of tiles, with the warpgroups that hold their accumulators.
constexpr int least_m = 64, most_m = 256, step_of_m = 32, fine_step_of_m = 16;
struct Columns {
    int n;
    int warpgroups;
};
constexpr Columns columns_of_tiles[] = {{64, 1}, {128, 2}, {192, 3}, {256, 2}};
/// Of a thread, by warpgroups; more serialise wgmmas.
constexpr int max_accumulators[] = {0, 128, 128, 96};
constexpr int splits_of_k[] = {2, 4, 8};
constexpr Extents clusters[] = {{.m = 1, .n = 1}, {.m = 2, .n = 1}, {.m = 1, .n = 2}};
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
    constexpr int most = 64;
    const Integer element_bytes = bytes_of(canonical.type_of_c());
    const Integer row = row_bytes_of_c(schedule, canonical) / element_bytes;
    Integer rows = std::max(row, most / row * row);
    while (rows > row && schedule.cta_tile.m % rows != 0) rows -= row;
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

/// Tiles of all clusters.
double cluster_tiles(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    const auto whole = [](Integer extent, int tile) {
        return static_cast<double>(ceil_divide(extent, Integer{tile}));
    };
    return whole(canonical.rows, schedule.cta_tile.m * schedule.cluster.m) *
           whole(canonical.columns, schedule.cta_tile.n * schedule.cluster.n) *
           static_cast<double>(canonical.batch);
}

/// Tiles of the busiest block.
double tiles_of_block(const WgmmaGemm& schedule, const MatrixProduct& canonical, const ModelRates& rates) {
    const int cluster = schedule.cluster.m * schedule.cluster.n * schedule.split_k;
    constexpr double fraction_of_large_clusters = 0.9; // processing clusters have no whole number of these
    const double multiprocessors = rates.multiprocessors * (cluster > 2 ? fraction_of_large_clusters : 1);
    return std::ceil(cluster_tiles(schedule, canonical) / std::floor(multiprocessors / cluster));
}

/// Rows of tiles whose rows of A stay in cache while a group of blocks reads it.
int raster_group_of(const WgmmaGemm& schedule, const MatrixProduct& canonical, const target::Gpu& gpu) {
    if (schedule.is_tf32()) return square_raster_group(schedule, gpu);
    if (tiles_of_block(schedule, canonical, model_rates(gpu)) == 1) // all at once
        return static_cast<int>(std::min<Integer>(
            ceil_divide(canonical.rows, Integer{schedule.cta_tile.m} * schedule.cluster.m), max_parameter));
    const double row = static_cast<double>(canonical.k * bytes_of_operand_element(schedule, canonical)) *
                       schedule.cta_tile.m * schedule.cluster.m;
    const double rows = fraction_of_l2 * static_cast<double>(gpu.l2_bytes) / std::max(row, 1.0);
    const int most = schedule.has_bf16_split() ? max_raster_group_of_bf16_split : max_raster_group;
    int group = 1;
    while (group < most && 2 * group <= rows) group *= 2;
    return group;
}

const WgmmaConstants& constants_of(const CanonicalWgmmaGemm& gemm) {
    return gemm.element_bytes == 2 && !gemm.schedule.has_bf16_split() ? of_half_precision : of_other_operands;
}

/// Rows of A and columns of B that a block loads, weighted by the cost of misalignment to cache lines. TMA loads whole
/// rows of shared memory: short ones take as long where rows run along M or N, and those outside of the matrices no time.
double rows_loaded(const CanonicalWgmmaGemm& gemm) {
    const MatrixProduct& canonical = gemm.product();
    const auto weight = [&](const MatrixLayout& layout) {
        if (gemm.schedule.has_bf16_split()) return 1.0;
        const Integer pitch = layout.row_stride == 1 ? layout.column_stride : layout.row_stride;
        return pitch * bytes_of(canonical.type_of_a()) % ir::swizzle_row_bytes == 0
                   ? 1.0
                   : constants_of(gemm).misaligned;
    };
    const bool is_half = &constants_of(gemm) == &of_half_precision;
    // The blocks that share a load request its lines once, but each of them receives all of its bytes.
    const auto loaded = [&](const WgmmaOperand& operand, Integer extent, double requests) {
        const Integer row = ir::swizzle_row_bytes / bytes_of(operand.scalar),
                      within = std::min(operand.mn_extent, extent);
        const double factor = requests / static_cast<double>(operand.multicast);
        return static_cast<double>(operand.layout.k_major ? within : ceil_divide(within, row) * row) *
               (is_half ? std::max(1.0, factor) : factor);
    };
    return loaded(gemm.operands[1], canonical.rows, weight(canonical.a)) +
           loaded(gemm.operands[0], canonical.columns, weight(canonical.b));
}

/// Whether a thread has registers for both sets of accumulators and the compiler's temporaries: with two warpgroups and a
/// producer it has 168 at the launch, with three 128. Where they spill, kernels take two to three times as long.
bool has_registers_to_promote(const WgmmaGemm& schedule) {
    constexpr int most_of_two_warpgroups = 80;
    if (!schedule.promotes_leading() || schedule.warpgroups == 1) return true;
    const Integer accumulators =
        Integer{schedule.cta_tile.m} * schedule.cta_tile.n / (schedule.warpgroups * warpgroup_threads);
    return schedule.warpgroups == 2 && accumulators <= most_of_two_warpgroups;
}

/// k-tiles of a block's share of K, for all products of split terms.
double k_tiles_of_split(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    const double products = schedule.has_bf16_split()
                                ? static_cast<double>(bf16_split_products(schedule.bf16_terms()).size())
                                : 1;
    return static_cast<double>(ceil_divide(canonical.k, Integer{schedule.cta_tile.k} * schedule.split_k)) *
           products;
}

/// The largest number of stages that fits and that k-tiles fill: each more takes time to initialise. It changes no
/// operand's layout: `gemm` is of this schedule.
bool add_stages(WgmmaGemm& schedule, const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    const double k_tiles = k_tiles_of_split(schedule, gemm.product()) *
                           tiles_of_block(schedule, gemm.product(), model_rates(gpu));
    const int most = static_cast<int>(std::clamp<double>(k_tiles, 2, max_stages));
    for (schedule.stages = most; schedule.stages >= std::min(most, 3); --schedule.stages)
        if (wgmma_shared_bytes(gemm) <= gpu.max_shared_bytes_per_block) return true;
    return false;
}

/// As many stages as add_stages finds; where they are few, and fewer rows of C in shared memory make room for another, with
/// fewer rows.
bool share_shared_memory(WgmmaGemm& schedule, const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    constexpr int enough_stages = 4;
    const int rows = schedule.epilogue_tile_m,
              least = static_cast<int>(row_bytes_of_c(schedule, gemm.product()) /
                                       bytes_of(gemm.product().type_of_c()));
    const bool fits = add_stages(schedule, gemm, gpu);
    if (!std::holds_alternative<StoredOperands>(schedule.operands) || rows <= least ||
        (fits && schedule.stages >= enough_stages))
        return fits;
    const int stages = fits ? schedule.stages : 0;
    schedule.epilogue_tile_m = least;
    if (add_stages(schedule, gemm, gpu) && schedule.stages > stages) return true;
    schedule.epilogue_tile_m = rows;
    return add_stages(schedule, gemm, gpu);
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

/// Where TMA cannot access C; and of 16-bit operands where a block has one tile: with several tiles, blocks store C while
/// they multiply for the next one.
bool may_store_registers(const WgmmaGemm& schedule, const MatrixProduct& canonical, const target::Gpu& gpu) {
    if (schedule.split_k > 1 || !canonical.reductions.empty()) return false;
    if (!tensor_map_infeasibility(canonical.c, canonical.type_of_c(), canonical.batch).empty()) return true;
    return std::holds_alternative<StoredOperands>(schedule.operands) &&
           tiles_of_block(schedule, canonical, model_rates(gpu)) == 1;
}

void add_schedules(const WgmmaGemm& shape, const OperandChoice& operands, const CanonicalGemm& canonical,
                   const target::Gpu& gpu, Accuracy accuracy, std::vector<WgmmaGemm>& result) {
    for (const int rows_of_k : rows_per_k_tile) {
        WgmmaGemm schedule = schedule_of(shape, operands, rows_of_k, canonical.product, gpu, accuracy);
        const CanonicalWgmmaGemm gemm(canonical, schedule);
        const auto add = [&] {
            if (has_registers_to_promote(schedule) && share_shared_memory(schedule, gemm, gpu) &&
                wgmma_infeasibility(gemm, gpu).empty())
                result.push_back(schedule);
        };
        add();
        if (!may_store_registers(schedule, canonical.product, gpu)) continue;
        schedule.epilogue_tile_m = 0;
        add();
    }
}

/// Tiles that are no larger than C needs; with split-K where they leave multiprocessors idle. `step`: from one m to the next.
std::vector<WgmmaGemm> shapes_of(const MatrixProduct& canonical, double multiprocessors, int step) {
    std::vector<WgmmaGemm> result;
    const auto suffices = [](Integer extent, int tile, int least_step) {
        return tile - least_step >= extent;
    };
    for (int m = canonical.rows <= step_of_m ? step_of_m : least_m; m <= most_m; m += step) {
        if (m > least_m && suffices(canonical.rows, m, step)) break;
        if (m == least_m && canonical.rows <= step_of_m) break;
        for (const auto& [n, warpgroups] : columns_of_tiles) {
            if (n > rows_of_wgmma && suffices(canonical.columns, n, rows_of_wgmma)) break;
            for (const Extents& cluster : clusters)
                if (m * n <= max_accumulators[warpgroups] * warpgroups * warpgroup_threads)
                    result.push_back(
                        {.cta_tile = {.m = m, .n = n}, .cluster = cluster, .warpgroups = warpgroups});
            const Integer tiles = ceil_divide(canonical.rows, Integer{m}) *
                                  ceil_divide(canonical.columns, Integer{n}) * canonical.batch;
            for (const int splits : splits_of_k)
                if (m % step_of_m == 0 && tiles * splits <= static_cast<Integer>(multiprocessors))
                    result.push_back(
                        {.cta_tile = {.m = m, .n = n}, .split_k = splits, .warpgroups = warpgroups});
        }
    }
    return result;
}

/// Fraction of the tensor cores' rate.
double fraction_reached(const CanonicalWgmmaGemm& gemm) {
    const WgmmaGemm& schedule = gemm.schedule;
    const bool from_registers = gemm.has_register_a;
    const int columns = from_registers ? schedule.cta_tile.n : schedule.cta_tile.m; ///< N of a wgmma
    const WgmmaConstants& constants = constants_of(gemm);
    double fraction = constants.reached * std::min(1.0, columns / constants.narrow_m);
    if (schedule.warpgroups == 1) fraction *= constants.reached_by_one_warpgroup;
    if (from_registers) {
        fraction *= reached_from_registers;
        if (schedule.cta_tile.m > schedule.warpgroups * rows_of_wgmma) fraction *= reached_by_several_rows;
    }
    return fraction;
}

/// Of A and B, per cycle of a multiprocessor, if a fraction of all multiprocessors have blocks: beyond half of them,
/// blocks share ports.
double loaded_bytes(const WgmmaConstants& constants, double fraction) {
    const double sharing = std::clamp(multiprocessors_of_port * fraction - 1, 0.0, 1.0);
    return std::pow(constants.loaded, sharing) * std::pow(constants.loaded_alone, 1 - sharing);
}

/// Of whole sectors, which a quad's eight rows of a column may fill in part.
double stored_bytes_per_element(const MatrixProduct& canonical) {
    constexpr Integer sector = 32;
    const Integer bytes = bytes_of(canonical.type_of_c()),
                  written = WgmmaRegisterStore::rows_of_group * bytes;
    const bool is_aligned = canonical.c.column_stride * bytes % sector == 0;
    const Integer touched = is_aligned ? std::max(sector, written) : written + sector - bytes; // on average
    return static_cast<double>(touched) / WgmmaRegisterStore::rows_of_group;
}

/// Of operands and C, each once.
double once_bytes(const CanonicalWgmmaGemm& gemm) {
    const MatrixProduct& canonical = gemm.product();
    return static_cast<double>(canonical.batch) *
           static_cast<double>(canonical.rows * canonical.k * bytes_of(canonical.type_of_a()) +
                               canonical.k * canonical.columns * bytes_of(canonical.type_of_b()) +
                               canonical.rows * canonical.columns * bytes_of(canonical.type_of_c()));
}

} // namespace

WgmmaRates wgmma_rates(Integer bytes) {
    return {half_precision_flops * 2 / static_cast<double>(bytes), of_other_operands.loaded};
}

double wgmma_seconds(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    const WgmmaGemm& schedule = gemm.schedule;
    const MatrixProduct& canonical = gemm.product();
    const ModelRates rates = model_rates(gpu);
    const int cluster = schedule.cluster.m * schedule.cluster.n * schedule.split_k;
    const double each = tiles_of_block(schedule, canonical, rates);
    const double accumulators = static_cast<double>(schedule.cta_tile.m) * schedule.cta_tile.n;
    const double products = schedule.has_bf16_split()
                                ? static_cast<double>(bf16_split_products(schedule.bf16_terms()).size())
                                : 1;
    const double k = k_tiles_of_split(schedule, canonical) * schedule.cta_tile.k;
    const auto bytes = static_cast<double>(gemm.element_bytes);
    const double rate = wgmma_rates(gemm.element_bytes).flops * fraction_reached(gemm);
    const WgmmaConstants& constants = constants_of(gemm);
    const double blocks = each > 1 ? rates.multiprocessors : cluster_tiles(schedule, canonical) * cluster;
    const double loads = bytes * k * rows_loaded(gemm) /
                         loaded_bytes(constants, blocks / rates.multiprocessors) *
                         (schedule.warpgroups > 1 ? constants.eased_by_warpgroups : 1);
    const double products_cycles =
        2 * accumulators * k / rate + k / schedule.cta_tile.k * constants.per_k_tile / schedule.warpgroups;
    const double traffic = once_bytes(gemm) / constants.memory / each;
    const double main_loop =
        std::pow(std::pow(loads, constants.overlap) + std::pow(products_cycles, constants.overlap) +
                     std::pow(traffic, constants.overlap),
                 1 / constants.overlap);
    const double exchange = schedule.split_k == 1 ? 0 : split_k_cycles + 2 * accumulators * 4 / split_k_bytes;
    const bool stores_registers = schedule.epilogue_tile_m == 0;
    const double of_tile =
        main_loop + constants.per_tile + exchange +
        accumulators / schedule.split_k *
            (stores_registers
                 ? stored_bytes_per_element(canonical) / constants.from_registers
                 : static_cast<double>(bytes_of(canonical.type_of_c())) / constants.epilogue *
                       (row_bytes_of_c(schedule, canonical) < ir::swizzle_row_bytes ? constants.short_rows
                                                                                    : 1)) +
        (stores_from_registers(schedule) ? 0 : constants.staged);
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
    const double cluster_factor = cluster == schedule.split_k ? 1
                                  : is_eased                  ? eased_by_cluster
                                                              : constants.by_cluster;
    const double guard = schedule.has_range_check() ? range_check_seconds : 0;
    return constants.launch + split + guard + transposes +
           cluster_factor *
               (constants.first + (cluster == schedule.split_k ? 0 : constants.cluster) +
                each * (of_tile + intervals * cycles_per_promotion + promotions * around_promotion)) /
               rates.hertz;
}

std::vector<WgmmaGemm> wgmma_schedules(const CanonicalGemm& canonical, const target::Gpu& gpu,
                                       Accuracy accuracy) {
    std::vector<WgmmaGemm> result;
    for (const auto& alternatives : operands_for(canonical.product, accuracy)) {
        const auto* const terms = std::get_if<Bf16Terms>(&alternatives.front());
        if (terms != nullptr && !is_worth_splitting(canonical.product, terms->count)) continue;
        const bool has_fine_steps = std::holds_alternative<StoredOperands>(alternatives.front()) &&
                                    canonical.product.type_of_c() == DataType::float32 &&
                                    canonical.product.reductions.empty();
        for (const WgmmaGemm& shape : shapes_of(canonical.product, model_rates(gpu).multiprocessors,
                                                has_fine_steps ? fine_step_of_m : step_of_m))
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
        WgmmaGemm schedule =
            schedule_of({.cta_tile = {.m = least_m, .n = rows_of_wgmma}, .warpgroups = 1},
                        alternatives.front(), rows_per_k_tile[0], canonical.product, gpu, accuracy);
        const CanonicalWgmmaGemm gemm(canonical, schedule);
        if (!add_stages(schedule, gemm, gpu)) return "a block's shared memory holds too few stages";
        if (std::string why = wgmma_infeasibility(gemm, gpu); !why.empty()) return why;
    }
    return "none of the model's tiles suits the problem";
}

} // namespace swirl::gemm
