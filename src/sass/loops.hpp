#pragma once

#include "sass/code.hpp"

#include <optional>
#include <vector>

namespace swirl::sass {

/// The instructions from a backward branch's target to the branch.
struct LoopSpan {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t size() const { return last + 1 - first; }
    bool has(std::size_t body_index) const { return body_index >= first && body_index <= last; }
    friend bool operator==(const LoopSpan&, const LoopSpan&) = default;
};

/// Sorted by their last instructions.
std::vector<LoopSpan> loops(const Code& code);
/// The innermost loop with the most multiplications (multiply-adds or tensor-core instructions; tensor cores take
/// precedence); nothing if no loop has any. Inner loops without multiplications, in which threads wait, do not count.
std::optional<LoopSpan> main_loop(const Code& code);

} // namespace swirl::sass
