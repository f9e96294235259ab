#pragma once

#include "lower/gpu_parts.hpp"
#include "lower/lower.hpp"

#include <vector>

namespace swirl::lower {

/// Which of the caller's vectors go through shared memory as a whole: those read, those written.
enum class Staged : std::uint8_t { none, in, out, both };
constexpr bool stages(Staged staged, Staged side) { return staged == side || staged == Staged::both; }

/// How one kernel's work is laid onto a GPU.
struct GpuMapping {
    Integer threads; ///< of a block
    Integer transforms =
        1; ///< iterations of the innermost loop around all steps that a block works on at once
    Integer shared_row =
        0; ///< entries of shared memory after which one is left out, so that banks differ; 0: never
    Integer shared_pitch = 0; ///< entries left out between the vectors of neighbouring transforms
    /// As few shared vectors between the steps as can be, one for a chain of them: threads hold what they have read until
    /// all have. Else two take turns.
    bool one_vector = false;
    Integer cluster =
        1; ///< blocks that see each other's shared memory and have one transform between them: all kernels in one
    /// Between global memory and the steps a block's entries go through shared memory: neighbouring threads move neighbours.
    Staged staged = Staged::none;
    Roots roots = Roots::by_size; ///< of the kernel's tables
    /// All kernels in one, whose blocks have whole transforms (of a cluster that goes without saying).
    bool together = false;
    /// All kernels in one, which hand on through global memory that stays in cache: so many blocks have one transform after
    /// the other between them, and so many of these groups are at work at once; 0: kernels of their own. Of the first
    /// kernel's mapping.
    Integer group = 0;
    Integer groups = 0;
    /// A group's blocks do the first of two parts of a transform before the second one of the transform before it.
    bool ahead = false;
    bool kept = false; ///< what a group hands on is marked to stay in cache
    /// Of all kernels: transforms within a step of another stay in its kernel, all of them at each of their steps.
    bool whole = false;
    /// Of all kernels: steps in no loops of their own that hand on more numbers than this are kernels of their own; 0: never.
    Integer apart = 0;
    Integer resident = 0; ///< blocks that are to be on a multiprocessor at once: see ir::Launch
    bool operator==(const GpuMapping&) const = default;
};

/// What the kernels for a GPU will do; `whole` and `apart` as in GpuMapping. Rows are left out of what is shared alone, and only where the loops go by rows.
GpuParts gpu_parts_of(const KernelRequest& request, Integer shared_row, Between between, bool whole,
                      Integer apart = 0);
/// The same, quicker, of a product of passes in one kernel: nothing lies between kernels, where rows would be in the way.
GpuParts gpu_parts_of_passes(const KernelRequest& request, Integer shared_row, bool whole);

/// A part as a kernel of its own: loops of its steps that become blocks.
void open_part(LoopProgram& loops, GpuPart& part);
/// An open part's steps in order, on as little shared memory as can be: see GpuMapping's `staged` and `one_vector`.
void arrange_part(LoopProgram& loops, GpuPart& part, Staged staged, bool held);

/// An arranged part's arrays as a kernel sees them: one copy of what is shared for each of a block's transforms, of the rest
/// one for each iteration of the loops around its users (GpuParts::around_users).
void lay_out_arrays(LoopProgram& loops, const GpuMapping& mapping,
                    const std::vector<std::vector<Loop>>& around_users);

/// The kernels for a GPU, in order; those after the last mapping are mapped as that one. The loops around everything are
/// blocks; the iterations of each step inside are shared among the threads of a block, several in turn where there are
/// more, neighbours in global memory by neighbouring threads; between steps the threads meet, and what lies there is
/// shared memory (without rows where loops do not go by them). What lies between kernels are scratch buffers, by the same
/// names in all of them. Where transforms do not fill the last block, that may be a kernel of its own.
std::vector<ir::Program> lower_to_gpu(const KernelRequest& request, const std::vector<GpuMapping>& mappings);

} // namespace swirl::lower
