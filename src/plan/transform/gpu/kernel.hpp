#pragma once

#include "base/byte_stream.hpp"
#include "emit/ptx/ptx.hpp"
#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "plan/schedule.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/loaded_kernel.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/module.hpp"
#include "target/gpu.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

/// A plan's passes as GPU kernels.
namespace swirl::planning {

/// The programs of a pass during compilation: one kernel, or several that pass data through workspace.
struct GpuDerivation {
    formula::Formula formula;
    std::vector<ir::Program> lowered;
    std::vector<ir::Program> programs; ///< after the passes
};
/// Throws UserError if the pass's launch configurations do not fit the GPU.
GpuDerivation derive_for_gpu(const Transform& problem, const DimensionPass& pass,
                             const PassSchedule& schedule, const target::Gpu& gpu);

/// Throws UserError if the program uses instructions that the GPU lacks.
emit::PtxOptions ptx_options(const target::Gpu& gpu, const ir::Program& program);

/// Whether kernels of a plan may start before the previous one has ended, and wait for its results (programmatic
/// dependent launch): their launch then takes no time of its own.
constexpr bool starts_kernels_early(const target::Gpu& gpu) { return gpu.capability_major >= 9; }
/// The same of a plan's kernels in the order of their launches. With `early` they start early where each of their blocks
/// can have a multiprocessor to itself: where they share one, plans took up to 2.8 times as long on an H200 (decision 49).
std::vector<emit::PtxOptions> ptx_options(const target::Gpu& gpu, const std::vector<ir::Program>& programs,
                                          bool early);

/// Further inputs of a launch's description.
struct LaunchCount {
    std::vector<Integer> factors = {};
    Integer transforms = 1;                   ///< per block
    std::span<const Integer> parameters = {}; ///< see ir::describe
};
/// Description of a launch. Operations and bytes are those of the first cluster, multiplied by the number of clusters.
ir::KernelInfo describe_by_cluster(const ir::Program& program, const target::Gpu& gpu,
                                   const LaunchCount& count);
/// Description of a launch. Registers and resident blocks are known only after compilation. Operations and bytes are
/// counted as if all blocks had the same number of transforms.
ir::KernelInfo describe_for_gpu(const ir::Program& program, const PassSchedule& schedule, std::size_t kernel,
                                const target::Gpu& gpu);

/// The constant tables of a plan's kernels, one after the other in the GPU's memory; identical tables are there once.
/// Long ones need most of the memory of planning: they stay where they were built.
class TableImage {
public:
    std::size_t add(const ir::BufferInfo& table); ///< returns its offset in bytes
    std::size_t size() const { return size_; }    ///< in bytes

    struct Table {
        std::size_t offset, size; ///< in bytes
        ir::TableData contents;
        std::vector<std::byte> rounded = {}; ///< unless kernels load the contents as they are
        std::uint64_t checksum = 0;

        std::span<const std::byte> bytes() const;
    };
    const std::vector<Table>& tables() const { return tables_; }
    /// All of it, with zeros between tables.
    std::vector<std::byte> bytes() const;

private:
    std::vector<Table> tables_;
    std::size_t size_ = 0;
};

/// Workspace of a pass: the buffers of its programs other than the caller's arrays and tables. Programs that use the
/// same buffer name share the buffer.
class PassWorkspace {
public:
    explicit PassWorkspace(const std::vector<ir::Program>& programs);
    std::size_t offset_of(const std::string& buffer) const { return offsets_.at(buffer); }
    std::size_t bytes() const { return bytes_; }

private:
    std::map<std::string, std::size_t> offsets_;
    std::size_t bytes_ = 0;
};

/// Base addresses of an execution's memories, by Binding::Source.
using GpuAddresses = std::array<runtime::cuda::Address, Binding::sources>;

/// A kernel that any number of threads can launch at once.
class LaunchedKernel {
public:
    /// Binds the program's parameters, in the order of the launch. Needs no GPU yet.
    LaunchedKernel(const ir::Program& program, const DimensionPass& pass, const target::Gpu& gpu,
                   ir::KernelInfo info, const PassWorkspace& workspace, std::size_t workspace_offset,
                   TableImage& tables);

    /// Serialisation of all but the machine code.
    void write(ByteWriter& writer) const;
    static LaunchedKernel read(ByteReader& reader);

    /// See LoadedKernel.
    void start_early() { kernel_.start_early(); }
    void load(const runtime::GpuModule& module, const runtime::GpuDevice& device) {
        kernel_.load(module, device);
    }

    /// Enqueues the kernel into the stream.
    void launch(const GpuAddresses& addresses, const runtime::GpuStream& stream) const;

    const ir::KernelInfo& info() const { return kernel_.info(); }
    /// Required alignment of this memory's address, in bytes.
    std::size_t alignment_of(Binding::Source source) const {
        return alignments_[static_cast<std::size_t>(source)];
    }

private:
    LaunchedKernel() = default;

    static constexpr std::size_t max_parameters = 64;
    struct Parameter {
        Binding::Source source;
        std::size_t offset; ///< bytes from the start of the memory
        std::size_t zeroed; ///< bytes that a launch sets to zero
    };
    Parameter parameter_of(const ir::BufferInfo& buffer, const DimensionPass& pass,
                           const PassWorkspace& workspace, std::size_t workspace_offset,
                           TableImage& tables) const;

    LoadedKernel kernel_;
    std::vector<Parameter> parameters_;
    std::array<std::size_t, std::tuple_size_v<GpuAddresses>> alignments_{};
};

} // namespace swirl::planning
