#include "lower/gpu_fusion.hpp"

#include "lower/gpu_spread.hpp"

#include <algorithm>
#include <map>

namespace swirl::lower {

bool reads(const Call& call, int array) {
    return !call.placement.sources.empty() && call.input.array == array;
}

bool is_plain(const Location& place) {
    return !place.re_negative && !place.im_negative && !place.table && !place.limit && place.forms.empty();
}

Users users_of(const std::vector<GpuPart>& parts, int array) {
    Users users;
    for (std::size_t p = 0; p < parts.size(); ++p)
        for (std::size_t k = 0; k < parts[p].calls.size(); ++k) {
            if (parts[p].calls[k].output.array == array) users.writers.push_back({p, k});
            if (reads(parts[p].calls[k], array)) users.readers.push_back({p, k});
        }
    return users;
}

bool is_vector_of_numbers(const LoopProgram& loops, int array) {
    const Array& info = loops.arrays[static_cast<std::size_t>(array)];
    return info.role == Array::Role::temporary && info.kind == Memory::Kind::planar;
}

bool is_within(const GpuPart& inner, const GpuPart& outer) {
    return inner.around.size() >= outer.around.size() &&
           std::equal(outer.around.begin(), outer.around.end(), inner.around.begin(),
                      [](const Loop& a, const Loop& b) { return a.variable == b.variable; });
}

namespace {

/// A loop by the distance of what neighbouring iterations touch.
struct Strided {
    Loop loop;
    Integer step;
};

std::vector<Strided> by_stride(const std::vector<Loop>& loops, const Affine& form) {
    std::vector<Strided> result;
    for (const Loop& loop : loops)
        if (loop.count > 1) result.push_back({loop, form.coefficient(loop.variable)});
    std::stable_sort(result.begin(), result.end(),
                     [](const Strided& a, const Strided& b) { return a.step < b.step; });
    return result;
}

/// Loops of a step cut so that they are those of another one.
class LoopMatch {
public:
    LoopMatch(LoopProgram& loops, std::vector<Strided> first, std::vector<Strided> second)
        : loops_(loops), first_(std::move(first)), second_(std::move(second)) {}

    /// In pairs; nothing where they do not match.
    bool find() {
        for (std::size_t k = 0; k < first_.size() && k < second_.size(); ++k) {
            if (first_[k].step != second_[k].step) return false;
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
        list[k] = {inside, whole.step};
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(k) + 1, {outside, whole.step * count});
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

/// Loops of one iteration.
void leave_out_single_loops(Call& call) {
    for (const Loop& loop : call.loops)
        if (loop.count == 1) substitute(call, loop.variable, 0);
    std::erase_if(call.loops, [](const Loop& loop) { return loop.count == 1; });
}

/// The numbers of the entries that the first step writes to where the second one reads its entries; empty where it does not.
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
    std::vector<std::vector<MetDiagonal>> factors(entries.size());
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

/// Two steps as one, of which the second's part may be the next one: its loop then becomes that of the first's.
class Fusion {
public:
    Fusion(LoopProgram& loops, std::vector<GpuPart>& parts, const StepPlace& first, const StepPlace& second)
        : loops_(loops), parts_(parts), at_first_(first), at_second_(second) {}

    std::optional<FusedSteps> fuse() {
        const GpuPart &part = parts_[at_first_.part], &next = parts_[at_second_.part];
        const Call &first = part.calls[at_first_.step], &second = next.calls[at_second_.step];
        if (!computes_alone(first) || !computes_alone(second) ||
            first.placement.targets.size() != second.placement.sources.size() || first.first_source ||
            second.first_source)
            return std::nullopt;
        for (const Location& place : first.placement.targets)
            if (!is_plain(place)) return std::nullopt;
        for (const Location& place : second.placement.sources)
            if (!is_plain(place)) return std::nullopt;
        if (at_first_.part == at_second_.part) {
            if (at_second_.step != at_first_.step + 1) return std::nullopt;
            return fuse(part.calls, next.calls);
        }
        if (!are_neighbours()) return std::nullopt;
        return fuse_parts();
    }

private:
    /// The parts' own loops are as long, and the step ends one part and begins the other.
    bool are_neighbours() const {
        const GpuPart &part = parts_[at_first_.part], &next = parts_[at_second_.part];
        if (at_second_.part != at_first_.part + 1 || at_second_.step != 0 ||
            at_first_.step + 1 != part.calls.size() || part.around.size() != next.around.size() ||
            part.around.empty())
            return false;
        const std::size_t own = part.around.size() - 1;
        for (std::size_t k = 0; k < own; ++k)
            if (part.around[k].variable != next.around[k].variable) return false;
        return part.around[own].count == next.around[own].count &&
               part.around[own].variable != next.around[own].variable;
    }

    std::optional<FusedSteps> fuse_parts() {
        GpuPart &part = parts_[at_first_.part], &next = parts_[at_second_.part];
        const Loop own = part.around.back(), others = next.around.back();
        std::vector<Call> calls = next.calls;
        for (Call& call : calls) substitute(call, others.variable, Affine::of(own.variable));
        if (hands_on_more(part, calls)) return std::nullopt;
        auto result = fuse(part.calls, calls);
        if (!result) return std::nullopt;
        part.calls.insert(part.calls.end(), calls.begin() + 1, calls.end());
        parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(at_second_.part));
        return result;
    }

    /// Whether the next part reads, or writes, anything else that the part touches.
    static bool hands_on_more(const GpuPart& part, const std::vector<Call>& calls) {
        const int between = part.calls.back().output.array;
        for (const Call& call : calls)
            for (const Call& before : part.calls) {
                if (call.input.array != between && call.input.array == before.output.array) return true;
                if (call.output.array == before.output.array || reads(before, call.output.array)) return true;
            }
        return false;
    }

    /// The last of `firsts`, or the step before in the same list, and the first of `seconds`.
    std::optional<FusedSteps> fuse(const std::vector<Call>& firsts, const std::vector<Call>& seconds) {
        Call first = firsts[at_first_.step], second = seconds[at_second_.step];
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
        FusedSteps result{{}, first.placement.targets.front().re};
        result.order.assign(entries.begin(), entries.end());
        GpuPart& part = parts_[at_first_.part];
        part.calls[at_first_.step] = fused(first, second, entries);
        if (at_first_.part == at_second_.part)
            part.calls.erase(part.calls.begin() + static_cast<std::ptrdiff_t>(at_second_.step));
        return result;
    }

    LoopProgram& loops_;
    std::vector<GpuPart>& parts_;
    StepPlace at_first_, at_second_;
};

} // namespace

void fuse_steps(LoopProgram& loops, std::vector<GpuPart>& parts) {
    for (int array = 0; array < static_cast<int>(loops.arrays.size()); ++array) {
        if (!is_vector_of_numbers(loops, array)) continue;
        const Users users = users_of(parts, array);
        if (users.writers.size() == 1 && users.readers.size() == 1 && users.writers[0] < users.readers[0])
            fuse_two_steps(loops, parts, users.writers[0], users.readers[0]);
    }
}

std::optional<FusedSteps> fuse_two_steps(LoopProgram& loops, std::vector<GpuPart>& parts,
                                         const StepPlace& first, const StepPlace& second) {
    return Fusion(loops, parts, first, second).fuse();
}

} // namespace swirl::lower
