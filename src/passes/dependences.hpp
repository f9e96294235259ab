#pragma once

#include "ir/program.hpp"

#include <utility>
#include <vector>

namespace swirl::passes {

/// Pairs of positions p < q in a run whose accesses may touch the same element, one of them writing: they must keep
/// their order. Loads alone give no pair.
std::vector<std::pair<int, int>> memory_dependences(const ir::Program& program, const ir::Straight& run);

} // namespace swirl::passes
