#pragma once

#include "loops/gpu/regions.hpp"

#include <optional>

/// Fusion of GPU calls, which removes the vector between them.
namespace swirl::loops {

/// A call in a list of regions.
struct CallIndex {
    std::size_t region = 0;
    std::size_t call = 0;
    auto operator<=>(const CallIndex&) const = default;
};
inline Call& call_at(std::vector<KernelRegion>& regions, const CallIndex& index) {
    return regions[index.region].calls[index.call];
}

/// Calls that access a vector, in order.
struct Users {
    std::vector<CallIndex> writers;
    std::vector<CallIndex> readers;
};
Users users_of(const std::vector<KernelRegion>& regions, int array);

/// Whether a call reads an array.
bool reads(const Call& call, int array);
/// Whether memory holds the element unchanged, at an address affine in loop variables.
bool is_plain(const Location& location);
/// A complex temporary in shared memory.
bool is_complex_temporary(const LoopProgram& loops, int array);
/// Removes the call's own loops of one iteration.
void leave_out_single_loops(Call& call);
/// Whether the loops around the outer region are also around the inner one.
bool is_within(const KernelRegion& inner, const KernelRegion& outer);

/// Fuses two calls into one codelet if each iteration of the second reads what one iteration of the first has written,
/// and no other call reads it. The calls may belong to neighbouring regions.
void fuse_calls(KernelRegions& kernels, const RegionRequest& request);

struct FusedCalls {
    std::vector<Integer>
        order; ///< for each entry that the second call reads, its index among those that the first writes
    Affine first_target; ///< location of the first call's first target, in the fused call's variables
};
/// Fuses two calls at the position of the first; nothing if they do not qualify.
std::optional<FusedCalls> fuse_two_calls(LoopProgram& loops, std::vector<KernelRegion>& regions,
                                         const CallIndex& first, const CallIndex& second);

} // namespace swirl::loops
