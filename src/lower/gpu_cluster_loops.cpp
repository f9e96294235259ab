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

} // namespace swirl::lower
