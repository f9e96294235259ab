#include "loops/gpu/fold_components.hpp"

#include "loops/gpu/distribute.hpp"
#include "loops/gpu/fusion.hpp"
#include "loops/twiddle.hpp"

#include <algorithm>
#include <map>

namespace swirl::loops {

namespace {

/// Entries first … first + count − 1 of an array of reals, each at origin + step·index behind a copy, times a factor.
struct AffineRange {
    Integer first;
    Integer count;
    Memory memory;
    Affine origin;
    Integer step;
    double factor;

    Integer end() const { return first + count; }
    Affine at(const Affine& index) const { return origin + step * index; }
};
/// Disjoint, by index.
using AffineRanges = std::vector<AffineRange>;

bool is_real_temporary(const LoopProgram& loops, int array) {
    const Array& info = loops.arrays[static_cast<std::size_t>(array)];
    return info.role == Array::Role::temporary && info.kind == Memory::Kind::real;
}

bool only_zeros(const Call& call) { return !call.codelet.formula && call.placement.sources.empty(); }
bool moves_reals(const Call& call) { return !call.codelet.formula && !call.complex && !call.limit; }

/// Iterations from `first` on in which a diagonal has the same real entry.
struct Factor {
    Integer first;
    double value;
};

/// The factors of a copy of `count` iterations of a loop, in order; nothing if they are not a few real constants.
std::optional<std::vector<Factor>> factors_of(const std::vector<FoldedDiagonal>& diagonals,
                                              const std::optional<Loop>& loop, const Extents& extents) {
    constexpr Integer longest = 1 << 16; // longer ones are copied by constants
    constexpr std::size_t few = 3;
    const Twiddle twiddle = twiddle_of(diagonals, extents);
    const bool varies = !twiddle.variables.empty();
    const bool by_loop = loop && loop->count <= longest && twiddle.variables == std::vector{loop->variable};
    if (!twiddle.auxiliary.empty() || twiddle.limit || (varies && !by_loop)) return std::nullopt;
    std::vector<Factor> factors;
    formula::DiagonalValues values;
    for (Integer i = 0; i < (varies ? loop->count : 1); ++i) {
        const formula::Complex value = varies ? value_of(
                                                    twiddle, [i](Variable) { return i; }, values)
                                              : twiddle.constant;
        if (value.imag() != 0) return std::nullopt;
        const auto real = static_cast<double>(value.real());
        if (!factors.empty() && factors.back().value == real) continue;
        if (factors.size() == few) return std::nullopt;
        factors.push_back({i, real});
    }
    return factors;
}

/// The copy as ranges of the array on its near side, of its targets or of its sources: one for each factor.
std::optional<AffineRanges> ranges_of(const Call& original, bool near_is_target, const LoopProgram& loops) {
    Call call = original;
    leave_out_single_loops(call);
    const auto &near = near_is_target ? call.placement.targets : call.placement.sources,
               &far = near_is_target ? call.placement.sources : call.placement.targets;
    if (near.size() != 1 || far.size() != 1 || call.loops.size() > 1) return std::nullopt;
    const Memory& memory = near_is_target ? call.input : call.output;
    const Array& array = loops.arrays[static_cast<std::size_t>(memory.array)];
    if (!is_plain(near[0]) || !is_plain(far[0]) || memory.kind != Memory::Kind::real || array.split_complex)
        return std::nullopt;
    std::vector<FoldedDiagonal> diagonals = near[0].diagonals;
    diagonals.insert(diagonals.end(), far[0].diagonals.begin(), far[0].diagonals.end());
    const auto loop = call.loops.empty() ? std::nullopt : std::optional(call.loops.front());
    const auto factors = factors_of(diagonals, loop, loops.extents);
    if (!factors) return std::nullopt;
    const Integer base = near[0].re.constant();
    if (!loop) {
        if (!near[0].re.is_constant()) return std::nullopt;
        return AffineRanges{{base, 1, memory, far[0].re, 0, factors->front().value}};
    }
    const Integer own = near[0].re.coefficient(loop->variable);
    if ((own != 1 && own != -1) || near[0].re != Affine::of(loop->variable, own) + base) return std::nullopt;
    const Integer step = own * far[0].re.coefficient(loop->variable);
    const Affine origin = far[0].re.substitute(loop->variable, 0) - step * base;
    AffineRanges ranges;
    for (std::size_t k = 0; k < factors->size(); ++k) {
        const Integer begin = (*factors)[k].first,
                      end = k + 1 < factors->size() ? (*factors)[k + 1].first : loop->count;
        ranges.push_back({own > 0 ? base + begin : base - end + 1, end - begin, memory, origin, step,
                          (*factors)[k].value});
    }
    return ranges;
}

void sort_by_index(AffineRanges& ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const AffineRange& a, const AffineRange& b) { return a.first < b.first; });
}

/// The range's entries, of which it reads an array whose entries are copies themselves; nothing if the indices run in
/// steps other than one.
std::optional<AffineRanges> through(const AffineRange& range, const AffineRanges& others) {
    if (!range.origin.is_constant() || (range.count > 1 && range.step != 1 && range.step != -1))
        return std::nullopt;
    AffineRanges result;
    const Integer origin = range.origin.constant();
    for (const AffineRange& other : others) {
        // Indices x with other.first <= origin + step·x < other.end().
        Integer first = range.first, end = range.end();
        if (range.count == 1) {
            const Integer at = origin + range.step * range.first;
            if (at < other.first || at >= other.end()) continue;
        } else if (range.step == 1) {
            first = std::max(first, other.first - origin);
            end = std::min(end, other.end() - origin);
        } else {
            first = std::max(first, origin - other.end() + 1);
            end = std::min(end, origin - other.first + 1);
        }
        if (first >= end) continue;
        result.push_back({first, end - first, other.memory, other.origin + other.step * origin,
                          other.step * range.step, range.factor * other.factor});
    }
    return result;
}

/// Where the entries of an array are copied from; entries of no range are zero. Nothing if anything else writes it.
std::optional<AffineRanges> origins_of(const LoopProgram& loops, std::vector<KernelRegion>& regions,
                                       int array, const std::map<int, AffineRanges>& known) {
    AffineRanges ranges;
    Integer entries = 0;
    for (const CallIndex& index : users_of(regions, array).writers) {
        const Call& call = call_at(regions, index);
        if (only_zeros(call) && !call.limit) {
            entries += iterations_of(call.loops) * std::ssize(call.placement.targets);
            continue;
        }
        const auto own = moves_reals(call) ? ranges_of(call, true, loops) : std::nullopt;
        if (!own) return std::nullopt;
        for (const AffineRange& range : *own) {
            entries += range.count;
            const auto behind = known.find(range.memory.array);
            const auto parts =
                behind == known.end() ? std::optional(AffineRanges{range}) : through(range, behind->second);
            if (!parts) return std::nullopt;
            ranges.insert(ranges.end(), parts->begin(), parts->end());
        }
    }
    if (ranges.empty() || entries != loops.arrays[static_cast<std::size_t>(array)].elements)
        return std::nullopt;
    sort_by_index(ranges);
    return ranges;
}

/// A component of a location behind the copies: at `at` for indices begin … end − 1, times one factor below `change`
/// and another from there on; nowhere if begin == end.
struct Component {
    Integer begin = 0;
    Integer end = 0;
    Affine at = 0;
    double factor = 1;
    Integer change = 0;
    double factor_from_change = 1;

    bool is_nowhere() const { return begin == end; }
};

std::optional<Component> component_of(const AffineRanges& ranges, const Affine& index, Integer least,
                                      Integer most) {
    Component result;
    const AffineRange* longest = nullptr;
    for (const AffineRange& range : ranges) {
        const Integer begin = std::max(range.first, least), end = std::min(range.end(), most + 1);
        if (begin >= end) continue;
        if (!longest) {
            result = {begin, end, 0, range.factor, end, range.factor};
        } else {
            if (begin != result.end) return std::nullopt;
            if (range.factor != result.factor_from_change) {
                if (result.change != result.end) return std::nullopt; // a third factor
                result.factor_from_change = range.factor;
            } else if (result.change == result.end) {
                result.change = end;
            }
            result.end = end;
        }
        if (!longest || range.count > longest->count) longest = &range;
    }
    if (!longest) return result;
    for (const AffineRange& range : ranges) {
        if (range.first > most || range.end() <= least) continue;
        const bool same = range.count == 1 ? range.at(range.first) == longest->at(range.first)
                                           : range.at(index) == longest->at(index);
        if (!same || range.memory.array != longest->memory.array) return std::nullopt;
    }
    result.at = longest->at(index);
    return result;
}

FoldedDiagonal constant_factor(double factor) {
    return {formula::Diagonal{formula::ConstantFunction{formula::Complex(factor)},
                              formula::IndexMap::identity(1)},
            0};
}

struct SplitIndices {
    Integer most;   ///< index of an entry that exists
    Integer beyond; ///< least index of one that does not
};

/// The indices on either side of a limit that grows with them.
std::optional<SplitIndices> split_at(const Affine& index, const Affine& limit, const Extents& extents) {
    if (limit.is_constant()) return std::nullopt;
    const Affine::Term& term = *limit.terms().begin();
    const Integer ratio = index.coefficient(term.variable) / term.coefficient;
    if (ratio <= 0) return std::nullopt;
    const auto [low, high] =
        bounds(index - ratio * limit, extents); // index = ratio·limit + rest, limit ≤ −1 or ≥ 0
    return SplitIndices{high - ratio, low};
}

/// The location behind the copies; nothing if it cannot be described.
std::optional<Location> behind(const Location& near, const AffineRanges& ranges, bool is_source,
                               const Extents& extents) {
    if (near.re_negative || near.im_negative || near.table || !near.forms.empty() || near.im_limit)
        return std::nullopt;
    if (near.is_nowhere()) return near;
    const Affine between = near.im - near.re;
    if (!between.is_constant()) return std::nullopt;
    auto [least, most] = bounds(near.re, extents);
    Integer beyond = most + 1; // where the limit excludes entries, their indices are no less
    if (near.limit) {
        const auto split = split_at(near.re, *near.limit, extents);
        if (!split) return std::nullopt;
        most = std::min(most, split->most);
        beyond = split->beyond;
    }
    const Integer distance = between.constant();
    const auto re = component_of(ranges, near.re, least, most);
    auto im = component_of(ranges, near.im, least + distance, most + distance);
    if (!re || !im) return std::nullopt;
    Location location = near;
    if (re->is_nowhere()) {
        if (!im->is_nowhere()) return std::nullopt;
        location.limit = Affine(0);
        return location;
    }
    if (re->begin != least || (re->end <= most && re->end > beyond)) return std::nullopt;
    location.re = location.im = re->at;
    if (re->end <= most) location.limit = near.re - re->end;
    if (re->factor != 1) location.diagonals.push_back(constant_factor(re->factor));
    if (im->is_nowhere()) {
        location.im_limit = Affine(0);
        return re->change == re->end ? std::optional(location) : std::nullopt;
    }
    for (Integer* index : {&im->begin, &im->end, &im->change}) *index -= distance;
    if (im->end != re->end || im->change != im->end) return std::nullopt;
    location.im = im->at;
    if (im->begin > least) location.im_limit = im->begin - 1 - near.re;
    if (re->change == re->end) return im->factor == re->factor ? std::optional(location) : std::nullopt;
    if (!is_source || re->change != im->begin || im->factor != re->factor_from_change || re->factor == 0)
        return std::nullopt;
    location.pair_factor = im->factor / re->factor;
    return location;
}

/// All locations behind the copies. Nothing if the first one may not exist.
std::optional<std::vector<Location>> all_behind(const std::vector<Location>& near, const AffineRanges& ranges,
                                                bool is_source, const Extents& extents) {
    std::vector<Location> result;
    for (const Location& location : near) {
        auto there = behind(location, ranges, is_source, extents);
        if (!there || (result.empty() && there->limit)) return std::nullopt;
        if (there->is_nowhere() && !result.empty()) {
            there = result.front();
            there->diagonals.clear();
            there->im_limit.reset();
            there->limit = Affine(0);
        }
        result.push_back(std::move(*there));
    }
    return result;
}

/// Whether the call's own and surrounding loops determine the locations.
bool are_in_loops(const std::vector<Location>& locations, const Call& call, const KernelRegion& region) {
    const auto is_known = [&](const Affine::Term& term) {
        const auto has = [&](const std::vector<Loop>& loops) {
            return std::any_of(loops.begin(), loops.end(),
                               [&](const Loop& loop) { return loop.variable == term.variable; });
        };
        return has(call.loops) || has(region.around);
    };
    return std::all_of(locations.begin(), locations.end(), [&](const Location& location) {
        return std::all_of(location.re.terms().begin(), location.re.terms().end(), is_known) &&
               std::all_of(location.im.terms().begin(), location.im.terms().end(), is_known);
    });
}

/// Folds copies between complex calls and the arrays behind the copies.
class ComponentFolder {
public:
    ComponentFolder(LoopProgram& loops, std::vector<KernelRegion>& regions)
        : loops_(loops), regions_(regions) {}

    void fold() {
        const int count = static_cast<int>(loops_.arrays.size());
        std::map<int, AffineRanges> origins;
        for (int array = 0; array < count; ++array)
            if (is_real_temporary(loops_, array))
                if (auto ranges = origins_of(loops_, regions_, array, origins))
                    origins.emplace(array, std::move(*ranges));
        for (const auto& [array, ranges] : origins) fold_into_readers(array, ranges);
        while (erase_unread()) {}
        for (int array = 0; array < count; ++array)
            if (is_real_temporary(loops_, array)) fold_into_writer(array);
        if (!folded_) return;
        for (int array = 0; array < count; ++array)
            if (is_real_temporary(loops_, array)) make_complex(array);
    }

private:
    static const Memory& memory_behind(const AffineRanges& ranges) { return ranges.front().memory; }

    template <class Function> void between(const CallIndex& first, const CallIndex& last, Function&& f) {
        for (std::size_t p = first.region; p <= last.region; ++p)
            for (std::size_t k = 0; k < regions_[p].calls.size(); ++k)
                if (const CallIndex index{p, k}; index > first && index < last) f(regions_[p].calls[k]);
    }

    void fold_into_readers(int array, const AffineRanges& ranges) {
        const Users users = users_of(regions_, array);
        std::vector<std::vector<Location>> sources;
        const int far = memory_behind(ranges).array;
        for (const CallIndex& index : users.readers) {
            const Call& reader = call_at(regions_, index);
            if (!reader.complex || reader.limit || reader.first_source || reader.output.array == far) return;
            bool is_overwritten = false;
            between({0, 0}, index,
                    [&](const Call& call) { is_overwritten = is_overwritten || call.output.array == far; });
            if (is_overwritten || call_at(regions_, {0, 0}).output.array == far) return;
            auto locations = all_behind(reader.placement.sources, ranges, true, loops_.extents);
            if (!locations || !are_in_loops(*locations, reader, regions_[index.region])) return;
            sources.push_back(std::move(*locations));
        }
        for (std::size_t k = 0; k < users.readers.size(); ++k) {
            Call& reader = call_at(regions_, users.readers[k]);
            reader.placement.sources = std::move(sources[k]);
            reader.input = memory_behind(ranges);
            folded_ = true;
        }
    }

    void fold_into_writer(int array) {
        const Users users = users_of(regions_, array);
        if (users.writers.size() != 1 || users.readers.empty()) return;
        const CallIndex from = users.writers.front();
        Call& writer = call_at(regions_, from);
        if (!writer.complex || writer.limit || writer.first_target) return;
        AffineRanges ranges;
        for (const CallIndex& index : users.readers) {
            const Call& move = call_at(regions_, index);
            const auto own =
                moves_reals(move) && from < index ? ranges_of(move, false, loops_) : std::nullopt;
            if (!own || (!ranges.empty() && ranges.front().memory.array != own->front().memory.array)) return;
            ranges.insert(ranges.end(), own->begin(), own->end());
        }
        sort_by_index(ranges);
        for (std::size_t k = 1; k < ranges.size(); ++k)
            if (ranges[k].first < ranges[k - 1].end()) return;
        const int far = memory_behind(ranges).array;
        if (writer.input.array == far) return;
        bool is_used = false;
        between(from, users.readers.back(), [&](const Call& call) {
            const bool moves = reads(call, array) || only_zeros(call);
            is_used = is_used || (!moves && call.output.array == far) || reads(call, far);
        });
        if (is_used) return;
        const auto targets = all_behind(writer.placement.targets, ranges, false, loops_.extents);
        if (!targets || !are_in_loops(*targets, writer, regions_[from.region])) return;
        writer.placement.targets = *targets;
        writer.output = memory_behind(ranges);
        folded_ = true;
        erase(users.readers);
    }

    /// Removes copies to temporaries that no call reads; whether there was one.
    bool erase_unread() {
        std::vector<CallIndex> unread;
        for (int array = 0; array < static_cast<int>(loops_.arrays.size()); ++array) {
            if (!is_real_temporary(loops_, array)) continue;
            const Users users = users_of(regions_, array);
            const bool only_moved =
                std::all_of(users.writers.begin(), users.writers.end(), [&](const CallIndex& index) {
                    return moves_reals(call_at(regions_, index)) || only_zeros(call_at(regions_, index));
                });
            if (users.readers.empty() && only_moved)
                unread.insert(unread.end(), users.writers.begin(), users.writers.end());
        }
        std::sort(unread.begin(), unread.end());
        erase(unread);
        return !unread.empty();
    }

    void erase(const std::vector<CallIndex>& calls) {
        for (auto index = calls.rbegin(); index != calls.rend(); ++index)
            regions_[index->region].calls.erase(regions_[index->region].calls.begin() +
                                                static_cast<std::ptrdiff_t>(index->call));
    }

    /// If all accesses take entries e and e + n/2 as the components of an element.
    void make_complex(int array) {
        Array& info = loops_.arrays[static_cast<std::size_t>(array)];
        const Integer half = info.elements / 2;
        if (info.elements % 2 != 0) return;
        std::vector<Location*> locations;
        std::vector<Memory*> memories;
        bool suits = true;
        const auto add = [&](const Call& call, Memory& memory, std::vector<Location>& own) {
            if (memory.array != array || own.empty()) return;
            memories.push_back(&memory);
            for (Location& location : own) {
                suits = suits && call.complex && location.im == location.re + half && !location.table;
                locations.push_back(&location);
            }
        };
        for (KernelRegion& region : regions_)
            for (Call& call : region.calls) {
                add(call, call.input, call.placement.sources);
                add(call, call.output, call.placement.targets);
            }
        if (!suits || locations.empty()) return;
        info.kind = Memory::Kind::planar;
        info.elements = half;
        for (Memory* memory : memories) memory->kind = info.kind;
        for (Location* location : locations) location->im = location->re;
    }

    LoopProgram& loops_;
    std::vector<KernelRegion>& regions_;
    bool folded_ = false;
};

} // namespace

void fold_components(KernelRegions& kernels, const RegionRequest&) {
    ComponentFolder(kernels.loops, kernels.regions).fold();
    std::erase_if(kernels.regions, [](const KernelRegion& region) { return region.calls.empty(); });
}

} // namespace swirl::loops
