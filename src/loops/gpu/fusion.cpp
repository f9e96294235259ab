#include "loops/gpu/fusion.hpp"

#include "loops/gpu/distribute.hpp"

#include <algorithm>
#include <map>

namespace swirl::loops {

bool reads(const Call& call, int array) {
    return !call.placement.sources.empty() && call.input.array == array;
}

bool is_plain(const Location& location) {
    return !location.re_negative && !location.im_negative && !location.table && !location.limit &&
           !location.im_limit && location.forms.empty();
}

Users users_of(const std::vector<KernelRegion>& regions, int array) {
    Users users;
    for (std::size_t p = 0; p < regions.size(); ++p)
        for (std::size_t k = 0; k < regions[p].calls.size(); ++k) {
            if (regions[p].calls[k].output.array == array) users.writers.push_back({p, k});
            if (reads(regions[p].calls[k], array)) users.readers.push_back({p, k});
        }
    return users;
}

bool is_complex_temporary(const LoopProgram& loops, int array) {
    const Array& info = loops.arrays[static_cast<std::size_t>(array)];
    return info.role == Array::Role::temporary && info.kind == Memory::Kind::planar;
}

void leave_out_single_loops(Call& call) {
    for (const Loop& loop : call.loops)
        if (loop.count == 1) substitute(call, loop.variable, 0);
    std::erase_if(call.loops, [](const Loop& loop) { return loop.count == 1; });
}

bool is_within(const KernelRegion& inner, const KernelRegion& outer) {
    return inner.around.size() >= outer.around.size() &&
           std::equal(outer.around.begin(), outer.around.end(), inner.around.begin(),
                      [](const Loop& a, const Loop& b) { return a.variable == b.variable; });
}

namespace {

/// A loop with the distance between the entries that neighbouring iterations touch.
struct Strided {
    Loop loop;
    Integer stride;
};

std::vector<Strided> by_stride(const std::vector<Loop>& loops, const Affine& form) {
    std::vector<Strided> result;
    for (const Loop& loop : loops)
        if (loop.count > 1) result.push_back({loop, form.coefficient(loop.variable)});
    std::stable_sort(result.begin(), result.end(),
                     [](const Strided& a, const Strided& b) { return a.stride < b.stride; });
    return result;
}

/// Splits the loops of two calls until they match.
class LoopMatch {
public:
    LoopMatch(LoopProgram& loops, std::vector<Strided> first, std::vector<Strided> second)
        : loops_(loops), first_(std::move(first)), second_(std::move(second)) {}

    /// Whether the loops match pairwise.
    bool find() {
        for (std::size_t k = 0; k < first_.size() && k < second_.size(); ++k) {
            if (first_[k].stride != second_[k].stride) return false;
            const Integer a = first_[k].loop.count, b = second_[k].loop.count;
            if (a == b) continue;
            if (std::max(a, b) % std::min(a, b) != 0) return false;
            cut(a > b ? first_ : second_, a > b ? cuts_of_first_ : cuts_of_second_, k, std::min(a, b));
        }
        return first_.size() == second_.size();
    }

    struct Cut {
        Loop whole, inside, outside;
    };
    const std::vector<Cut>& cuts(bool first) const { return first ? cuts_of_first_ : cuts_of_second_; }
    const std::vector<Strided>& first() const { return first_; }
    const std::vector<Strided>& second() const { return second_; }

private:
    void cut(std::vector<Strided>& list, std::vector<Cut>& cuts, std::size_t k, Integer count) {
        const Strided whole = list[k];
        const Loop inside = new_loop(loops_, count), outside = new_loop(loops_, whole.loop.count / count);
        list[k] = {inside, whole.stride};
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(k) + 1, {outside, whole.stride * count});
        cuts.push_back({whole.loop, inside, outside});
    }

    LoopProgram& loops_;
    std::vector<Strided> first_, second_;
    std::vector<Cut> cuts_of_first_, cuts_of_second_;
};

void apply(Call& call, const std::vector<LoopMatch::Cut>& cuts) {
    for (const LoopMatch::Cut& cut : cuts) {
        substitute(call, cut.whole.variable,
                   Affine::of(cut.inside.variable) + Affine::of(cut.outside.variable, cut.inside.count));
        const auto at = std::find_if(call.loops.begin(), call.loops.end(),
                                     [&](const Loop& loop) { return loop.variable == cut.whole.variable; });
        *at = cut.inside;
        call.loops.insert(at, cut.outside);
    }
}

/// For each entry that the second call reads, the index of the first call's target at the same location; empty if some
/// entry has none.
std::vector<std::size_t> entries_read(const Call& first, const Call& second) {
    std::vector<std::size_t> entries;
    std::map<Affine, std::size_t> written;
    for (std::size_t k = 0; k < first.placement.targets.size(); ++k)
        written.emplace(first.placement.targets[k].re, k);
    for (const Location& source : second.placement.sources) {
        const auto at = written.find(source.re);
        if (at == written.end()) return {};
        entries.push_back(at->second);
    }
    return entries;
}

Call fused(const Call& first, const Call& second, const std::vector<std::size_t>& entries) {
    Call result = first;
    result.output = second.output;
    result.placement.targets = second.placement.targets;
    result.codelet.rows = second.codelet.rows;
    std::vector<std::vector<FoldedDiagonal>> factors(entries.size());
    std::vector<Integer> order;
    for (std::size_t k = 0; k < entries.size(); ++k) {
        auto& of_entry = factors[entries[k]];
        of_entry = first.placement.targets[entries[k]].diagonals;
        const auto& more = second.placement.sources[k].diagonals;
        of_entry.insert(of_entry.end(), more.begin(), more.end());
        order.push_back(static_cast<Integer>(entries[k]));
    }
    formula::Formula then = *second.codelet.formula;
    if (!std::is_sorted(order.begin(), order.end())) {
        const Integer count = std::ssize(order);
        then =
            formula::product({then, formula::permutation(formula::IndexMap::table(std::move(order), count))});
    }
    result.codelet.then.push_back(std::move(then));
    result.placement.between.push_back(std::move(factors));
    result.codelet.then.insert(result.codelet.then.end(), second.codelet.then.begin(),
                               second.codelet.then.end());
    result.placement.between.insert(result.placement.between.end(), second.placement.between.begin(),
                                    second.placement.between.end());
    return result;
}

bool computes_alone(const Call& call) { return call.codelet.formula && call.complex && !call.limit; }

/// Fuses two calls. The second may start the next region, whose own loop then becomes the first region's.
class Fusion {
public:
    Fusion(LoopProgram& loops, std::vector<KernelRegion>& regions, const CallIndex& first,
           const CallIndex& second)
        : loops_(loops), regions_(regions), at_first_(first), at_second_(second) {}

    std::optional<FusedCalls> fuse() {
        const KernelRegion &region = regions_[at_first_.region], &next = regions_[at_second_.region];
        const Call &first = region.calls[at_first_.call], &second = next.calls[at_second_.call];
        if (!computes_alone(first) || !computes_alone(second) ||
            first.placement.targets.size() != second.placement.sources.size() || first.first_source ||
            second.first_source)
            return std::nullopt;
        for (const Location& location : first.placement.targets)
            if (!is_plain(location)) return std::nullopt;
        for (const Location& location : second.placement.sources)
            if (!is_plain(location)) return std::nullopt;
        if (at_first_.region == at_second_.region) {
            if (at_second_.call != at_first_.call + 1) return std::nullopt;
            return fuse(region.calls, next.calls);
        }
        if (!are_neighbours()) return std::nullopt;
        return fuse_regions();
    }

private:
    /// Whether the regions' own loops have the same count, and the calls are the last of one region and the first of
    /// the other.
    bool are_neighbours() const {
        const KernelRegion &region = regions_[at_first_.region], &next = regions_[at_second_.region];
        if (at_second_.region != at_first_.region + 1 || at_second_.call != 0 ||
            at_first_.call + 1 != region.calls.size() || region.around.size() != next.around.size() ||
            region.around.empty())
            return false;
        const std::size_t own = region.around.size() - 1;
        for (std::size_t k = 0; k < own; ++k)
            if (region.around[k].variable != next.around[k].variable) return false;
        return region.around[own].count == next.around[own].count &&
               region.around[own].variable != next.around[own].variable;
    }

    std::optional<FusedCalls> fuse_regions() {
        KernelRegion &region = regions_[at_first_.region], &next = regions_[at_second_.region];
        const Loop own = region.around.back(), others = next.around.back();
        std::vector<Call> calls = next.calls;
        for (Call& call : calls) substitute(call, others.variable, Affine::of(own.variable));
        if (passes_more_data(region, calls)) return std::nullopt;
        auto result = fuse(region.calls, calls);
        if (!result) return std::nullopt;
        region.calls.insert(region.calls.end(), calls.begin() + 1, calls.end());
        regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(at_second_.region));
        return result;
    }

    /// Whether the next region reads or writes anything else that the region touches.
    static bool passes_more_data(const KernelRegion& region, const std::vector<Call>& calls) {
        const int between = region.calls.back().output.array;
        for (const Call& call : calls)
            for (const Call& before : region.calls) {
                if (call.input.array != between && call.input.array == before.output.array) return true;
                if (call.output.array == before.output.array || reads(before, call.output.array)) return true;
            }
        return false;
    }

    /// Fuses call `at_first_` of `firsts` with call `at_second_` of `seconds`.
    std::optional<FusedCalls> fuse(const std::vector<Call>& firsts, const std::vector<Call>& seconds) {
        Call first = firsts[at_first_.call], second = seconds[at_second_.call];
        leave_out_single_loops(first);
        leave_out_single_loops(second);
        LoopMatch match(loops_, by_stride(first.loops, first.placement.targets.front().re),
                        by_stride(second.loops, second.placement.sources.front().re));
        if (!match.find()) return std::nullopt;
        apply(first, match.cuts(true));
        apply(second, match.cuts(false));
        for (std::size_t k = 0; k < match.first().size(); ++k)
            substitute(second, match.second()[k].loop.variable, Affine::of(match.first()[k].loop.variable));
        const std::vector<std::size_t> entries = entries_read(first, second);
        if (entries.empty()) return std::nullopt;
        FusedCalls result{{}, first.placement.targets.front().re};
        result.order.assign(entries.begin(), entries.end());
        KernelRegion& region = regions_[at_first_.region];
        region.calls[at_first_.call] = fused(first, second, entries);
        if (at_first_.region == at_second_.region)
            region.calls.erase(region.calls.begin() + static_cast<std::ptrdiff_t>(at_second_.call));
        return result;
    }

    LoopProgram& loops_;
    std::vector<KernelRegion>& regions_;
    CallIndex at_first_, at_second_;
};

} // namespace

void fuse_calls(KernelRegions& kernels, const RegionRequest&) {
    LoopProgram& loops = kernels.loops;
    std::vector<KernelRegion>& regions = kernels.regions;
    for (int array = 0; array < static_cast<int>(loops.arrays.size()); ++array) {
        if (!is_complex_temporary(loops, array)) continue;
        const Users users = users_of(regions, array);
        if (users.writers.size() == 1 && users.readers.size() == 1 && users.writers[0] < users.readers[0])
            fuse_two_calls(loops, regions, users.writers[0], users.readers[0]);
    }
}

std::optional<FusedCalls> fuse_two_calls(LoopProgram& loops, std::vector<KernelRegion>& regions,
                                         const CallIndex& first, const CallIndex& second) {
    return Fusion(loops, regions, first, second).fuse();
}

} // namespace swirl::loops
