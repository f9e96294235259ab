#include "search/cost/gpu/floors.hpp"

#include <swirl/matrix_product.hpp>
#include "gemm/gpu/scheduler/balance.hpp"
#include "gemm/gpu/scheduler/wgmma_balance.hpp"
#include "plan/transform/dimension_passes.hpp"

namespace swirl::search {

namespace {

void set_traffic(Floors& floors, double bytes, double resident_bytes, const target::Gpu& gpu) {
    const bool is_cached = resident_bytes <= static_cast<double>(gpu.l2_bytes);
    floors.level = is_cached ? "L2" : "memory";
    floors.traffic =
        bytes / (is_cached ? gpu.rates.l2_bytes_per_cycle * gpu.rates.hertz : gpu.rates.memory_bytes);
}

bool has_rates(const target::Gpu& gpu) {
    return gpu.multiprocessors > 0 && gpu.rates.hertz > 0 && gpu.rates.memory_bytes > 0;
}

/// Flops per second of the kernel's instructions, for flops of the product.
double peak_of(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu) {
    if (const auto* const simt = std::get_if<gemm::SimtGemm>(&schedule))
        return gemm::gpu_balance(product, *simt, gpu).peak;
    if (gemm::is_batched(schedule)) return target::peak_flops(gpu, bytes_of(product.data_type));
    const gemm::WgmmaBalance balance = gemm::wgmma_balance(product, std::get<gemm::WgmmaGemm>(schedule), gpu);
    return balance.peak / static_cast<double>(balance.term_products);
}

} // namespace

std::optional<Floors> gpu_floors(const Transform& problem, double flops, const target::Gpu& gpu) {
    if (!has_rates(gpu)) return std::nullopt;
    Floors result;
    result.arithmetic = flops / target::peak_flops(gpu, bytes_of(planning::arithmetic_of(problem.precision)));
    const double bytes = compulsory_bytes(problem);
    set_traffic(result, bytes, problem.placement == Placement::in_place ? bytes / 2 : bytes, gpu);
    return result;
}

std::optional<Floors> gpu_floors(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                                 const target::Gpu& gpu) {
    if (!has_rates(gpu)) return std::nullopt;
    Floors result;
    const double flops = (is_complex(product.data_type) ? 8.0 : 2.0) * static_cast<double>(product.rows) *
                         static_cast<double>(product.columns) * static_cast<double>(product.k) *
                         static_cast<double>(product.batch);
    const double bytes = compulsory_bytes(product);
    if (const double peak = peak_of(product, schedule, gpu); peak > 0) result.arithmetic = flops / peak;
    set_traffic(result, bytes, bytes, gpu);
    return result;
}

} // namespace swirl::search
