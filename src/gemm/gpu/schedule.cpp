#include "gemm/gpu/schedule.hpp"

#include "base/error.hpp"
#include "gemm/gpu/batched/layout.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/simt/kernel.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace swirl::gemm {

namespace {

constexpr int capability_of_bfloat16 = 8;

} // namespace

int max_vector(const MatrixProduct& product, DataType data_type) {
    const auto bytes = static_cast<int>(bytes_of(data_type));
    const int widest = SimtThreadLayout::widest_access / bytes;
    return product.listed ? std::clamp(product.list_alignment / bytes, 1, widest) : widest;
}

int max_vector_of_c(const MatrixProduct& product) {
    const int of_sums = SimtThreadLayout::widest_access / static_cast<int>(bytes_of(product.data_type));
    return std::min(of_sums, max_vector(product, product.type_of_c()));
}

bool allows_vector(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                   int lanes) {
    return lanes == 1 || (stride == 1 && other_stride % lanes == 0 && layout.batch_stride % lanes == 0 &&
                          extent % lanes == 0);
}

bool allows_vector_k(const MatrixLayout& layout, Integer stride, Integer mn_stride, Integer k, Integer extent,
                     int vector_k) {
    return allows_vector(layout, stride, extent == 1 ? 0 : mn_stride, k, vector_k);
}

int max_promotion_interval(Integer k_extent) {
    constexpr Integer min_k = 64, of_two_instructions = 192;
    if (k_extent < min_k) return 0;
    return k_extent < of_two_instructions ? 16 : 32;
}

namespace {

Accuracy accuracy_of_bf16_split(const WgmmaGemm& schedule, const MatrixProduct& product) {
    const Bf16Terms& terms = *schedule.bf16_split();
    const bool is_promoted = schedule.accumulation_interval > 0 &&
                             schedule.accumulation_interval * schedule.cta_tile.k <= max_accumulation_k &&
                             schedule.promotes_leading() &&
                             schedule.promotion_interval <= max_promotion_interval(product.k);
    if (terms.count == 3 && is_promoted)
        return terms.range_check ? Accuracy::ordinary : Accuracy::ordinary_in_range;
    return terms.count >= 2 ? Accuracy::reduced : Accuracy::low;
}

} // namespace

Accuracy accuracy_of(const GpuGemmSchedule& schedule, const MatrixProduct& product) {
    const auto* const wgmma = std::get_if<WgmmaGemm>(&schedule);
    if (product.type_of_a() != DataType::float32 || wgmma == nullptr) return Accuracy::ordinary;
    if (wgmma->is_tf32()) return Accuracy::eleven_bits;
    return wgmma->has_bf16_split() ? accuracy_of_bf16_split(*wgmma, product) : Accuracy::low;
}

std::string arithmetic_of(const GpuGemmSchedule& schedule, const MatrixProduct& product) {
    const std::string_view accumulators = name_of(product.data_type), operands = name_of(product.type_of_a());
    const auto* const wgmma = std::get_if<WgmmaGemm>(&schedule);
    if (wgmma != nullptr && wgmma->has_bf16_split())
        return fmt::format("tensor cores multiply {} bfloat16 terms of each {}{}", wgmma->bf16_terms(),
                           operands,
                           wgmma->has_range_check() ? "; a SIMT kernel where elements are out of range" : "");
    if (wgmma != nullptr && wgmma->is_tf32())
        return fmt::format("tensor cores multiply {} rounded to 11 significant bits", operands);
    const auto* const simt = std::get_if<SimtGemm>(&schedule);
    if (wgmma != nullptr || (simt != nullptr && simt->is_mma()))
        return fmt::format("tensor cores multiply {} with accumulators of {}", operands, accumulators);
    return fmt::format(
        "threads multiply {}{}", operands,
        operands == accumulators ? std::string() : fmt::format(", which becomes {} before", accumulators));
}

CanonicalGemm canonical_for_gpu(const MatrixProduct& product) {
    MatrixProduct same = product;
    if (product.listed) same.a.batch_stride = same.b.batch_stride = same.c.batch_stride = 0;
    if (product.c.row_stride == 1 || product.c.column_stride != 1) return {same, false};
    return {transposed(same), true};
}

void require_gpu_data_types(const MatrixProduct& product, const target::Gpu& gpu) {
    const std::array<DataType, 3> stored = {product.type_of_a(), product.type_of_b(), product.type_of_c()};
    const auto is_known = [&](DataType data_type) {
        return data_type == product.data_type ||
               (product.data_type == DataType::float32 && data_type != DataType::float64);
    };
    if (product.data_type == DataType::int32 || !std::all_of(stored.begin(), stored.end(), is_known))
        throw UserError(
            "GPUs do not multiply {} by {} into {} with {} accumulators; float32, float64 and "
            "complex "
            "types of both are possible, and with accumulators of float32 also operands of bfloat16, "
            "float16, "
            "float8_e4m3, bytes and normalised integers",
            name_of(stored[0]), name_of(stored[1]), name_of(stored[2]), name_of(product.data_type));
    if (is_complex(product.data_type) && product.epilogue.tree() != nullptr)
        throw UserError("GPUs have no epilogue for {}; use float32 or float64", name_of(product.data_type));
    if (gpu.capability_major < capability_of_bfloat16 &&
        std::find(stored.begin(), stored.end(), DataType::bfloat16) != stored.end())
        throw UserError(
            "{} has no instructions for bfloat16\n  use float16 or float32, or a GPU from sm_80 on",
            gpu.name);
    if (!gpu.tensor.float8 && std::find(stored.begin(), stored.end(), DataType::float8_e4m3) != stored.end())
        throw UserError(
            "{} has no instructions for float8_e4m3\n  use float16 or float32, or a GPU from sm_90 on",
            gpu.name);
}

namespace {

std::string infeasibility_of(const SimtGemm& schedule, const CanonicalGemm& canonical,
                             const target::Gpu& gpu) {
    return simt_infeasibility({canonical, schedule}, gpu);
}
std::string infeasibility_of(const WgmmaGemm& schedule, const CanonicalGemm& canonical,
                             const target::Gpu& gpu) {
    return wgmma_infeasibility({canonical, schedule}, gpu);
}
std::string infeasibility_of(const BatchedGemm& schedule, const CanonicalGemm& canonical,
                             const target::Gpu& gpu) {
    return batched_infeasibility({canonical, schedule}, gpu);
}

Integer shared_bytes_of(const SimtGemm& schedule, const CanonicalGemm& canonical) {
    return simt_shared_bytes({canonical, schedule});
}
Integer shared_bytes_of(const WgmmaGemm& schedule, const CanonicalGemm& canonical) {
    return wgmma_shared_bytes({canonical, schedule});
}
Integer shared_bytes_of(const BatchedGemm& schedule, const CanonicalGemm& canonical) {
    return batched_shared_bytes({canonical, schedule});
}

} // namespace

std::optional<std::string> infeasibility(const GpuGemmSchedule& schedule, const CanonicalGemm& canonical,
                                         const target::Gpu& gpu) {
    for (const ScheduleParameter& parameter : parameters_of(schedule)) // precedes any division by them
        if (const std::optional<int> value = parameter.get(schedule))
            if (std::string why = parameter.infeasibility_of(*value); !why.empty()) return why;
    std::string why =
        std::visit([&](const auto& kernel) { return infeasibility_of(kernel, canonical, gpu); }, schedule);
    return why.empty() ? std::nullopt : std::optional(std::move(why));
}

std::optional<std::string> infeasibility(const GpuGemmSchedule& schedule, const MatrixProduct& product,
                                         const target::Gpu& gpu) {
    return infeasibility(schedule, canonical_for_gpu(product), gpu);
}

void validate(const GpuGemmSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu) {
    if (!is_wgmma(schedule)) require_gpu_data_types(product, gpu);
    if (const auto reason = infeasibility(schedule, product, gpu))
        throw UserError("this schedule is infeasible: {}\n  schedule: {}", *reason, to_string(schedule));
}

Integer shared_bytes(const GpuGemmSchedule& schedule, const MatrixProduct& product) {
    const CanonicalGemm canonical = canonical_for_gpu(product);
    return std::visit([&](const auto& kernel) { return shared_bytes_of(kernel, canonical); }, schedule);
}

} // namespace swirl::gemm
