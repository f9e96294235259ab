#include "search/cost/cpu/gemm_cost.hpp"

#include "base/integer.hpp"
#include "gemm/cpu/amx_kernel.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::search {

namespace {

// The machine model (machine_model.hpp) brings what `swirl probe` measures: time of a vector operation, caches, bandwidths.

// Properties of x86 cores as their vendors publish them.
/// Latency in cycles of a multiply-add, and multiply-adds and loads per cycle: two ports for each.
constexpr double multiply_add_latency = 4, per_cycle = 2;
/// Cycles from one AMX tile multiplication to the next.
constexpr double amx_cycles = 16;

// Set by hand.
/// Fraction of the rate of AMX tile multiplications that products reach.
constexpr double amx_fraction = 0.75;
/// Scalar multiply-adds per cycle of tiles that a compiler translated for the baseline, which has no fused ones.
constexpr double builtin_multiply_adds_per_cycle = 0.2;

double whole(Integer extent, Integer unit) { return static_cast<double>(ceil_divide(extent, unit)); }

class GemmCost {
public:
    GemmCost(const MatrixProduct& product, const planning::Schedule& schedule, const MachineModel& machine,
             const GemmCostConstants& constants)
        : constants_(constants),
          product_(planning::canonical(product)),
          schedule_(schedule.cpu_gemm()),
          machine_(machine),
          cpu_(target::cpu_named(schedule.target)) {}

    /// Of one matrix of a batch.
    double cycles() const {
        return std::visit([&](const auto& kernel) { return cycles_of(kernel); }, schedule_.kernel);
    }

private:
    double cycles_of(const gemm::EmptyGemm&) const { return constants_.call; }

    double cycles_of(const gemm::BuiltinGemm&) const {
        const double components = gemm::scalars_in(product_.data_type);
        const double multiply_adds = components * components * static_cast<double>(product_.rows) *
                                     static_cast<double>(product_.columns) * static_cast<double>(product_.k);
        return constants_.call + multiply_adds / builtin_multiply_adds_per_cycle;
    }

    double cycles_of(const gemm::UnpackedGemm& unpacked) const {
        if (unpacked.along_columns) {
            gemm::UnpackedGemm rows = unpacked;
            rows.along_columns = false;
            GemmCost across = *this;
            across.product_ = transposed(product_);
            return across.cycles_of(rows) + constants_.scattered * static_cast<double>(product_.rows) *
                                                static_cast<double>(product_.columns) *
                                                (2 * whole(product_.k, unpacked.kc) - 1);
        }
        const gemm::OperandTypes types = gemm::OperandTypes::all(product_.data_type);
        const bool packs_a = is_complex(product_.data_type) || product_.a.row_stride != 1;
        const Tiles tiles{types,
                          unpacked.tile,
                          unpacked.kc,
                          unpacked.unroll,
                          constants_.unpacked_tile,
                          constants_.exposed_load,
                          !packs_a};
        const Traffic traffic = traffic_of(unpacked, packs_a);
        const auto overlapped = [](double one, double other, double not_overlapped) {
            return std::max(one, other) + not_overlapped * std::min(one, other);
        };
        const double panels_k = whole(product_.rows, unpacked.tile.rows()) * static_cast<double>(product_.k);
        const double core = overlapped(cycles_of(tiles), traffic.near, constants_.not_overlapped) +
                            (packs_a ? packing(bytes_of_a(), transposes_a(), panels_k) : 0);
        return constants_.call + overlapped(core, traffic.far, constants_.beyond_not_overlapped);
    }

    /// Cycles for what passes through a core's own outer cache, and through those beyond it.
    struct Traffic {
        double near = 0, far = 0;
    };

    /// What the tiles read and write. The outer loop's operand is read once, a tile at a
    /// time; the inner loop's is read again for each of these tiles. C is updated once for each block of K.
    Traffic traffic_of(const gemm::UnpackedGemm& unpacked, bool packs_a) const {
        const double element = bytes_of(1, 1, product_.data_type);
        const auto rows = static_cast<double>(product_.rows), columns = static_cast<double>(product_.columns);
        const double kc = static_cast<double>(std::min(unpacked.kc, product_.k));
        const double k_blocks = whole(product_.k, unpacked.kc);
        const double row_tiles = whole(product_.rows, unpacked.tile.rows()),
                     column_tiles = whole(product_.columns, unpacked.tile.columns);
        const bool by_rows = unpacked.rows_outermost;
        const double tile_rows = std::min<double>(unpacked.tile.rows(), rows),
                     tile_columns = std::min<double>(unpacked.tile.columns, columns);
        const double outer_tile = kc * element * (by_rows ? tile_rows : tile_columns);
        const double inner_block = kc * element * (by_rows ? columns : rows);
        const double outer_bytes = by_rows ? bytes_of_a() : bytes_of_b(),
                     inner_bytes = by_rows ? bytes_of_b() : bytes_of_a();
        const double all = bytes_of_a() + bytes_of_b() + bytes_of_c();
        const double nearest = machine_.nearest_cache_bytes, own = own_cache();
        if (all <= nearest) return {};

        const bool has_columns = product_.b.row_stride == 1;
        double near = bytes_of_a() + bytes_of_c(), far = 0;
        near +=
            bytes_of_b() * (has_columns ? 1 : lines_of_run(element * tile_columns, product_.b.row_stride));
        const double in_nearest = 0.75 * nearest;
        if (outer_tile > in_nearest) near += ((by_rows ? column_tiles : row_tiles) - 1) * outer_bytes;
        const double streams_of_a = !transposes_a() ? (rows > tile_rows ? kc : 1)
                                    : k_blocks > 1  ? rows
                                                    : tile_rows;
        const double streams_of_b = !has_columns   ? (columns > tile_columns ? kc : 1)
                                    : k_blocks > 1 ? columns
                                                   : tile_columns;
        const double order_of_a = unordered(
            streams_of_a, transposes_a() ? product_.a.row_stride : product_.a.column_stride,
            element * (transposes_a() ? kc : tile_rows),
            unpacked.prefetch_a && !packs_a ? constants_.unordered_prefetched : constants_.unordered);
        const double order_of_b =
            unordered(streams_of_b, has_columns ? product_.b.column_stride : product_.b.row_stride,
                      element * (has_columns ? kc : tile_columns), constants_.unordered) *
            (has_columns ? 1 : lines_of_run(element * tile_columns, product_.b.row_stride));
        const double inner_again = ((by_rows ? row_tiles : column_tiles) - 1) * inner_bytes;
        if (inner_block + outer_tile > own)
            far += inner_again * (by_rows ? order_of_b : order_of_a);
        else if (inner_block + outer_tile > in_nearest)
            near += inner_again;
        const double c_again = 2 * (k_blocks - 1) * bytes_of_c();
        const double order_of_c = unordered(by_rows ? columns : tile_columns, product_.c.column_stride,
                                            element * tile_rows, constants_.unordered_c);
        const double between = bytes_of_c() + kc * element * (rows + columns);
        if (between > own)
            far += c_again * order_of_c;
        else if (between > nearest)
            near += c_again;
        if (all > own) {
            const double missing = std::min(1.0, (all - own) / own);
            far += missing * (bytes_of_a() * order_of_a + bytes_of_b() * order_of_b);
            // Lines of C are read before they are written, and written back.
            far += missing * 2 * bytes_of_c() * order_of_c;
        }
        const double prefetches =
            unpacked.prefetch_a && !packs_a ? bytes_of_a() / target::line_bytes * column_tiles : 0;
        return {near / constants_.outer_cache_bytes + constants_.prefetch * prefetches, far / beyond(all)};
    }

    /// Bytes of the cache lines that a run of so many bytes touches, over its own; runs begin `stride` elements apart.
    double lines_of_run(double run, Integer stride) const {
        constexpr auto line = static_cast<double>(target::line_bytes);
        const bool is_aligned = std::fmod(run, line) == 0 &&
                                stride * swirl::bytes_of(product_.data_type) % target::line_bytes == 0;
        return is_aligned ? 1 : 1 + line / run * 0.5;
    }

    /// How much longer it takes to access so many streams of addresses in turns, each of them `run` contiguous bytes at a time.
    /// They begin `stride` elements apart. The hardware follows about one stream in each of so many pages; it needs some
    /// lines to find another.
    double unordered(double streams, Integer stride, double run, double constant) const {
        constexpr double page = 4096, followed = 32, found = 8 * target::line_bytes;
        const double bytes =
            static_cast<double>(stride < 0 ? -stride : stride) * bytes_of(1, 1, product_.data_type);
        const double pages = streams * std::min(1.0, bytes / page);
        if (pages <= followed) return 1;
        return 1 + constant * std::log2(pages / followed) * std::min(1.0, found / run);
    }

    double own_cache() const {
        return machine_.own_cache_bytes > 0 ? machine_.own_cache_bytes
                                            : static_cast<double>(cpu_.cache_bytes);
    }
    /// Bytes per cycle from the level that holds so many.
    double beyond(double bytes) const { return constants_.beyond_bytes * machine_.bytes_per_cycle(bytes); }

    /// Vectors along K of both operands, for each tile; then its sums over lanes.
    double cycles_of(const gemm::DotGemm& dot) const {
        const double components = gemm::scalars_in(product_.data_type);
        const auto rows = static_cast<double>(product_.rows), columns = static_cast<double>(product_.columns);
        const double row_tiles = whole(product_.rows, dot.rows),
                     column_tiles = whole(product_.columns, dot.columns);
        const double tiles = row_tiles * column_tiles * whole(product_.k, dot.kc);
        const double vectors = whole(product_.k * gemm::scalars_in(product_.data_type), dot.lanes);
        const double unfused = cpu_.has_fma ? 1 : 2;
        const double multiply_adds = unfused * components * rows * columns / per_cycle;
        // Of complex numbers, vectors of B are also needed with neighbours exchanged.
        const double loads = (rows * column_tiles + components * columns * row_tiles) / per_cycle;
        const double chained = row_tiles * column_tiles * multiply_add_latency / dot.chains;
        const double streamed = bytes_of_a() + bytes_of_b() <= machine_.nearest_cache_bytes
                                    ? 0
                                    : (bytes_of_a() + bytes_of_b()) / constants_.outer_cache_bytes;
        const double packed = (gemm::dot_packs_a(product_) ? packing(bytes_of_a(), true, 0) : 0) +
                              (gemm::dot_packs_b(product_) ? packing(bytes_of_b(), true, 0) : 0);
        return constants_.call +
               std::max(machine_.vector_operation * vectors * std::max({multiply_adds, loads, chained}),
                        streamed) +
               tiles * components * constants_.dot_tile +
               constants_.lane_sum * components * rows * columns * whole(product_.k, dot.kc) + packed +
               traffic(bytes_of_a() + bytes_of_b()) + traffic_of_c(dot.kc);
    }

    double cycles_of(const gemm::BlockedGemm& blocked) const {
        const gemm::OperandTypes types = gemm::operand_types_on(product_, cpu_);
        const double k_blocks = whole(product_.k, blocked.kc), row_blocks = whole(product_.rows, blocked.mc);
        const double blocks = row_blocks * whole(product_.columns, blocked.nc) * k_blocks;
        const double panels =
            k_blocks * (whole(product_.columns, blocked.nc) * whole(product_.rows, blocked.tile.rows()) +
                        whole(product_.columns, blocked.tile.columns));
        const Tiles tiles{
            types, blocked.tile, blocked.kc, blocked.unroll, constants_.blocked_tile, constants_.exposed_load,
            false};
        const auto kc = static_cast<double>(std::min(blocked.kc, product_.k));
        const auto order = [&](bool transposes, const MatrixLayout& layout, bool is_a, Integer width) {
            const Integer across = is_a ? layout.row_stride : layout.column_stride,
                          along = is_a ? layout.column_stride : layout.row_stride;
            const double element = bytes_of(1, 1, is_a ? product_.type_of_a() : product_.type_of_b());
            return transposes
                       ? unordered(static_cast<double>(width), across, element * kc, constants_.unordered)
                       : unordered(kc, along, element * static_cast<double>(width), constants_.unordered);
        };
        const double order_of_a = order(transposes_a(), product_.a, true, blocked.tile.rows()),
                     order_of_b = order(transposes_b(), product_.b, false, blocked.tile.columns);
        // A column of C is written a block of rows at a time.
        const double order_of_c = unordered(
            static_cast<double>(row_blocks > 1 ? std::min(product_.columns, blocked.nc)
                                               : blocked.tile.columns),
            product_.c.column_stride,
            bytes_of(1, 1, product_.type_of_c()) * static_cast<double>(std::min(blocked.mc, product_.rows)),
            constants_.unordered_c);
        const double bytes_of_block = kc * static_cast<double>(std::min(blocked.nc, product_.columns)) *
                                      bytes_of(1, 1, product_.type_of_b());
        const double far = traffic(whole(product_.columns, blocked.nc) * order_of_a * bytes_of_a() +
                                   order_of_b * bytes_of_b() + 2 * k_blocks * order_of_c * bytes_of_c() +
                                   (bytes_of_block > own_cache() ? 3 * bytes_of_b() : 0));
        const double core = blocks * constants_.block + panels * constants_.panel + cycles_of(tiles) +
                            packing_of_both(blocked.nc, blocked.tile);
        // Nothing is multiplied while panels are packed.
        return constants_.call + core + far;
    }

    double cycles_of(const gemm::AmxGemm& amx) const {
        const gemm::AmxTypes types = gemm::AmxTypes::of(product_);
        const double instructions = whole(product_.rows, gemm::amx_tile) *
                                    whole(product_.columns, gemm::amx_tile) *
                                    whole(product_.k, types.k_group()) * amx.term_products;
        return constants_.call + instructions * amx_cycles / amx_fraction +
               packing_of_both(amx.nc, {1, gemm::amx_tile, gemm::amx_tile}) +
               traffic(whole(product_.columns, amx.nc) * bytes_of_a() + bytes_of_b()) + traffic_of_c(amx.kc);
    }

    /// How a product is cut into tiles, and what one costs beyond its multiply-adds.
    struct Tiles {
        const gemm::OperandTypes& types;
        const gemm::Tile& tile;
        Integer kc;
        int unroll;
        double start;          ///< cycles to begin and end a tile
        double exposed_load;   ///< cycles of a load that multiply-adds do not hide
        bool reads_a_in_place; ///< rows at the edge are parts of vectors
    };

    double cycles_of(const Tiles& tiles) const {
        const gemm::Tile& tile = tiles.tile;
        const Integer rows = product_.rows, columns = product_.columns;
        double cycles = 0;
        for (const bool last_rows : {false, true})
            for (const bool last_columns : {false, true}) {
                const Integer of_rows = last_rows ? rows % tile.rows() : std::min<Integer>(tile.rows(), rows);
                const Integer of_columns =
                    last_columns ? columns % tile.columns : std::min<Integer>(tile.columns, columns);
                const double count = (last_rows ? 1 : static_cast<double>(rows / tile.rows())) *
                                     (last_columns ? 1 : static_cast<double>(columns / tile.columns));
                if (of_rows > 0 && of_columns > 0 && count > 0)
                    cycles += count * cycles_of_one(tiles, of_rows, of_columns);
            }
        return cycles;
    }

    double cycles_of_one(const Tiles& tiles, Integer rows, Integer columns) const {
        const double components = gemm::scalars_in(tiles.types.c);
        const auto in_columns = static_cast<double>(columns);
        const double vectors = whole(rows, tiles.tile.lanes);
        const double accumulators = components * vectors * in_columns;
        const double unfused = cpu_.has_fma || !tiles.types.k_packing.is_plain() ? 1 : 2;
        const double parts = tiles.reads_a_in_place && rows % tiles.tile.lanes != 0 ? 1 : 0;
        const double loads = components * (vectors + in_columns);
        const double of_k = std::max({unfused * components * accumulators / per_cycle,
                                      components * multiply_add_latency, loads / per_cycle}) +
                            tiles.exposed_load * loads + constants_.masked_load * parts +
                            constants_.loop_iteration / tiles.unroll;
        const Integer k_group = tiles.types.k_packing.k_group();
        return whole(product_.k, k_group) * machine_.vector_operation * of_k +
               whole(product_.k, tiles.kc) *
                   (tiles.start + constants_.column_of_c * in_columns +
                    machine_.vector_operation * constants_.vector_of_c * accumulators);
    }

    bool transposes_a() const { return product_.a.row_stride != 1; }
    bool transposes_b() const { return product_.b.column_stride != 1; }

    /// `panels_k`: indices k of all panels.
    double packing(double bytes, bool transposes, double panels_k) const {
        return constants_.packed_k * panels_k +
               2 * bytes / (transposes ? constants_.transposing_bytes : constants_.packing_bytes);
    }

    /// A once for each block of columns, B once.
    double packing_of_both(Integer nc, const gemm::Tile& tile) const {
        const double bytes = whole(product_.columns, nc) * bytes_of_a();
        const auto k = static_cast<double>(product_.k);
        return packing(bytes, transposes_a(),
                       k * whole(product_.columns, nc) * whole(product_.rows, tile.rows())) +
               packing(bytes_of_b(), transposes_b(), k * whole(product_.columns, tile.columns));
    }

    /// The first block along K overwrites C; the others update it.
    double traffic_of_c(Integer kc) const { return (2 * whole(product_.k, kc) - 1) * traffic(bytes_of_c()); }

    /// Beyond the core's private caches; within them multiply-adds hide it.
    double traffic(double bytes) const {
        const double all = bytes_of_a() + bytes_of_b() + bytes_of_c();
        const double own = own_cache();
        return all <= own ? 0 : std::min(1.0, (all - own) / own) * bytes / beyond(all);
    }

    double bytes_of_a() const { return bytes_of(product_.rows, product_.k, product_.type_of_a()); }
    double bytes_of_b() const { return bytes_of(product_.k, product_.columns, product_.type_of_b()); }
    double bytes_of_c() const { return bytes_of(product_.rows, product_.columns, product_.type_of_c()); }
    static double bytes_of(Integer rows, Integer columns, DataType type) {
        return static_cast<double>(rows) * static_cast<double>(columns) *
               static_cast<double>(swirl::bytes_of(type));
    }

    const GemmCostConstants& constants_;
    MatrixProduct product_;
    const gemm::CpuGemm& schedule_;
    const MachineModel& machine_;
    const target::Cpu& cpu_;
};

/// What the thread with the largest share of the product computes.
MatrixProduct largest_share(const MatrixProduct& product, const gemm::CpuGemm& schedule, int threads) {
    MatrixProduct share = planning::canonical(product);
    if (threads <= 1 || product.batch > 1) return share;
    if (schedule.unpacked() != nullptr || schedule.dot() != nullptr) {
        const planning::SmallShares shares = planning::small_shares(share, schedule, threads, 1);
        share.rows = shares.rows.extent;
        share.columns = shares.columns.extent;
        return share;
    }
    const auto [along_rows, along_columns] = planning::thread_grid(threads, share);
    const gemm::BlockedGemm* const blocked = schedule.blocked();
    const Integer row_step = blocked != nullptr ? blocked->tile.rows() : gemm::amx_tile;
    const Integer column_step = blocked != nullptr ? blocked->tile.columns : gemm::amx_tile;
    const auto of_one = [](Integer extent, Integer parts, Integer step) {
        return std::min(extent, ceil_divide(ceil_divide(extent, step), parts) * step);
    };
    share.rows = of_one(share.rows, along_rows, row_step);
    share.columns = of_one(share.columns, along_columns, column_step);
    return share;
}

} // namespace

double gemm_seconds(const MatrixProduct& product, const planning::Schedule& schedule,
                    const MachineModel& machine, int threads, const GemmCostConstants& constants) {
    const bool is_empty = std::min({product.rows, product.columns, product.k, product.batch}) == 0;
    const MatrixProduct share = is_empty ? product : largest_share(product, schedule.cpu_gemm(), threads);
    const double cycles = GemmCost(share, schedule, machine, constants).cycles();
    if (product.batch <= 1 || is_empty) return cycles / machine.hertz;
    return cycles * static_cast<double>(product.batch) / machine.hertz / threads;
}

} // namespace swirl::search
