#pragma once

#include "rules/rule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::planning {

/// One kernel: transforms along one of the problem's dimensions, all the others being loops around it.
struct StepRecipe {
    std::size_t dimension = 0;
    rules::BreakdownTree tree;
    bool operator==(const StepRecipe&) const = default;
};

/// Every choice made for a problem; with the problem and the machine it determines the code. Wisdom stores it.
struct Recipe {
    std::string cpu;               ///< a target::Cpu's name
    std::vector<StepRecipe> steps; ///< in order of execution
    bool scalar = false;           ///< no loop becomes vector lanes: scalar instructions of the CPU alone
    bool operator==(const Recipe&) const = default;
};

/// One line, e.g. "avx512: 0 stockham(32,32)", "avx512 scalar: 0 …"; steps are separated by "; ". Round-trips.
std::string to_string(const Recipe& recipe);
/// Throws UserError with the place and what was expected.
Recipe parse_recipe(std::string_view text);

} // namespace swirl::planning
