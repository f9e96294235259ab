#pragma once

#include "ir/program.hpp"

#include <map>
#include <span>
#include <string_view>

namespace swirl::ir {

/// Instruction counts of one iteration of a GPU kernel's loop, over all threads of a cluster of blocks, or of the role
/// that contains the loop. Code under a condition counts for the threads that it selects. Local arrays and the lanes
/// of vectors are in registers and cost no instructions. Excludes address arithmetic that the driver's compiler
/// derives from an access's index.
struct InstructionMix {
    Integer threads = 0;           ///< that the counts cover
    bool repeats = true;           ///< the counts are per iteration; otherwise of a kernel without a loop
    Integer fused = 0;             ///< fma, fms, fnma on floating-point values
    Integer mma_instructions = 0;  ///< warp-level matrix multiply-accumulate (MMA) instructions
    Integer mma_multiply_adds = 0; ///< their multiply-adds
    Integer other_floating = 0;    ///< other floating-point arithmetic
    Integer integers = 0;          ///< operations on int64, including comparisons
    std::map<Integer, Integer> shared_loads; ///< by bytes per thread and access
    std::map<Integer, Integer> copies;       ///< asynchronous global-to-shared copies, by bytes per thread
    Integer other_accesses =
        0; ///< of global memory and mbarriers, and stores to shared memory, other than such copies
    Integer conditions = 0;
    Integer barriers = 0;
    Integer fences = 0; ///< commits and waits of asynchronous copies

    /// Issue slots per iteration, including the loop's own counter, comparison and branch.
    Integer instructions() const;
    static constexpr Integer of_the_loop = 3; ///< instructions per thread for loop control
};

/// Whether a loop's variable has this name.
bool has_loop(const Program& program, std::string_view variable);
/// Of the loop whose variable has this name. InternalError if there is none, or if it contains loops.
InstructionMix instruction_mix_of_loop(const Program& program, std::string_view variable);
/// Of a cluster or cooperative group in the whole kernel, for these parameter values.
InstructionMix instruction_mix_of_kernel(const Program& program, std::span<const Integer> parameters);

} // namespace swirl::ir
