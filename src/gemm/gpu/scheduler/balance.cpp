#include "gemm/gpu/scheduler/balance.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/simt/kernel.hpp"
#include "gemm/scalar.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::gemm {

namespace {

/// Bytes of A and B that concurrent blocks read per k index, each byte counted once. Their tiles form a rasterization
/// group of rows; beyond one matrix, all of its rows and columns.
double bytes_of_wave(const MatrixProduct& canonical, const SimtGemm& schedule, double tiles) {
    const double row_tiles = static_cast<double>(ceil_divide(canonical.rows, Integer{schedule.cta_tile.m}));
    const double column_tiles =
        static_cast<double>(ceil_divide(canonical.columns, Integer{schedule.cta_tile.n}));
    const double products = std::max(1.0, tiles / (row_tiles * column_tiles)) * schedule.matrices();
    double rows = std::min({static_cast<double>(schedule.raster_group), row_tiles, tiles});
    const double columns = std::min(column_tiles, std::ceil(tiles / rows));
    rows = std::clamp(std::ceil(tiles / columns), rows, row_tiles);
    return products * (rows * schedule.cta_tile.m + columns * schedule.cta_tile.n) *
           static_cast<double>(bytes_of(canonical.data_type));
}

} // namespace

GpuBalance gpu_balance(const MatrixProduct& product, const SimtGemm& schedule, const target::Gpu& gpu,
                       int registers) {
    const CanonicalGemm canonical_gemm = canonical_for_gpu(product);
    const MatrixProduct& canonical = canonical_gemm.product;
    const Integer threads = schedule.threads();
    const Integer scalars = scalars_in(product.data_type); // real multiply-adds of a complex one: four
    const Integer tile = Integer{schedule.cta_tile.m} * schedule.cta_tile.n;
    GpuBalance result;
    result.k_tile_bytes = Integer{schedule.matrices()} * schedule.cta_tile.k *
                          (schedule.cta_tile.m * bytes_of(canonical.type_of_a()) +
                           schedule.cta_tile.n * bytes_of(canonical.type_of_b()));
    result.k_tile_fmas = scalars * scalars * schedule.matrices() * tile * schedule.cta_tile.k;
    result.peak = schedule.is_mma() ? target::peak_tensor_flops(gpu, bytes_of(product.type_of_a()))
                                    : target::peak_flops(gpu, bytes_of(scalar_of(product.data_type)));
    result.l2_needed = result.peak / result.flops_per_byte();
    result.l2_given = gpu.rates.l2_bytes_per_cycle * gpu.rates.hertz;
    result.memory_given = gpu.rates.memory_bytes;

    const Integer most = std::min<Integer>(gpu.registers_per_thread, gpu.registers_per_block / threads);
    const Integer expected = std::min<Integer>(gpu_registers(schedule, product.data_type), most);
    result.registers = registers > 0 ? registers : static_cast<int>(expected);
    result.shared_bytes = simt_shared_bytes({canonical_gemm, schedule});
    result.occupancy =
        target::occupancy(gpu, static_cast<int>(threads), result.registers, result.shared_bytes);

    result.blocks = ceil_divide(canonical.rows, Integer{schedule.cta_tile.m}) *
                    ceil_divide(canonical.columns, Integer{schedule.cta_tile.n}) *
                    ceil_divide(canonical.batch, Integer{schedule.matrices()}) * schedule.splits();
    if (schedule.stream_k() != nullptr) {
        result.stream = stream_k_of(schedule, canonical);
        result.blocks = result.stream->blocks;
    }
    result.resident_blocks =
        static_cast<Integer>(model_rates(gpu).multiprocessors) * std::max(1, result.occupancy.blocks);
    result.waves = ceil_divide(result.blocks, result.resident_blocks);
    result.last_wave = static_cast<double>(result.blocks - (result.waves - 1) * result.resident_blocks) /
                       static_cast<double>(result.resident_blocks);
    const double tiles =
        static_cast<double>(std::min(result.blocks, result.resident_blocks)) / schedule.splits();
    const double flops =
        2 * tiles * static_cast<double>(scalars * scalars * schedule.matrices() * tile); // per k index
    result.memory_needed = result.peak * bytes_of_wave(canonical, schedule, tiles) / flops;
    return result;
}

} // namespace swirl::gemm
