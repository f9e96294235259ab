#pragma once

#include "formula/formula.hpp"
#include "ir/type.hpp"
#include "runtime/executable_memory.hpp"

#include <optional>
#include <span>
#include <string_view>

/// The codelets that were compiled into the library (emit/builtin.hpp says what they compute and how to call them).
namespace swirl::planning {

struct BuiltinEntry {
    std::string_view formula; ///< as formula::to_text prints it
    ir::Scalar scalar;
    runtime::KernelFunction function;
    Integer flops; ///< of one transform
};

std::span<const BuiltinEntry> builtin_entries();

/// A built-in codelet that serves for a transform.
struct BuiltinMatch {
    const BuiltinEntry* entry;
    bool
        exchanged; ///< real and imaginary parts of input and output change places (a backward DFT by a forward one)
};
std::optional<BuiltinMatch> find_builtin(const formula::Formula& formula, ir::Scalar scalar);

/// The formula with DFTs that are not built in broken down until they are, or until no rule applies.
formula::Formula with_builtin_codelets(const formula::Formula& formula, ir::Scalar scalar);

} // namespace swirl::planning
