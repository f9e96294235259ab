#include "plan/gpu_matrix_plan.hpp"

#include "base/error.hpp"
#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_model.hpp"
#include "ir/tile.hpp"
#include "plan/gpu_matrix_check.hpp"
#include "plan/matrix_values.hpp"
#include "runtime/cuda_memory.hpp"
#include "runtime/kernel_cache.hpp"

#include <cstdint>

namespace swirl::planning {

namespace {

bool is_aligned(const void* pointer, Integer bytes) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) == 0;
}

/// UserError where only the copy engine brings such numbers to tensor cores.
gemm::GpuSchedule with_single_elements(gemm::GpuSchedule schedule, const MatrixProduct& product,
                                       const target::Gpu& gpu) {
    if (schedule.has_tiles()) schedule = gemm::gpu_thread_schedule(product, gpu);
    schedule.a_lanes = schedule.b_lanes = schedule.c_lanes = 1;
    schedule.a_steps = schedule.b_steps = 1;
    schedule.a_bulk = schedule.b_bulk = 0;
    return schedule;
}

} // namespace

GpuMatrixPlan::GpuMatrixPlan(const MatrixProduct& product, const gemm::GpuSchedule& schedule,
                             const runtime::GpuDevice& device, const GpuMatrixPlanOptions& options)
    : product_(product),
      schedule_(schedule),
      device_(device),
      cache_(options.use_cache ? runtime::KernelCache::of_user() : nullptr),
      arrays_(arrays_of(product)),
      is_empty_(product.rows == 0 || product.columns == 0 || product.batch == 0) {
    if (!is_empty_) kernel_.emplace(product, schedule, device, cache_);
}

std::shared_ptr<const GpuMatrixPlan> GpuMatrixPlan::build(const MatrixProduct& product,
                                                          const gemm::GpuSchedule& schedule,
                                                          const runtime::GpuDevice& device,
                                                          const GpuMatrixPlanOptions& options) {
    std::shared_ptr<const GpuMatrixPlan> plan(new GpuMatrixPlan(product, schedule, device, options));
    plan->compare_once(options);
    return plan;
}

/// That a kernel was compared is kept beside its machine code, by a key that follows from the code's.
void GpuMatrixPlan::compare_once(const GpuMatrixPlanOptions& options) const {
    if (!options.check || is_empty_) return;
    const runtime::CacheKey& code = kernel_->code_key();
    const runtime::CacheKey key =
        runtime::cache_key(device_, "compared product", fmt::format("{:x} {:x}", code.high, code.low));
    if (cache_ != nullptr && cache_->find(key)) return;
    compare_with_definition(*this);
    if (cache_ != nullptr)
        cache_->store(key, {.target = runtime::target_text(device_), .name = "gemm, compared"},
                      std::as_bytes(std::span("compared", 8)));
}

std::vector<GpuArgument> GpuMatrixPlan::matrices(const GpuMatrixArguments& arguments, bool multiplies) const {
    std::vector<GpuArgument> result;
    const auto add = [&](const char* name, const void* pointer, const MatrixLayout& layout, Integer rows,
                         Integer columns, Number number) {
        if (product_.listed) {
            constexpr std::size_t pointer_bytes = sizeof(const void*);
            result.push_back({std::string("list ") + name, pointer, 0,
                              product_.batch * static_cast<Integer>(pointer_bytes), pointer_bytes});
            return;
        }
        const Extent extent = extent_of(layout, rows, columns, product_.batch);
        const Integer bytes = bytes_of(number);
        result.push_back({name, pointer, extent.lowest * bytes, (extent.highest + 1) * bytes,
                          static_cast<std::size_t>(bytes)});
    };
    add("c", arguments.c, product_.c, product_.rows, product_.columns, product_.number_of_c());
    const Integer scalar_bytes = bytes_of(number_of_epilogue(product_));
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const ProblemArray& array = arrays_[k];
        if (k >= arguments.arrays.size() || arguments.arrays[k] == nullptr)
            throw UserError("array {} of the epilogue \"{}\" has not been given\n  use with(\"{}\", …)",
                            array.name, product_.epilogue.text(), array.name);
        result.push_back({"array " + array.name, arguments.arrays[k], 0,
                          array.elements * scalar_bytes * (array.is_complex ? 2 : 1),
                          static_cast<std::size_t>(scalar_bytes)});
    }
    if (!multiplies) return result;
    add("a", arguments.a, product_.a, product_.rows, product_.depth, product_.number_of_a());
    add("b", arguments.b, product_.b, product_.depth, product_.columns, product_.number_of_b());
    return result;
}

void GpuMatrixPlan::check(const std::vector<GpuArgument>& matrices) const {
    for (const GpuArgument& matrix : matrices) {
        if (matrix.pointer == nullptr)
            throw UserError("{} is null; it must point at the {} in memory of {}", matrix.name,
                            product_.listed ? "pointers to matrices" : "element (0, 0)",
                            device_.description());
        planning::check(device_, matrix);
    }
    const GpuArgument& c = matrices.front();
    if (product_.listed) return; // of lists nothing is written
    for (const GpuArgument& matrix : matrices)
        if (&matrix != &c && !are_apart(matrix, c))
            throw UserError("c = {} and {} = {} overlap; C has to lie apart from what is read", c.pointer,
                            matrix.name, matrix.pointer);
}

const GpuMatrixKernels& GpuMatrixPlan::kernel_for(const std::vector<GpuArgument>& matrices) const {
    // A and B are meant as they are oriented, so that any of them may be accessed by so many lanes.
    // Arrays of an epilogue are read by C's.
    const int lanes = std::max(
        {schedule_.a_lanes, schedule_.b_lanes, schedule_.c_lanes, schedule_.a_steps, schedule_.b_steps});
    bool suits = true;
    // Of what lists point at the kernel assumes no more than the product says.
    const auto accessed =
        product_.listed ? std::span(matrices).subspan(1, arrays_.size()) : std::span(matrices);
    for (const GpuArgument& matrix : accessed)
        suits = suits && is_aligned(matrix.pointer,
                                    schedule_.has_tiles() || schedule_.has_bulk()
                                        ? ir::tile_piece_bytes
                                        : std::min<Integer>(gemm::GpuThreads::widest_access,
                                                            lanes * static_cast<Integer>(matrix.alignment)));
    if (suits) return *kernel_;
    const std::lock_guard lock(making_);
    if (!unaligned_)
        unaligned_.emplace(product_, with_single_elements(schedule_, product_, device_.target()), device_,
                           cache_);
    return *unaligned_;
}

GpuMatrixPlan::Execution GpuMatrixPlan::examined(const GpuMatrixArguments& arguments,
                                                 const GpuWorkspace& workspace) const {
    if (is_empty_) return {};
    const Factor alpha = factor_kind(product_.number, arguments.alpha);
    const bool multiplies = product_.depth > 0 && alpha != Factor::zero;
    const std::vector<GpuArgument> used = matrices(arguments, multiplies);
    check(used);
    planning::check(device_, workspace, workspace_bytes(), used);
    check_beta(product_, arguments.beta);
    const bool reads_c = factor_kind(product_.number, arguments.beta) != Factor::zero;
    return {arguments, multiplies, reads_c, &kernel_for(used),
            reinterpret_cast<runtime::cuda::Address>(workspace.data)};
}

void GpuMatrixPlan::launch(const Execution& execution, runtime::cuda::Stream stream) const {
    if (execution.kernel == nullptr) return;
    execution.kernel->launch(execution.arguments, execution.multiplies, execution.reads_c,
                             execution.workspace, runtime::GpuStream::borrowed(device_, stream));
}

void GpuMatrixPlan::execute(const GpuMatrixArguments& arguments, runtime::cuda::Stream stream,
                            const GpuWorkspace& workspace) const {
    launch(examined(arguments, workspace), stream);
}

double GpuMatrixPlan::flops() const {
    return is_empty_ ? 0
                     : (is_complex(product_.number) ? 8.0 : 2.0) * static_cast<double>(product_.rows) *
                           static_cast<double>(product_.columns) * static_cast<double>(product_.depth) *
                           static_cast<double>(product_.batch);
}

} // namespace swirl::planning
