#include "lower/gpu_spread.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// Iterations that one block does.
constexpr Integer chunk = 512;

void substitute(std::vector<MetDiagonal>& diagonals, Variable variable, const Affine& form) {
    for (MetDiagonal& met : diagonals) met.index = met.index.substitute(variable, form);
}

void substitute(std::vector<Location>& places, Variable variable, const Affine& form) {
    for (Location& place : places) {
        place.re = place.re.substitute(variable, form);
        place.im = place.im.substitute(variable, form);
        substitute(place.diagonals, variable, form);
        for (auto& forms : place.forms)
            for (Affine& own : forms) own = own.substitute(variable, form);
    }
}

bool are_independent(const LoopProgram& loops, const std::vector<Call>& calls) {
    return std::all_of(calls.begin(), calls.end(), [&](const Call& call) {
        const bool reads = !call.placement.sources.empty();
        return !is_shared(loops, call.input) && !is_shared(loops, call.output) &&
               std::none_of(calls.begin(), calls.end(), [&](const Call& other) {
                   return reads && call.input.array == other.output.array;
               });
    });
}

/// The position of the longest loop among all steps.
struct Longest {
    std::size_t call = 0;
    std::size_t loop = 0;
    Integer count = 0;
};

Longest longest_loop(const std::vector<Call>& calls) {
    Longest longest;
    for (std::size_t c = 0; c < calls.size(); ++c)
        for (std::size_t k = 0; k < calls[c].loops.size(); ++k)
            if (calls[c].loops[k].count > longest.count) longest = {c, k, calls[c].loops[k].count};
    return longest;
}

Loop new_loop(LoopProgram& loops, Integer count) {
    const auto variable = static_cast<Variable>(loops.extents.size());
    loops.extents.set(variable, count);
    return {variable, count};
}

/// The call with its k-th loop over `count` iterations from a first one on.
Call over_range(LoopProgram& loops, Call call, std::size_t k, const Affine& first, Integer count) {
    const Loop inside = new_loop(loops, count);
    substitute(call, call.loops[k].variable, first + Affine::of(inside.variable));
    call.loops[k] = inside;
    return call;
}

} // namespace

void substitute(Call& call, Variable variable, const Affine& form) {
    substitute(call.placement.sources, variable, form);
    substitute(call.placement.targets, variable, form);
    for (auto& entries : call.placement.between)
        for (auto& diagonals : entries) substitute(diagonals, variable, form);
}

void spread_over_blocks(LoopProgram& loops, GpuPart& part) {
    const auto [position, k, count] = longest_loop(part.calls);
    if (part.calls.size() < 2 || count < chunk || !are_independent(loops, part.calls)) return;
    const Call longest = part.calls[position];
    std::vector<Call> others = std::move(part.calls);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(position));
    const Loop blocks = new_loop(loops, count / chunk);
    if (const Integer rest = count % chunk; rest > 0)
        others.push_back(over_range(loops, longest, k, blocks.count * chunk, rest));
    part.calls = {over_range(loops, longest, k, Affine::of(blocks.variable, chunk), chunk)};
    for (Call& call : others) {
        call.limit = Affine::of(blocks.variable) - 1;
        part.calls.push_back(std::move(call));
    }
    part.around.push_back(blocks);
}

} // namespace swirl::lower
