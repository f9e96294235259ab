#pragma once

#include "machine/code.hpp"

#include <optional>
#include <vector>

namespace swirl::machine {

/// The instructions from where a branch goes back to up to that branch.
struct LoopSpan {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t size() const { return last + 1 - first; }
    bool has(std::size_t place) const { return place >= first && place <= last; }
    friend bool operator==(const LoopSpan&, const LoopSpan&) = default;
};

/// In the order of their last instructions.
std::vector<LoopSpan> loops(const Code& code);
/// Of the loops that have no other one with products (multiply-adds, or instructions of tensor cores) in them, that with the most, those of
/// tensor cores first; nothing where no loop has one. Loops without products are those in which a thread waits.
std::optional<LoopSpan> main_loop(const Code& code);

} // namespace swirl::machine
