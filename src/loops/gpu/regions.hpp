#pragma once

#include "loops/gpu/threads.hpp"
#include "loops/loop_program.hpp"
#include "loops/request.hpp"

#include <set>
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
    Integer entries_at_once = 1; ///< of such a copy: entries that a thread reads before it writes them
};

/// The work of one kernel: calls one after the other, in loops with independent iterations.
struct KernelRegion {
    std::vector<Loop> around; ///< outermost first
    std::vector<Call> calls;
    bool over_all = false;                ///< its independent calls cover whole vectors in global memory
    std::vector<ThreadShare> shares = {}; ///< by call, once tags are placed
    /// In a cluster: calls that write into other blocks' shared memory.
    std::vector<std::size_t> exchanges = {};
    /// In a cluster: calls that run together with the call before, all reads before all writes.
    std::set<std::size_t> joined = {};
};

/// The region's loops and calls, one line each, with their tags: see to_text of a LoopProgram.
std::string to_text(const LoopProgram& loops, const KernelRegion& region);

struct KernelRegions {
    LoopProgram loops = {};                 ///< arrays and extents; its body is in `regions`
    std::vector<KernelRegion> regions = {}; ///< in order
    std::vector<Loop> common = {};          ///< the loops around all regions
    /// For each kernel of fused regions, one past its last region. It fuses regions in one loop inside those around
    /// all, or all regions if each has loops of its own.
    std::vector<std::size_t> fused_ends = {};
    std::vector<int> communicated = {}; ///< temporaries passed from one region to another
};

/// Memory for vectors passed between regions; `shared` applies to regions fused into one kernel.
enum class Between : std::uint8_t { global, shared };

/// All regions, or the loops before they are split into regions.
std::string to_text(const KernelRegions& regions);

/// What the passes that form regions obey.
struct RegionRequest {
    Request loops;
    Between between = Between::global;
    Integer separate_above = 0; ///< see LaunchConfiguration
};

/// Each sequence of calls in the same loops becomes a region.
void split_into_regions(KernelRegions& kernels, const RegionRequest& request);

/// Truncates `loops` to the outermost loops that `others` starts with.
void retain_common_loops(std::vector<Loop>& loops, const std::vector<Loop>& others);
std::vector<Loop> loops_around_all(const std::vector<KernelRegion>& regions);

/// Number of locations that computing codelets reach through index tables.
Integer index_tables(const KernelRegions& regions);

/// Whether each call but the last writes one shared vector, and the next call reads that vector alone.
bool is_chain(const LoopProgram& loops, const KernelRegion& region);

} // namespace swirl::loops
