#pragma once

#include "emit/c_tables.hpp"
#include "emit/gpu_kernel.hpp"
#include "emit/gpu_source.hpp"
#include "emit/source_writer.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace swirl::emit {

/// What kernels touch of a memory that they share, from index 0 or from a lower one.
struct MemoryExtent {
    Integer first = 0;
    Integer end = 0;       ///< one past the last
    Integer alignment = 1; ///< bytes
    void include(const ir::BufferInfo& buffer);
};

/// The workspace: memories that are part of it, then the scratch buffers of all kernels by their names.
struct WorkspaceLayout {
    explicit WorkspaceLayout(const GpuTransform& transform);

    struct Part {
        MemoryExtent extent; ///< in elements
        Integer element_bytes = 1;
        Integer offset = 0; ///< bytes from the start of the workspace

        Integer bytes() const { return (extent.end - extent.first) * element_bytes; }
        /// Bytes from the start of the workspace to the element of index 0.
        Integer offset_of_zero() const { return offset - extent.first * element_bytes; }
    };
    std::map<std::size_t, Part> memories;
    std::map<std::string, Part> scratch;
    Integer bytes = 0;
};

/// A transform as the writers of files see it: names, kernels, and where each step finds its buffers.
class GpuFile {
public:
    GpuFile(const GpuTransform& transform, const GpuSourceOptions& options);

    /// Where a kernel's argument comes from.
    struct Actual {
        std::size_t buffer = 0;             ///< of the kernel's program
        std::optional<std::size_t> memory;  ///< of the transform
        std::optional<std::size_t> table;   ///< among passed_tables()
        std::optional<std::string> scratch; ///< name of the part of the workspace, where it is neither
    };
    struct Step {
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
    const std::vector<Step>& steps() const { return steps_; }
    const std::vector<PassedTable>& passed_tables() const { return passed_tables_; }
    const WorkspaceLayout& workspace() const { return workspace_; }

    /// Whether some kernel reads or writes a memory of the transform.
    bool uses(std::size_t memory) const;

    /// The number that a flag is about, in the function of the host.
    std::string text_of(const GpuTransform::Flag& flag) const {
        return fmt::format("{}[{}]", memory_names_[flag.memory], flag.index);
    }

    void write_kernels(SourceWriter& out);
    /// For the function of the host: arguments that no kernel touches, so that no compiler warns of them.
    void write_unused(SourceWriter& out) const;
    /// What the function's caller must know of each argument.
    void describe_arguments(SourceWriter& out) const;

private:
    std::size_t kernel_of(const ir::Program& program);
    void name_tables(GpuKernel& kernel);
    void add_step(const GpuTransform::Step& step);
    void check(const GpuTransform::Flag& flag, const ir::Program& program) const;
    /// What a kernel's parameters are in a step.
    std::vector<GpuTransform::Flag> flags_of(const GpuKernel& kernel, const GpuTransform::Step& step) const;
    /// After all steps: where a kernel's arguments begin depends on what others touch of the same memory.
    void place_origins();
    void write_tables(SourceWriter& out, const GpuKernel& kernel);

    const GpuTransform& transform_;
    const GpuSourceOptions& options_;
    const GpuDialect& dialect_;
    Identifiers names_;
    std::string function_;
    std::vector<std::string> memory_names_;
    std::vector<MemoryExtent> extents_; ///< by memory
    std::vector<GpuKernel> kernels_;
    std::vector<Step> steps_;
    CTables tables_;
    WorkspaceLayout workspace_;
    std::vector<PassedTable> passed_tables_;
};

/// The host's part of a file (gpu_host.cpp, opencl_host.cpp).
void write_host(SourceWriter& out, const GpuFile& file);
void write_host_declaration(SourceWriter& out, const GpuFile& file);
void write_opencl_host(SourceWriter& out, const GpuFile& file, std::string_view kernels);
void write_opencl_declarations(SourceWriter& out, const GpuFile& file);

} // namespace swirl::emit
