#include "loops/split_loops.hpp"

#include "loops/chirp_spectrum.hpp"
#include "loops/twiddle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace swirl::loops {

namespace {

/// Fewest iterations of inner loops: several vectors on any target.
constexpr Integer shortest_inner_loop = 64;

/// A divisor of the count near the target, or a multiple of vectors; 0 if the loop would be too short.
Integer divisor_near(Integer target, Integer count) {
    if (target < shortest_inner_loop) return 0;
    constexpr Integer unit = 16; // lanes of the widest vector
    for (const Integer step : {unit, unit / 2, unit / 4})
        for (Integer inner = target / step * step; inner >= std::max(target / 4, shortest_inner_loop);
             inner -= step)
            if (count % inner == 0) return inner;
    return target / unit * unit;
}

/// A product's table of more values is split even if that takes short loops: it is most of a plan.
constexpr Integer largest_product_table = Integer{1} << 19;
/// Fewest iterations of the inner loop then; it is around others, so that it has no vectors to fill.
constexpr Integer shortest_outer_loop = 8;

/// The largest divisor up to the square root, or the root itself if all of them are too small; 0 if the root is.
Integer balanced_count(Integer count) {
    const auto root = static_cast<Integer>(std::sqrt(static_cast<double>(count)));
    if (root < shortest_outer_loop) return 0;
    Integer divisor = root;
    while (divisor >= shortest_outer_loop && count % divisor != 0) --divisor;
    return divisor < shortest_outer_loop ? root : divisor;
}

/// Variables of twiddles with too many values.
struct LongLoops {
    std::vector<Variable> of_products; ///< of two digits
    std::vector<Variable> of_largest_products;
    std::vector<Variable> of_chirps; ///< which need three loops, as their tables depend on two

    /// The count of the inner of two loops in place of one, or 0 if it need not be split or is too short.
    Integer inner_count(const Loop& loop, bool is_around_others) const {
        const auto contains = [&](const std::vector<Variable>& variables) {
            return std::find(variables.begin(), variables.end(), loop.variable) != variables.end();
        };
        const auto count = static_cast<double>(loop.count);
        if (contains(of_chirps)) return divisor_near(static_cast<Integer>(std::cbrt(count)), loop.count);
        Integer inner = 0;
        if (contains(of_products)) inner = divisor_near(static_cast<Integer>(std::sqrt(count)), loop.count);
        if (inner == 0 && is_around_others && contains(of_largest_products))
            inner = balanced_count(loop.count);
        return inner;
    }
};

/// Replaces a variable by a form of others.
struct Substitution {
    Variable variable;
    Affine form;

    void operator()(Affine& index) const { index = index.substitute(variable, form); }

    void operator()(std::optional<IndexTable>& table) const {
        if (!table || std::erase(table->variables, variable) == 0) return;
        for (const Affine::Term& term : form.terms()) table->variables.push_back(term.variable);
        table->value = [by = *this, value = table->value](const IndexTable::Lookup& lookup) {
            return value([&](Variable v) { return v == by.variable ? by.form.evaluate(lookup) : lookup(v); });
        };
    }

    void operator()(std::vector<FoldedDiagonal>& diagonals) const {
        for (FoldedDiagonal& met : diagonals) {
            (*this)(met.index);
            (*this)(met.table);
        }
    }

    void operator()(std::vector<Location>& locations) const {
        for (Location& location : locations) {
            (*this)(location.re);
            (*this)(location.im);
            (*this)(location.diagonals);
            (*this)(location.table);
            for (auto& forms : location.forms)
                for (Affine& index : forms) (*this)(index);
        }
    }

    void operator()(Placement& placement) const {
        (*this)(placement.sources);
        (*this)(placement.targets);
        for (auto& entries : placement.between)
            for (auto& diagonals : entries) (*this)(diagonals);
    }

    void operator()(Nodes& nodes) const {
        for (Node& node : nodes)
            if (auto* const nest = std::get_if<Nest>(&node.node))
                (*this)(nest->body);
            else
                (*this)(std::get<Call>(node.node).placement);
    }
};

class Splitting {
public:
    explicit Splitting(LoopProgram& program) : program_(program) {}

    void visit(Nodes& nodes) {
        Nodes result;
        for (Node& node : nodes)
            if (auto* const nest = std::get_if<Nest>(&node.node))
                add(std::move(*nest), result);
            else
                add(std::move(std::get<Call>(node.node)), result);
        nodes = std::move(result);
    }

private:
    void add(Call call, Nodes& result) {
        const LongLoops long_loops = long_loops_of(call.placement);
        for (std::size_t k = 0; k < call.loops.size(); ++k) {
            const Loop loop = call.loops[k];
            const Integer inner = long_loops.inner_count(loop, false);
            if (inner == 0) continue;
            const Integer outer = loop.count / inner, left_over = loop.count % inner;
            if (left_over > 0) add(subrange(call, k, {{new_loop(left_over)}}, outer * inner), result);
            return add(subrange(call, k, {{new_loop(outer), new_loop(inner)}}, 0), result);
        }
        result.emplace_back().node = std::move(call);
    }

    void add(Nest nest, Nodes& result) {
        const Integer inner = inner_count(nest.loop, nest.body);
        if (inner == 0) {
            visit(nest.body);
            result.emplace_back().node = std::move(nest);
            return;
        }
        const Integer outer = nest.loop.count / inner, left_over = nest.loop.count % inner;
        if (left_over > 0) {
            const Loop rest = new_loop(left_over);
            Nodes body = nest.body;
            Substitution{nest.loop.variable, Affine::of(rest.variable) + outer * inner}(body);
            add(Nest{rest, std::move(body)}, result);
        }
        const Loop blocks = new_loop(outer), within = new_loop(inner);
        Substitution{nest.loop.variable,
                     Affine::of(blocks.variable, inner) + Affine::of(within.variable)}(nest.body);
        visit(nest.body);
        Nodes body;
        body.emplace_back().node = Nest{within, std::move(nest.body)};
        result.emplace_back().node = Nest{blocks, std::move(body)};
    }

    /// The count of the inner of the two loops, or 0 if none of the calls needs the loop split.
    Integer inner_count(const Loop& loop, const Nodes& nodes) const {
        Integer least = 0;
        for (const Node& node : nodes) {
            const auto* nest = std::get_if<Nest>(&node.node);
            const Integer inner =
                nest ? inner_count(loop, nest->body)
                     : long_loops_of(std::get<Call>(node.node).placement).inner_count(loop, true);
            if (inner > 0) least = least == 0 ? inner : std::min(least, inner);
        }
        return least;
    }

    Loop new_loop(Integer count) {
        const auto variable = static_cast<Variable>(program_.extents.size());
        program_.extents.set(variable, count);
        return {variable, count};
    }

    /// The call with `loops` in place of loop k, from iteration `first` on.
    static Call subrange(Call call, std::size_t k, const std::vector<Loop>& loops, Integer first) {
        Substitution substitution{call.loops[k].variable, first};
        Integer stride = 1;
        for (std::size_t l = loops.size(); l-- > 0; stride *= loops[l].count)
            substitution.form += Affine::of(loops[l].variable, stride);
        substitution(call.placement);
        const auto at = call.loops.erase(call.loops.begin() + static_cast<std::ptrdiff_t>(k));
        call.loops.insert(at, loops.begin(), loops.end());
        return call;
    }

    /// The variables on which twiddles with too many values depend.
    LongLoops long_loops_of(const Placement& placement) const {
        LongLoops result;
        const auto check_values = [&](const std::vector<FoldedDiagonal>& diagonals, std::size_t entries) {
            const Integer most = max_twiddle_table(entries);
            if (std::none_of(diagonals.begin(), diagonals.end(),
                             [&](const FoldedDiagonal& met) { return may_exceed(met, most); }))
                return;
            const auto check = [&](const Twiddle& twiddle) {
                for (const Twiddle& term : twiddle_terms(twiddle, program_.extents, most)) {
                    if (combinations(term, program_.extents) <= most) continue;
                    const bool is_chirp = is_long_chirp(term, program_.extents);
                    if (!is_chirp && !is_product_of_digits(term, program_.extents)) continue;
                    auto& variables = is_chirp ? result.of_chirps : result.of_products;
                    variables.insert(variables.end(), term.variables.begin(), term.variables.end());
                    if (!is_chirp && combinations(term, program_.extents) > largest_product_table)
                        result.of_largest_products.insert(result.of_largest_products.end(),
                                                          term.variables.begin(), term.variables.end());
                }
            };
            for (const FoldedDiagonal& met : twiddle_of(diagonals, program_.extents).varying)
                if (const auto index = index_of<formula::ChirpSpectrumFunction>(met, program_.extents))
                    check(phase_in_chirp_spectrum(
                        std::get<formula::ChirpSpectrumFunction>(met.diagonal.function),
                        *index - index->constant(), program_.extents));
                else
                    check(twiddle_of({met}, program_.extents));
        };
        for (const auto* locations : {&placement.sources, &placement.targets})
            for (const Location& location : *locations) check_values(location.diagonals, locations->size());
        for (const auto& entries : placement.between)
            for (const auto& diagonals : entries) check_values(diagonals, entries.size());
        return result;
    }

    /// Whether the diagonal may have more values, judged by the variables of its index.
    bool may_exceed(const FoldedDiagonal& met, Integer most) const {
        Integer values = 1;
        const auto add = [&](Variable variable) {
            if (values <= most) values *= program_.extents[variable];
        };
        for (const Affine::Term& term : met.index.terms())
            if (!met.table || term.variable != met.table->symbol) add(term.variable);
        if (met.table)
            for (const Variable variable : met.table->variables) add(variable);
        return values > most;
    }

    LoopProgram& program_;
};

} // namespace

void split_long_loops(LoopProgram& program, const Request&) { Splitting(program).visit(program.body); }

} // namespace swirl::loops
