#pragma once

#include "emit/cpp/c_tables.hpp"
#include "emit/gpu_c/kernel.hpp"
#include "emit/gpu_c/source.hpp"
#include "emit/source_writer.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace swirl::emit {

/// The range of elements that kernels access in a memory that they share; it begins at index 0 or below.
struct MemoryExtent {
    Integer first = 0;
    Integer end = 0;       ///< one past the last index
    Integer alignment = 1; ///< bytes
    void include(const ir::BufferInfo& buffer);
};

/// The workspace: the transform's memories that belong to it, then the scratch buffers of all kernels by name.
struct WorkspaceLayout {
    explicit WorkspaceLayout(const GpuTransform& transform);

    struct Region {
        MemoryExtent extent; ///< in elements
        Integer element_bytes = 1;
        Integer offset = 0; ///< bytes from the start of the workspace

        Integer bytes() const { return (extent.end - extent.first) * element_bytes; }
        /// Bytes from the start of the workspace to the element of index 0.
        Integer offset_of_zero() const { return offset - extent.first * element_bytes; }
    };
    std::map<std::size_t, Region> memories;
    std::map<std::string, Region> scratch;
    Integer bytes = 0;
};

/// A transform as file writers see it: names, kernels, and the location of each launch's buffers.
class GpuFile {
public:
    GpuFile(const GpuTransform& transform, const GpuSourceOptions& options);

    /// Where a kernel's argument comes from.
    struct Actual {
        std::size_t buffer = 0;             ///< of the kernel's program
        std::optional<std::size_t> memory;  ///< of the transform
        std::optional<std::size_t> table;   ///< among passed_tables()
        std::optional<std::string> scratch; ///< name of the workspace region, if neither of the above
    };
    struct KernelLaunch {
        std::size_t kernel = 0;
        std::vector<Actual> actuals;
        std::vector<GpuTransform::Flag> flags; ///< in the order of the kernel's parameters
        std::optional<GpuTransform::Flag> condition;
    };
    struct PassedTable {
        std::string name;
        const ir::BufferInfo* buffer = nullptr;
    };

    const GpuDialect& dialect() const { return dialect_; }
    const std::string& function() const { return function_; }
    const std::string& memory_name(std::size_t memory) const { return memory_names_[memory]; }
    const GpuTransform& transform() const { return transform_; }
    const std::vector<GpuKernel>& kernels() const { return kernels_; }
    const std::vector<KernelLaunch>& launches() const { return launches_; }
    const std::vector<PassedTable>& passed_tables() const { return passed_tables_; }
    const WorkspaceLayout& workspace() const { return workspace_; }

    /// Whether some kernel reads or writes this memory of the transform.
    bool uses(std::size_t memory) const;

    /// The value that a flag tests, as spelled in the host function.
    std::string text_of(const GpuTransform::Flag& flag) const {
        return fmt::format("{}[{}]", memory_names_[flag.memory], flag.index);
    }

    void write_kernels(SourceWriter& out);
    /// In the host function: marks arguments that no kernel accesses as unused, to avoid compiler warnings.
    void write_unused(SourceWriter& out) const;
    /// Documents each argument for the function's caller.
    void describe_arguments(SourceWriter& out) const;

private:
    std::size_t kernel_of(const ir::Program& program);
    void name_tables(GpuKernel& kernel);
    void add_launch(const GpuTransform::KernelLaunch& launch);
    void check(const GpuTransform::Flag& flag, const ir::Program& program) const;
    /// The values of a kernel's parameters in this launch.
    std::vector<GpuTransform::Flag> flags_of(const GpuKernel& kernel,
                                             const GpuTransform::KernelLaunch& launch) const;
    /// Call after all launches: where a kernel's arguments begin depends on what other kernels access of the same
    /// memory.
    void set_origins();
    void write_tables(SourceWriter& out, const GpuKernel& kernel);

    const GpuTransform& transform_;
    const GpuSourceOptions& options_;
    const GpuDialect& dialect_;
    Identifiers names_;
    std::string function_;
    std::vector<std::string> memory_names_;
    std::vector<MemoryExtent> extents_; ///< by memory
    std::vector<GpuKernel> kernels_;
    std::vector<KernelLaunch> launches_;
    CTables tables_;
    WorkspaceLayout workspace_;
    std::vector<PassedTable> passed_tables_;
};

/// The host code of a file (gpu_host.cpp, opencl_host.cpp).
void write_host(SourceWriter& out, const GpuFile& file);
void write_host_declaration(SourceWriter& out, const GpuFile& file);
void write_opencl_host(SourceWriter& out, const GpuFile& file, std::string_view kernels);
void write_opencl_declarations(SourceWriter& out, const GpuFile& file);

} // namespace swirl::emit
