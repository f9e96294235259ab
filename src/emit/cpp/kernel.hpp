#pragma once

#include "emit/cpp/c_kernel.hpp"
#include "emit/cpp/prelude.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::emit {

/// One kernel as a C++ function: with the calling convention of ir::Program, or as an overload with named pointers.
class CppKernelWriter : private CKernelWriter {
public:
    /// `tables`: for each buffer, the file's array that holds it; empty: passed in `buffers`.
    CppKernelWriter(SourceWriter& out, const ir::Program& program, const Usage& usage, std::string name,
                    std::span<const std::string> tables, const Identifiers& file_names, CppVectors vectors);

    /// extern "C"; pointers and parameters come in arrays, so one function type calls every kernel.
    void write_function();
    /// Overload with named, typed pointers; calls the function above.
    void write_typed_overload();
    /// Only the version with named, typed pointers, for other functions of the same file.
    void write_internal_function();

private:
    bool is_passed(std::size_t buffer) const;
    std::string pointer_type(const ir::BufferInfo& buffer) const;

    /// A parameter in the typed convention: a buffer's pointer or an integer.
    struct Formal {
        std::string type;
        std::string name;
        bool is_used = true;
    };
    std::vector<Formal> formals() const;
    std::vector<std::string> parameter_names() const;

    void describe(bool by_position);
    void declare_buffers(bool from_array);
    void declare_parameters(bool from_array);

    using CKernelWriter::write;
    void write(ir::Value value) override;
    void write(const ir::Barrier&) override {} // a single thread needs no barrier

    std::string operand(ir::Value value) const override;
    std::string load(const ir::Operation& operation) const;
    std::string store(const ir::Operation& operation) const;
    std::string convert(const ir::Operation& operation) const;
    std::string fused(const ir::Operation& operation) const;
    std::string intrinsic(const ir::Operation& operation, std::string_view function) const;
    std::string shuffle(const ir::Operation& operation, std::span<const std::int8_t> lane_map) const;
    std::string expression(const ir::Operation& operation) const;

    std::string name_;
    std::span<const std::string> tables_;
    CppVectors vectors_;
};

} // namespace swirl::emit
