#include "search/candidates/cpu/gemm.hpp"

#include "base/integer.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "problem/matrix_product.hpp"
#include "search/cost/cpu/gemm_cost.hpp"
#include "search/timer/cpu/gemm_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {

namespace {

using gemm::BlockedGemm;

/// A register tile that fills less than this fraction of the registers has too few independent accumulators to hide the
/// latency of multiply-adds.
constexpr double least_filled = 0.55;
constexpr std::size_t most_tiles = 16;
constexpr double clearly_faster_blocks = 1.004;

double accumulator_registers(DataType data_type, const gemm::Tile& tile) {
    return gemm::scalars_in(data_type) * tile.vectors * tile.columns;
}

std::vector<BlockedGemm> tiles(DataType data_type, const target::Cpu& cpu, const BlockedGemm& best,
                               bool refines) {
    const gemm::OperandTypes types = gemm::OperandTypes::all(data_type);
    std::vector<BlockedGemm> all;
    for (int vectors = 1; vectors <= 6; ++vectors)
        for (int columns = 1; columns <= 16; ++columns) {
            const gemm::Tile tile{best.tile.lanes, vectors, columns};
            const bool is_near =
                std::abs(vectors - best.tile.vectors) <= 1 && std::abs(columns - best.tile.columns) <= 1;
            if (!gemm::fits_registers(types, tile, cpu) || (refines && !is_near) ||
                accumulator_registers(data_type, tile) < least_filled * cpu.vector_registers)
                continue;
            all.push_back(refines ? best : gemm::model_schedule_of(types, tile, cpu));
            all.back().tile = tile;
        }
    std::stable_sort(all.begin(), all.end(), [&](const BlockedGemm& a, const BlockedGemm& b) {
        return gemm::cycles_per_k(types, a.tile, cpu) < gemm::cycles_per_k(types, b.tile, cpu);
    });
    if (all.size() > most_tiles) all.resize(most_tiles);
    return all;
}

/// The best schedule with a parameter set to each of these values.
template <class T>
std::vector<BlockedGemm> with(const BlockedGemm& best, T BlockedGemm::*parameter,
                              const std::vector<T>& values) {
    std::vector<BlockedGemm> all;
    for (const T& value : values) {
        all.push_back(best);
        all.back().*parameter = value;
    }
    return all;
}

/// A block's extent scaled by these factors, in multiples of `unit`.
std::vector<BlockedGemm> scaled(const BlockedGemm& best, Integer BlockedGemm::*extent, Integer unit,
                                bool refines) {
    const std::vector<double> factors =
        refines ? std::vector{0.875, 1.125} : std::vector{0.5, 2.0, 0.25, 0.75, 1.5};
    std::vector<Integer> values;
    for (const double factor : factors) {
        const double value = factor * static_cast<double>(best.*extent) / static_cast<double>(unit);
        values.push_back(std::max<Integer>(1, static_cast<Integer>(std::lround(value))) * unit);
    }
    return with(best, extent, values);
}

/// Equal for schedules with which GEMMs of all tuned extents run the same code.
std::string code_of(BlockedGemm schedule) {
    std::string text;
    for (const Integer extent : tuned_extents()) {
        const Integer k_extent = gemm::balanced_block(extent, schedule.kc, schedule.unroll);
        const gemm::BlockSizes sizes = gemm::blocks_of(schedule, extent, k_extent, extent, k_extent);
        text += fmt::format("{} {} {}, ", sizes.mc, sizes.kc, sizes.nc);
    }
    schedule.mc = schedule.kc = schedule.nc = 1;
    return text + to_string(schedule);
}

/// Rows or columns of C up to which lanes along K are considered, and bytes that such a kernel may copy first.
constexpr Integer most_thin = 16, most_packed_along_k = 1 << 20;

} // namespace

gemm::BlockedGemm with_kc(gemm::BlockedGemm blocked, Integer kc) {
    const auto scaled = [&](Integer extent) {
        return std::clamp<Integer>(extent * blocked.kc / kc, 1, extent);
    };
    blocked.mc = scaled(blocked.mc);
    blocked.nc = scaled(blocked.nc);
    blocked.kc = kc;
    return blocked;
}

std::string_view dot_candidate_infeasibility(const MatrixProduct& canonical, const target::Cpu& cpu) {
    if (const std::string_view why = gemm::dot_gemm_infeasibility(canonical); !why.empty()) return why;
    if (std::min(canonical.rows, canonical.columns) > most_thin)
        return "C has many rows and columns: elements of A and B are reused enough";
    if (gemm::dot_packed_bytes(canonical, gemm::model_dot(canonical, cpu)) > most_packed_along_k)
        return "operands that are not contiguous along k are too large to copy";
    return "";
}

namespace {

/// K extents that unpacked kernels may take at once, first that of packed blocks. Smaller ones keep a tile's operands in L1,
/// and read few columns of a large operand at once.
std::vector<Integer> kc_candidates(const MatrixProduct& product, const target::Cpu& cpu, Integer first) {
    constexpr Integer deep[] = {2048, 512, 128}, shallow[] = {64, 32, 16, 8}, l1_bytes = 48 << 10, step = 8;
    std::vector<Integer> result{std::min(first, product.k)};
    const Integer bytes =
        bytes_of(product.data_type) *
        (product.rows * product.k + product.k * product.columns + product.rows * product.columns);
    const auto add = [&](Integer most) {
        if (2 * product.k < 3 * most) return;
        const Integer kc = gemm::balanced_block(product.k, most, step);
        if (std::find(result.begin(), result.end(), kc) == result.end()) result.push_back(kc);
    };
    if (bytes > l1_bytes)
        for (const Integer most : deep) add(most);
    if (bytes > cpu.cache_bytes)
        for (const Integer most : shallow) add(most);
    return result;
}

/// Whether K is hardly longer than a block and a panel of B stays in the nearest cache, beside a tile of C and what is read of A, with
/// all of K: C then needs no updates.
bool has_one_block_of_k(const gemm::BlockedGemm& blocked, const MatrixProduct& product,
                        const MachineModel& machine) {
    constexpr double fraction = 0.9;
    if (2 * product.k > 3 * blocked.kc) return false;
    const Integer panel = product.k * blocked.tile.columns * bytes_of(product.type_of_b());
    return static_cast<double>(panel) <= fraction * machine.nearest_cache_bytes;
}

/// Why no kernel of the whole product is considered; empty if some are.
std::string_view unpacked_candidate_infeasibility(const MatrixProduct& product) {
    constexpr Integer most_thin_unpacked = 160;
    const std::string_view why = gemm::small_gemm_infeasibility(product);
    if (why.empty()) return why;
    const bool is_possible = !product.widens() && !product.converts() && product.c.row_stride == 1;
    return is_possible && std::min({product.rows, product.columns, product.k}) <= most_thin_unpacked ? ""
                                                                                                     : why;
}

/// Kernels of the whole product: of the tiles that take the least time if no more than K in its usual blocks decides, those with
/// other blocks and both orders of the loops.
void add_unpacked(const MatrixProduct& product, const target::Cpu& cpu, const MachineModel& machine,
                  Integer first_kc, bool along_columns, std::vector<planning::Schedule>& result) {
    constexpr std::size_t most_tiles_in_blocks = 8;
    const MatrixProduct across = along_columns ? transposed(product) : product;
    const std::vector<Integer> kcs = kc_candidates(product, cpu, first_kc);
    const auto schedule_of = [&](const gemm::Tile& tile, Integer kc, bool rows_outermost) {
        gemm::UnpackedGemm unpacked = gemm::unpacked_with(across, kc, cpu, tile, rows_outermost);
        unpacked.along_columns = along_columns;
        if (along_columns) unpacked.prefetch_c = false;
        return planning::Schedule{cpu.name, gemm::CpuGemm{unpacked}};
    };
    const bool smaller_stays = across.columns < across.rows;
    std::vector<std::pair<double, gemm::Tile>> tiles;
    for (const gemm::Tile& tile : gemm::unpacked_tiles(across, cpu)) {
        const planning::Schedule usual = schedule_of(tile, kcs.front(), smaller_stays);
        tiles.emplace_back(gemm_seconds(product, usual, machine), tile);
        result.push_back(usual);
    }
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (tiles.size() > most_tiles_in_blocks) tiles.resize(most_tiles_in_blocks);
    for (const auto& [seconds, tile] : tiles)
        for (const Integer kc : kcs)
            for (const bool rows_outermost : {false, true})
                if (kc != kcs.front() || rows_outermost != smaller_stays)
                    result.push_back(schedule_of(tile, kc, rows_outermost));
}

} // namespace

std::vector<planning::Schedule> gemm_candidates(const MatrixProduct& canonical, const target::Cpu& cpu,
                                                const gemm::BlockedGemm& blocked, BlockOrigin origin) {
    std::vector<planning::Schedule> result;
    const MachineModel& machine = known_machine_model(cpu);
    const auto add = [&](auto kernel) { result.emplace_back(cpu.name, gemm::CpuGemm{std::move(kernel)}); };
    const bool is_small = gemm::suits_small_gemm(canonical);
    const Integer kc = is_small ? gemm::small_kc(canonical, cpu) : blocked.kc;
    if (unpacked_candidate_infeasibility(canonical).empty()) {
        const Integer first_kc = planning::kc_of_blocks(with_kc(blocked, kc), canonical, cpu);
        add_unpacked(canonical, cpu, machine, first_kc, false, result);
        if (gemm::along_columns_infeasibility(canonical).empty())
            add_unpacked(canonical, cpu, machine, first_kc, true, result);
    }
    if (dot_candidate_infeasibility(canonical, cpu).empty()) add(gemm::model_dot(canonical, cpu));
    add(with_kc(blocked, kc));
    if (origin == BlockOrigin::model && kc < canonical.k && has_one_block_of_k(blocked, canonical, machine))
        add(with_kc(blocked, canonical.k));
    return result;
}

std::vector<planning::Schedule> ranked_gemm_candidates(const MatrixProduct& canonical, const target::Cpu& cpu,
                                                       const gemm::BlockedGemm& blocked, BlockOrigin origin) {
    const MachineModel& machine = known_machine_model(cpu);
    std::vector<std::pair<double, planning::Schedule>> rated;
    for (planning::Schedule& schedule : gemm_candidates(canonical, cpu, blocked, origin)) {
        const double seconds = gemm_seconds(canonical, schedule, machine);
        rated.emplace_back(seconds, std::move(schedule));
    }
    std::stable_sort(rated.begin(), rated.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<planning::Schedule> result;
    for (auto& [seconds, schedule] : rated) result.push_back(std::move(schedule));
    return result;
}

std::span<const BlockedGemmParameter> blocked_gemm_parameters() {
    static constexpr BlockedGemmParameter all[] = {
        {"tile", tiles},
        {"unroll",
         [](DataType, const target::Cpu&, const BlockedGemm& best, bool refines) {
             return with(
                 best, &BlockedGemm::unroll,
                 refines ? std::vector{best.unroll * 2, best.unroll / 2 + 1} : std::vector{1, 2, 4, 8, 16});
         }},
        {"kc", [](DataType, const target::Cpu&, const BlockedGemm& best,
                  bool refines) { return scaled(best, &BlockedGemm::kc, 8 * best.unroll, refines); }},
        {"mc", [](DataType, const target::Cpu&, const BlockedGemm& best,
                  bool refines) { return scaled(best, &BlockedGemm::mc, best.tile.rows(), refines); }},
        {"nc", [](DataType, const target::Cpu&, const BlockedGemm& best,
                  bool refines) { return scaled(best, &BlockedGemm::nc, best.tile.columns, refines); }},
        {"order",
         [](DataType, const target::Cpu&, const BlockedGemm& best, bool refines) {
             return refines ? std::vector<BlockedGemm>{}
                            : with(best, &BlockedGemm::rows_innermost, {!best.rows_innermost});
         }},
        {"prefetch of C", [](DataType, const target::Cpu&, const BlockedGemm& best,
                             bool) { return with(best, &BlockedGemm::prefetch_c, {!best.prefetch_c}); }},
        {"prefetch of the next panel",
         [](DataType, const target::Cpu&, const BlockedGemm& best, bool) {
             return with(best, &BlockedGemm::prefetch_next, {!best.prefetch_next});
         }},
        {"prefetch of A",
         [](DataType, const target::Cpu&, const BlockedGemm& best, bool refines) {
             return with(best, &BlockedGemm::prefetch_a,
                         refines ? std::vector{best.prefetch_a / 2, best.prefetch_a * 2}
                                 : std::vector{0, 2, 4, 8, 16});
         }},
    };
    return all;
}

MatrixProduct tuned_product(DataType data_type) {
    const Integer extent = tuned_extents().back();
    return MatrixProduct::column_major(data_type, extent, extent, extent);
}

SearchSpace cpu_gemm_space(DataType data_type, const target::Cpu& cpu,
                           std::vector<planning::Schedule> others) {
    const auto blocked = [](const planning::Schedule& schedule) { return *schedule.cpu_gemm().blocked(); };
    SearchSpace space{.estimate = {cpu.name, gemm::CpuGemm{gemm::model_schedule(data_type, cpu)}}};
    if (!others.empty())
        space.proposals = [others = std::move(others)](Benchmark&, double) { return others; };
    for (const bool refines : {false, true})
        for (const BlockedGemmParameter& parameter : blocked_gemm_parameters())
            space.actions.push_back({std::string(parameter.name) + (refines ? ", refined" : ""),
                                     [=, &cpu, &parameter](const planning::Schedule& incumbent, auto) {
                                         std::vector<planning::Schedule> result;
                                         for (const BlockedGemm& candidate : parameter.candidates(
                                                  data_type, cpu, blocked(incumbent), refines))
                                             result.emplace_back(cpu.name, gemm::CpuGemm{candidate});
                                         return result;
                                     }});
    space.identity = [=](const planning::Schedule& schedule) { return code_of(blocked(schedule)); };
    space.compared_at_once = 1;
    space.clearly_faster = clearly_faster_blocks;
    return space;
}

} // namespace swirl::search
