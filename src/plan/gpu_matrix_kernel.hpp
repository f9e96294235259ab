#pragma once

#include "emit/ptx.hpp"
#include "gemm/gpu_schedule.hpp"
#include "machine/score.hpp"
#include "plan/loaded_kernel.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cuda_compile.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/cuda_stream.hpp"
#include "runtime/cuda_tensor_map.hpp"
#include "target/gpu.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// Where an execution finds a product's matrices on a GPU: their elements (0, 0) of the first of a batch, or lists of pointers to
/// these of all, where the product has lists; α and β on the host.
struct GpuMatrixArguments {
    const void* alpha = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
    const void* beta = nullptr;
    void* c = nullptr;
    std::span<const void* const> arrays = {}; ///< in the order of given_arrays_of
};

/// One of a product's kernels, derived, before a GPU is needed.
struct GpuMatrixDerivation {
    ir::Program program;
    std::string ptx;
    ir::KernelInfo info; ///< what only a driver knows is 0
};
/// In the order of their launches; see gemm/gpu_product.hpp.
std::vector<GpuMatrixDerivation> derive_product_for_gpu(const MatrixProduct& product,
                                                        const gemm::GpuSchedule& schedule,
                                                        const target::Gpu& gpu);
/// Which of so many kernels of a product multiplies: the last one, or in a stream the one before.
inline std::size_t multiplying_kernel(const gemm::GpuSchedule& schedule, std::size_t kernels) {
    return kernels - (schedule.streams() ? 2 : 1);
}

/// The kernels behind it that make results of reductions, if there are such; of an empty product the only ones.
std::vector<GpuMatrixDerivation> derive_reductions_for_gpu(const MatrixProduct& product,
                                                           const gemm::GpuSchedule& schedule,
                                                           const target::Gpu& gpu);

/// The kernels of a product, in a GPU.
class GpuMatrixKernels {
public:
    /// With a cache, machine code is taken from there if it is kept. `reads_code`: that of the kernel that multiplies gets a score.
    /// Throws what validate(schedule, …) and the driver do.
    GpuMatrixKernels(const MatrixProduct& product, const gemm::GpuSchedule& schedule,
                     const runtime::GpuDevice& device, runtime::KernelCache* cache, bool reads_code = false);

    /// A and B are not read where `multiplies` is false, C not where `reads_c` is. Without a workspace (0) memory is taken and given
    /// back in the order of the stream.
    void launch(const GpuMatrixArguments& arguments, bool multiplies, bool reads_c,
                runtime::cuda::Address workspace, const runtime::GpuStream& stream) const;
    std::size_t workspace_bytes() const { return workspace_bytes_; }

    /// Of the one that multiplies, where the product is not empty.
    const ir::KernelInfo& info() const { return steps_[multiplying_].kernel.info(); }
    const runtime::CacheKey& code_key() const { return code_key_; } ///< of all machine code
    std::size_t count() const { return steps_.size(); }
    /// Nothing where machine code was not to be read, or cannot be.
    const std::optional<machine::KernelScore>& score() const { return score_; }
    /// Why the main loop stays as compiled where the schedule asks for another order; else empty.
    const std::string& loop_kept_because() const { return loop_kept_because_; }

private:
    enum class Source : std::uint8_t { a, b, c, factors, multiplies, reads_c, array, workspace, tensor };
    struct Parameter {
        Source source;
        std::size_t offset = 0; ///< in the workspace; of an array or a tensor, its number
        std::size_t zeroed = 0; ///< bytes there that a launch fills with zeros
    };
    /// A tensor: of which memory, and from where in it.
    struct TensorParameter {
        Parameter memory;
        Integer origin = 0; ///< bytes
        runtime::TensorLayout layout;
    };
    Parameter parameter_named(const std::string& name) const;
    struct Step {
        LoadedKernel kernel;
        std::vector<Parameter> parameters; ///< in the order of the launch
        std::vector<TensorParameter> tensors;
    };
    void add_parameter(Step& step, const GpuMatrixDerivation& derivation,
                       const emit::PtxParameter& parameter);
    Parameter memory_of(const ir::BufferInfo& buffer);
    Parameter workspace_part(const ir::BufferInfo& buffer);
    struct Memories;
    void make_tensors(std::span<runtime::TensorMap> maps, const Step& step, const Memories& memories) const;
    void launch(const Step& step, const Memories& memories, const runtime::GpuStream& stream) const;

    runtime::CompiledText add_step(const gemm::GpuSchedule& schedule, GpuMatrixDerivation derivation,
                                   bool machine_loop, runtime::KernelCache* cache);

    std::vector<Step> steps_;
    std::size_t multiplying_ = 0;
    std::size_t finishing_ = 0; ///< the product's last one; those behind it reduce
    std::optional<machine::KernelScore> score_;
    std::string loop_kept_because_;
    runtime::CacheKey code_key_{};
    runtime::GpuDevice device_;
    std::vector<ProblemArray> arrays_;                 ///< that executions are given
    std::map<std::string, Parameter> workspace_parts_; ///< by buffer
    std::size_t factor_bytes_;
    std::size_t workspace_bytes_ = 0;
};

} // namespace swirl::planning
