#pragma once

#include "lower/lower.hpp"

namespace swirl::lower {

/// How a kernel's transforms are laid onto a GPU.
struct GpuMapping {
    Integer threads;    ///< that share one transform (x)
    Integer transforms; ///< that a block works on at once (y)
    Integer shared_row =
        0; ///< entries of shared memory after which one is left out, so that banks differ; 0: never
    bool operator==(const GpuMapping&) const = default;
};

/// The kernel for a GPU: the loops around everything are blocks and the block's y; the iterations of each step inside
/// are shared among the threads along x, several in turn where there are more; between steps the threads of a block
/// meet, and what lies there is shared memory (without rows where loops do not go by them). Throws InternalError for a
/// kernel that is not, inside its outer loops, one step after another without tables of indices.
ir::Program lower_to_gpu(const KernelRequest& request, const GpuMapping& mapping);

} // namespace swirl::lower
