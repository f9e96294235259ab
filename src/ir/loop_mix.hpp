#pragma once

#include "ir/program.hpp"

#include <map>
#include <span>
#include <string_view>

namespace swirl::ir {

/// Instructions that one iteration of a GPU kernel's loop is made of, over all threads of a cluster of blocks, or of the role that has the loop: what a condition
/// keeps to some threads counts for these. What local arrays hold is in registers, and a vector's lanes are: neither takes
/// an instruction. Addresses that the driver's compiler works out from an access's index are not in it.
struct LoopMix {
    Integer threads = 0;                     ///< that the counts are of
    bool repeats = true;                     ///< they are of an iteration; else of a kernel that has none
    Integer fused = 0;                       ///< fma, fms, fnma on floating numbers
    Integer warp_products = 0;               ///< instructions by which warps multiply small matrices
    Integer multiply_adds_of_products = 0;   ///< theirs
    Integer other_floating = 0;              ///< arithmetic beside these
    Integer integers = 0;                    ///< operations on int64, comparisons of them too
    std::map<Integer, Integer> shared_loads; ///< by bytes of one thread's access
    std::map<Integer, Integer> copies;       ///< asynchronous, from global to shared memory, likewise
    Integer other_accesses =
        0; ///< of global memory, and stores to shared memory, that are no such copies; of signals
    Integer conditions = 0;
    Integer barriers = 0;
    Integer fences = 0; ///< commits of copies, and waits for them

    /// Slots of a scheduler that an iteration takes, its own counting, comparing and jumping included.
    Integer instructions() const;
    static constexpr Integer of_the_loop = 3; ///< what a thread needs for that
};

/// Whether a loop's variable has this name.
bool has_loop(const Program& program, std::string_view variable);
/// Of the loop whose variable has this name. InternalError where there is none, or loops are inside.
LoopMix mix_of_loop(const Program& program, std::string_view variable);
/// Of all that a cluster's, or a group's, threads do where parameters have these values.
LoopMix mix_of_kernel(const Program& program, std::span<const Integer> parameters);

} // namespace swirl::ir
