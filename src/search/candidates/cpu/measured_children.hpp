#pragma once

#include "formula/formula.hpp"
#include "rules/rule.hpp"

#include <functional>
#include <optional>

/// Measured breakdowns of the transforms within a transform.
namespace swirl::search {

/// The breakdown of DFT_n that was measured to be the fastest; nothing if none was.
using MeasuredTree = std::function<std::optional<rules::BreakdownTree>(Integer n)>;

/// The tree with the DFTs of convolutions (Bluestein's, Rader's) and of the half size of a real DFT broken down as measured:
/// there they run as a plan of their own would, on contiguous data. Within other rules a DFT reads other memory.
rules::BreakdownTree with_measured_children(const formula::Formula& transform, rules::BreakdownTree tree,
                                            const MeasuredTree& measured);

} // namespace swirl::search
