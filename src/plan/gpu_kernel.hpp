#pragma once

#include "base/byte_stream.hpp"
#include "emit/ptx.hpp"
#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "plan/kernel.hpp"
#include "plan/loaded_kernel.hpp"
#include "plan/recipe.hpp"
#include "plan/steps.hpp"
#include "runtime/cuda_memory.hpp"
#include "runtime/cuda_module.hpp"
#include "target/gpu.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

/// A plan's steps as kernels of a GPU.
namespace swirl::planning {

/// A step's programs on their way to a GPU: one kernel, or several that hand their data on in workspace.
struct GpuDerivation {
    formula::Formula formula;
    std::vector<ir::Program> lowered;
    std::vector<ir::Program> programs; ///< after the passes
};
/// UserError where the step's mappings do not fit a GPU.
GpuDerivation derive_for_gpu(const Problem& problem, const Stage& stage, const StepRecipe& recipe,
                             const target::Gpu& gpu);

/// UserError where the program has instructions that the GPU does not have.
emit::PtxOptions ptx_options(const target::Gpu& gpu, const ir::Program& program);

/// What a description of a launch is given beside the program.
struct LaunchCount {
    std::vector<Integer> factors = {};
    Integer transforms = 1;                   ///< of a block
    std::span<const Integer> parameters = {}; ///< see ir::describe
};
/// What a program says of its launch; operations and bytes are those of its first cluster, as many times as there are clusters.
ir::KernelInfo describe_by_cluster(const ir::Program& program, const target::Gpu& gpu,
                                   const LaunchCount& count);
/// What a program says of its launch; registers and resident blocks are known once it is compiled. Operations and bytes
/// are counted as if all blocks had as many transforms.
ir::KernelInfo describe_for_gpu(const ir::Program& program, const StepRecipe& recipe, std::size_t kernel,
                                const target::Gpu& gpu);

/// The constant tables of a plan's kernels, one after the other, for one copy to the GPU; those that are the same once.
class TableImage {
public:
    std::size_t add(const ir::BufferInfo& table); ///< returns its place in bytes
    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    struct Part {
        std::uint64_t checksum;
        std::size_t offset, size;
    };
    std::vector<Part> parts_;
    std::vector<std::byte> bytes_;
};

/// Workspace of a step: buffers of its programs that are neither the caller's nor tables. Programs that name the same
/// buffer share it.
class StepWorkspace {
public:
    explicit StepWorkspace(const std::vector<ir::Program>& programs);
    std::size_t offset_of(const std::string& buffer) const { return offsets_.at(buffer); }
    std::size_t bytes() const { return bytes_; }

private:
    std::map<std::string, std::size_t> offsets_;
    std::size_t bytes_ = 0;
};

/// Where the memories of an execution start, by Binding::Source.
using GpuAddresses = std::array<runtime::cuda::Address, Binding::sources>;

/// One kernel, ready to be launched by any number of threads at once.
class LaunchedKernel {
public:
    /// What becomes of a program before a GPU is needed: its parameters, in the order of the launch.
    LaunchedKernel(const ir::Program& program, const Stage& stage, const target::Gpu& gpu,
                   ir::KernelInfo info, const StepWorkspace& workspace, std::size_t workspace_offset,
                   TableImage& tables);

    /// All but its machine code, to be kept, and what was kept.
    void write(ByteWriter& writer) const;
    static LaunchedKernel read(ByteReader& reader);

    /// See LoadedKernel.
    void load(const runtime::GpuModule& module, const runtime::GpuDevice& device) {
        kernel_.load(module, device);
    }

    /// Puts it into the stream.
    void launch(const GpuAddresses& addresses, const runtime::GpuStream& stream) const;

    const ir::KernelInfo& info() const { return kernel_.info(); }
    /// Bytes of which addresses of this memory have to be multiples.
    std::size_t alignment_of(Binding::Source source) const {
        return alignments_[static_cast<std::size_t>(source)];
    }

private:
    LaunchedKernel() = default;

    static constexpr std::size_t most_parameters = 64;
    struct Parameter {
        Binding::Source source;
        std::size_t offset; ///< bytes from where the memory starts
        std::size_t zeroed; ///< bytes that a launch fills with zeros
    };
    Parameter parameter_of(const ir::BufferInfo& buffer, const Stage& stage, const StepWorkspace& workspace,
                           std::size_t workspace_offset, TableImage& tables) const;

    LoadedKernel kernel_;
    std::vector<Parameter> parameters_;
    std::array<std::size_t, std::tuple_size_v<GpuAddresses>> alignments_{};
};

} // namespace swirl::planning
