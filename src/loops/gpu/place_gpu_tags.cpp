#include "loops/gpu/place_gpu_tags.hpp"

#include "loops/gpu/liveness.hpp"
#include "loops/gpu/staging.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

constexpr Integer copied_entries_at_once = 8; ///< that a copying thread has in flight

/// The call's loops as tagged: those of one iteration, then those of the threads, neighbouring threads innermost.
std::vector<Loop> thread_loops(const Call& call, const ThreadedIterations& iterations) {
    std::vector<Loop> loops;
    for (const Loop& loop : call.loops)
        if (loop.count == 1) loops.insert(loops.begin(), loop);
    for (Loop loop : iterations.loops_of_call()) {
        loop.tag = LoopTag::gpu_thread;
        loops.push_back(loop);
    }
    return loops;
}

void place_gpu_tags(const LoopProgram& loops, KernelRegion& region,
                    const LaunchConfiguration& configuration) {
    for (Loop& loop : region.around) loop.tag = LoopTag::gpu_block;
    std::optional<Loop> transforms;
    if (!region.around.empty()) {
        region.around.back().per_block = configuration.transforms;
        if (configuration.transforms > 1)
            transforms = Loop{region.around.back().variable, configuration.transforms};
    }
    region.shares.clear();
    for (std::size_t first = 0, end = 0; first < region.calls.size(); first = end) {
        for (end = first + 1; region.joined.contains(end);) ++end;
        const bool exchange = std::any_of(region.exchanges.begin(), region.exchanges.end(),
                                          [&](std::size_t call) { return first <= call && call < end; });
        for (std::size_t k = first; k < end; ++k) {
            Call& call = region.calls[k];
            const bool waits = exchange || overwrites_unread(loops, call);
            const bool alone = end == first + 1;
            auto whole =
                alone ? over_all_transforms(loops, region, call, configuration.transforms) : std::nullopt;
            if (whole) whole->loops.front().tag = LoopTag::gpu_thread;
            ThreadedIterations iterations(loops, call, transforms, configuration.threads, !waits);
            if (!whole) call.loops = thread_loops(call, iterations);
            region.shares.push_back(
                {std::move(iterations), waits, exchange, std::move(whole), copied_entries_at_once});
        }
    }
}

} // namespace

void place_gpu_tags(KernelLoops& kernel) {
    for (std::size_t p = 0; p < kernel.regions.regions.size(); ++p)
        place_gpu_tags(kernel.regions.loops, kernel.regions.regions[p], kernel.configurations[p]);
}

} // namespace swirl::loops
