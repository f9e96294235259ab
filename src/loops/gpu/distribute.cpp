#include "loops/gpu/distribute.hpp"

#include "loops/gpu/split_regions.hpp"
#include "loops/index_algebra.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

/// Iterations per block.
constexpr Integer chunk = 512;

void substitute(std::optional<IndexTable>& table, Variable variable, const Affine& form) {
    if (!table || std::erase(table->variables, variable) == 0) return;
    for (const Affine::Term& term : form.terms())
        if (std::find(table->variables.begin(), table->variables.end(), term.variable) ==
            table->variables.end())
            table->variables.push_back(term.variable);
    table->value = [inner = table->value, variable, form](const IndexTable::Lookup& lookup) {
        return inner([&](Variable v) { return v == variable ? form.evaluate(lookup) : lookup(v); });
    };
}

void substitute(std::vector<FoldedDiagonal>& diagonals, Variable variable, const Affine& form) {
    for (FoldedDiagonal& met : diagonals) {
        met.index = met.index.substitute(variable, form);
        substitute(met.table, variable, form);
    }
}

void substitute(Location& location, Variable variable, const Affine& form) {
    location.re = location.re.substitute(variable, form);
    location.im = location.im.substitute(variable, form);
    if (location.limit) location.limit = location.limit->substitute(variable, form);
    if (location.im_limit) location.im_limit = location.im_limit->substitute(variable, form);
    substitute(location.diagonals, variable, form);
    substitute(location.table, variable, form);
    for (auto& forms : location.forms)
        for (Affine& own : forms) own = own.substitute(variable, form);
}

void substitute(std::vector<Location>& locations, Variable variable, const Affine& form) {
    for (Location& location : locations) substitute(location, variable, form);
}

/// Whether independent blocks may execute the calls' iterations.
bool may_distribute(const LoopProgram& loops, const KernelRegion& region) {
    const bool in_global = std::all_of(region.calls.begin(), region.calls.end(), [&](const Call& call) {
        return !is_shared(loops, call.input) && !is_shared(loops, call.output);
    });
    if (!in_global) return false;
    if (region.over_all) return are_independent(loops, region.calls, region.around);
    return std::all_of(region.calls.begin(), region.calls.end(), [&](const Call& call) {
        const bool reads = !call.placement.sources.empty();
        return std::none_of(region.calls.begin(), region.calls.end(), [&](const Call& other) {
            return reads && call.input.array == other.output.array;
        });
    });
}

/// Replaces diagonals by constants if all iterations use the same entry: blocks that run beyond a call's own
/// iterations could otherwise reach another entry.
void fold_constants(std::vector<FoldedDiagonal>& diagonals, const Extents& extents) {
    for (FoldedDiagonal& met : diagonals) {
        if (std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function)) continue;
        const auto index = met.table ? std::nullopt : evaluate(met.diagonal.index, met.index, extents);
        if (!index || !index->is_constant()) continue;
        const formula::Complex value = formula::diagonal_value(met.diagonal.function, index->constant());
        met = {formula::Diagonal{formula::ConstantFunction{value}, formula::IndexMap::identity(1)}, 0};
    }
}

Call with_constants(Call call, const Extents& extents) {
    for (std::vector<Location>* const locations : {&call.placement.sources, &call.placement.targets})
        for (Location& location : *locations) fold_constants(location.diagonals, extents);
    for (auto& entries : call.placement.between)
        for (auto& diagonals : entries) fold_constants(diagonals, extents);
    return call;
}

/// The position of a call's longest loop, and its iterations.
struct Longest {
    std::size_t loop = 0;
    Integer count = 0;
};

Longest longest_loop(const Call& call) {
    Longest longest;
    for (std::size_t k = 0; k < call.loops.size(); ++k)
        if (call.loops[k].count > longest.count) longest = {k, call.loops[k].count};
    return longest;
}

/// The call with its k-th loop over `count` iterations from `first` on.
Call over_range(LoopProgram& loops, Call call, std::size_t k, const Affine& first, Integer count) {
    const Loop inside = new_loop(loops, count);
    substitute(call, call.loops[k].variable, first + Affine::of(inside.variable));
    call.loops[k] = inside;
    return call;
}

/// Restricts the call to the first `count` iterations of a surrounding loop. Its index tables are not evaluated for
/// others.
void limit_to(Call& call, const Loop& around, Integer count) {
    call.limit = Affine::of(around.variable) - count;
    for (std::vector<Location>* const locations : {&call.placement.sources, &call.placement.targets})
        for (Location& location : *locations) {
            if (!location.table ||
                std::find(location.table->variables.begin(), location.table->variables.end(),
                          around.variable) == location.table->variables.end())
                continue;
            location.table->value = [inner = location.table->value,
                                     limit = *call.limit](const IndexTable::Lookup& lookup) {
                return limit.evaluate(lookup) < 0 ? inner(lookup) : 0;
            };
        }
}

} // namespace

Loop new_loop(LoopProgram& loops, Integer count) {
    const auto variable = static_cast<Variable>(loops.extents.size());
    loops.extents.set(variable, count);
    return {variable, count};
}

void substitute(Call& call, Variable variable, const Affine& form) {
    substitute(call.placement.sources, variable, form);
    substitute(call.placement.targets, variable, form);
    for (auto& entries : call.placement.between)
        for (auto& diagonals : entries) substitute(diagonals, variable, form);
    for (auto* entry : {&call.first_source, &call.first_target})
        if (*entry) substitute((*entry)->location, variable, form);
}

namespace {

void distribute_over_blocks(LoopProgram& loops, KernelRegion& region) {
    Integer most = 0;
    for (const Call& call : region.calls) most = std::max(most, longest_loop(call).count);
    const bool computes_alone =
        region.calls.size() == 1 && region.calls[0].codelet.formula.has_value() && !region.over_all;
    if (computes_alone || most < chunk || !may_distribute(loops, region)) return;
    const Loop blocks = new_loop(loops, most / chunk);
    std::vector<Call> spread, rests;
    for (const Call& original : region.calls) {
        const Call call = with_constants(original, loops.extents);
        const auto [k, count] = longest_loop(call);
        const Integer whole = count / chunk * chunk;
        if (whole > 0)
            spread.push_back(over_range(loops, call, k, Affine::of(blocks.variable, chunk), chunk));
        if (whole > 0 && count / chunk < blocks.count) limit_to(spread.back(), blocks, count / chunk);
        if (whole > 0 && whole == count) continue;
        rests.push_back(whole > 0 ? over_range(loops, call, k, whole, count - whole) : call);
        rests.back().limit = Affine::of(blocks.variable) - 1;
    }
    region.calls = std::move(spread);
    region.calls.insert(region.calls.end(), rests.begin(), rests.end());
    region.around.push_back(blocks);
}

} // namespace

void distribute_independent_calls(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration&) {
    if (region.over_all) distribute_over_blocks(loops, region);
}

void distribute_global_calls(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration&) {
    if (!region.over_all) distribute_over_blocks(loops, region);
}

} // namespace swirl::loops
