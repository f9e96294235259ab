#include "loops/gpu/fold_moves.hpp"

#include "loops/gpu/distribute.hpp"
#include "loops/gpu/fusion.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

/// The entries first … first + count − 1 of a vector, one per iteration of a copying call.
struct EntryRange {
    Variable variable;
    Integer first;
    Integer count;
};

std::optional<EntryRange> range_of(const Call& move, const std::vector<Location>& locations) {
    if (move.codelet.formula || move.limit || move.loops.size() != 1 || locations.size() != 1)
        return std::nullopt;
    const Loop& loop = move.loops.front();
    const Location& location = locations.front();
    if (!is_plain(location) || location.re - location.re.constant() != Affine::of(loop.variable))
        return std::nullopt;
    return EntryRange{loop.variable, location.re.constant(), loop.count};
}

/// For each location in `near`, its counterpart behind the copy; `far` is the counterpart of an entry of the range.
/// Nothing if the first one may not exist.
std::optional<std::vector<Location>> moved(const std::vector<Location>& near, const Location& far,
                                           const EntryRange& range, const Extents& extents) {
    std::vector<Location> result;
    for (const Location& location : near) {
        if (!is_plain(location)) return std::nullopt;
        const Affine index = location.re - range.first;
        const auto [low, high] = bounds(index, extents);
        if (low < 0 && high >= 0) return std::nullopt;
        const bool nowhere = high < 0 || low >= range.count;
        if (result.empty() && high >= range.count) return std::nullopt;
        if (nowhere) {
            result.push_back(result.front());
            result.back().diagonals.clear();
            result.back().limit = Affine(0);
            continue;
        }
        Call mover{copying_codelet(), {}, {}, true, {}, {}};
        mover.placement.sources = {far};
        substitute(mover, range.variable, index);
        Location& there = result.emplace_back(std::move(mover.placement.sources.front()));
        there.diagonals.insert(there.diagonals.end(), location.diagonals.begin(), location.diagonals.end());
        if (high >= range.count) there.limit = index - range.count;
        if (there.limit && !there.forms.empty()) return std::nullopt;
    }
    return result;
}

/// Whether `other` may perform a copying call's data movement: no call between the two accesses the memory on the
/// copy's far side, nor does `other` itself.
bool may_go(std::vector<KernelRegion>& regions, const CallIndex& move, const CallIndex& other, int far,
            int others_far) {
    if (far == others_far) return false;
    const auto [first, last] = std::minmax(move, other);
    for (std::size_t p = first.region; p <= last.region; ++p)
        for (std::size_t k = 0; k < regions[p].calls.size(); ++k) {
            const CallIndex index{p, k};
            if (index <= first || index >= last) continue;
            const Call& call = regions[p].calls[k];
            if (call.output.array == far || reads(call, far)) return false;
        }
    return is_within(regions[other.region], regions[move.region]);
}

bool is_zero(const Call& call) {
    return !call.codelet.formula && call.placement.sources.empty() && !call.limit;
}

/// For a vector that is partly copied from elsewhere and partly zero: its reader reads the source itself.
bool fold_into_reader(const LoopProgram& loops, std::vector<KernelRegion>& regions, int array) {
    const Users users = users_of(regions, array);
    if (users.readers.size() != 1) return false;
    Call& reader = call_at(regions, users.readers.front());
    std::optional<CallIndex> move;
    Integer entries = 0;
    for (const CallIndex& index : users.writers) {
        const Call& call = call_at(regions, index);
        const auto range = range_of(call, call.placement.targets);
        if (!range || index > users.readers.front()) return false;
        entries += range->count;
        if (is_zero(call)) continue;
        if (move) return false;
        move = index;
    }
    if (!move || entries != loops.arrays[static_cast<std::size_t>(array)].elements) return false;
    const Call& mover = call_at(regions, *move);
    if (!reader.codelet.formula || !reader.complex || !mover.complex || reader.limit ||
        !mover.placement.targets.front().diagonals.empty() || mover.placement.sources.front().limit ||
        mover.placement.sources.front().table)
        return false;
    if (!may_go(regions, *move, users.readers.front(), mover.input.array, reader.output.array)) return false;
    const auto locations = moved(reader.placement.sources, mover.placement.sources.front(),
                                 *range_of(mover, mover.placement.targets), loops.extents);
    if (!locations) return false;
    reader.placement.sources = *locations;
    reader.input = mover.input;
    for (auto index = users.writers.rbegin(); index != users.writers.rend(); ++index)
        regions[index->region].calls.erase(regions[index->region].calls.begin() +
                                           static_cast<std::ptrdiff_t>(index->call));
    return true;
}

/// If some entries of a vector are copied elsewhere, its writer writes them to their destination.
bool fold_into_writer(const LoopProgram& loops, std::vector<KernelRegion>& regions, int array) {
    const Users users = users_of(regions, array);
    if (users.readers.size() != 1 || users.writers.size() != 1) return false;
    const CallIndex from = users.writers.front(), to = users.readers.front();
    Call &writer = call_at(regions, from), &mover = call_at(regions, to);
    const auto range = range_of(mover, mover.placement.sources);
    if (!range || to < from || !writer.codelet.formula || !writer.complex || !mover.complex || writer.limit ||
        mover.placement.targets.front().limit || mover.placement.targets.front().table)
        return false;
    if (!may_go(regions, to, from, mover.output.array, writer.input.array)) return false;
    Location far = mover.placement.targets.front();
    const auto& diagonals = mover.placement.sources.front().diagonals;
    far.diagonals.insert(far.diagonals.end(), diagonals.begin(), diagonals.end());
    const auto locations = moved(writer.placement.targets, far, *range, loops.extents);
    if (!locations) return false;
    writer.placement.targets = *locations;
    writer.output = mover.output;
    regions[to.region].calls.erase(regions[to.region].calls.begin() + static_cast<std::ptrdiff_t>(to.call));
    return true;
}

} // namespace

void fold_moves(KernelRegions& kernels, const RegionRequest&) {
    LoopProgram& loops = kernels.loops;
    std::vector<KernelRegion>& regions = kernels.regions;
    for (KernelRegion& region : regions)
        for (Call& call : region.calls)
            if (!call.codelet.formula) leave_out_single_loops(call);
    for (int array = 0; array < static_cast<int>(loops.arrays.size()); ++array) {
        if (!is_complex_temporary(loops, array)) continue;
        if (!fold_into_reader(loops, regions, array)) fold_into_writer(loops, regions, array);
    }
    std::erase_if(regions, [](const KernelRegion& region) { return region.calls.empty(); });
}

} // namespace swirl::loops
