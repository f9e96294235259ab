#include "search/cost/cpu/gemm_cost.hpp"

#include "base/integer.hpp"
#include "gemm/cpu/amx_kernel.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>

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
                          constants_.unpacked_load,
                          !packs_a};
        return constants_.call + cycles_of(tiles) + (packs_a ? packing(bytes_of_a(), transposes_a()) : 0) +
               traffic(bytes_of_a() + bytes_of_b()) + traffic_of_c(unpacked.kc);
    }

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
        const double packed = (gemm::dot_packs_a(product_) ? packing(bytes_of_a(), true) : 0) +
                              (gemm::dot_packs_b(product_) ? packing(bytes_of_b(), true) : 0);
        return constants_.call +
               std::max(machine_.vector_operation * vectors * std::max({multiply_adds, loads, chained}),
                        streamed) +
               tiles * components * constants_.dot_tile +
               constants_.lane_sum * components * rows * columns * whole(product_.k, dot.kc) + packed +
               traffic(bytes_of_a() + bytes_of_b()) + traffic_of_c(dot.kc);
    }

    double cycles_of(const gemm::BlockedGemm& blocked) const {
        const gemm::OperandTypes types = gemm::operand_types_on(product_, cpu_);
        const double blocks = whole(product_.rows, blocked.mc) * whole(product_.columns, blocked.nc) *
                              whole(product_.k, blocked.kc);
        const double panels = whole(product_.k, blocked.kc) * (whole(product_.columns, blocked.nc) *
                                                                   whole(product_.rows, blocked.tile.rows()) +
                                                               whole(product_.columns, blocked.tile.columns));
        const Tiles tiles{types, blocked.tile, blocked.kc, blocked.unroll, constants_.blocked_tile, 0, false};
        return constants_.call + blocks * constants_.block + panels * constants_.panel + cycles_of(tiles) +
               packing_of_both(blocked.nc) + traffic_of_c(blocked.kc);
    }

    double cycles_of(const gemm::AmxGemm& amx) const {
        const gemm::AmxTypes types = gemm::AmxTypes::of(product_);
        const double instructions = whole(product_.rows, gemm::amx_tile) *
                                    whole(product_.columns, gemm::amx_tile) *
                                    whole(product_.k, types.k_group()) * amx.term_products;
        return constants_.call + instructions * amx_cycles / amx_fraction + packing_of_both(amx.nc) +
               traffic_of_c(amx.kc);
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
                   (tiles.start + machine_.vector_operation * constants_.vector_of_c * accumulators);
    }

    bool transposes_a() const { return product_.a.row_stride != 1; }
    bool transposes_b() const { return product_.b.column_stride != 1; }

    double packing(double bytes, bool transposes) const {
        return 2 * bytes / (transposes ? constants_.transposing_bytes : constants_.packing_bytes);
    }

    /// A once for each block of columns, B once.
    double packing_of_both(Integer nc) const {
        const double bytes = whole(product_.columns, nc) * bytes_of_a();
        return packing(bytes, transposes_a()) + packing(bytes_of_b(), transposes_b()) +
               traffic(bytes + bytes_of_b());
    }

    /// The first block along K overwrites C; the others update it.
    double traffic_of_c(Integer kc) const { return (2 * whole(product_.k, kc) - 1) * traffic(bytes_of_c()); }

    /// Beyond the core's private caches; within them multiply-adds hide it.
    double traffic(double bytes) const {
        const double all = bytes_of_a() + bytes_of_b() + bytes_of_c();
        const double own =
            machine_.own_cache_bytes > 0 ? machine_.own_cache_bytes : static_cast<double>(cpu_.cache_bytes);
        return all <= own ? 0 : bytes / machine_.bytes_per_cycle(all);
    }

    double bytes_of_a() const { return bytes(product_.rows, product_.k, product_.type_of_a()); }
    double bytes_of_b() const { return bytes(product_.k, product_.columns, product_.type_of_b()); }
    double bytes_of_c() const { return bytes(product_.rows, product_.columns, product_.type_of_c()); }
    static double bytes(Integer rows, Integer columns, DataType type) {
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
        (shares.of_rows ? share.rows : share.columns) = shares.extent;
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
