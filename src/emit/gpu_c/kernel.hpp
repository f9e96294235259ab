#pragma once

#include "emit/cpp/c_kernel.hpp"
#include "emit/gpu_c/dialect.hpp"
#include "emit/lane_map.hpp"
#include "emit/usage.hpp"
#include "ir/ranges.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::emit {

/// A kernel of a file, and how the file provides its buffers.
struct GpuKernel {
    const ir::Program* program = nullptr;
    std::string name;
    Usage usage;
    std::vector<std::string> tables;             ///< by Buffer: the file's array that holds it; empty: passed
    std::vector<std::optional<Integer>> origins; ///< by Buffer: the index to which the passed pointer points
    bool arguments_overlap = false;
    std::vector<Integer> shared_offsets; ///< by Buffer, in bytes; if the launch allocates shared memory
    Integer dynamic_shared_bytes = 0;    ///< allocated by the launch; 0: the kernel declares its arrays

    const ir::BufferInfo& buffer(std::size_t position) const { return program->buffers[position]; }
    bool is_passed(std::size_t position) const;
    /// The buffers that are kernel arguments: those of the program that it uses, then tables, then those passed by
    /// value, with one argument per element.
    std::vector<std::size_t> passed() const;
    /// The integer parameters that it uses, by position among the program's variables; they are its last arguments.
    std::vector<std::size_t> parameters() const;
    /// Lays out shared buffers in one array if they exceed what the dialect may declare.
    void allocate_shared(const GpuDialect& dialect);
    /// Elements of a buffer in one block's own shared memory.
    Integer own_elements(std::size_t position) const {
        const ir::BufferInfo& info = buffer(position);
        return info.dsmem_elements_per_block > 0 ? info.dsmem_elements_per_block : info.elements;
    }
};

/// The helpers that kernels use.
struct GpuHelpers {
    bool float64 = false;
    bool float16 = false;
    bool bfloat16 = false;
    bool to_odd = false; ///< rounds float64 to 16 bits by way of float32
    bool clusters = false;
    bool groups = false;
    void include(const GpuKernel& kernel);
};
void write_helpers(SourceWriter& out, const GpuDialect& dialect, const GpuHelpers& helpers);
void reserve_gpu_keywords(Identifiers& names, const GpuDialect& dialect);

/// A constant in a table or at its use; 16-bit floats in a table are spelled as their bits.
std::string gpu_literal(const GpuDialect& dialect, long double value, DataType scalar);
std::string gpu_table_entry(const GpuDialect& dialect, long double value, DataType scalar);
/// The type of an element in memory; 16-bit floats are stored as their bits.
std::string_view gpu_memory_type(const GpuDialect& dialect, DataType scalar);

/// One kernel in one of the dialects. A value is a list of operands, one per lane: names, expressions or literals. Lane
/// shuffles only reorder lists; lanes contiguous in memory move in one access. 16-bit floats are held as float, rounded
/// to their type after each operation.
class GpuKernelWriter : private CKernelWriter {
public:
    GpuKernelWriter(SourceWriter& out, const GpuDialect& dialect, const GpuKernel& kernel,
                    const Identifiers& file_names);

    void write_kernel();

private:
    using Lanes = emit::Lanes;

    // ---- the kernel (gpu_kernel.cpp)
    using CKernelWriter::write;
    void write(const ir::For& loop) override;
    void write(ir::Value value) override;
    void write(const ir::Barrier& barrier) override;
    void cooperative_barrier(const ir::Barrier& barrier);
    std::string operand(ir::Value value) const override;
    std::vector<std::string> formals() const;
    void declare_indices();
    void declare_buffers();
    std::string_view space_of(std::size_t buffer) const;
    bool orders_global_memory() const;
    std::string_view value_type(DataType scalar) const;

    // ---- operations, lane by lane (gpu_operation.cpp)
    const Lanes& lanes_of(const ir::Operation& operation, std::size_t position) const;
    void compute(ir::Value value);
    void write_ptx(ir::Value value);
    std::string expression(const ir::Operation& operation, std::size_t lane) const;
    std::string power_of_two(DataType scalar, const std::string& a) const;
    std::string fused(const ir::Operation& operation, std::size_t lane) const;
    std::string converted(DataType from, DataType to, const std::string& a) const;

    // ---- memory (gpu_memory.cpp)
    void load(ir::Value value);
    void store(const ir::Operation& operation);
    void atomic_add(const ir::Operation& operation);
    std::string location(const ir::Address& address, Integer lane_offset, int lanes, bool read_only) const;
    std::string cluster_pointer(const ir::Address& address) const;
    Integer alignment(const ir::Operation& operation) const;
    std::string vector_type(DataType scalar, int lanes) const;

    const GpuDialect& dialect_;
    const GpuKernel& kernel_;
    ir::VariableRanges ranges_;
    std::vector<Lanes> values_;          ///< by Value, once written
    std::vector<Lanes> passed_by_value_; ///< names of its elements, by Buffer
};

} // namespace swirl::emit
