#include "search/cost/gpu_floors.hpp"

#include <swirl/matrix_product.hpp>
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/scheduler/balance.hpp"
#include "gemm/gpu/scheduler/wgmma_balance.hpp"
#include "plan/dimension_passes.hpp"
#include "search/cost/gpu_model.hpp"

#include <algorithm>

namespace swirl::search {

namespace {

void set_traffic(Floors& floors, double bytes, double resident_bytes, const target::Gpu& gpu) {
    const bool is_cached = resident_bytes <= static_cast<double>(gpu.l2_bytes);
    const gemm::GpuRates rates = gemm::gpu_rates(gpu);
    floors.level = is_cached ? "L2" : "memory";
    floors.traffic = bytes / (is_cached ? rates.cache : std::max(rates.memory, gpu_copy_rate));
}

/// Flops per second of the kernel's instructions, for flops of the product.
double peak_of(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu) {
    if (const auto* const simt = std::get_if<gemm::SimtGemm>(&schedule))
        return gemm::gpu_balance(product, *simt, gpu).peak;
    const gemm::WgmmaBalance balance = gemm::wgmma_balance(product, std::get<gemm::WgmmaGemm>(schedule), gpu);
    return balance.peak / static_cast<double>(balance.term_products);
}

} // namespace

Floors gpu_floors(const Transform& problem, double flops, const target::Gpu& gpu) {
    Floors result;
    const gemm::GpuRates rates = gemm::gpu_rates(gpu);
    const double words = static_cast<double>(bytes_of(planning::arithmetic_of(problem.precision))) / 4;
    result.arithmetic =
        flops * words / (2 * rates.multiprocessors * gpu.partitions * gpu.warp_size * rates.hertz);
    const double bytes = compulsory_bytes(problem);
    set_traffic(result, bytes, problem.placement == Placement::in_place ? bytes / 2 : bytes, gpu);
    return result;
}

Floors gpu_floors(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                  const target::Gpu& gpu) {
    Floors result;
    const double flops = (is_complex(product.data_type) ? 8.0 : 2.0) * static_cast<double>(product.rows) *
                         static_cast<double>(product.columns) * static_cast<double>(product.k) *
                         static_cast<double>(product.batch);
    const double bytes = compulsory_bytes(product);
    if (flops > 0) result.arithmetic = flops / peak_of(product, schedule, gpu);
    set_traffic(result, bytes, bytes, gpu);
    return result;
}

} // namespace swirl::search
