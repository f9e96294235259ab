#include "search/cost/cpu/cost_model.hpp"

#include "base/error.hpp"
#include "ir/records.hpp"
#include "loops/block_width.hpp"
#include "lower/cpu/pair_pointwise.hpp"
#include "rules/given_formula.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "search/candidates/cpu/dft_candidates.hpp"
#include "search/candidates/cpu/subproblems.hpp"
#include "search/cost/cpu/callback_cost.hpp"
#include "search/cost/cpu/cycles.hpp"
#include "search/cost/cpu/multidimensional_cost.hpp"
#include "search/cost/cpu/pair_cost.hpp"
#include "search/cost/cpu/real_cost.hpp"
#include "search/cost/cpu/real_cycles.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace swirl::search {

using namespace formula;
using rules::BreakdownTree;

namespace {

/// Largest transform computed by one straight-line codelet, and the largest prime factor of such a transform.
constexpr Integer largest_codelet = rules::largest_radix;
constexpr Integer largest_codelet_prime = rules::largest_base_prime;

} // namespace

bool is_codelet_size(Integer n) {
    return n <= largest_codelet && rules::largest_prime_factor(n) <= largest_codelet_prime;
}

/// Stable. Moves each candidate, with its tree, once.
void sort_by_cycles(std::vector<Candidate>& all) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < all.size(); ++k) order.emplace_back(all[k].cycles, k);
    if (std::is_sorted(order.begin(), order.end())) return;
    std::sort(order.begin(), order.end());
    std::vector<Candidate> sorted;
    sorted.reserve(all.size());
    for (const auto& [cycles, k] : order) sorted.push_back(std::move(all[k]));
    all = std::move(sorted);
}

namespace {

/// The radix of the pass that reads memory: the first radix, or n for a single pass.
Integer first_radix(const Candidate& candidate, Integer n) {
    const bool several_passes = candidate.tree.rule == "stockham" && candidate.tree.choice.size() > 1;
    return several_passes ? candidate.tree.choice.front() : n;
}

/// Candidates for a radix of a Stockham transform, or for a nested transform.
std::vector<Candidate> dft_candidates(const Formula& dft, const Setting& setting);

BreakdownTree with_children(std::string_view rule, rules::Choice choice, const Formula& dft,
                            const Setting& setting) {
    BreakdownTree tree{std::string(rule), choice, {}};
    for (const Formula& child : children_of(rule, choice, dft))
        tree.children.push_back(best_dft(child, setting).tree);
    return tree;
}

/// Of a Stockham transform of several passes, else 1.
Integer second_radix(const Candidate& candidate, Integer n) {
    return first_radix(candidate, n) < n ? candidate.tree.choice[1] : 1;
}

/// The divisor of n up to `most` of which a function of divisors is largest; the largest of equals.
template <class Function> Integer best_divisor(Integer n, Integer most, Function&& function) {
    Integer best = 1;
    double best_value = 0;
    for (Integer d = 1; d <= std::min(n, most); ++d) {
        if (n % d != 0) continue;
        const double value = function(d);
        if (value >= best_value) best = d, best_value = value;
    }
    return best;
}

/// The divisor of n up to `most` with the best vector utilisation.
Integer widest_divisor(Integer n, Integer most, const Setting& setting) {
    return best_divisor(n, most,
                        [&](Integer d) { return utilization(static_cast<double>(d), setting.lanes); });
}

/// Fraction of their speed that columns keep if they are stored in blocks of this width.
double block_efficiency(Integer width, const Setting& setting) {
    const double bytes = static_cast<double>(width) * setting.element_bytes / 2; // of real or imaginary parts
    const bool straddles = std::fmod(bytes, line_bytes) != 0;
    return utilization(static_cast<double>(width), setting.lanes) /
           (straddles ? setting.constants->straddling_block : 1);
}

/// Blocks that hold no whole number of the second radix's outputs are found in a table of as many entries as the
/// transform has: longer transforms have none.
constexpr Integer longest_index_table = Integer{1} << 23;

/// The column transform of the first sweep, and the block width of its stored output: a divisor or a multiple of its
/// first radix, so that the lanes of its last pass are neighbours in memory. Its rows lie `row` entries apart.
struct Columns {
    Candidate transform;
    Integer block = 1;
    double cycles = std::numeric_limits<double>::infinity(); ///< including the cost of partial blocks
};

/// Cycles of a column of n entries, `row` entries apart, that is stored in blocks: a candidate's with what partial blocks and
/// rows in the same cache set cost.
double column_cycles(const Candidate& column, Integer n, Integer row, Integer block, const Setting& setting) {
    const Integer radix = first_radix(column, n);
    const Integer stride = n / radix * row * static_cast<Integer>(setting.element_bytes);
    return column.cycles / block_efficiency(block, setting) +
           conflict_cycles(radix, stride) * static_cast<double>(n);
}

Columns best_columns(const Formula& dft, Integer row, Integer widest_block, const Setting& setting) {
    Columns best_so_far;
    for (Candidate& candidate : dft_candidates(dft, setting)) {
        const Integer radix = first_radix(candidate, dft.rows());
        const auto efficiency = [&](Integer width) { return block_efficiency(width, setting); };
        const Integer width = best_divisor(radix, widest_block, efficiency);
        const Integer divided =
            dft.rows() * row > longest_index_table ? second_radix(candidate, dft.rows()) : dft.rows() / radix;
        // Where a vector is shorter than a cache line, wide blocks gain more than full vectors.
        const bool vectors_are_lines = setting.lanes * setting.element_bytes / 2 >= line_bytes;
        const auto efficiency_of_times = [&](Integer times) {
            return vectors_are_lines ? efficiency(radix * times)
                                     : utilization(static_cast<double>(times), setting.lanes);
        };
        const Integer block =
            width < radix ? width : radix * best_divisor(divided, widest_block / radix, efficiency_of_times);
        const double cycles = column_cycles(candidate, dft.rows(), row, block, setting);
        if (cycles < best_so_far.cycles) best_so_far = {std::move(candidate), block, cycles};
    }
    return best_so_far;
}

} // namespace

std::vector<Candidate> strided_candidates(const Formula& dft, Integer stride, const Setting& setting) {
    std::vector<Candidate> all = dft_candidates(dft, setting);
    for (Candidate& candidate : all) {
        const Integer radix = first_radix(candidate, dft.rows());
        candidate.cycles +=
            conflict_cycles(radix, dft.rows() / radix * stride) * static_cast<double>(dft.rows());
    }
    sort_by_cycles(all);
    return all;
}

namespace {

/// The setting for `count` interleaved transforms.
Setting columns_of(const Setting& setting, Integer count) {
    Setting columns = setting;
    columns.loops = static_cast<double>(count);
    columns.side_by_side = static_cast<double>(count);
    return columns;
}

/// Cost of multiplying the loads of the second sweep's transform by twiddle factors.
double loaded_twiddle_cycles(const Candidate& rows, Integer n, const Setting& setting) {
    const Integer radix = first_radix(rows, n);
    return loaded_twiddle_cycles(radix, setting) * static_cast<double>(n / radix);
}

/// Bytes between the entries of the second sweep's transforms, which lie interleaved in blocks.
Integer stride_in_blocks(const Setting& setting) {
    return static_cast<Integer>(setting.side_by_side * setting.element_bytes / 2);
}

/// Cycles of a transform of the second sweep, of n entries: a candidate's with its twiddle factors and with what rows in the same
/// cache set cost.
double row_cycles(const Candidate& row, Integer n, const Setting& setting) {
    const Integer radix = first_radix(row, n);
    return row.cycles +
           conflict_cycles(radix, n / radix * stride_in_blocks(setting)) * static_cast<double>(n) +
           loaded_twiddle_cycles(row, n, setting);
}

/// Cycles of a given tree; nothing if the model chooses parts of its rules.
std::optional<double> cycles_of(const Formula& transform, const BreakdownTree& tree, const Setting& setting);

/// The transform of the second sweep.
Candidate best_rows(const Formula& dft, const Setting& setting) {
    std::vector<Candidate> all = strided_candidates(dft, stride_in_blocks(setting), setting);
    for (Candidate& candidate : all)
        candidate.cycles += loaded_twiddle_cycles(candidate, dft.rows(), setting);
    sort_by_cycles(all);
    return all.front();
}

/// Cycles of two sweeps over n entries with columns of `first` points.
double two_sweep_cycles(Integer n, Integer first, double column, double row, const Setting& setting) {
    const double sweeps = sweep_cycles(n, setting);
    return 2 * sweeps + (sweeps == 0 ? setting.constants->near_two_sweep : 1) *
                            (2 * cached_sweep_cycles(n, setting) + column * static_cast<double>(n / first) +
                             row * static_cast<double>(first) + second_twiddle_cycles(n, setting) +
                             colliding_rows_cycles(n, first, setting));
}

/// One split into two sweeps, with tiles of up to `widest_tile` columns.
Candidate two_sweep_candidate(const Formula& dft, Integer first, Integer widest_tile,
                              const Setting& setting) {
    const Integer n = dft.rows(), second = n / first;
    const Direction direction = dft.get_if<Dft>()->direction;
    constexpr Integer block_bytes = 512;
    const auto widest_block = std::max(static_cast<Integer>(block_bytes / setting.element_bytes),
                                       static_cast<Integer>(setting.lanes));
    const Integer tile = widest_divisor(second, widest_tile, setting);
    const Columns columns =
        best_columns(DFT(first, direction), second, widest_block, columns_of(setting, tile));
    const Setting inner = columns_of(setting, columns.block);
    Candidate rows = columns.transform;
    if (first != second)
        rows = best_rows(DFT(second, direction), inner);
    else
        rows.cycles =
            row_cycles({rows.tree, cycles_of(DFT(second, direction), rows.tree, inner).value_or(rows.cycles)},
                       second, inner);
    Candidate candidate{{"two-sweep", {first, tile, columns.block}, {rows.tree}}, 0};
    if (first != second) candidate.tree.children.push_back(columns.transform.tree);
    candidate.cycles = two_sweep_cycles(n, first, columns.cycles, rows.cycles, setting);
    return candidate;
}

/// Columns of `first` entries per tile, so that the tile fits in the cache below the level that holds the whole
/// transform.
Integer widest_tile(Integer first, Integer n, const Setting& setting) {
    const bool far = sweep_cycles(n, setting) > 0;
    const double capacity = far ? setting.cache_bytes / 2 : setting.machine->nearest_cache_bytes;
    return std::clamp(static_cast<Integer>(capacity / setting.element_bytes) / first,
                      static_cast<Integer>(setting.lanes), Integer{far ? 64 : 32});
}

/// Splits into about equal factors: two sweeps over memory, or over a core's private caches, each of which works within
/// a nearer cache.
std::vector<Candidate> two_sweep_candidates(const Formula& dft, const Setting& setting) {
    constexpr Integer max_uneven = 8;
    const Integer n = dft.rows();
    std::vector<Candidate> result;
    if (cached_sweep_cycles(n, setting) == 0 || !setting.is_alone()) return result;
    for (Integer first = 2; first < n && first * first <= n * max_uneven; ++first) {
        if (n % first != 0 || first * first * max_uneven < n) continue;
        result.push_back(two_sweep_candidate(dft, first, widest_tile(first, n, setting), setting));
    }
    return result;
}

double convolution_cycles(Integer length, const Setting& setting) {
    const Candidate inner = best_dft(DFT(length), setting);
    return 2 * inner.cycles + 6 * static_cast<double>(length) / setting.lanes;
}

/// Primes too large for a codelet: Rader if p−1 is smooth, Bluestein otherwise or if cheaper.
std::vector<Candidate> prime_candidates(const Formula& dft, const Setting& setting) {
    const Integer p = dft.rows();
    std::vector<Candidate> result;
    if (p - 1 <= rules::longest_rader_convolution &&
        rules::largest_prime_factor(p - 1) <= largest_codelet_prime)
        result.push_back({with_children("rader", {}, dft, setting),
                          convolution_cycles(p - 1, setting) + 5 * static_cast<double>(p)});
    const Integer length = rules::convolution_length(2 * p - 1);
    result.push_back(
        {with_children("bluestein", {length}, dft, setting), convolution_cycles(length, setting)});
    return result;
}

const std::vector<rules::Choice>& stockham_radices(const Formula& dft, const Setting& setting) {
    const auto [known, is_new] = setting.memo->radices.try_emplace(dft.rows());
    if (is_new) known->second = rules::rule_named("stockham").choices(dft);
    return known->second;
}

/// The radices with the fewest cycles for passes over n entries; each prime factor of n has a codelet.
rules::Choice smooth_radices(const Formula& dft, const Setting& setting) {
    if (is_codelet_size(dft.rows())) return {dft.rows()};
    rules::Choice best;
    double least = std::numeric_limits<double>::infinity();
    for (const rules::Choice& radices : stockham_radices(dft, setting)) {
        const double cycles = stockham_cycles(radices, dft.rows(), setting);
        if (cycles < least) least = cycles, best = radices;
    }
    return best;
}

/// Radices for sizes with large primes: first the large primes, each as a pass of its own, then the smooth cofactor.
rules::Choice rough_radices(Integer n, const Setting& setting) {
    rules::Choice radices;
    Integer smooth = n;
    for (Integer p = rules::largest_prime_factor(smooth); p > largest_codelet_prime;
         p = rules::largest_prime_factor(smooth)) {
        radices.push_back(p);
        smooth /= p;
    }
    if (smooth == 1) return radices;
    const rules::Choice rest = smooth_radices(DFT(smooth), setting);
    radices.insert(radices.end(), rest.begin(), rest.end());
    return radices;
}

/// Caches shared by cores, as a multiple of a core's own.
constexpr double far_caches = 16;

/// Composite sizes with a large prime factor.
std::vector<Candidate> rough_candidates(const Formula& dft, const Setting& setting) {
    const Integer n = dft.rows();
    const rules::Choice radices = rough_radices(n, setting);
    const auto of_pass = [&](Integer radix) {
        Setting pass = setting;
        pass.loops = static_cast<double>(n / radix);
        if (radix <= largest_codelet) return pass;
        // A vector computes as many columns side by side as it has lanes; beyond the caches, each in two sweeps.
        const double columns = std::min(setting.lanes, pass.loops);
        const double bytes = columns * static_cast<double>(radix) * setting.element_bytes;
        if (bytes <= far_caches * setting.cache_bytes)
            pass.side_by_side = std::max(setting.side_by_side, columns);
        return pass;
    };
    Candidate passes{{"stockham", radices, {}}, 0};
    for (const Formula& child : children_of("stockham", radices, dft))
        passes.tree.children.push_back(
            child.rows() <= largest_codelet ? BreakdownTree{} : best_dft(child, of_pass(child.rows())).tree);
    for (const Integer r : radices) {
        const Setting pass = of_pass(r);
        passes.cycles +=
            pass.loops * (r <= largest_codelet ? codelet_cycles(r, pass) : best_dft(DFT(r), pass).cycles);
    }
    std::vector<Candidate> result{std::move(passes)};
    // Bluestein's chirp costs accuracy: it does not pay if every prime has a codelet.
    if (rules::largest_prime_factor(n) <= largest_codelet) return result;
    // The spectrum is a table longer than the data; the spectra for the prime factors are shorter.
    constexpr Integer longest_spectrum = Integer{1} << 22;
    const Integer length = rules::convolution_length(2 * n - 1);
    if (length > longest_spectrum) return result;
    result.push_back(
        {with_children("bluestein", {length}, dft, setting), convolution_cycles(length, setting)});
    return result;
}

/// Calls take(cycles, tree) for each candidate, with a function that makes its tree.
template <class Take> void for_each_candidate(const Formula& dft, const Setting& setting, Take&& take) {
    const Integer n = dft.rows();
    const auto take_all = [&](std::vector<Candidate> all) {
        for (Candidate& each : all) take(each.cycles, [&] { return std::move(each.tree); });
    };
    const Integer largest = rules::largest_prime_factor(n);
    const bool is_rough = largest > largest_codelet_prime && largest != n;
    if (is_codelet_size(n) && !is_rough) take(codelet_cycles(n, setting), [] { return BreakdownTree{}; });
    if (is_rough) return take_all(rough_candidates(dft, setting));
    if (largest > largest_codelet_prime) return take_all(prime_candidates(dft, setting));
    if (n == largest) return;
    for (const rules::Choice& radices : stockham_radices(dft, setting))
        if (radices.size() >= 2)
            take(stockham_cycles(radices, n, setting), [&] {
                return BreakdownTree{"stockham", radices, {}};
            });
    take_all(two_sweep_candidates(dft, setting));
}

std::vector<Candidate> dft_candidates(const Formula& dft, const Setting& setting) {
    std::vector<Candidate> result;
    for_each_candidate(dft, setting, [&](double cycles, auto&& tree) { result.push_back({tree(), cycles}); });
    sort_by_cycles(result);
    return result;
}

/// A forward transform, and the backward one by the same passes in reverse order, so that the product fits between two
/// passes over columns.
std::vector<Candidate> convolution_candidates(const Formula& circulant, const Setting& setting) {
    const Integer n = circulant.rows();
    if (n == 1) return {{{"circulant-dft", {}, {}}, 1}};
    std::vector<Candidate> result;
    for (Candidate& there : dft_candidates(DFT(n, Direction::forward), setting)) {
        rules::BreakdownTree back = there.tree;
        if (back.rule == "stockham" && back.children.empty())
            std::reverse(back.choice.begin(), back.choice.end());
        Candidate& both = result.emplace_back(Candidate{{"circulant-dft", {}, {}}, 2 * there.cycles});
        if (!there.tree.rule.empty()) both.tree.children = {std::move(back), std::move(there.tree)};
    }
    return result;
}

/// The transforms in both directions by the same tree; passes in reverse order.
std::vector<Candidate> real_convolution_candidates(const Formula& circulant, const Setting& setting) {
    const Integer n = circulant.rows();
    if (n == 1) return {{{"circulant-rdft", {}, {}}, 1}};
    std::vector<Candidate> result;
    for (const Candidate& there : real_candidates(RDFT(n), setting)) {
        const rules::BreakdownTree& tree = there.tree;
        const double around = 4 * static_cast<double>(n) / setting.lanes; // the product in a pass of its own
        Candidate both{{"circulant-rdft", {}, {}}, 2 * there.cycles + around};
        if (!tree.rule.empty()) both.tree.children = {tree, tree};
        result.push_back(std::move(both));
        if (tree.rule == "rdft-stockham")
            result.push_back({{"circulant-stockham", tree.choice, {}}, 2 * there.cycles});
        if (tree.rule == "rdft-half-size")
            result.push_back({{"circulant-half-size",
                               {},
                               tree.children.empty() || tree.children[0].rule.empty()
                                   ? std::vector<rules::BreakdownTree>{}
                                   : std::vector{tree.children[0], tree.children[0]}},
                              2 * there.cycles});
    }
    sort_by_cycles(result);
    return result;
}

} // namespace

Candidate best_dft(const Formula& dft, const Setting& setting) {
    // Both directions have the same trees at the same cost.
    const std::tuple key(dft.rows(), setting.loops, setting.side_by_side);
    if (const auto known = setting.memo->best.find(key); known != setting.memo->best.end())
        return known->second;
    std::optional<Candidate> best;
    for_each_candidate(dft, setting, [&](double cycles, auto&& tree) {
        if (!best || cycles < best->cycles) best = Candidate{tree(), cycles};
    });
    if (!best) throw UserError("no breakdown is known for a DFT of {} points", dft.rows());
    return setting.memo->best.emplace(key, *std::move(best)).first->second;
}

namespace {

std::vector<Candidate> formula_candidates(const Formula& formula, const Setting& setting);

/// Candidates for a transform, cheapest first.
std::vector<Candidate> candidates_of(const Formula& transform, const Setting& setting) {
    if (transform.is<Dft>()) return strided_candidates(transform, 0, setting);
    const auto* circulant = transform.get_if<Circulant>();
    if (circulant != nullptr && circulant->of_reals) return real_convolution_candidates(transform, setting);
    if (circulant != nullptr && !circulant->kernel) return convolution_candidates(transform, setting);
    if (circulant != nullptr || rules::is_given_formula(transform))
        return formula_candidates(transform, setting);
    if (transform.is<Kronecker>()) return multidimensional_candidates(transform, setting);
    return real_candidates(transform, setting);
}

/// A transform inside a formula.
struct Inner {
    Formula transform;
    double times;     ///< in all
    bool has_columns; ///< the first one: with copies side by side
};

/// Counts a formula's transforms, and the entries that its factors move, in copies of the whole.
class Inside {
public:
    explicit Inside(const Formula& formula) { add(formula, 1, false); }

    const std::vector<Inner>& transforms() const { return transforms_; }
    double entries() const { return entries_; }

private:
    void add(const Formula& f, double times, bool has_columns) {
        if (is_nonterminal(f)) {
            entries_ += times * static_cast<double>(f.rows() + f.columns());
            const auto known = std::find_if(transforms_.begin(), transforms_.end(),
                                            [&](const Inner& inner) { return inner.transform == f; });
            if (known == transforms_.end())
                transforms_.push_back({f, times, has_columns});
            else
                known->times += times;
            return;
        }
        if (f.children().empty()) entries_ += times * static_cast<double>(f.rows() + f.columns());
        if (const auto* sum = f.get_if<IterativeSum>()) times *= static_cast<double>(sum->count);
        double before = static_cast<double>(f.columns()), after = 1;
        for (std::size_t k = f.children().size(); k-- > 0;) {
            const Formula& child = f.children()[k];
            if (!f.is<Kronecker>()) {
                add(child, times, has_columns);
                continue;
            }
            before /= static_cast<double>(child.columns());
            if (!child.is<Identity>()) add(child, times * before * after, has_columns || after > 1);
            after *= static_cast<double>(child.rows());
        }
    }

    std::vector<Inner> transforms_;
    double entries_ = 0;
};

/// Each transform by its best tree, in the loops of the formula.
Candidate formula_candidate(std::string_view rule, const Formula& formula, const Setting& setting) {
    const Formula built = rules::rule_named(rule).build(formula, {});
    const Inside inside(built);
    Candidate candidate{{std::string(rule), {}, {}}, 2 * inside.entries() / setting.lanes};
    for (const Formula& transform : rules::nonterminals(built)) {
        const auto inner = std::find_if(inside.transforms().begin(), inside.transforms().end(),
                                        [&](const Inner& i) { return i.transform == transform; });
        Setting own = setting;
        own.loops *= inner->times;
        if (inner->has_columns && transform.is<Dft>()) own.side_by_side = own.lanes;
        const Candidate best = candidates_of(transform, own).front();
        candidate.tree.children.push_back(best.tree);
        candidate.cycles += best.cycles * inner->times;
    }
    while (!candidate.tree.children.empty() && candidate.tree.children.back() == BreakdownTree{})
        candidate.tree.children.pop_back();
    return candidate;
}

/// One straight-line codelet: no loop inside it fills the lanes.
Candidate codelet_candidate(const Formula& formula, const Setting& setting) {
    const auto& rule = rules::rule_named("formula-codelet");
    const Inside inside(rule.build(formula, {}));
    Candidate candidate{{std::string(rule.name), {}, {}}, 2 * inside.entries() / setting.lanes};
    candidate.cycles = 2 * static_cast<double>(formula.rows() + formula.columns()) / setting.lanes;
    for (const Inner& inner : inside.transforms())
        candidate.cycles += inner.times * codelet_cycles(inner.transform.rows(), setting);
    return candidate;
}

std::vector<Candidate> formula_candidates(const Formula& formula, const Setting& setting) {
    if (formula.is<Circulant>()) return {formula_candidate("circulant-dft", formula, setting)};
    std::vector<Candidate> result{formula_candidate("formula", formula, setting)};
    if (rules::rule_named("formula-codelet").applicable(formula).ok())
        result.push_back(codelet_candidate(formula, setting));
    sort_by_cycles(result);
    return result;
}

/// Distances in memory around a transform, in entries.
struct Side {
    Integer entries = 0;            ///< between neighbouring entries of the transform
    std::optional<Integer> loops{}; ///< between neighbouring iterations of the loop that has the closest ones
    Integer count = 1;              ///< of that loop
    bool is_half_spectrum = false;

    /// Whether iterations are closer than entries.
    bool is_across() const { return loops && *loops < entries; }
    /// Whether transforms are copied between this side and a buffer: not a half spectrum, whose components would be copied
    /// by themselves.
    bool has_buffers() const { return is_across() && !is_half_spectrum; }
};

Side side_of(const planning::DimensionPass& pass, std::size_t side) {
    const loops::Layout& layout = pass.layouts[side];
    const std::size_t digits = layout.strides.size() - pass.left.size() - pass.right.size();
    Side result{std::abs(layout.strides[pass.left.size()])};
    result.is_half_spectrum = digits > 1;
    for (std::size_t axis = 0; axis < layout.strides.size(); ++axis) {
        if (axis >= pass.left.size() && axis < pass.left.size() + digits) continue;
        const Integer stride = std::abs(layout.strides[axis]);
        if (result.loops && stride >= *result.loops) continue;
        result.loops = stride;
        result.count = layout.lengths[axis];
    }
    return result;
}

/// Cycles to copy between the caller's array and a buffer in the L1 cache, for each byte and for each transform; beyond
/// that cache the bytes take twice as long.
constexpr double buffered_byte_cycles = 0.12, buffered_transform_cycles = 60;
/// The same for each byte of float32 records, whose copies load and store whole vectors, where array and buffer stay in the
/// L1 cache. Of float64 rows are half as many registers, and beyond the cache the copies wait for lines either way.
constexpr double record_byte_cycles = 0.06;
/// Cycles to load or store an entry whose neighbours in a vector lie in rows of their own, and more for the part of its line
/// that other iterations need, where the caches do not keep it until then.
constexpr double scattered_entry_cycles = 0.8, reloaded_entry_cycles = 0.6, restored_entry_cycles = 2.7,
                 conflicting_entry_cycles = 6;
constexpr auto l1_bytes = static_cast<double>(loops::l1_bytes);

double buffering_cycles(const Side& side, double entries, double element_bytes, const target::Cpu& cpu,
                        DataType scalar) {
    if (!side.has_buffers()) return 0;
    const double bytes = entries * element_bytes * (entries * line_bytes > l1_bytes ? 2 : 1);
    const Integer width = side.count * static_cast<Integer>(element_bytes) / bytes_of(scalar);
    const bool is_in_l1 = 2 * static_cast<double>(side.count) * entries * element_bytes <= l1_bytes;
    const bool are_records = is_in_l1 && scalar == DataType::float32 && cpu.permutes_two && side.loops == 1 &&
                             side.entries == side.count &&
                             ir::suit_records(target::lanes(cpu, scalar), scalar, width);
    return (are_records ? record_byte_cycles : buffered_byte_cycles) * bytes + buffered_transform_cycles;
}

/// Lines with so many bytes between them that the L1 cache keeps: lines a multiple of 4096 bytes apart share a set.
double cached_lines(double stride_bytes) {
    constexpr Integer period = 4096;
    const Integer step = std::gcd(static_cast<Integer>(stride_bytes), period);
    return l1_bytes / static_cast<double>(std::max(step, static_cast<Integer>(line_bytes)));
}

/// Of lanes along the entries of one transform.
double scattering_cycles(const Side& side, double entries, double element_bytes,
                         double refetched_entry_cycles) {
    if (!side.has_buffers()) return 0;
    const double line = std::min(line_bytes, static_cast<double>(side.count) * element_bytes);
    const double stride = static_cast<double>(side.entries) * element_bytes;
    const bool is_cached = entries * line <= l1_bytes && entries <= cached_lines(stride);
    return entries *
           (scattered_entry_cycles + (is_cached ? 0 : refetched_entry_cycles * (1 - element_bytes / line)));
}

/// Of stores to one row for each lane, where lanes run along transforms.
double storing_cycles(const Side& out, double entries, double element_bytes, const Setting& setting) {
    if (out.is_across()) return 0;
    const bool is_cached = setting.loops * entries * element_bytes <= setting.cache_bytes;
    const bool has_conflicts = setting.lanes >= cached_lines(entries * element_bytes);
    return entries * (scattered_entry_cycles + (has_conflicts ? conflicting_entry_cycles
                                                : is_cached   ? 0
                                                              : restored_entry_cycles));
}

std::vector<Candidate> alone(const Formula& transform, const Setting& setting) {
    return transform.is<Dft>() ? strided_candidates(transform, 0, setting)
                               : candidates_of(transform, setting);
}

/// Where iterations are closer than entries: what it costs that the first pass of several has scattered loads, or the last
/// one scattered stores, and the same transforms alone, through buffers. Where the input's iterations fill vectors, lanes
/// run along these: then only stores are scattered, if the output's entries are neighbours.
void add_buffered(std::vector<Candidate>& all, const planning::DimensionPass& pass, const target::Cpu& cpu,
                  DataType scalar, Setting setting) {
    const Side in = side_of(pass, 0), out = side_of(pass, 1);
    const auto entries = static_cast<double>(pass.nonterminal.rows());
    const double element = setting.element_bytes / (pass.nonterminal.is<RealDft>() ? 2 : 1);
    const bool fills = in.is_across() && loops::fills_vectors(in.count, static_cast<Integer>(setting.lanes));
    double scattering = fills ? storing_cycles(out, entries, element, setting)
                              : scattering_cycles(in, entries, element, reloaded_entry_cycles) +
                                    scattering_cycles(out, entries, element, restored_entry_cycles);
    if (pass.nonterminal.is<RealDft>()) scattering /= 2; // two reals are an element
    const double buffering = buffering_cycles(in, entries, element, cpu, scalar) +
                             buffering_cycles(out, entries, element, cpu, scalar);
    if (scattering == 0 || buffering == 0 || pass.source == pass.target) return;
    for (Candidate& candidate : all)
        if (!candidate.tree.rule.empty()) candidate.cycles += setting.machine->vector_operation * scattering;
    setting.side_by_side = 1;
    for (Candidate& candidate : alone(pass.nonterminal, setting)) {
        candidate.tree = {"buffered", {}, {std::move(candidate.tree)}};
        candidate.cycles += setting.machine->vector_operation * buffering;
        all.push_back(std::move(candidate));
    }
    sort_by_cycles(all);
}

Setting setting_of(const planning::DimensionPass& pass, const target::Cpu& cpu, DataType scalar,
                   const MachineModel& machine, Memo& memo) {
    Setting setting{
        static_cast<double>(cpu.vector_bytes ? target::lanes(cpu, scalar) : 1),
        static_cast<double>(cpu.vector_registers),
        1,
        cpu.cache_bytes > 0 ? static_cast<double>(cpu.cache_bytes) : std::numeric_limits<double>::infinity(),
        2.0 * bytes_of(scalar),
        &memo};
    setting.machine = &machine;
    setting.streaming_bytes = cpu.streaming_bytes > 0 ? static_cast<double>(cpu.streaming_bytes)
                                                      : std::numeric_limits<double>::infinity();
    setting.constants = &constants_for(cpu);
    if (cpu.cache_bytes > 0 && machine.own_cache_bytes > 0) setting.cache_bytes = machine.own_cache_bytes;
    for (const auto& loops : {pass.left, pass.right})
        for (const Integer count : loops) setting.loops *= static_cast<double>(count);
    if (!pass.right.empty() && pass.nonterminal.is<Dft>()) setting.side_by_side = setting.lanes;
    return setting;
}

/// Whether a real transform of contiguous entries may run in pairs of lanes (loops/place_pair_tags.hpp).
bool suits_pairs_of_reals(const planning::DimensionPass& pass, const Setting& setting) {
    const auto* real = pass.nonterminal.get_if<RealDft>();
    if (real == nullptr || pass.load || pass.store || !pass.right.empty() || setting.lanes < 8) return false;
    const bool forward = real->direction == Direction::forward;
    const std::size_t at = pass.left.size();
    return (forward ? pass.after : pass.before).has_value() &&
           pass.layouts[forward ? 0 : 1].strides[at] == 1 && pass.layouts[forward ? 1 : 0].strides[at] == 2;
}

/// Where small kernels keep complex values interleaved: the cycles of these. `searched`: other breakdowns of halves may be
/// taken.
void estimate_pairs(std::vector<Candidate>& all, const planning::DimensionPass& pass, const target::Cpu& cpu,
                    const Setting& setting, bool searched) {
    if (cpu.has_fma && suits_pairs_of_reals(pass, setting)) {
        const Formula& transform = pass.nonterminal;
        const Integer n = transform.rows();
        std::vector<Candidate> halves;
        if (searched && n % 2 == 0 && n <= 2 * longest_in_pairs)
            halves = dft_candidates(DFT(n / 2, transform.get_if<RealDft>()->direction), setting);
        return estimate_half_size_in_pairs(all, halves, n, setting.lanes, setting.loops > 1, *setting.machine,
                                           *setting.constants);
    }
    const auto suits_pairs = [](const std::optional<loops::Pointwise>& callback) {
        return !callback || lower::has_form_in_pairs(*callback);
    };
    if (pass.nonterminal.is<Dft>() && pass.complex && cpu.has_fma && setting.is_alone() &&
        suits_pairs(pass.load) && suits_pairs(pass.store))
        estimate_in_pairs(all, pass.nonterminal.rows(), setting.lanes, setting.loops > 1,
                          pass.source == pass.target, *setting.machine, *setting.constants);
}

std::optional<double> cycles_of_two_sweeps(const Formula& dft, const BreakdownTree& tree,
                                           const Setting& setting) {
    const Integer n = dft.rows(), first = tree.choice[0], second = n / first, block = tree.choice[2];
    const Direction direction = dft.get_if<Dft>()->direction;
    const auto child = [&](std::size_t k) {
        return k < tree.children.size() ? tree.children[k] : BreakdownTree{};
    };
    const Setting outer = columns_of(setting, tree.choice[1]), inner = columns_of(setting, block);
    const BreakdownTree row_tree = child(0), column_tree = child(first == second ? 0 : 1);
    const auto column = cycles_of(DFT(first, direction), column_tree, outer);
    const auto row = cycles_of(DFT(second, direction), row_tree, inner);
    if (!column || !row) return std::nullopt;
    return two_sweep_cycles(n, first, column_cycles({column_tree, *column}, first, second, block, outer),
                            row_cycles({row_tree, *row}, second, inner), setting);
}

std::optional<double> cycles_of(const Formula& transform, const BreakdownTree& tree, const Setting& setting) {
    const Integer n = transform.rows();
    if (const auto* real = transform.get_if<RealDft>(); real && tree.rule == "rdft-stockham")
        return rdft_stockham_cycles(tree.choice, n, real->direction, setting);
    if (transform.is<RealDft>() && tree.rule == "rdft-half-size") {
        const Formula half = DFT(n / 2, transform.get_if<RealDft>()->direction);
        const auto inner =
            cycles_of(half, tree.children.empty() ? BreakdownTree{} : tree.children[0], setting);
        return inner ? std::optional(*inner + half_size_cycles(n, setting)) : std::nullopt;
    }
    if (!transform.is<Dft>()) return std::nullopt;
    if (tree.rule.empty())
        return is_codelet_size(n) ? std::optional(codelet_cycles(n, setting)) : std::nullopt;
    if (tree.rule == "stockham" && tree.children.empty()) return stockham_cycles(tree.choice, n, setting);
    if (tree.rule == "two-sweep" && setting.is_alone()) return cycles_of_two_sweeps(transform, tree, setting);
    return std::nullopt;
}

} // namespace

std::optional<double> tree_cycles(const planning::DimensionPass& pass, const BreakdownTree& tree,
                                  const target::Cpu& cpu, DataType scalar, const MachineModel& machine,
                                  const CycleConstants& constants) {
    Memo memo;
    Setting setting = setting_of(pass, cpu, scalar, machine, memo);
    setting.constants = &constants;
    const std::optional<double> cycles = cycles_of(pass.nonterminal, tree, setting);
    if (!cycles) return std::nullopt;
    std::vector<Candidate> one{{tree, *cycles}};
    estimate_pairs(one, pass, cpu, setting, false);
    return one[0].cycles * setting.loops;
}

std::vector<Candidate> candidates(const planning::DimensionPass& pass, const target::Cpu& cpu,
                                  DataType scalar, const MachineModel& machine) {
    if (pass.nonterminal.is<Identity>()) return {{{}, 0}};
    Memo memo;
    const Setting setting = setting_of(pass, cpu, scalar, machine, memo);
    const Integer element = static_cast<Integer>(setting.element_bytes);
    const Integer stride = element * std::abs(pass.layouts[0].strides[pass.left.size()]);
    const double bytes = setting.loops * static_cast<double>(pass.nonterminal.rows() * element);
    const bool beyond_cache = bytes > setting.cache_bytes && stride > element;
    auto all = pass.nonterminal.is<Dft>()
                   ? strided_candidates(pass.nonterminal, beyond_cache ? stride : 0, setting)
                   : candidates_of(pass.nonterminal, setting);
    if (all.empty()) throw UserError("no breakdown is known for a DFT of {} points", pass.nonterminal.rows());
    estimate_pairs(all, pass, cpu, setting, true);
    if (pass.nonterminal.is<Dft>() || pass.nonterminal.is<RealDft>())
        add_buffered(all, pass, cpu, scalar, setting);
    const double callbacks = machine.vector_operation * callback_cycles(pass, setting.lanes);
    for (Candidate& candidate : all) candidate.cycles = (candidate.cycles + callbacks) * setting.loops;
    return all;
}

} // namespace swirl::search
