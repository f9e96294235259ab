#include "gemm/gpu/scheduler/stream_k.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/scalar.hpp"

namespace swirl::gemm {

StreamKPartition stream_k_of(const SimtGemm& schedule, const MatrixProduct& canonical) {
    StreamKPartition stream;
    stream.tiles_m = ceil_divide(canonical.rows, Integer{schedule.cta_tile.m});
    stream.tiles_n = ceil_divide(canonical.columns, Integer{schedule.cta_tile.n});
    stream.batch = canonical.batch;
    stream.k_tiles = ceil_divide(canonical.k, Integer{schedule.cta_tile.k});
    stream.padding = stream.k_tiles * schedule.cta_tile.k - canonical.k;
    stream.blocks = schedule.stream_k()->blocks;
    stream.data_parallel_tiles = schedule.stream_k()->data_parallel_tiles;
    return stream;
}

std::vector<SimtGemm> stream_k_candidates(const SimtGemm& schedule, const CanonicalGemm& canonical,
                                          const target::Gpu& gpu) {
    if (schedule.decomposition != SimtGemm{}.decomposition) return {};
    const Integer blocks = Integer{gpu.multiprocessors} * gpu_resident_blocks({canonical, schedule}, gpu);
    if (blocks == 0 || blocks > max_parameter) return {};
    SimtGemm stream = schedule;
    StreamK stream_k{.blocks = static_cast<int>(blocks)};
    stream.decomposition = stream_k;
    const Integer tiles = stream_k_of(stream, canonical.product).tiles(), waves = tiles / blocks;
    if (tiles % blocks == 0 || waves > max_parameter) return {};
    std::vector<SimtGemm> result;
    for (const Integer whole : {waves, waves - 1}) {
        stream_k.data_parallel_tiles = static_cast<int>(whole);
        stream.decomposition = stream_k;
        if (waves > 0 && whole >= 0) result.push_back(stream);
    }
    return result;
}

} // namespace swirl::gemm
