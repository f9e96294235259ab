// What a search over schedules tries, parameter by parameter.

#include "base/integer.hpp"
#include "search/matrix_search.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::search {

namespace {

using gemm::Schedule;

/// A tile that fills less of the registers has too few independent sums to hide the latency of multiply-adds.
constexpr double least_filled = 0.55;
constexpr std::size_t most_tiles = 16;

double registers_for_sums(Number number, const gemm::Tile& tile) {
    return gemm::scalars_in(number) * tile.vectors * tile.columns;
}

std::vector<Schedule> tiles(Number number, const target::Cpu& cpu, const Schedule& best, bool refines) {
    const gemm::Numbers numbers = gemm::Numbers::all(number);
    std::vector<Schedule> all;
    for (int vectors = 1; vectors <= 6; ++vectors)
        for (int columns = 1; columns <= 16; ++columns) {
            const gemm::Tile tile{best.tile.lanes, vectors, columns};
            const bool is_near =
                std::abs(vectors - best.tile.vectors) <= 1 && std::abs(columns - best.tile.columns) <= 1;
            if (!gemm::fits_registers(numbers, tile, cpu) || (refines && !is_near) ||
                registers_for_sums(number, tile) < least_filled * cpu.vector_registers)
                continue;
            all.push_back(refines ? best : gemm::model_schedule_of(numbers, tile, cpu));
            all.back().tile = tile;
        }
    std::stable_sort(all.begin(), all.end(), [&](const Schedule& a, const Schedule& b) {
        return gemm::cycles_of_step(numbers, a.tile, cpu) < gemm::cycles_of_step(numbers, b.tile, cpu);
    });
    if (all.size() > most_tiles) all.resize(most_tiles);
    return all;
}

/// The best with a parameter set to each of these.
template <class T>
std::vector<Schedule> with(const Schedule& best, T Schedule::*parameter, const std::vector<T>& values) {
    std::vector<Schedule> all;
    for (const T& value : values) {
        all.push_back(best);
        all.back().*parameter = value;
    }
    return all;
}

/// A block's extent times these, in multiples of a step.
std::vector<Schedule> scaled(const Schedule& best, Integer Schedule::*extent, Integer step, bool refines) {
    const std::vector<double> factors =
        refines ? std::vector{0.875, 1.125} : std::vector{0.5, 2.0, 0.25, 0.75, 1.5};
    std::vector<Integer> values;
    for (const double factor : factors) {
        const double value = factor * static_cast<double>(best.*extent) / static_cast<double>(step);
        values.push_back(std::max<Integer>(1, static_cast<Integer>(std::lround(value))) * step);
    }
    return with(best, extent, values);
}

} // namespace

std::span<const MatrixParameter> matrix_parameters() {
    static constexpr MatrixParameter all[] = {
        {"tile", tiles},
        {"unroll",
         [](Number, const target::Cpu&, const Schedule& best, bool refines) {
             return with(
                 best, &Schedule::unroll,
                 refines ? std::vector{best.unroll * 2, best.unroll / 2 + 1} : std::vector{1, 2, 4, 8, 16});
         }},
        {"depth",
         [](Number, const target::Cpu&, const Schedule& best, bool refines) {
             return scaled(best, &Schedule::block_depth, 8 * best.unroll, refines);
         }},
        {"rows", [](Number, const target::Cpu&, const Schedule& best,
                    bool refines) { return scaled(best, &Schedule::block_rows, best.tile.rows(), refines); }},
        {"columns",
         [](Number, const target::Cpu&, const Schedule& best, bool refines) {
             return scaled(best, &Schedule::block_columns, best.tile.columns, refines);
         }},
        {"order",
         [](Number, const target::Cpu&, const Schedule& best, bool refines) {
             return refines ? std::vector<Schedule>{}
                            : with(best, &Schedule::rows_inside, {!best.rows_inside});
         }},
        {"prefetch of C", [](Number, const target::Cpu&, const Schedule& best,
                             bool) { return with(best, &Schedule::prefetch_c, {!best.prefetch_c}); }},
        {"prefetch of the next panel",
         [](Number, const target::Cpu&, const Schedule& best, bool) {
             return with(best, &Schedule::prefetch_next, {!best.prefetch_next});
         }},
        {"prefetch of A",
         [](Number, const target::Cpu&, const Schedule& best, bool refines) {
             return with(best, &Schedule::prefetch_a,
                         refines ? std::vector{best.prefetch_a / 2, best.prefetch_a * 2}
                                 : std::vector{0, 2, 4, 8, 16});
         }},
    };
    return all;
}

} // namespace swirl::search
