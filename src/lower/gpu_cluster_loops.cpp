#include "lower/gpu_cluster_loops.hpp"

#include "base/error.hpp"
#include "lower/gpu_spread.hpp"

#include <algorithm>

namespace swirl::lower {

Integer entries_of(const GpuPart& part, int array, const Extents& extents) {
    Integer entries = 0;
    const auto look = [&](const Memory& memory, const std::vector<Location>& places) {
        if (memory.array != array) return;
        for (const Location& place : places)
            for (const Affine* form : {&place.re, &place.im})
                entries = std::max(entries, bounds(*form, extents).second + 1);
    };
    for (const Call& call : part.calls) {
        look(call.input, call.placement.sources);
        look(call.output, call.placement.targets);
    }
    return entries;
}

void take_several(GpuParts& parts, const Loop& transforms) {
    const Integer available = parts.common.empty() ? 1 : parts.common.back().count;
    if (available % transforms.count != 0)
        throw UserError("a cluster has {} transforms at once, of {}; a number that divides these would work",
                        transforms.count, available);
    Loop& around = parts.common.back();
    const Loop outside = new_loop(parts.loops, available / transforms.count);
    const Affine form = Affine::of(outside.variable, transforms.count) + Affine::of(transforms.variable);
    for (GpuPart& part : parts.parts)
        for (Call& call : part.calls) {
            substitute(call, around.variable, form);
            call.loops.insert(call.loops.begin(), transforms);
        }
    around = outside;
}

ClusterBuilderBase::ClusterBuilderBase(GpuParts parts, Integer blocks, Integer pitch, Integer transforms)
    : parts_(std::move(parts)),
      blocks_(blocks),
      pitch_(pitch),
      transforms_(new_loop(parts_.loops, transforms)),
      rank_(new_loop(parts_.loops, blocks).variable) {}

GpuCluster ClusterBuilderBase::begin() const {
    GpuCluster result;
    result.part.around = parts_.common;
    result.part.around.push_back({rank_, blocks_});
    return result;
}

void ClusterBuilderBase::add_array(int like) {
    Array all = array(like);
    all.elements = blocks_ * block_entries();
    all.cluster_part = blocks_ > 1 ? block_entries() : 0;
    parts_.loops.arrays.push_back(all);
}

} // namespace swirl::lower
