#pragma once

#include "emit/cpp_prelude.hpp"
#include "emit/identifiers.hpp"
#include "emit/source_writer.hpp"
#include "emit/usage.hpp"
#include "ir/program.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::emit {

/// One kernel as a C++ function: the calling convention of ir::Program, and an overload with named pointers.
class CppKernelWriter {
public:
    /// `tables`: for each buffer, the name of the file's array that holds it; empty: passed in `buffers`.
    CppKernelWriter(SourceWriter& out, const ir::Program& program, const Usage& usage, std::string name,
                    std::span<const std::string> tables, const Identifiers& file_names, CppVectors vectors);

    /// extern "C", pointers and numbers in arrays: callable through one function type.
    void write_function();
    /// The same name with named, typed pointers; calls the function above.
    void write_typed_overload();
    /// Named, typed pointers only, for the functions of the same file.
    void write_internal_function();

private:
    bool is_passed(std::size_t buffer) const;
    const std::string& name(Variable variable) const {
        return variables_[static_cast<std::size_t>(variable)];
    }
    void open_scope(Variable variable);
    void close_scope(Variable variable);
    std::string pointer_type(const ir::BufferInfo& buffer) const;

    /// A parameter of the typed convention: a buffer's pointer or a number.
    struct Formal {
        std::string type;
        std::string name;
        bool is_used = true;
    };
    std::vector<Formal> formals() const;
    std::vector<std::string> numbers() const;

    void describe(bool by_position);
    void declare_buffers(bool from_array);
    void declare_parameters(bool from_array);

    void write(const ir::Body& body);
    void write(const ir::Straight& straight);
    void write(const ir::For& loop);
    void write(const ir::If& branch);
    void write(const ir::Barrier&) {} // one thread has nobody to wait for
    void write(ir::Value value);

    std::string form(const Affine& affine) const;
    std::string condition(const ir::Condition& condition) const;
    std::string operand(ir::Value value) const;
    std::string index(const ir::Address& address) const;
    std::string element(const ir::Address& address) const;
    std::string pointer(const ir::Address& address) const;
    std::string load(const ir::Operation& operation) const;
    std::string store(const ir::Operation& operation) const;
    std::string convert(const ir::Operation& operation) const;
    std::string fused(const ir::Operation& operation) const;
    std::string intrinsic(const ir::Operation& operation, std::string_view function) const;
    std::string shuffle(const ir::Operation& operation, std::span<const std::int8_t> lane_map) const;
    std::string expression(const ir::Operation& operation) const;

    SourceWriter& out_;
    const ir::Program& program_;
    const Usage& usage_;
    std::string name_;
    std::span<const std::string> tables_;
    Identifiers names_;
    CppVectors vectors_;
    std::vector<std::string> buffers_;   ///< names by Buffer
    std::vector<std::string> variables_; ///< names by Variable; those of loops while they are open
};

} // namespace swirl::emit
