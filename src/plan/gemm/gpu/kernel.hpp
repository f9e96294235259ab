#pragma once

#include "emit/ptx/ptx.hpp"
#include "gemm/gpu/schedule.hpp"
#include "ir/program.hpp"
#include "plan/transform/gpu/loaded_kernel.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cuda/compile.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/stream.hpp"
#include "runtime/cuda/tensor_map.hpp"
#include "sass/score.hpp"
#include "target/gpu.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// Pointers of an execution: to elements (0, 0) of the first matrices of a batch, or, for pointer-array batches, to
/// device arrays of pointers to the elements (0, 0) of all matrices. α and β are in host memory.
struct GpuMatrixArguments {
    const void* alpha = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
    const void* beta = nullptr;
    void* c = nullptr;
    std::span<const void* const> arrays = {}; ///< in the order of given_arrays_of
};

/// One kernel of a product as derived; needs no GPU.
struct GpuMatrixDerivation {
    ir::Program program;
    std::string ptx;
    ir::KernelInfo info; ///< 0 where only a driver knows the value
};
/// In launch order; see gemm/gpu/gemm_kernels.hpp.
std::vector<GpuMatrixDerivation> derive_gemm_for_gpu(const MatrixProduct& product,
                                                     const gemm::GpuGemmSchedule& schedule,
                                                     const target::Gpu& gpu);
/// Index of the kernel with the main loop: the last one, or with Stream-K the one before it.
inline std::size_t main_kernel(const gemm::GpuGemmSchedule& schedule, std::size_t kernels) {
    const auto* const simt = std::get_if<gemm::SimtGemm>(&schedule);
    return kernels - (simt != nullptr && simt->stream_k() != nullptr ? 2 : 1);
}

/// The kernels that compute the reductions after the product's, if any. An empty product has no other kernels.
std::vector<GpuMatrixDerivation> derive_reductions_for_gpu(const MatrixProduct& product,
                                                           const gemm::GpuGemmSchedule& schedule,
                                                           const target::Gpu& gpu);

/// Bytes of the workspace that they share.
std::size_t workspace_bytes(std::span<const GpuMatrixDerivation* const> kernels);

/// The kernels of a product, loaded into a GPU.
class GpuMatrixKernels {
public:
    /// Called, unless empty, with the number of kernels that must be compiled; may throw to end that.
    using BeforeCompilation = std::function<void(std::size_t kernels)>;

    /// A cache provides machine code that it has. `reads_sass`: score the SASS of the main kernel. Throws what
    /// validate(schedule, …) and the driver throw.
    GpuMatrixKernels(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                     const runtime::GpuDevice& device, runtime::KernelCache* cache, bool reads_sass = false,
                     const BeforeCompilation& before_compilation = {});

    /// If `multiplies` is false, A and B are not read; if `reads_c` is false, C is not read. Without a workspace (0),
    /// memory is allocated and freed in stream order.
    void launch(const GpuMatrixArguments& arguments, bool multiplies, bool reads_c,
                runtime::cuda::Address workspace, const runtime::GpuStream& stream) const;
    std::size_t workspace_bytes() const { return workspace_bytes_; }

    /// Of the main kernel; the product must not be empty.
    const ir::KernelInfo& info() const { return launches_[multiplying_].kernel.info(); }
    const runtime::CacheKey& code_key() const { return code_key_; } ///< of the machine code of all kernels
    std::size_t count() const { return launches_.size(); }
    /// Empty unless the SASS was requested and could be read.
    const std::optional<sass::KernelScore>& score() const { return score_; }
    /// Why the main loop stays as compiled although the schedule asks for reordering; else empty.
    const std::string& not_reordered_because() const { return not_reordered_because_; }

private:
    enum class Source : std::uint8_t { a, b, c, alpha_beta, multiplies, reads_c, array, workspace, tensor };
    struct Parameter {
        Source source;
        std::size_t offset = 0; ///< in the workspace; for an array or a tensor, its index
        std::size_t zeroed = 0; ///< bytes there that a launch sets to zero
    };
    /// A TMA tensor map: its memory, and its origin in it.
    struct TensorParameter {
        Parameter memory;
        Integer origin = 0; ///< bytes
        runtime::TensorLayout layout;
    };
    Parameter parameter_with(const ir::Role& role) const;
    struct Launch {
        LoadedKernel kernel;
        std::vector<Parameter> parameters; ///< in launch order
        std::vector<TensorParameter> tensors;
    };
    void add_parameter(Launch& launch, const GpuMatrixDerivation& derivation,
                       const emit::PtxParameter& parameter);
    Parameter memory_of(const ir::BufferInfo& buffer);
    Parameter workspace_region(const ir::BufferInfo& buffer);
    struct Memories;
    void make_tensors(std::span<runtime::TensorMap> maps, const Launch& launch,
                      const Memories& memories) const;
    void launch(const Launch& launch, const Memories& memories, const runtime::GpuStream& stream) const;

    runtime::CompiledText add_kernel(GpuMatrixDerivation derivation, const runtime::KernelText& text,
                                     runtime::KernelCache* cache);

    std::vector<Launch> launches_;
    std::size_t multiplying_ = 0;
    std::size_t finishing_ = 0; ///< index of the product's last kernel; reductions follow
    std::optional<sass::KernelScore> score_;
    std::string not_reordered_because_;
    runtime::CacheKey code_key_{};
    runtime::GpuDevice device_;
    std::size_t auxiliary_arrays_; ///< arrays passed to executions before those of reductions
    std::map<std::string, Parameter> workspace_regions_; ///< by buffer
    std::size_t scalar_bytes_;
    std::size_t workspace_bytes_ = 0;
};

} // namespace swirl::planning
