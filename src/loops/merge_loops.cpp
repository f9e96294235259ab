#include "loops/merge_loops.hpp"

#include "formula/print.hpp"
#include "formula/progressions.hpp"
#include "formula/roots_of_unity.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace swirl::loops {

using namespace formula;

namespace {

bool is_movement(const Formula& f) {
    return f.is<Permutation>() || f.is<Gather>() || f.is<Scatter>() || f.is<Diagonal>();
}

bool is_product_of_computations(const Formula& f) {
    return f.is<Product>() && std::none_of(f.children().begin(), f.children().end(), is_movement);
}

/// The Kronecker product of a tile, and its only operand that is no identity; nothing for any other term.
struct Tile {
    const std::vector<Formula>* operands;
    std::size_t working;
};
std::optional<Tile> tile_of(const Formula& f) {
    const auto* tagged = f.get_if<Tagged>();
    if (!tagged || tagged->tag != Tag::tile || !f.children()[0].is<Kronecker>()) return std::nullopt;
    const std::vector<Formula>& operands = f.children()[0].children();
    const auto is_working = [](const Formula& operand) { return !operand.is<Identity>(); };
    const auto first = std::find_if(operands.begin(), operands.end(), is_working);
    if (first == operands.end() || std::any_of(first + 1, operands.end(), is_working)) return std::nullopt;
    return Tile{&operands, static_cast<std::size_t>(first - operands.begin())};
}

/// tile(I ⊗ A_k ⋯ A_1 ⊗ I) = tile(I ⊗ A_k ⊗ I) ⋯ tile(I ⊗ A_1 ⊗ I): these factors, or none for any other formula.
std::vector<Formula> factors_of_tile(const Formula& f) {
    const auto tile = tile_of(f);
    if (!tile || !is_product_of_computations((*tile->operands)[tile->working])) return {};
    std::vector<Formula> factors;
    for (const Formula& factor : (*tile->operands)[tile->working].children()) {
        std::vector<Formula> own = *tile->operands;
        own[tile->working] = factor;
        factors.push_back(formula::tile(kron(std::move(own))));
    }
    return factors;
}

/// Appends the factors of a product, flattening nested products. A product of computing factors under RealOf becomes
/// the product of their real forms, so that successive factors alternate between two temporaries; that of a tile too.
void add_operands(const Formula& product, std::vector<Formula>& factors) {
    for (const Formula& factor : product.children()) {
        const Formula* inner = factor.is<RealOf>() ? &factor.children()[0] : nullptr;
        if (factor.is<Product>()) {
            add_operands(factor, factors);
        } else if (inner && is_product_of_computations(*inner)) {
            for (const Formula& child : inner->children()) factors.push_back(real_of(child));
        } else if (const auto tiles = inner ? factors_of_tile(*inner) : std::vector<Formula>{};
                   !tiles.empty()) {
            for (const Formula& tile : tiles) factors.push_back(real_of(tile));
        } else {
            factors.push_back(factor);
        }
    }
}

bool shrinks(const AccessMap& access_map) {
    const auto* map = std::get_if<IndexMap>(&access_map);
    return map && map->domain() != map->range();
}

/// Index tables are for reads only: the caller may keep the components in two arrays.
bool stays_before(const AccessMap& access_map) {
    const auto* map = std::get_if<IndexMap>(&access_map);
    return shrinks(access_map) || (map && std::holds_alternative<TableMap>(map->kind()));
}

/// Moves the access maps after the last factor into its targets.
void append_to_targets(MergedFactor& merged, std::vector<AccessMap> pending) {
    for (AccessMap& access_map : pending) {
        if (const auto* map = std::get_if<IndexMap>(&access_map)) access_map = map->inverse();
        merged.after.push_back(std::move(access_map));
    }
}

/// The diagonal entries of a direct sum, and 1 for its other summands.
std::vector<Complex> diagonal_entries(const Formula& sum) {
    std::vector<Complex> values;
    values.reserve(static_cast<std::size_t>(sum.rows()));
    DiagonalValues value_of;
    for (const Formula& summand : sum.children()) {
        const auto* diagonal = summand.get_if<Diagonal>();
        for (Integer i = 0; i < summand.rows(); ++i)
            values.push_back(diagonal ? value_of(diagonal->function, diagonal->index(i)) : 1);
    }
    return values;
}

/// The direct sum as one diagonal of a few constants, if each of its diagonals has a single constant.
std::optional<Formula> diagonal_of_constants(const Formula& sum) {
    std::vector<Complex> values;
    PiecewiseMap pieces;
    for (const Formula& summand : sum.children()) {
        const auto* diagonal = summand.get_if<Diagonal>();
        const auto* constant = diagonal ? std::get_if<ConstantFunction>(&diagonal->function) : nullptr;
        if (diagonal && !constant) return std::nullopt;
        const Complex value = constant ? constant->value : 1;
        const auto at = std::find(values.begin(), values.end(), value);
        pieces.pieces.push_back({{summand.rows()}, {0}, static_cast<Integer>(at - values.begin()), 0});
        if (at == values.end()) values.push_back(value);
    }
    const auto count = static_cast<Integer>(values.size());
    return diagonal(ExplicitFunction{std::make_shared<const std::vector<Complex>>(std::move(values))},
                    IndexMap(sum.rows(), count, std::move(pieces)));
}

/// As a diagonal; a long list is evaluated only when tables are built from it.
Formula diagonal_of(const Formula& sum) {
    constexpr Integer computed_at_once = 1 << 16;
    const Integer n = sum.rows();
    if (n <= computed_at_once) return diagonal(diagonal_entries(sum));
    if (auto constants = diagonal_of_constants(sum)) return *constants;
    return diagonal(ExplicitFunction{SharedList<Complex>::computed_by(
                        static_cast<std::size_t>(n), [sum] { return diagonal_entries(sum); })},
                    n);
}

/// Splits A ⊕ diag(d) into two factors; returns other factors unchanged.
std::vector<Formula> with_separate_diagonals(const std::vector<Formula>& factors) {
    std::vector<Formula> result;
    for (const Formula& factor : factors) {
        const auto is_diagonal = [](const Formula& summand) {
            const auto* diagonal = summand.get_if<Diagonal>();
            return diagonal && !std::holds_alternative<ArgumentFunction>(diagonal->function);
        };
        const auto& summands = factor.children();
        if (!factor.is<DirectSum>() || std::none_of(summands.begin(), summands.end(), is_diagonal)) {
            result.push_back(factor);
            continue;
        }
        std::vector<Formula> others;
        for (const Formula& summand : summands)
            others.push_back(is_diagonal(summand) ? I(summand.rows()) : summand);
        result.push_back(diagonal_of(factor));
        result.push_back(direct_sum(others));
    }
    return result;
}

} // namespace

std::vector<MergedFactor> merge_loops(const Formula& product, bool separate_diagonals) {
    std::vector<Formula> factors;
    add_operands(product, factors);
    if (separate_diagonals) factors = with_separate_diagonals(factors);
    std::vector<MergedFactor> merged;
    std::vector<AccessMap> pending;
    for (std::size_t k = factors.size(); k-- > 0;) {
        const Formula& factor = factors[k];
        const auto* scatter = factor.get_if<Scatter>();
        const bool follows =
            scatter && !merged.empty() && std::none_of(pending.begin(), pending.end(), stays_before);
        if (const auto* p = factor.get_if<Permutation>()) {
            pending.emplace_back(p->map);
        } else if (const auto* g = factor.get_if<Gather>()) {
            pending.emplace_back(g->map);
        } else if (const auto* d = factor.get_if<Diagonal>()) {
            pending.emplace_back(*d);
        } else if (follows && (scatter->map.domain() == scatter->map.range() || k == 0)) {
            append_to_targets(merged.back(), std::exchange(pending, {}));
            if (k > 0)
                merged.back().after.emplace_back(scatter->map);
            else
                merged.back().scattered = scatter->map;
        } else if (!factor.is<Identity>()) {
            merged.push_back({factor, std::exchange(pending, {}), {}, {}});
        }
    }
    if (merged.empty() || std::any_of(pending.begin(), pending.end(), shrinks))
        merged.push_back({I(product.rows()), std::move(pending), {}, {}});
    else
        append_to_targets(merged.back(), std::move(pending));
    return merged;
}

namespace {

void add_merges(const Formula& formula, std::vector<LoopMerge>& merges);

/// The factor that stores entries through the map: a permutation if digits give the inverse, which else is as long as
/// the vector.
Formula storing_factor(const IndexMap& map) {
    const auto* digits = std::get_if<formula::DigitMap>(&map.kind());
    return digits && digits->modulus == 0 && map.is_permutation() ? permutation(map.inverse()) : scatter(map);
}

void add_merges(const MergedFactor& merged, std::vector<LoopMerge>& merges) {
    const std::string factor = to_short_text(merged.factor);
    const auto moves = [](const AccessMap& access_map) {
        const auto* map = std::get_if<IndexMap>(&access_map);
        return map && !map->is_identity() ? map : nullptr;
    };
    for (const AccessMap& access_map : merged.before)
        if (const IndexMap* map = moves(access_map))
            merges.push_back({"A P → A G(p)", factor,
                              to_short_text(map->is_permutation() ? permutation(*map) : gather(*map))});
        else if (const auto* d = std::get_if<Diagonal>(&access_map))
            merges.push_back({"A D → A G D(i)", factor, to_short_text(diagonal(d->function, d->index))});
    for (const AccessMap& access_map : merged.after)
        if (const IndexMap* map = moves(access_map))
            merges.push_back({"P A → S(p) A", factor, to_short_text(storing_factor(*map))});
        else if (const auto* d = std::get_if<Diagonal>(&access_map))
            merges.push_back({"D A → D(i) S A", factor, to_short_text(diagonal(d->function, d->index))});
    if (merged.scattered)
        merges.push_back({"S A → S(s) A", factor, to_short_text(scatter(*merged.scattered))});
    add_merges(merged.factor, merges);
}

void add_merges(const Formula& formula, std::vector<LoopMerge>& merges) {
    const auto* tagged = formula.get_if<Tagged>();
    if (is_nonterminal(formula) || (tagged && tagged->tag == Tag::codelet)) return;
    if (formula.is<Product>())
        for (const MergedFactor& merged : merge_loops(formula)) add_merges(merged, merges);
    else
        for (const Formula& child : formula.children()) add_merges(child, merges);
}

} // namespace

std::vector<LoopMerge> loop_merges_of(const Formula& formula) {
    std::vector<LoopMerge> merges;
    add_merges(formula, merges);
    return merges;
}

std::optional<Columns> columns_of(const Formula& pass) {
    const auto* tagged = pass.get_if<Tagged>();
    if (!tagged || tagged->tag != Tag::pass) return std::nullopt;
    if (!pass.children()[0].is<Product>()) return std::nullopt;
    Columns columns{0, merge_loops(pass.children()[0])};
    if (columns.factors.size() < 2) return std::nullopt;
    for (std::size_t k = 0; k < columns.factors.size(); ++k) {
        MergedFactor& merged = columns.factors[k];
        if (!merged.factor.is<Kronecker>() || merged.factor.children().size() != 2) return std::nullopt;
        const Formula inner = merged.factor.children()[1];
        if (!inner.is<Identity>() || (k > 0 && inner.rows() != columns.count)) return std::nullopt;
        columns.count = inner.rows();
        const auto is_diagonal = [](const AccessMap& access_map) {
            return std::holds_alternative<Diagonal>(access_map);
        };
        if (k > 0 && !std::all_of(merged.before.begin(), merged.before.end(), is_diagonal))
            return std::nullopt;
        if (k + 1 < columns.factors.size() && !merged.after.empty()) return std::nullopt;
        if (merged.scattered) return std::nullopt;
    }
    return columns;
}

namespace {

/// Counts of the identities in A ⊗ I ⊗ I…; nothing for other terms.
std::optional<std::vector<Integer>> column_counts(const Formula& formula) {
    if (!formula.is<Kronecker>() || formula.children()[0].is<Identity>()) return std::nullopt;
    std::vector<Integer> counts;
    for (std::size_t k = 1; k < formula.children().size(); ++k) {
        if (!formula.children()[k].is<Identity>()) return std::nullopt;
        counts.push_back(formula.children()[k].rows());
    }
    return counts;
}

/// Loops inside a transform that is broken down, around the factor at one of its ends.
std::vector<Integer> loops_inside(const Formula& product, bool at_input) {
    const std::vector<MergedFactor> merged = merge_loops(product);
    const MergedFactor& outer = at_input ? merged.front() : merged.back();
    const std::vector<Integer> whole{at_input ? product.columns() : product.rows()};
    if (outer.scattered || !(at_input ? outer.before : outer.after).empty()) return whole;
    const auto* tagged = outer.factor.get_if<Tagged>();
    const Formula factor = tagged && tagged->tag == Tag::pass ? outer.factor.children()[0] : outer.factor;
    if (factor.is<Product>()) return loops_inside(factor, at_input);
    auto counts = column_counts(factor);
    if (!counts) return whole;
    if (!factor.children()[0].is<Product>()) return *counts;
    std::vector<Integer> result = loops_inside(factor.children()[0], at_input);
    result.insert(result.end(), counts->begin(), counts->end());
    return result;
}

/// Of tile(I ⊗ A ⊗ I…): the loops of A, and the identities after it.
ColumnLoops loops_of_tile(const Tile& tile, bool merge_columns) {
    const Formula& working = (*tile.operands)[tile.working];
    ColumnLoops result =
        is_nonterminal(working) ? ColumnLoops{{1}, {1}} : column_loops(working, merge_columns);
    if (result.read.empty()) result.read = {working.columns()};
    if (result.written.empty()) result.written = {working.rows()};
    for (std::size_t k = tile.working + 1; k < tile.operands->size(); ++k)
        for (std::vector<Integer>* loops : {&result.read, &result.written})
            loops->push_back((*tile.operands)[k].rows());
    return result;
}

} // namespace

ColumnLoops column_loops(const Formula& pass, bool merge_columns) {
    if (const auto tile = tile_of(pass)) return loops_of_tile(*tile, merge_columns);
    if (const auto columns = merge_columns ? columns_of(pass) : std::nullopt)
        return {{columns->count}, {columns->count}};
    const auto* tagged = pass.get_if<Tagged>();
    if (!tagged || tagged->tag != Tag::pass) return {};
    const Formula& child = pass.children()[0];
    const std::vector<MergedFactor> merged =
        child.is<Product>() ? merge_loops(child) : std::vector<MergedFactor>{{child, {}, {}}};
    if (merged.size() != 1) return {};
    if (is_nonterminal(merged[0].factor)) return {{1}, {1}};
    const auto counts = column_counts(merged[0].factor);
    if (!counts) return {};
    const Formula& transform = merged[0].factor.children()[0];
    if (!transform.is<Product>()) return {*counts, *counts};
    if (!merge_columns) return {};
    ColumnLoops result{loops_inside(transform, true), loops_inside(transform, false)};
    for (std::vector<Integer>* loops : {&result.read, &result.written})
        loops->insert(loops->end(), counts->begin(), counts->end());
    return result;
}

namespace {

/// The progressions' values: in order if they fit into a small table, else one progression after the other.
IndexMap map_of(const std::vector<Progression>& progressions, Integer range) {
    constexpr Integer most_in_table = 1 << 16;
    // If there are as many values as multiples of the common stride between first and last, they are all of these
    // multiples.
    Integer least = progressions.front().first, most = least, all = 0, common = 0;
    std::vector<DigitMap> pieces;
    for (const auto& [first, count, stride] : progressions) {
        least = std::min(least, first);
        most = std::max(most, first + (count - 1) * stride);
        all += count;
        common = std::gcd(common, std::gcd(count > 1 ? stride : 0, first - progressions.front().first));
        pieces.push_back({{count}, {stride}, first, 0});
    }
    if (common == 0 || (most - least) / common + 1 == all)
        return IndexMap::strided(all, range, least, std::max<Integer>(common, 1)).canonical();
    if (all > most_in_table) return IndexMap::piecewise(std::move(pieces), range).canonical();
    std::vector<Integer> values = IndexMap::piecewise(std::move(pieces), range).values();
    std::sort(values.begin(), values.end());
    return IndexMap::table(std::move(values), range).canonical();
}

} // namespace

std::optional<IndexMap> complement(const IndexMap& map) {
    if (map.domain() == map.range()) return std::nullopt;
    if (const auto missed = missed_progressions(map); missed && !missed->empty())
        return map_of(*missed, map.range());
    std::vector<bool> hit(static_cast<std::size_t>(map.range()));
    for (Integer i = 0; i < map.domain(); ++i) hit[static_cast<std::size_t>(map(i))] = true;
    std::vector<Integer> missed;
    for (Integer i = 0; i < map.range(); ++i)
        if (!hit[static_cast<std::size_t>(i)]) missed.push_back(i);
    if (missed.empty()) return std::nullopt;
    return IndexMap::table(std::move(missed), map.range()).canonical();
}

std::vector<IndexMap> piecewise_complement(const IndexMap& map) {
    constexpr Integer few = 1024;
    const auto whole = complement(map);
    if (!whole) return {};
    if (!std::holds_alternative<PiecewiseMap>(whole->kind())) return {*whole};
    const auto missed = missed_progressions(map);
    std::vector<Progression> long_ones, short_ones;
    for (const Progression& each : *missed) (each.count > few ? long_ones : short_ones).push_back(each);
    std::vector<IndexMap> result;
    for (const std::vector<Progression>* progressions : {&long_ones, &short_ones}) {
        if (progressions->empty()) continue;
        const IndexMap locations = map_of(*progressions, map.range());
        const auto* pieces = std::get_if<PiecewiseMap>(&locations.kind());
        if (!pieces) result.push_back(locations);
        for (std::size_t k = 0; pieces && k < pieces->pieces.size(); ++k)
            result.emplace_back(domain_of(pieces->pieces[k]), map.range(), pieces->pieces[k]);
    }
    return result;
}

} // namespace swirl::loops
