#include "lower/gpu_spread.hpp"

#include "lower/gpu_apart.hpp"
#include "lower/index_algebra.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// Iterations that one block does.
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

void substitute(std::vector<MetDiagonal>& diagonals, Variable variable, const Affine& form) {
    for (MetDiagonal& met : diagonals) {
        met.index = met.index.substitute(variable, form);
        substitute(met.table, variable, form);
    }
}

void substitute(Location& place, Variable variable, const Affine& form) {
    place.re = place.re.substitute(variable, form);
    place.im = place.im.substitute(variable, form);
    if (place.limit) place.limit = place.limit->substitute(variable, form);
    substitute(place.diagonals, variable, form);
    substitute(place.table, variable, form);
    for (auto& forms : place.forms)
        for (Affine& own : forms) own = own.substitute(variable, form);
}

void substitute(std::vector<Location>& places, Variable variable, const Affine& form) {
    for (Location& place : places) substitute(place, variable, form);
}

/// Whether the steps' iterations may be done by blocks that do not know of each other.
bool may_spread(const LoopProgram& loops, const GpuPart& part) {
    const bool in_global = std::all_of(part.calls.begin(), part.calls.end(), [&](const Call& call) {
        return !is_shared(loops, call.input) && !is_shared(loops, call.output);
    });
    if (!in_global) return false;
    if (part.over_all) return are_independent(loops, part.calls, part.around);
    return std::all_of(part.calls.begin(), part.calls.end(), [&](const Call& call) {
        const bool reads = !call.placement.sources.empty();
        return std::none_of(part.calls.begin(), part.calls.end(), [&](const Call& other) {
            return reads && call.input.array == other.output.array;
        });
    });
}

/// Diagonals of which all iterations meet the same entry as constants: beyond a step's own iterations, which blocks of others
/// go to, there may be another.
void fold_constants(std::vector<MetDiagonal>& diagonals, const Extents& extents) {
    for (MetDiagonal& met : diagonals) {
        const auto index = met.table ? std::nullopt : evaluate(met.diagonal.index, met.index, extents);
        if (!index || !index->is_constant()) continue;
        const formula::Complex value = formula::diagonal_value(met.diagonal.function, index->constant());
        met = {formula::Diagonal{formula::ConstantFunction{value}, formula::IndexMap::identity(1)}, 0};
    }
}

Call with_constants(Call call, const Extents& extents) {
    for (std::vector<Location>* const places : {&call.placement.sources, &call.placement.targets})
        for (Location& place : *places) fold_constants(place.diagonals, extents);
    for (auto& entries : call.placement.between)
        for (auto& diagonals : entries) fold_constants(diagonals, extents);
    return call;
}

/// The position of a step's longest loop, and its iterations.
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

/// The call with its k-th loop over `count` iterations from a first one on.
Call over_range(LoopProgram& loops, Call call, std::size_t k, const Affine& first, Integer count) {
    const Loop inside = new_loop(loops, count);
    substitute(call, call.loops[k].variable, first + Affine::of(inside.variable));
    call.loops[k] = inside;
    return call;
}

/// The call in the first iterations of a loop around it alone. What its tables of indices say of others is not asked for.
void limit_to(Call& call, const Loop& around, Integer count) {
    call.limit = Affine::of(around.variable) - count;
    for (std::vector<Location>* const places : {&call.placement.sources, &call.placement.targets})
        for (Location& place : *places) {
            if (!place.table || std::find(place.table->variables.begin(), place.table->variables.end(),
                                          around.variable) == place.table->variables.end())
                continue;
            place.table->value = [inner = place.table->value,
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
        if (*entry) substitute((*entry)->place, variable, form);
}

void spread_over_blocks(LoopProgram& loops, GpuPart& part) {
    Integer most = 0;
    for (const Call& call : part.calls) most = std::max(most, longest_loop(call).count);
    const bool computes_alone =
        part.calls.size() == 1 && part.calls[0].codelet.formula.has_value() && !part.over_all;
    if (computes_alone || most < chunk || !may_spread(loops, part)) return;
    const Loop blocks = new_loop(loops, most / chunk);
    std::vector<Call> spread, rests;
    for (const Call& original : part.calls) {
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
    part.calls = std::move(spread);
    part.calls.insert(part.calls.end(), rests.begin(), rests.end());
    part.around.push_back(blocks);
}

} // namespace swirl::lower
