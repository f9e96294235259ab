// Which tiles: the more lines, the fewer bytes for each operation; the fewer, the more blocks have work. A piece takes as long as
// its operations at the tensor cores' rate, or its bytes at that of the second cache.
#include "gemm/gpu_tile_model.hpp"

#include "gemm/gpu_model.hpp"
#include "gemm/gpu_terms.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_product.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace swirl::gemm {

namespace {

/// Constants of an H100 (docs/results/gpu-products.md: `bench_gpu_products --candidates`).
constexpr double launch = 1e-6; ///< seconds before the first piece is there
constexpr double flops_of_short_numbers =
    4096;                        ///< a cycle of a multiprocessor, of 16 bits; of 32 bits half, of 8 twice
constexpr double reached = 0.85; ///< of that rate, under power
constexpr double alone_reached = 0.75; ///< of that, by one warpgroup in a block
constexpr double parts_reached =
    0.75;                           ///< of it, by warpgroups that have several parts of A's rows in registers
constexpr double narrow_lines = 64; ///< of B: with a product's 64 columns alone shared memory cannot keep up
constexpr double loaded_bytes = 42; ///< of A and B, a cycle of a multiprocessor, from the second cache
constexpr double across_lines = 1.8;       ///< as long where rows do not begin with the cache's lines
constexpr double slowed_by_cluster = 1.04; ///< blocks that wait for each other
constexpr double staged_bytes = 40;        ///< of C, a cycle of a multiprocessor
constexpr double around_run = 700;         ///< cycles
constexpr double around_promotion = 150;   ///< cycles, where the other warpgroups do not hide all of it
constexpr double launch_of_split = 3e-6;   ///< seconds
constexpr double around_guard =
    4e-6; ///< seconds: a flag is cleared, and a kernel launched whose blocks end at once
constexpr double around_tile = 1500; ///< cycles between a tile's last product and the next one's first
constexpr double by_registers_reached = 0.91; ///< of the rate, where threads bring A to registers
constexpr double eased_by_cluster =
    0.98; ///< or need not wait, where numbers of 4 bytes come from shared memory

struct TileShape {
    int rows, columns, warpgroups, cluster_rows, cluster_columns;
};
constexpr std::array<TileShape, 10> shapes = {{{256, 128, 2, 1, 1},
                                               {256, 128, 2, 1, 2},
                                               {128, 256, 2, 1, 1},
                                               {128, 256, 2, 2, 1},
                                               {128, 192, 3, 1, 1},
                                               {128, 128, 2, 1, 1},
                                               {64, 128, 2, 1, 1},
                                               {256, 64, 1, 1, 1},
                                               {128, 64, 1, 1, 1},
                                               {64, 64, 1, 1, 1}}};
constexpr std::array<int, 2> depths = {1, 2}; ///< rows of shared memory, along the depth
/// Of the second cache, for what neighbours read of A.
constexpr double share_of_cache = 1.0 / 6;
constexpr Integer most_staged = 32768; ///< bytes of C, of rounded numbers
/// A tenth of an H100's memory; matrices of more are multiplied by threads.
constexpr Integer most_bytes_of_terms = Integer{8} << 30;
constexpr int most_stages = 8, most_in_group = 8, most_in_group_of_terms = 4;

/// What tensor cores multiply for products of float32.
struct Arithmetic {
    int terms = 0;
    int rounded = 0;
    int guarded = 0;
};
std::vector<Arithmetic> arithmetics(const MatrixProduct& oriented, Accuracy accuracy) {
    if (oriented.number_of_a() != Number::float32) return {{}};
    switch (accuracy) {
    case Accuracy::ordinary: return {{.terms = 3, .guarded = 1}};
    case Accuracy::ordinary_in_range: return {{.terms = 3}};
    case Accuracy::reduced: return {{.terms = 2}};
    case Accuracy::eleven_bits: return {{.rounded = 1}, {.terms = 2}};
    case Accuracy::low: return {{.rounded = 1}, {.terms = 1}};
    }
    return {};
}

bool may_turn_a(const Arithmetic& arithmetic, const MatrixProduct& oriented) {
    return arithmetic.rounded > 0 && oriented.a.column_stride != 1 && oriented.depth > 0;
}

/// Rows that fit what is kept for them where stages take the rest.
int staged_rows_of(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const Integer number = bytes_of(oriented.number_of_c());
    const Integer row = ir::tile_row_bytes / number;
    Integer rows = std::max<Integer>(row, std::min(64, schedule.block_rows));
    while (schedule.rounds() && rows > row && rows * schedule.block_columns * number > most_staged) rows /= 2;
    return static_cast<int>(rows);
}

/// Whether plans may take so much of a GPU's memory for terms.
bool is_worth_memory(const MatrixProduct& oriented, int terms) {
    const auto elements = [&](const MatrixLayout& layout, Integer rows, Integer columns) {
        return terms_of(layout, rows, columns, oriented.batch, terms).elements();
    };
    const Integer all = elements(oriented.a, oriented.rows, oriented.depth) +
                        elements(oriented.b, oriented.depth, oriented.columns);
    return all <= most_bytes_of_terms / bytes_of(Number::bfloat16);
}

/// Rows of tiles such that blocks that are there at once read the fewest lines of A and of B together: of 4 bytes hardly a row of tiles
/// would stay in cache for longer.
int squarish_group(const GpuSchedule& schedule, const target::Gpu& gpu) {
    const double blocks = gpu_rates(gpu).multiprocessors;
    const auto lines = [&](int group) {
        return group * schedule.block_rows + blocks / group * schedule.block_columns;
    };
    int group = 1;
    while (lines(2 * group) < lines(group)) group *= 2;
    return group;
}

/// Rows of tiles whose part of A stays in cache while a group of blocks reads it.
int group_of(const GpuSchedule& schedule, const MatrixProduct& oriented, const target::Gpu& gpu) {
    if (schedule.rounds()) return squarish_group(schedule, gpu);
    const double row = static_cast<double>(oriented.depth * bytes_of_factor(schedule, oriented)) *
                       schedule.block_rows * schedule.cluster_rows;
    const double rows = share_of_cache * static_cast<double>(gpu.l2_bytes) / std::max(row, 1.0);
    const int most = schedule.has_terms() ? most_in_group_of_terms : most_in_group;
    int group = 1;
    while (group < most && 2 * group <= rows) group *= 2;
    return group;
}

/// Lines of A and of B that a block loads, those that go across the cache's lines counted as what they cost.
double lines_loaded(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const auto weight = [&](const MatrixLayout& layout) {
        if (schedule.has_terms()) return 1.0;
        const Integer pitch = layout.row_stride == 1 ? layout.column_stride : layout.row_stride;
        return pitch * bytes_of(oriented.number_of_a()) % ir::tile_row_bytes == 0 ? 1.0 : across_lines;
    };
    return weight(oriented.a) * schedule.block_rows / schedule.cluster_columns +
           weight(oriented.b) * schedule.block_columns / schedule.cluster_rows;
}

/// Whether a thread has registers for promoted accumulators, their sums and what the compiler keeps beside them: where threads of three
/// warpgroups have 160, 128 of them for both, it spills, and kernels take up to twice as long.
bool has_registers_to_promote(const GpuSchedule& schedule) {
    return !schedule.promotes() || schedule.warpgroups < 3;
}

/// As many stages as there is room for.
bool add_stages(GpuSchedule& schedule, const MatrixProduct& oriented, const target::Gpu& gpu) {
    for (schedule.stages = most_stages; schedule.stages >= 3; --schedule.stages)
        if (tile_shared_bytes(schedule, oriented) <= gpu.shared_bytes_per_block_at_most) return true;
    return false;
}

void add_schedules(const TileShape& shape, const Arithmetic& arithmetic, const MatrixProduct& oriented,
                   const target::Gpu& gpu, Accuracy accuracy, int a_along_depth,
                   std::vector<GpuSchedule>& result) {
    for (const int rows_of_depth : depths) {
        GpuSchedule schedule;
        schedule.a_along_depth = a_along_depth;
        schedule.block_rows = shape.rows;
        schedule.block_columns = shape.columns;
        schedule.warpgroups = shape.warpgroups;
        schedule.cluster_rows = shape.cluster_rows;
        schedule.cluster_columns = shape.cluster_columns;
        schedule.terms = arithmetic.terms;
        schedule.rounded = arithmetic.rounded;
        schedule.guarded = arithmetic.guarded;
        const Integer bytes = bytes_of_factor(schedule, oriented);
        schedule.block_depth = rows_of_depth * static_cast<int>(ir::tile_row_bytes / bytes);
        if (schedule.has_terms() && accuracy <= Accuracy::ordinary_in_range) {
            schedule.run = longest_run / schedule.block_depth;
            schedule.promotion_interval = longest_promotion_interval(oriented.depth);
        }
        schedule.staged_rows = staged_rows_of(schedule, oriented);
        schedule.group = group_of(schedule, oriented, gpu);
        if (has_registers_to_promote(schedule) && add_stages(schedule, oriented, gpu) &&
            objection_to_tiles(schedule, oriented, gpu).empty())
            result.push_back(schedule);
    }
}

/// Of tensor cores' rate.
double part_reached(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const bool by_registers = has_fragments(schedule, oriented);
    const int columns = by_registers ? schedule.block_columns : schedule.block_rows; ///< of a product
    double part = reached * std::min(1.0, columns / (2 * narrow_lines));
    if (schedule.warpgroups == 1) part *= alone_reached;
    if (by_registers) {
        part *= by_registers_reached;
        if (schedule.block_rows > schedule.warpgroups * rows_of_product) part *= parts_reached;
    }
    return part;
}

} // namespace

GpuTileRates gpu_tile_rates(Integer bytes) {
    return {flops_of_short_numbers * 2 / static_cast<double>(bytes), loaded_bytes};
}

double gpu_tile_seconds(const GpuSchedule& schedule, const MatrixProduct& oriented, const target::Gpu& gpu) {
    const GpuRates rates = gpu_rates(gpu);
    const auto whole = [](Integer extent, Integer part) {
        return static_cast<double>(ceil_divide(extent, part));
    };
    const int cluster = schedule.cluster_rows * schedule.cluster_columns;
    const double tiles = whole(oriented.rows, Integer{schedule.block_rows} * schedule.cluster_rows) *
                         whole(oriented.columns, Integer{schedule.block_columns} * schedule.cluster_columns) *
                         static_cast<double>(oriented.batch);
    const double each = std::ceil(tiles / std::floor(rates.multiprocessors / cluster));
    const double sums = static_cast<double>(schedule.block_rows) * schedule.block_columns;
    const double products =
        schedule.has_terms() ? static_cast<double>(products_of_terms(schedule.terms).size()) : 1;
    const double depth = whole(oriented.depth, schedule.block_depth) * schedule.block_depth * products;
    const double bytes = static_cast<double>(bytes_of_factor(schedule, oriented));
    const double rate =
        gpu_tile_rates(bytes_of_factor(schedule, oriented)).flops * part_reached(schedule, oriented);
    const double loads = bytes * depth * lines_loaded(schedule, oriented) / loaded_bytes;
    const double of_tile = std::max(2 * sums * depth / rate, loads) + around_tile +
                           sums * static_cast<double>(bytes_of(oriented.number_of_c())) / staged_bytes;
    const double runs = schedule.run == 0 ? 0 : depth / (schedule.run * schedule.block_depth);
    const double promotions = schedule.promotes() ? depth / products / schedule.promotion_interval : 0;
    const double numbers =
        static_cast<double>((oriented.rows + oriented.columns) * oriented.depth * oriented.batch);
    const double split =
        schedule.has_terms() ? 2 * launch_of_split + numbers * (4 + 2 * schedule.terms) / rates.memory : 0;
    const auto seconds_to_turn = [&](Integer lines) {
        return launch_of_split +
               static_cast<double>(lines * oriented.depth * oriented.batch) * 2 * bytes / rates.memory;
    };
    const double turned = (turns_a(schedule, oriented) ? seconds_to_turn(oriented.rows) : 0) +
                          (turns_b(schedule, oriented) ? seconds_to_turn(oriented.columns) : 0);
    const bool is_eased = schedule.rounds() && !has_fragments(schedule, oriented);
    const double together = cluster == 1 ? 1 : is_eased ? eased_by_cluster : slowed_by_cluster;
    const double guard = schedule.is_guarded() ? around_guard : 0;
    return launch + split + guard + turned +
           each * together * (of_tile + runs * around_run + promotions * around_promotion) / rates.hertz;
}

std::vector<GpuSchedule> gpu_tile_schedules(const MatrixProduct& oriented, const target::Gpu& gpu,
                                            Accuracy accuracy) {
    std::vector<GpuSchedule> result;
    for (const Arithmetic& arithmetic : arithmetics(oriented, accuracy)) {
        if (arithmetic.terms > 0 && (oriented.depth == 0 || !is_worth_memory(oriented, arithmetic.terms)))
            continue;
        if (arithmetic.terms == 3 && longest_promotion_interval(oriented.depth) == 0) continue;
        for (const TileShape& shape : shapes)
            for (int a_along_depth = 0; a_along_depth <= (may_turn_a(arithmetic, oriented) ? 1 : 0);
                 ++a_along_depth)
                add_schedules(shape, arithmetic, oriented, gpu, accuracy, a_along_depth, result);
    }
    return result;
}

} // namespace swirl::gemm
