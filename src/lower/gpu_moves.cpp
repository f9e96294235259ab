#include "lower/gpu_moves.hpp"

#include "lower/gpu_fusion.hpp"
#include "lower/gpu_spread.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// The entries first … first + count − 1 of a vector: what a step that moves has of it, one in each iteration.
struct Range {
    Variable variable;
    Integer first;
    Integer count;
};

std::optional<Range> range_of(const Call& move, const std::vector<Location>& places) {
    if (move.codelet.formula || move.limit || move.loops.size() != 1 || places.size() != 1)
        return std::nullopt;
    const Loop& loop = move.loops.front();
    const Location& place = places.front();
    if (!is_plain(place) || place.re - place.re.constant() != Affine::of(loop.variable)) return std::nullopt;
    return Range{loop.variable, place.re.constant(), loop.count};
}

/// `far`, where an entry of the range lies, for each of `near`; nothing where the first one may be without.
std::optional<std::vector<Location>> moved(const std::vector<Location>& near, const Location& far,
                                           const Range& range, const Extents& extents) {
    std::vector<Location> result;
    for (const Location& place : near) {
        if (!is_plain(place)) return std::nullopt;
        const Affine index = place.re - range.first;
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
        there.diagonals.insert(there.diagonals.end(), place.diagonals.begin(), place.diagonals.end());
        if (high >= range.count) there.limit = index - range.count;
        if (there.limit && !there.forms.empty()) return std::nullopt;
    }
    return result;
}

/// Whether a step that moves may be done by another one at its place: nobody between them has to do with the memory at the
/// move's far side, nor has that other step itself.
bool may_go(std::vector<GpuPart>& parts, const StepPlace& move, const StepPlace& other, int far,
            int others_far) {
    if (far == others_far) return false;
    const auto [first, last] = std::minmax(move, other);
    for (std::size_t p = first.part; p <= last.part; ++p)
        for (std::size_t k = 0; k < parts[p].calls.size(); ++k) {
            const StepPlace place{p, k};
            if (place <= first || place >= last) continue;
            const Call& call = parts[p].calls[k];
            if (call.output.array == far || reads(call, far)) return false;
        }
    return is_within(parts[other.part], parts[move.part]);
}

bool is_zero(const Call& call) {
    return !call.codelet.formula && call.placement.sources.empty() && !call.limit;
}

/// Of a vector that is moved to and partly zero, the step that reads it does so itself.
bool fold_into_reader(const LoopProgram& loops, std::vector<GpuPart>& parts, int array) {
    const Users users = users_of(parts, array);
    if (users.readers.size() != 1) return false;
    Call& reader = call_at(parts, users.readers.front());
    std::optional<StepPlace> move;
    Integer entries = 0;
    for (const StepPlace& place : users.writers) {
        const Call& call = call_at(parts, place);
        const auto range = range_of(call, call.placement.targets);
        if (!range || place > users.readers.front()) return false;
        entries += range->count;
        if (is_zero(call)) continue;
        if (move) return false;
        move = place;
    }
    if (!move || entries != loops.arrays[static_cast<std::size_t>(array)].elements) return false;
    const Call& mover = call_at(parts, *move);
    if (!reader.codelet.formula || !reader.complex || !mover.complex || reader.limit ||
        !mover.placement.targets.front().diagonals.empty() || mover.placement.sources.front().limit ||
        mover.placement.sources.front().table)
        return false;
    if (!may_go(parts, *move, users.readers.front(), mover.input.array, reader.output.array)) return false;
    const auto places = moved(reader.placement.sources, mover.placement.sources.front(),
                              *range_of(mover, mover.placement.targets), loops.extents);
    if (!places) return false;
    reader.placement.sources = *places;
    reader.input = mover.input;
    for (auto place = users.writers.rbegin(); place != users.writers.rend(); ++place)
        parts[place->part].calls.erase(parts[place->part].calls.begin() +
                                       static_cast<std::ptrdiff_t>(place->step));
    return true;
}

/// Of a vector of which some entries are moved elsewhere, the step that writes it puts them there.
bool fold_into_writer(const LoopProgram& loops, std::vector<GpuPart>& parts, int array) {
    const Users users = users_of(parts, array);
    if (users.readers.size() != 1 || users.writers.size() != 1) return false;
    const StepPlace from = users.writers.front(), to = users.readers.front();
    Call &writer = call_at(parts, from), &mover = call_at(parts, to);
    const auto range = range_of(mover, mover.placement.sources);
    if (!range || to < from || !writer.codelet.formula || !writer.complex || !mover.complex || writer.limit ||
        mover.placement.targets.front().limit || mover.placement.targets.front().table)
        return false;
    if (!may_go(parts, to, from, mover.output.array, writer.input.array)) return false;
    Location far = mover.placement.targets.front();
    const auto& diagonals = mover.placement.sources.front().diagonals;
    far.diagonals.insert(far.diagonals.end(), diagonals.begin(), diagonals.end());
    const auto places = moved(writer.placement.targets, far, *range, loops.extents);
    if (!places) return false;
    writer.placement.targets = *places;
    writer.output = mover.output;
    parts[to.part].calls.erase(parts[to.part].calls.begin() + static_cast<std::ptrdiff_t>(to.step));
    return true;
}

} // namespace

void fold_moves(LoopProgram& loops, std::vector<GpuPart>& parts) {
    for (int array = 0; array < static_cast<int>(loops.arrays.size()); ++array) {
        if (!is_vector_of_numbers(loops, array)) continue;
        if (!fold_into_reader(loops, parts, array)) fold_into_writer(loops, parts, array);
    }
    std::erase_if(parts, [](const GpuPart& part) { return part.calls.empty(); });
}

} // namespace swirl::lower
