#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

/// Calls that need not move what they do not change.
namespace swirl::loops {

/// All temporaries reside in shared memory. Merges those of regions, in loops around all of them
/// (KernelRegions::common), if a call maps one to the same locations of the other: I ⊕ A becomes A in place, and copies
/// need no kernel of their own.
void make_in_place(KernelRegions& kernels, const RegionRequest& request);

/// Reorders calls and removes copies to locations where the entries may stay. Calls that write single entries of a
/// vector beside another writer move to just before the vector is read.
void remove_copies(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration& configuration);

} // namespace swirl::loops
