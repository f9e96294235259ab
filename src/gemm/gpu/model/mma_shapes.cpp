#include "gemm/gpu/model/mma_shapes.hpp"

#include <algorithm>
#include <optional>

namespace swirl::gemm {

namespace {

constexpr int mma_extents_m[] = {16, 32, 48, 64, 96, 128};
constexpr int mma_extents_n[] = {8, 16, 24, 32, 48, 64, 96, 128};
constexpr int numbers_of_warps[] = {2, 4, 8};
constexpr int numbers_of_slices[] = {1, 2, 4};
constexpr int most_outputs_of_two_warps = 1024; ///< larger tiles keep two warps busy for too long
constexpr Extents mma_lanes{.m = 8, .n = 4};

/// What differs between the types that tensor cores multiply.
struct MmaType {
    int instruction_k = 4;
    int k_of_slice = 16;        ///< of a k-tile
    int most_accumulators = 64; ///< of a thread
};
constexpr MmaType float64_mma{.instruction_k = 4, .k_of_slice = 16, .most_accumulators = 64};
constexpr MmaType half_precision_mma{.instruction_k = 16, .k_of_slice = 32, .most_accumulators = 128};

/// The thread tile with the fewest rows and columns in a warp tile, if so many warps can share the tile.
std::optional<Extents> thread_tile_for(int m, int n, int warps, int most_accumulators) {
    std::optional<Extents> result;
    const auto loaded = [](const Extents& tile) { return tile.m * mma_lanes.m + tile.n * mma_lanes.n; };
    for (int along_m = 1; along_m <= warps; ++along_m) {
        if (warps % along_m != 0 || m % (2 * mma_lanes.m * along_m) != 0 ||
            n % (2 * mma_lanes.n * (warps / along_m)) != 0)
            continue;
        const Extents tile{.m = m / (mma_lanes.m * along_m), .n = n / (mma_lanes.n * (warps / along_m))};
        if (tile.m * tile.n <= most_accumulators && (!result || loaded(tile) < loaded(*result)))
            result = tile;
    }
    return result;
}

} // namespace

std::vector<SimtGemm> mma_shapes(const MatrixProduct& canonical) {
    const MmaType& type = canonical.data_type == DataType::float64 ? float64_mma : half_precision_mma;
    std::vector<SimtGemm> result;
    for (const int m : mma_extents_m)
        for (const int n : mma_extents_n)
            for (const int warps : numbers_of_warps)
                for (const int slices : numbers_of_slices) {
                    if (warps % slices != 0 || m > canonical.rows || n > canonical.columns) continue;
                    if (warps == 2 && m * n > most_outputs_of_two_warps) continue;
                    const auto thread_tile = thread_tile_for(m, n, warps / slices, type.most_accumulators);
                    if (!thread_tile) continue;
                    SimtGemm shape{.cta_tile = {.m = m, .n = n, .k = type.k_of_slice * slices},
                                   .thread_tile = *thread_tile,
                                   .math = MmaSync{.k = type.instruction_k},
                                   .sliced_k = slices};
                    result.push_back(shape);
                }
    return result;
}

} // namespace swirl::gemm
