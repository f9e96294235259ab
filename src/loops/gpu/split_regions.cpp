#include "loops/gpu/split_regions.hpp"

#include "loops/index_algebra.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace swirl::loops {

namespace {

/// Scalars `first` to `last`, relative to the offset from the surrounding loops.
struct Touched {
    Integer first;
    Integer last;
};

struct LoopReach {
    Affine offset; ///< in the surrounding loops, equal for all locations
    std::vector<Touched> ranges;
};

bool reads(const Call& call) { return !call.placement.sources.empty(); }

/// Nothing if locations differ in their dependence on the surrounding loops, or use index tables.
std::optional<LoopReach> reach_of(const std::vector<Location>& locations, const std::vector<Loop>& around,
                                  const Extents& extents) {
    std::optional<LoopReach> reach;
    for (const Location& location : locations) {
        if (location.table) return std::nullopt;
        for (const Affine& form : {location.re, location.im}) {
            Affine offset = 0;
            for (const Loop& loop : around)
                offset += Affine::of(loop.variable, form.coefficient(loop.variable));
            if (!reach) reach = LoopReach{offset, {}};
            if (offset != reach->offset) return std::nullopt;
            const auto [first, last] = bounds(form - offset, extents);
            reach->ranges.push_back({first, last});
        }
    }
    return reach;
}

bool are_disjoint(const std::optional<LoopReach>& a, const std::optional<LoopReach>& b) {
    if (!a || !b || a->offset != b->offset) return false;
    return std::all_of(a->ranges.begin(), a->ranges.end(), [&](const Touched& x) {
        return std::all_of(b->ranges.begin(), b->ranges.end(),
                           [&](const Touched& y) { return x.last < y.first || y.last < x.first; });
    });
}

/// Whether one call's writes and another's accesses are at different locations.
bool writes_elsewhere(const LoopProgram& loops, const Call& writer, const Call& other,
                      const std::vector<Loop>& around) {
    const auto written = reach_of(writer.placement.targets, around, loops.extents);
    const auto is_disjoint_from = [&](const std::vector<Location>& locations) {
        return are_disjoint(written, reach_of(locations, around, loops.extents));
    };
    return (writer.output.array != other.output.array || is_disjoint_from(other.placement.targets)) &&
           (!reads(other) || writer.output.array != other.input.array ||
            is_disjoint_from(other.placement.sources));
}

Integer reals_in(const LoopProgram& loops, const Memory& memory) {
    const Array& array = loops.arrays[static_cast<std::size_t>(memory.array)];
    return (array.kind == Memory::Kind::real ? 1 : 2) * array.elements;
}

/// Elements in the largest array that one call writes and a later one reads.
Integer most_handed_on(const LoopProgram& loops, const std::vector<Call>& calls) {
    Integer most = 0;
    std::set<int> written;
    for (const Call& call : calls) {
        if (reads(call) && written.contains(call.input.array))
            most = std::max(most, reals_in(loops, call.input));
        written.insert(call.output.array);
    }
    return most;
}

/// Whether one block may execute the calls in sequence.
bool are_short(const LoopProgram& loops, const std::vector<Call>& calls, Integer reals) {
    if (most_handed_on(loops, calls) > reals) return false;
    return std::all_of(calls.begin(), calls.end(), [&](const Call& call) {
        const Integer entries = std::max(call.codelet.rows, call.codelet.columns) * iterations_of(call.loops);
        return entries * (call.complex ? 2 : 1) <= reals;
    });
}

/// Splits the region into sequences of as many calls as possible.
std::vector<KernelRegion> sequences_of(const LoopProgram& loops, const KernelRegion& region, Integer reals) {
    std::vector<KernelRegion> sequences;
    for (const Call& call : region.calls) {
        if (!sequences.empty()) {
            std::vector<Call>& sequence = sequences.back().calls;
            sequence.push_back(call);
            sequences.back().over_all =
                sequences.back().over_all && are_independent(loops, sequence, region.around);
            if (sequences.back().over_all || are_short(loops, sequence, reals)) continue;
            sequence.pop_back();
            sequences.back().over_all = are_independent(loops, sequence, region.around);
        }
        sequences.push_back({.around = region.around, .calls = {call}, .over_all = true});
    }
    return sequences;
}

} // namespace

bool are_independent(const LoopProgram& loops, const std::vector<Call>& calls,
                     const std::vector<Loop>& around) {
    for (std::size_t a = 0; a < calls.size(); ++a)
        for (std::size_t b = a + 1; b < calls.size(); ++b)
            if (!writes_elsewhere(loops, calls[a], calls[b], around) ||
                !writes_elsewhere(loops, calls[b], calls[a], around))
                return false;
    return true;
}

void split_regions(KernelRegions& kernels, const RegionRequest& request) {
    const Integer reals = request.separate_above;
    if (reals == 0 || request.between != Between::global) return;
    const LoopProgram& loops = kernels.loops;
    std::vector<KernelRegion> result;
    std::set<int> passed_on;
    for (KernelRegion& region : kernels.regions)
        if (region.around.size() > kernels.common.size() || most_handed_on(loops, region.calls) <= reals) {
            result.push_back(std::move(region));
        } else {
            std::set<int> written;
            for (KernelRegion& sequence : sequences_of(loops, region, reals)) {
                for (const Call& call : sequence.calls)
                    if (reads(call) && written.contains(call.input.array)) passed_on.insert(call.input.array);
                for (const Call& call : sequence.calls) written.insert(call.output.array);
                result.push_back(std::move(sequence));
            }
        }
    kernels.regions = std::move(result);
    kernels.communicated.assign(passed_on.begin(), passed_on.end());
}

} // namespace swirl::loops
