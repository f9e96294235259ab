#include "loops/gpu/cluster_loops.hpp"

#include "base/error.hpp"
#include "loops/gpu/distribute.hpp"

#include <algorithm>

namespace swirl::loops {

Integer entries_of(const KernelRegion& region, int array, const Extents& extents) {
    Integer entries = 0;
    const auto look = [&](const Memory& memory, const std::vector<Location>& locations) {
        if (memory.array != array) return;
        for (const Location& location : locations)
            for (const Affine* form : {&location.re, &location.im})
                entries = std::max(entries, bounds(*form, extents).second + 1);
    };
    for (const Call& call : region.calls) {
        look(call.input, call.placement.sources);
        look(call.output, call.placement.targets);
    }
    return entries;
}

void batch_transforms(KernelRegions& regions, const Loop& transforms) {
    const Integer available = regions.common.empty() ? 1 : regions.common.back().count;
    if (available % transforms.count != 0)
        throw UserError(
            "a cluster executes {} transforms at once, which does not divide its {} transforms; use a "
            "divisor",
            transforms.count, available);
    Loop& around = regions.common.back();
    const Loop outside = new_loop(regions.loops, available / transforms.count);
    const Affine form = Affine::of(outside.variable, transforms.count) + Affine::of(transforms.variable);
    for (KernelRegion& region : regions.regions)
        for (Call& call : region.calls) {
            substitute(call, around.variable, form);
            call.loops.insert(call.loops.begin(), transforms);
        }
    around = outside;
}

ClusterBuilderBase::ClusterBuilderBase(KernelRegions regions, Integer blocks, Integer pitch,
                                       Integer transforms)
    : regions_(std::move(regions)),
      blocks_(blocks),
      pitch_(pitch),
      transforms_(new_loop(regions_.loops, transforms)),
      rank_(new_loop(regions_.loops, blocks).variable) {}

KernelRegions ClusterBuilderBase::begin() const {
    KernelRegions result;
    KernelRegion& cluster = result.regions.emplace_back();
    cluster.around = regions_.common;
    cluster.around.push_back({rank_, blocks_});
    return result;
}

void ClusterBuilderBase::add_array(int like) {
    Array all = array(like);
    all.elements = blocks_ * block_entries();
    all.dsmem_elements_per_block = blocks_ > 1 ? block_entries() : 0;
    regions_.loops.arrays.push_back(all);
}

} // namespace swirl::loops
