#include "search/candidates/cpu/proposals.hpp"

#include "rules/limits.hpp"
#include "rules/number_theory.hpp"

#include <algorithm>

namespace swirl::search {

using formula::Formula;
using rules::BreakdownTree;

namespace {

/// Bound on the model's error: a candidate slower than the best by more than this factor is dropped.
constexpr double hopeless_ratio = 2;
constexpr std::size_t max_likely = 24;
/// Largest real transform computed by one straight-line codelet.
constexpr Integer largest_real_radix = 32;

std::vector<rules::Choice> neighbours_of_radices(const rules::Choice& radices) {
    std::vector<rules::Choice> result;
    for (std::size_t i = 0; i + 1 < radices.size(); ++i) {
        rules::Choice swapped = radices;
        std::swap(swapped[i], swapped[i + 1]);
        if (swapped != radices) result.push_back(std::move(swapped));
    }
    for (std::size_t from = 0; from < radices.size(); ++from)
        for (std::size_t to = 0; to < radices.size(); ++to) {
            if (from == to || radices[from] % 2 != 0 || radices[from] == 2) continue;
            rules::Choice moved = radices;
            moved[from] /= 2;
            moved[to] *= 2;
            if (moved[to] <= rules::largest_radix) result.push_back(std::move(moved));
        }
    return result;
}

/// Widths of a two-sweep: building the tree rejects those that do not divide.
std::vector<rules::Choice> neighbours_of_widths(const rules::Choice& choice) {
    std::vector<rules::Choice> result;
    for (const std::size_t width : {std::size_t{1}, std::size_t{2}}) {
        for (const bool wider : {true, false}) {
            if (!wider && choice[width] % 2 != 0) continue;
            rules::Choice other = choice;
            other[width] = wider ? 2 * choice[width] : choice[width] / 2;
            result.push_back(std::move(other));
        }
    }
    return result;
}

/// The tree with each of these choices, and with each neighbour of a child.
std::vector<BreakdownTree> with_choices(const BreakdownTree& tree, std::vector<rules::Choice> choices,
                                        std::vector<BreakdownTree> (*neighbours)(const BreakdownTree&)) {
    std::vector<BreakdownTree> result;
    for (rules::Choice& choice : choices) {
        result.push_back(tree);
        result.back().choice = std::move(choice);
    }
    for (std::size_t child = 0; child < tree.children.size(); ++child)
        for (BreakdownTree& other : neighbours(tree.children[child])) {
            result.push_back(tree);
            result.back().children[child] = std::move(other);
        }
    return result;
}

} // namespace

bool is_codelet(const Formula& transform) {
    const Integer n = transform.rows(),
                  most = transform.is<formula::Dft>() ? rules::largest_radix : largest_real_radix;
    return n <= most && rules::largest_prime_factor(n) <= rules::largest_base_prime;
}

std::vector<Candidate> likely_breakdowns(const planning::DimensionPass& pass, const target::Cpu& cpu,
                                         DataType scalar, const MachineModel& machine) {
    std::vector<Candidate> all = candidates(pass, cpu, scalar, machine);
    const double most = hopeless_ratio * all.front().cycles;
    const auto end =
        std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.cycles > most; });
    all.erase(end, all.end());
    if (all.size() > max_likely) all.resize(max_likely);
    return all;
}

std::vector<Candidate> all_breakdowns(const planning::DimensionPass& pass) {
    const Formula& transform = pass.nonterminal;
    std::vector<Candidate> result;
    const bool has_rule_alone = transform.is<formula::Kronecker>() || transform.is<formula::Circulant>();
    if (transform.is<formula::Identity>() || (!has_rule_alone && is_codelet(transform))) result.push_back({});
    for (const rules::BreakdownRule& rule : rules::registry()) {
        // A buffered transform is the transform itself in other loops: the model proposes it where they matter.
        if (rule.name == "buffered" || !rule.applicable(transform).ok()) continue;
        for (const rules::Choice& choice : rule.choices(transform))
            result.push_back({{std::string(rule.name), choice, {}}, 0});
    }
    return result;
}

std::vector<BreakdownTree> radix_neighbours(const BreakdownTree& tree) {
    // Children correspond to radices by position, so radices are not permuted where a tree has children.
    const bool is_free = tree.rule == "stockham" && tree.children.empty();
    return with_choices(tree, is_free ? neighbours_of_radices(tree.choice) : std::vector<rules::Choice>{},
                        radix_neighbours);
}

std::vector<BreakdownTree> width_neighbours(const BreakdownTree& tree) {
    return with_choices(
        tree, tree.rule == "two-sweep" ? neighbours_of_widths(tree.choice) : std::vector<rules::Choice>{},
        width_neighbours);
}

} // namespace swirl::search
