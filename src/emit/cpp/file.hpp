#pragma once

#include "emit/cpp/c_tables.hpp"
#include "emit/cpp/cpp.hpp"
#include "emit/identifiers.hpp"
#include "emit/source_writer.hpp"
#include "emit/usage.hpp"

#include <span>
#include <string>
#include <vector>

namespace swirl::emit {

/// Writes a file of emitted C++: first what its kernels share (helpers, tables, names), then each kernel.
class CppFile {
public:
    enum class Convention { by_array, by_name }; ///< see CppKernelWriter

    /// `names`: names used outside the kernels.
    CppFile(std::span<const ir::Program* const> programs, const CppOptions& options, Identifiers names);

    /// Comments, includes and helpers; call once, before the kernels.
    void write_head();
    void write_kernel(std::size_t position, Convention convention);

    const std::string& function(std::size_t position) const { return functions_[position]; }
    SourceWriter& out() { return out_; }
    std::string text() && { return std::move(out_).text(); }

private:
    PreludeNeeds needs() const;

    std::span<const ir::Program* const> programs_;
    const CppOptions& options_;
    SourceWriter out_;
    Identifiers names_;
    std::vector<std::string> functions_;
    std::vector<Usage> usages_;
    CTables tables_;
};

} // namespace swirl::emit
