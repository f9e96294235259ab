#pragma once

#include "emit/identifiers.hpp"
#include "emit/source_writer.hpp"
#include "emit/usage.hpp"
#include "ir/program.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::emit {

/// The syntax of a kernel's body common to all languages of C's family: names of buffers and variables, affine forms,
/// loops and conditions. Each language spells values itself.
class CKernelWriter {
protected:
    /// `counter`: the type of loop variables. `file_names`: names used outside the kernel.
    CKernelWriter(SourceWriter& out, const ir::Program& program, const Usage& usage, std::string_view counter,
                  const Identifiers& file_names);
    ~CKernelWriter() = default;
    CKernelWriter(const CKernelWriter&) = delete;
    CKernelWriter& operator=(const CKernelWriter&) = delete;

    /// Names a buffer; the name points to element `origin`. Call for each buffer in order, before anything else.
    void name_buffer(std::string name, Integer origin);
    /// Names parameters and block and thread indices, whose scope is the kernel.
    void name_fixed_variables();

    void write(const ir::Body& body);
    void write(const ir::StraightLineBlock& straight);
    void write(const ir::If& branch);
    virtual void write(const ir::For& loop);
    virtual void write(ir::Value value) = 0;
    virtual void write(const ir::Barrier& barrier) = 0;
    std::string update(const ir::For& loop, const ir::Induction& induction, const std::string& start) const;
    void write(const ir::WarpRoles&);
    void write(const ir::AsyncFence&) {} // asynchronous stores are ordinary stores here

    /// A scalar value at its use: a name or a literal.
    virtual std::string operand(ir::Value value) const = 0;

    std::string form(const Affine& affine) const;
    std::string condition(const ir::Condition& condition) const;
    std::string index(const ir::Address& address) const;
    std::string element(const ir::Address& address) const;
    std::string pointer(const ir::Address& address) const;

    const std::string& name(Variable variable) const {
        return variables_[static_cast<std::size_t>(variable)];
    }
    const ir::BufferInfo& buffer_of(const ir::Address& address) const {
        return program_.buffers[static_cast<std::size_t>(address.buffer)];
    }
    /// InternalError unless the program declares the buffer as written.
    void expect_written(const ir::Address& address) const;

    SourceWriter& out_;
    const ir::Program& program_;
    const Usage& usage_;
    Identifiers names_;
    std::vector<std::string> buffers_;   ///< names by Buffer
    std::vector<Integer> origins_;       ///< index of the element that the name points to, by Buffer
    std::vector<std::string> variables_; ///< names by Variable; loop variables have one while in scope

private:
    void open_scope(Variable variable);
    void close_scope(Variable variable);

    std::string_view counter_;
};

/// a + b, a − b, a · b or −a in C syntax.
std::string c_arithmetic(ir::Opcode opcode, const std::string& a, const std::string& b);

} // namespace swirl::emit
