#include "search/cost/cpu/gemm_cost.hpp"

#include "gemm/cpu/amx_kernel.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "plan/gemm/cpu/plan.hpp"

#include <algorithm>

namespace swirl::search {

namespace {

// The machine model (machine_model.hpp) brings what `swirl probe` measures: time of a vector operation, caches, bandwidths.
// None of the constants below is fitted by a command.

// Properties of x86 cores as their vendors publish them.
/// Latency in cycles of a multiply-add, and multiply-adds and loads per cycle: two ports for each.
constexpr double multiply_add_latency = 4, per_cycle = 2;
/// Cycles from one AMX tile multiplication to the next.
constexpr double amx_cycles = 16;

// Set by hand. To judge them, compare estimates with times: `swirl plan gemm …` prints the first, `swirl bench` the second.
/// Cycles to start a tile and to drain its multiply-adds, and for each vector of C that it loads and stores.
constexpr double tile_cycles = 16, vector_of_c_cycles = 2;
/// Cycles of a call of a generated kernel, and of a block's loops.
constexpr double call_cycles = 60, block_cycles = 200;
/// Bytes per cycle of packing within a core's private caches: panels are read and written once each.
constexpr double packing_bytes_per_cycle = 16;
/// Cycles to join and store one element of C whose partial sums lie in lanes, and for each tile of such elements.
constexpr double lane_sum_cycles = 2.5, dot_tile_cycles = 24;
/// Bytes per cycle from a core's own outer cache: half a cache line.
constexpr double outer_cache_bytes_per_cycle = 32;
/// Fraction of the rate of AMX tile multiplications that products reach.
constexpr double amx_fraction = 0.75;
/// Scalar multiply-adds per cycle of tiles that a compiler translated for the baseline, which has no fused ones.
constexpr double builtin_multiply_adds_per_cycle = 0.2;

double whole(Integer extent, Integer unit) { return static_cast<double>(ceil_divide(extent, unit)); }

class GemmCost {
public:
    GemmCost(const MatrixProduct& product, const planning::Schedule& schedule, const MachineModel& machine)
        : product_(planning::canonical(product)),
          schedule_(schedule.cpu_gemm()),
          machine_(machine),
          cpu_(target::cpu_named(schedule.target)) {}

    /// Of one matrix of a batch.
    double cycles() const {
        return std::visit([&](const auto& kernel) { return cycles_of(kernel); }, schedule_.kernel);
    }

private:
    double cycles_of(const gemm::EmptyGemm&) const { return call_cycles; }

    double cycles_of(const gemm::BuiltinGemm&) const {
        const double components = gemm::scalars_in(product_.data_type);
        const double multiply_adds = components * components * static_cast<double>(product_.rows) *
                                     static_cast<double>(product_.columns) * static_cast<double>(product_.k);
        return call_cycles + multiply_adds / builtin_multiply_adds_per_cycle;
    }

    double cycles_of(const gemm::UnpackedGemm& unpacked) const {
        const gemm::OperandTypes types = gemm::OperandTypes::all(product_.data_type);
        const bool packs_a = is_complex(product_.data_type) || product_.a.row_stride != 1;
        return call_cycles + tiles(types, unpacked.tile, unpacked.kc) +
               (packs_a ? 2 * bytes_of_a() / packing_bytes_per_cycle : 0) +
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
                                    : (bytes_of_a() + bytes_of_b()) / outer_cache_bytes_per_cycle;
        const double packed = (gemm::dot_packs_a(product_) ? bytes_of_a() : 0) +
                              (gemm::dot_packs_b(product_) ? bytes_of_b() : 0);
        return call_cycles +
               std::max(machine_.vector_operation * vectors * std::max({multiply_adds, loads, chained}),
                        streamed) +
               tiles * components * dot_tile_cycles +
               lane_sum_cycles * components * rows * columns * whole(product_.k, dot.kc) +
               2 * packed / packing_bytes_per_cycle + traffic(bytes_of_a() + bytes_of_b()) +
               traffic_of_c(dot.kc);
    }

    double cycles_of(const gemm::BlockedGemm& blocked) const {
        const gemm::OperandTypes types = gemm::operand_types_on(product_, cpu_);
        const double blocks = whole(product_.rows, blocked.mc) * whole(product_.columns, blocked.nc) *
                              whole(product_.k, blocked.kc);
        return call_cycles + blocks * block_cycles + tiles(types, blocked.tile, blocked.kc) +
               packing(blocked.nc) + traffic_of_c(blocked.kc);
    }

    double cycles_of(const gemm::AmxGemm& amx) const {
        const gemm::AmxTypes types = gemm::AmxTypes::of(product_);
        const double instructions = whole(product_.rows, gemm::amx_tile) *
                                    whole(product_.columns, gemm::amx_tile) *
                                    whole(product_.k, types.k_group()) * amx.term_products;
        return call_cycles + instructions * amx_cycles / amx_fraction + packing(amx.nc) +
               traffic_of_c(amx.kc);
    }

    /// The micro-kernel for all tiles; those at the edges cost what their vectors and columns do.
    double tiles(const gemm::OperandTypes& types, const gemm::Tile& tile, Integer kc) const {
        const double components = gemm::scalars_in(types.c);
        const double vectors = components * tile.vectors * tile.columns;
        const double unfused = cpu_.has_fma || !types.k_packing.is_plain() ? 1 : 2;
        const double of_k = machine_.vector_operation * components * vectors *
                            gemm::cycles_per_k(types, tile, cpu_) * unfused;
        const double count = whole(product_.rows, tile.lanes) / tile.vectors *
                             static_cast<double>(product_.columns) / tile.columns;
        return count * (whole(product_.k, types.k_packing.k_group()) * of_k +
                        whole(product_.k, kc) *
                            (tile_cycles + machine_.vector_operation * vector_of_c_cycles * vectors));
    }

    /// A once for each block of columns, B once.
    double packing(Integer nc) const {
        const double bytes = whole(product_.columns, nc) * bytes_of_a() + bytes_of_b();
        return 2 * bytes / packing_bytes_per_cycle + traffic(bytes);
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

    MatrixProduct product_;
    const gemm::CpuGemm& schedule_;
    const MachineModel& machine_;
    const target::Cpu& cpu_;
};

} // namespace

double gemm_seconds(const MatrixProduct& product, const planning::Schedule& schedule,
                    const MachineModel& machine, int threads) {
    const double cycles = GemmCost(product, schedule, machine).cycles() * static_cast<double>(product.batch);
    return cycles / machine.hertz / threads;
}

} // namespace swirl::search
