#pragma once

#include "formula/formula.hpp"

#include <string>
#include <vector>

namespace swirl::formula {

/// One application of a rule: `before` is the subterm that matched.
struct RewriteStep {
    std::string rule;
    Formula before;
    Formula after;
};
using RewriteTrace = std::vector<RewriteStep>;

/// One line per step: "rule: before → after".
std::string to_text(const RewriteTrace& trace);

} // namespace swirl::formula
