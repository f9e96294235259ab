#include "lower/gpu_apart.hpp"

#include "lower/index_algebra.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace swirl::lower {

namespace {

/// Scalars from `first` to `last` behind what the loops around add.
struct Touched {
    Integer first;
    Integer last;
};

struct Reach {
    Affine offset; ///< in the loops around, the same for all places
    std::vector<Touched> ranges;
};

bool reads(const Call& call) { return !call.placement.sources.empty(); }

/// Nothing where the places of different entries move differently in the loops around, or are looked up.
std::optional<Reach> reach_of(const std::vector<Location>& places, const std::vector<Loop>& around,
                              const Extents& extents) {
    std::optional<Reach> reach;
    for (const Location& place : places) {
        if (place.table) return std::nullopt;
        for (const Affine& form : {place.re, place.im}) {
            Affine offset = 0;
            for (const Loop& loop : around)
                offset += Affine::of(loop.variable, form.coefficient(loop.variable));
            if (!reach) reach = Reach{offset, {}};
            if (offset != reach->offset) return std::nullopt;
            const auto [first, last] = bounds(form - offset, extents);
            reach->ranges.push_back({first, last});
        }
    }
    return reach;
}

bool are_apart(const std::optional<Reach>& a, const std::optional<Reach>& b) {
    if (!a || !b || a->offset != b->offset) return false;
    return std::all_of(a->ranges.begin(), a->ranges.end(), [&](const Touched& x) {
        return std::all_of(b->ranges.begin(), b->ranges.end(),
                           [&](const Touched& y) { return x.last < y.first || y.last < x.first; });
    });
}

/// Whether what one step writes and what another touches are different places.
bool writes_elsewhere(const LoopProgram& loops, const Call& writer, const Call& other,
                      const std::vector<Loop>& around) {
    const auto written = reach_of(writer.placement.targets, around, loops.extents);
    const auto apart_from = [&](const std::vector<Location>& places) {
        return are_apart(written, reach_of(places, around, loops.extents));
    };
    return (writer.output.array != other.output.array || apart_from(other.placement.targets)) &&
           (!reads(other) || writer.output.array != other.input.array || apart_from(other.placement.sources));
}

Integer numbers_in(const LoopProgram& loops, const Memory& memory) {
    const Array& array = loops.arrays[static_cast<std::size_t>(memory.array)];
    return (array.kind == Memory::Kind::real ? 1 : 2) * array.elements;
}

/// Numbers in the largest array that some step writes and a later one reads.
Integer most_handed_on(const LoopProgram& loops, const std::vector<Call>& calls) {
    Integer most = 0;
    std::set<int> written;
    for (const Call& call : calls) {
        if (reads(call) && written.contains(call.input.array))
            most = std::max(most, numbers_in(loops, call.input));
        written.insert(call.output.array);
    }
    return most;
}

/// Whether one block may do the steps one after the other.
bool are_short(const LoopProgram& loops, const std::vector<Call>& calls, Integer reals) {
    if (most_handed_on(loops, calls) > reals) return false;
    return std::all_of(calls.begin(), calls.end(), [&](const Call& call) {
        Integer numbers = std::max(call.codelet.rows, call.codelet.columns) * (call.complex ? 2 : 1);
        for (const Loop& loop : call.loops) numbers *= loop.count;
        return numbers <= reals;
    });
}

/// Each of as many steps as can be.
std::vector<GpuPart> runs_of(const LoopProgram& loops, const GpuPart& part, Integer reals) {
    std::vector<GpuPart> runs;
    for (const Call& call : part.calls) {
        if (!runs.empty()) {
            std::vector<Call>& run = runs.back().calls;
            run.push_back(call);
            runs.back().over_all = runs.back().over_all && are_independent(loops, run, part.around);
            if (runs.back().over_all || are_short(loops, run, reals)) continue;
            run.pop_back();
            runs.back().over_all = are_independent(loops, run, part.around);
        }
        runs.push_back({.around = part.around, .calls = {call}, .over_all = true});
    }
    return runs;
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

std::set<int> take_apart(const LoopProgram& loops, std::vector<GpuPart>& parts, std::size_t common,
                         Integer reals) {
    std::vector<GpuPart> result;
    std::set<int> handed_on;
    for (GpuPart& part : parts)
        if (part.around.size() > common || most_handed_on(loops, part.calls) <= reals) {
            result.push_back(std::move(part));
        } else {
            std::set<int> written;
            for (GpuPart& run : runs_of(loops, part, reals)) {
                for (const Call& call : run.calls)
                    if (reads(call) && written.contains(call.input.array)) handed_on.insert(call.input.array);
                for (const Call& call : run.calls) written.insert(call.output.array);
                result.push_back(std::move(run));
            }
        }
    parts = std::move(result);
    return handed_on;
}

} // namespace swirl::lower
