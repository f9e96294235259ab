#pragma once

#include "lower/gpu_lowering.hpp"
#include "rules/rule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::planning {

/// One kernel: transforms along one of the problem's dimensions, all the others being loops around it.
struct StepRecipe {
    std::size_t dimension = 0;
    rules::BreakdownTree tree;
    std::vector<lower::GpuMapping> mappings = {}; ///< on a GPU, of each of its kernels; on a CPU none
    bool operator==(const StepRecipe&) const = default;
};

/// Every choice made for a problem; with the problem and the machine it determines the code. Wisdom stores it.
struct Recipe {
    std::string machine;           ///< the name of a target::Cpu or a target::Gpu
    std::vector<StepRecipe> steps; ///< in order of execution
    bool scalar = false;           ///< no loop becomes vector lanes: scalar instructions of the CPU alone
    Integer chunk =
        0; ///< on a GPU, iterations of the outermost batch loop that all steps work on before the next; 0: all
    bool operator==(const Recipe&) const = default;
};

/// One line, e.g. "avx512: 0 stockham(32,32)", "avx512 scalar: 0 …", "sm_90: 0 stockham(16,16) on 128x8 pad 32", "sm_90 chunk 8: …"; steps are
/// separated by "; ", the mappings of a step's kernels by ", ". Round-trips.
std::string to_string(const Recipe& recipe);
/// "128x2 pad 32 held": threads of a block x transforms that they share, then what else was chosen, by name: "pad" and
/// "pitch" are entries of shared memory (shared_row, shared_pitch), "held" is one_vector, others are called alike there,
/// "staged" on both sides, "staged in" and "staged out" on one; "roots loaded" and "roots multiplied" are Roots.
std::string to_string(const lower::GpuMapping& mapping);
/// Throws UserError with the place and what was expected.
Recipe parse_recipe(std::string_view text);

} // namespace swirl::planning
