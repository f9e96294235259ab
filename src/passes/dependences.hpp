#pragma once

#include "ir/program.hpp"

#include <utility>
#include <vector>

namespace swirl::passes {

/// Pairs of positions p < q in a straight-line block whose accesses may touch the same element, at least one of them a
/// write: they must keep their order. Two loads give no pair.
std::vector<std::pair<int, int>> memory_dependences(const ir::Program& program,
                                                    const ir::StraightLineBlock& block);

} // namespace swirl::passes
