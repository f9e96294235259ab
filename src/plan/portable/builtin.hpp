#pragma once

#include "formula/formula.hpp"
#include "ir/type.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <optional>
#include <span>
#include <string_view>

/// Codelets compiled into the library (emit/cpp/builtin.hpp describes what they compute and their calling convention).
namespace swirl::planning {

struct BuiltinEntry {
    std::string_view formula; ///< as formula::to_text prints it
    DataType scalar;
    runtime::KernelFunction function;
    Integer flops; ///< of one transform
};

std::span<const BuiltinEntry> builtin_entries();

/// A built-in codelet that computes a transform.
struct BuiltinMatch {
    const BuiltinEntry* entry;
    bool
        exchanged; ///< real and imaginary components of input and output are exchanged: a backward DFT by a forward codelet
};
std::optional<BuiltinMatch> find_builtin(const formula::Formula& formula, DataType scalar);

/// The formula with its DFTs broken down until each is built in or no rule applies.
formula::Formula with_builtin_codelets(const formula::Formula& formula, DataType scalar);

} // namespace swirl::planning
