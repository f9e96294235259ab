#pragma once

#include "loops/gpu/threads.hpp"
#include "loops/loop_program.hpp"

#include <string>
#include <vector>

/// Splits loop programs into kernels for a GPU.
namespace swirl::loops {

/// How the threads of a block share a call.
struct ThreadShare {
    ThreadedIterations iterations;
    bool waits; ///< all threads read, wait for each other, and write
    bool
        exchanges; ///< the call writes into other blocks' shared memory, or another that runs together with it does
    /// A copy as one loop over the entries of all of a block's transforms: replaces the call.
    std::optional<Call> over_all_transforms = {};
};

/// The work of one kernel: calls one after the other, in loops with independent iterations.
struct KernelRegion {
    std::vector<Loop> around; ///< outermost first
    std::vector<Call> calls;
    bool over_all = false;                ///< its independent calls cover whole vectors in global memory
    std::vector<ThreadShare> shares = {}; ///< by call, once tags are placed
};

/// The region's loops and calls, one line each, with their tags: see to_text of a LoopProgram.
std::string to_text(const LoopProgram& loops, const KernelRegion& region);

struct KernelRegions {
    LoopProgram loops;                 ///< arrays and extents; its body is in `regions`
    std::vector<KernelRegion> regions; ///< in order
    std::vector<Loop> common;          ///< the loops around all regions
    /// For each kernel of fused regions, one past its last region. It fuses regions in one loop inside those around
    /// all, or all regions if each has loops of its own.
    std::vector<std::size_t> fused_ends;
    std::vector<int> communicated; ///< temporaries passed from one region to another
    /// By array, the loops around all regions that access it: an array passed through global memory has a copy per
    /// iteration.
    std::vector<std::vector<Loop>> around_users;
};

/// Memory for vectors passed between regions; `shared` applies to regions fused into one kernel.
enum class Between : std::uint8_t { global, shared };

/// Each sequence of calls in the same loops is a region, including zeros that belong into these loops. Temporaries
/// passed between regions reside in `between`. In global memory they store adjacent pairs, with one copy per iteration
/// of the loops that their regions share. A block's threads share the other temporaries. If `separate_above` is not 0,
/// regions without loops of their own whose calls pass on more elements are split: see split_regions.
KernelRegions kernel_regions(LoopProgram loops, Between between, Integer separate_above = 0);

/// The regions fused into kernel number `kernel`.
KernelRegions fused_regions(const KernelRegions& regions, std::size_t kernel);

/// Number of locations that computing codelets reach through index tables.
Integer index_tables(const KernelRegions& regions);

/// Whether each call but the last writes one shared vector, and the next call reads that vector alone.
bool is_chain(const LoopProgram& loops, const KernelRegion& region);

/// For a single codelet: moves its loops, except for a few iterations of inner ones, around it, where they become
/// blocks.
void open_loops_of(KernelRegion& region);

} // namespace swirl::loops
