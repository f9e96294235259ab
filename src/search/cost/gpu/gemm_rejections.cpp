#include "search/cost/gpu/gemm_rejections.hpp"

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/model/wgmma_model.hpp"
#include "gemm/gpu/schedule_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <set>

namespace swirl::search {

namespace {

enum class GemmKernelKind : std::uint8_t { simt, mma_sync, wgmma, batched };
GemmKernelKind kind_of(const gemm::GpuGemmSchedule& schedule) {
    if (gemm::is_wgmma(schedule)) return GemmKernelKind::wgmma;
    if (gemm::is_batched(schedule)) return GemmKernelKind::batched;
    return std::get<gemm::SimtGemm>(schedule).is_mma() ? GemmKernelKind::mma_sync : GemmKernelKind::simt;
}

} // namespace

std::vector<Rejection> other_gpu_schedules(const MatrixProduct& product, const gemm::GpuGemmSchedule& chosen,
                                           const target::Gpu& gpu, Accuracy accuracy) {
    constexpr int most = 5;
    const std::vector<gemm::GpuGemmSchedule> all =
        gemm::gpu_schedules(product, gpu, std::numeric_limits<std::size_t>::max(), accuracy);
    const double seconds = gemm::gpu_seconds(product, chosen, gpu);
    std::vector<Rejection> result;
    std::set<GemmKernelKind> seen = {kind_of(chosen)};
    int listed = 0;
    for (const gemm::GpuGemmSchedule& schedule : all) {
        if (schedule == chosen) continue;
        const bool is_new_kind = seen.insert(kind_of(schedule)).second;
        if (listed >= most && !is_new_kind) continue;
        ++listed;
        const double own = gemm::gpu_seconds(product, schedule, gpu);
        result.push_back({.what = to_string(planning::Schedule(gpu.name, schedule)),
                          .why = fmt::format("estimated at {:.2f} times the cost", own / seconds),
                          .seconds = own});
    }
    if (seen.count(GemmKernelKind::wgmma) == 0)
        result.push_back({"wgmma", gemm::no_wgmma_because(gemm::canonical_for_gpu(product), gpu, accuracy)});
    if (seen.count(GemmKernelKind::mma_sync) == 0)
        result.push_back({"mma.sync", seen.count(GemmKernelKind::wgmma) > 0
                                          ? "wgmma is faster wherever it multiplies these data types"
                                          : "no mma.sync of this GPU suits the data types, or extents"});
    const bool is_exact = accuracy == Accuracy::ordinary || accuracy == Accuracy::ordinary_in_range;
    if (is_exact && product.type_of_a() == DataType::float32 && gpu.tensor.tfloat32)
        result.push_back({"tf32", "11 significant bits of A and B are less than the required accuracy"});
    return result;
}

} // namespace swirl::search
