#include "gemm/gpu/scheduler/stream_k.hpp"

#include "gemm/cpu/tile.hpp"
#include "gemm/gpu/model/model.hpp"

namespace swirl::gemm {

StreamK stream_k_of(const GpuSchedule& schedule, const MatrixProduct& canonical) {
    StreamK stream;
    stream.tiles_m = ceil_divide(canonical.rows, Integer{schedule.cta_m});
    stream.tiles_n = ceil_divide(canonical.columns, Integer{schedule.cta_n});
    stream.batch = canonical.batch;
    stream.k_tiles = ceil_divide(canonical.k, Integer{schedule.cta_k});
    stream.padding = stream.k_tiles * schedule.cta_k - canonical.k;
    stream.blocks = schedule.stream_k_blocks;
    stream.data_parallel_tiles = schedule.data_parallel_tiles;
    return stream;
}

std::vector<GpuSchedule> stream_k_candidates(const GpuSchedule& schedule, const MatrixProduct& product,
                                             const target::Gpu& gpu) {
    if (schedule.is_wgmma() || schedule.split_k > 1 || schedule.matrices > 1) return {};
    const Integer blocks = Integer{gpu.multiprocessors} * gpu_resident_blocks(schedule, product, gpu);
    if (blocks == 0 || blocks > max_parameter) return {};
    GpuSchedule stream = schedule;
    stream.stream_k_blocks = static_cast<int>(blocks);
    const Integer tiles = stream_k_of(stream, canonical_for_gpu(product).product).tiles(),
                  waves = tiles / blocks;
    if (tiles % blocks == 0 || waves > max_parameter) return {};
    std::vector<GpuSchedule> result;
    for (const Integer whole : {waves, waves - 1}) {
        stream.data_parallel_tiles = static_cast<int>(whole);
        if (waves > 0 && whole >= 0) result.push_back(stream);
    }
    return result;
}

} // namespace swirl::gemm
