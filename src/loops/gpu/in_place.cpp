#include "loops/gpu/in_place.hpp"

#include "loops/gpu/liveness.hpp"

#include <algorithm>
#include <set>

namespace swirl::loops {

namespace {

bool only_moves(const Call& call) {
    const auto is_plain = [](const Location& location) {
        return location.diagonals.empty() && location.forms.empty() && !location.re_negative &&
               !location.im_negative;
    };
    return !call.codelet.formula && call.placement.sources.size() == 1 &&
           is_plain(call.placement.sources.front()) && is_plain(call.placement.targets.front());
}

/// Whether `to` may alias `from`: all calls that read `from` write `to` at the same entries, and no other call writes
/// `to`.
bool may_merge(const LoopProgram& loops, const std::vector<Call*>& calls, int from, int to) {
    const auto& a = loops.arrays[static_cast<std::size_t>(from)];
    const auto& b = loops.arrays[static_cast<std::size_t>(to)];
    if (from == to || a.kind != b.kind || a.elements != b.elements) return false;
    bool is_read = false;
    for (const Call* call : calls) {
        const bool reads = call->input.array == from && !call->placement.sources.empty();
        if (reads != (call->output.array == to)) return false;
        if (reads && !keeps_entries(*call)) return false;
        is_read = is_read || reads;
        if (is_read && call->output.array == from) return false;
    }
    return true;
}

/// Merges arrays of the calls; `chosen` says which outputs may be merged.
template <class Chosen>
void merge_arrays(const LoopProgram& loops, const std::vector<Call*>& calls, const Chosen& chosen) {
    for (const Call* call : calls) {
        const int from = call->input.array, to = call->output.array;
        if (!is_shared(loops, call->input) || !is_shared(loops, call->output)) continue;
        if (!chosen(to) || !may_merge(loops, calls, from, to)) continue;
        for (Call* other : calls)
            for (Memory* memory : {&other->input, &other->output})
                if (memory->array == to) memory->array = from;
    }
}

void remove_in_place_copies(const LoopProgram& loops, KernelRegion& region) {
    std::erase_if(region.calls, [&](const Call& call) {
        return is_shared(loops, call.input) && only_moves(call) && is_in_place(call);
    });
}

std::vector<Call*> calls_of(KernelRegion& region) {
    std::vector<Call*> calls;
    for (Call& call : region.calls) calls.push_back(&call);
    return calls;
}

/// Moves a call behind later calls that write into the same vector, as long as dependences allow.
void write_late(const LoopProgram& loops, std::vector<Call>& calls) {
    for (std::size_t k = calls.size(); k-- > 0;) {
        const int output = calls[k].output.array, input = calls[k].input.array;
        if (!is_shared(loops, calls[k].output)) continue;
        std::size_t last = k;
        for (std::size_t next = k + 1; next < calls.size(); ++next) {
            if (calls[next].input.array == output || calls[next].output.array == input) break;
            if (calls[next].output.array == output) last = next;
        }
        std::rotate(calls.begin() + static_cast<std::ptrdiff_t>(k),
                    calls.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                    calls.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    }
}

} // namespace

void remove_copies(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration&) {
    merge_arrays(loops, calls_of(region), [](int) { return true; });
    remove_in_place_copies(loops, region);
    write_late(loops, region.calls);
}

void make_in_place(KernelRegions& kernels, const RegionRequest&) {
    LoopProgram& loops = kernels.loops;
    std::vector<KernelRegion>& regions = kernels.regions;
    kernels.common = loops_around_all(regions);
    for (Array& array : loops.arrays) array.residence = Array::Residence::shared;
    std::vector<Call*> all;
    std::set<int> in_loops; // written inside loops around some regions only
    for (KernelRegion& region : regions)
        for (Call* call : calls_of(region)) {
            all.push_back(call);
            if (region.around.size() > kernels.common.size()) in_loops.insert(call->output.array);
        }
    merge_arrays(loops, all, [&](int to) { return !in_loops.contains(to); });
    for (KernelRegion& region : regions) remove_in_place_copies(loops, region);
    std::erase_if(regions, [](const KernelRegion& region) { return region.calls.empty(); });
}

} // namespace swirl::loops
