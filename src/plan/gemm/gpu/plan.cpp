#include "plan/gemm/gpu/plan.hpp"

#include "base/error.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "ir/tile.hpp"
#include "plan/check/gpu_gemm.hpp"
#include "plan/gemm/cpu/arrays.hpp"
#include "plan/gemm/values.hpp"
#include "plan/memory_need.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/kernel_cache.hpp"

#include <cstdint>

namespace swirl::planning {

namespace {

bool is_aligned(const void* pointer, Integer bytes) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) == 0;
}

/// That a schedule's kernels require of arrays with elements of `element_bytes` bytes. The vector widths are those of
/// the canonical A and B, so either operand may be accessed with any of them. An epilogue's arrays are accessed with the
/// width of C.
Integer alignment_of(const gemm::GpuGemmSchedule& schedule, Integer element_bytes) {
    const auto* const simt = std::get_if<gemm::SimtGemm>(&schedule);
    if (simt == nullptr || simt->has_tma()) return ir::swizzle_chunk_bytes;
    const int lanes = std::max(
        {simt->a.vector_mn, simt->b.vector_mn, simt->c_vector_m, simt->a.vector_k, simt->b.vector_k});
    return std::min<Integer>(gemm::SimtThreadLayout::widest_access, lanes * element_bytes);
}

} // namespace

PlanningWork planning_work(const MatrixProduct& product, std::size_t kernels, bool is_checked) {
    return {.gpu_kernels = static_cast<double>(kernels),
            .gpu_checked = is_checked ? static_cast<double>(array_bytes(product)) : 0};
}

GpuMatrixPlan::GpuMatrixPlan(const MatrixProduct& product, const Schedule& schedule,
                             const runtime::GpuDevice& device, const GpuMatrixPlanOptions& options)
    : product_(product),
      schedule_(schedule),
      device_(device),
      cache_(options.use_cache ? runtime::KernelCache::of_user() : nullptr),
      arrays_(given_arrays_of(product)),
      read_arrays_(arrays_.size() - product.reductions.size()),
      is_empty_(product.rows == 0 || product.columns == 0 || product.batch == 0),
      checks_(options.check && !is_empty_),
      memory_limit_(options.memory_limit) {
    const bool has_results =
        std::any_of(arrays_.begin() + static_cast<std::ptrdiff_t>(read_arrays_), arrays_.end(),
                    [](const AuxiliaryArray& array) { return array.elements > 0; });
    if (!is_empty_ || has_results)
        kernel_.emplace(product, schedule.gpu_gemm(), device, cache_, options.reads_sass,
                        [&](std::size_t kernels) {
                            work_ = planning::planning_work(product, kernels, options.check);
                            require_in_time(options.planning_limit, time_of(work_), product);
                        });
}

std::shared_ptr<const GpuMatrixPlan> GpuMatrixPlan::build(const MatrixProduct& product,
                                                          const Schedule& schedule,
                                                          const runtime::GpuDevice& device,
                                                          const GpuMatrixPlanOptions& options) {
    require_target(schedule, device.target().name);
    std::shared_ptr<const GpuMatrixPlan> plan(new GpuMatrixPlan(product, schedule, device, options));
    require_within(options.memory_limit,
                   {.workspace = static_cast<Integer>(plan->workspace_bytes()), .is_whole = !options.check},
                   product);
    if (options.interrupt) options.interrupt();
    if (plan->checks_) plan->compare_once(*plan->kernel_, [&] { compare_with_definition(*plan); });
    return plan;
}

/// The mark that a kernel was verified is stored beside its machine code, under a key derived from the code's key.
void GpuMatrixPlan::compare_once(const GpuMatrixKernels& kernels,
                                 const std::function<void()>& compare) const {
    const runtime::CacheKey& code = kernels.code_key();
    const runtime::CacheKey key =
        runtime::cache_key(device_, "compared product", fmt::format("{:x} {:x}", code.high, code.low));
    if (cache_ != nullptr && cache_->find(key)) return;
    require_within(
        memory_limit_,
        {.workspace = static_cast<Integer>(kernels.workspace_bytes()), .check = array_bytes(product_)},
        product_);
    try {
        compare();
    } catch (const OutOfMemory& error) {
        throw OutOfMemory(
            "{}\n  the check before first use has A, B, C and a workspace of its own; give memory free, or "
            "plan "
            "without it (check = false)",
            error.what());
    }
    if (cache_ != nullptr)
        cache_->store(key, {.target = runtime::target_text(device_), .name = "gemm, compared"},
                      std::as_bytes(std::span("compared", 8)));
}

GpuMatrixPlan::BufferAccess GpuMatrixPlan::matrix(const char* name, const void* pointer,
                                                  const MatrixLayout& layout, Integer rows, Integer columns,
                                                  DataType data_type) const {
    if (product_.listed) { // the kernel assumes no more about the pointers in the lists than the product says
        constexpr std::size_t pointer_bytes = sizeof(const void*);
        return {{std::string("list ") + name, pointer, 0,
                 product_.batch * static_cast<Integer>(pointer_bytes), pointer_bytes},
                false,
                false};
    }
    const Extent extent = extent_of(layout, rows, columns, product_.batch);
    const Integer bytes = bytes_of(data_type);
    return {{name, pointer, extent.lowest * bytes, (extent.highest + 1) * bytes,
             static_cast<std::size_t>(bytes), elements_of(layout, rows, columns, product_.batch, bytes)}};
}

/// For an empty product, the written arrays only.
void GpuMatrixPlan::add_arrays(const GpuMatrixArguments& arguments, std::vector<BufferAccess>& to) const {
    const Integer scalar_bytes = bytes_of(gemm::epilogue_scalar(product_.data_type));
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const AuxiliaryArray& array = arrays_[k];
        const bool is_written = k >= read_arrays_;
        if (array.elements == 0 || (is_empty_ && !is_written)) continue;
        if (k >= arguments.arrays.size() || arguments.arrays[k] == nullptr) report_missing(product_, array);
        to.push_back({{"array " + array.name, arguments.arrays[k], 0,
                       array.elements * scalar_bytes * (array.is_complex ? 2 : 1),
                       static_cast<std::size_t>(scalar_bytes)},
                      is_written,
                      !is_written});
    }
}

std::vector<GpuMatrixPlan::BufferAccess> GpuMatrixPlan::accesses(const GpuMatrixArguments& arguments,
                                                                 bool multiplies) const {
    std::vector<BufferAccess> result;
    if (!is_empty_) {
        result.push_back(
            matrix("c", arguments.c, product_.c, product_.rows, product_.columns, product_.type_of_c()));
        result.back().is_written = !product_.listed; // pointer arrays are only read
    }
    add_arrays(arguments, result);
    if (is_empty_ || !multiplies) return result;
    result.push_back(matrix("a", arguments.a, product_.a, product_.rows, product_.k, product_.type_of_a()));
    result.push_back(
        matrix("b", arguments.b, product_.b, product_.k, product_.columns, product_.type_of_b()));
    return result;
}

void GpuMatrixPlan::check(const std::vector<BufferAccess>& accesses) const {
    for (const auto& [argument, is_written, is_in_vectors] : accesses) {
        if (argument.pointer == nullptr)
            throw UserError("{} is null; it must point at the {} in memory of {}", argument.name,
                            product_.listed ? "pointers to matrices" : "element (0, 0)",
                            device_.description());
        planning::check(device_, argument);
    }
    for (const BufferAccess& written : accesses)
        for (const BufferAccess& other : accesses)
            if (written.is_written && &other != &written && !are_disjoint(other.argument, written.argument))
                throw UserError("{} = {} and {} = {} overlap; {} must overlap no other argument",
                                written.argument.name, written.argument.pointer, other.argument.name,
                                other.argument.pointer, written.argument.name);
}

GpuMatrixKernels GpuMatrixPlan::misaligned_kernels(runtime::cuda::Stream stream) const {
    GpuMatrixKernels kernels(
        product_, gemm::gpu_single_element_schedule(schedule_.gpu_gemm(), product_, device_.target()),
        device_, cache_);
    if (!checks_) return kernels;
    compare_once(kernels, [&] {
        if (stream != nullptr && runtime::GpuStream::borrowed(device_, stream).is_capturing())
            throw UserError(
                "the first execution with arrays less aligned than the plan's vector accesses checks other "
                "kernels, which no graph captures\n  execute once before the capture, or use arrays aligned "
                "to {} "
                "bytes",
                ir::swizzle_chunk_bytes);
        compare_misaligned_with_definition(*this, kernels);
    });
    return kernels;
}

const GpuMatrixKernels& GpuMatrixPlan::kernel_for(const std::vector<BufferAccess>& accesses,
                                                  runtime::cuda::Stream stream) const {
    bool suits = true;
    for (const auto& [argument, is_written, is_in_vectors] : accesses)
        suits = suits &&
                (!is_in_vectors ||
                 is_aligned(argument.pointer,
                            alignment_of(schedule_.gpu_gemm(), static_cast<Integer>(argument.alignment))));
    if (suits) return *kernel_;
    const std::lock_guard lock(kernel_mutex_);
    if (!unaligned_kernel_) unaligned_kernel_.emplace(misaligned_kernels(stream));
    return *unaligned_kernel_;
}

/// The workspace size is that of the usual kernels; other kernels that need more allocate memory.
GpuMatrixPlan::Execution GpuMatrixPlan::examined(const GpuMatrixArguments& arguments,
                                                 runtime::cuda::Stream stream,
                                                 const GpuWorkspace& workspace) const {
    if (!kernel_) return {};
    const ScalarKind alpha = scalar_kind(product_.data_type, arguments.alpha);
    const bool multiplies = product_.k > 0 && alpha != ScalarKind::zero;
    const std::vector<BufferAccess> used = accesses(arguments, multiplies);
    check(used);
    std::vector<GpuArgument> others;
    for (const BufferAccess& one : used) others.push_back(one.argument);
    planning::check(device_, workspace, workspace_bytes(), others);
    check_beta(product_, arguments.beta);
    const bool reads_c = scalar_kind(product_.data_type, arguments.beta) != ScalarKind::zero;
    const GpuMatrixKernels& kernel = kernel_for(used, stream);
    const bool fits = kernel.workspace_bytes() <= workspace.bytes;
    return {arguments, multiplies, reads_c, &kernel,
            fits ? reinterpret_cast<runtime::cuda::Address>(workspace.data) : 0};
}

void GpuMatrixPlan::launch(const Execution& execution, runtime::cuda::Stream stream) const {
    if (execution.kernel == nullptr) return;
    execution.kernel->launch(execution.arguments, execution.multiplies, execution.reads_c,
                             execution.workspace, runtime::GpuStream::borrowed(device_, stream));
}

void GpuMatrixPlan::execute(const GpuMatrixArguments& arguments, runtime::cuda::Stream stream,
                            const GpuWorkspace& workspace) const {
    launch(examined(arguments, stream, workspace), stream);
}

double GpuMatrixPlan::flops() const {
    return is_empty_ ? 0
                     : (is_complex(product_.data_type) ? 8.0 : 2.0) * static_cast<double>(product_.rows) *
                           static_cast<double>(product_.columns) * static_cast<double>(product_.k) *
                           static_cast<double>(product_.batch);
}

} // namespace swirl::planning
