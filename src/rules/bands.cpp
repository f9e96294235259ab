//   DFT_m ⊗ DFT_n = (pass((DFT_b ⊗ I_a) · T^m_a · L^m_b) ⊗ I_n) · pass(S · (I_b ⊗ (DFT_a ⊗ I_n)(I_a ⊗ DFT_n)) · P),   m = a·b
//
// P gathers rows i_2, i_2 + b, …, i_2 + (a−1)·b into band i_2; S scatters them back. Each band is transformed along its
// rows and, while in cache, by the first factor of the column transforms (the four-step split of DFT_m). The remaining
// column transforms have b points, on adjacent rows. Two sweeps over memory for any m; the second reads longer
// contiguous ranges than columns of m points would. Choice {a}.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_bands(const Formula& f) {
    const auto is_dft = [](const Formula& child) { return child.is<Dft>(); };
    if (!f.is<Kronecker>() || f.children().size() != 2 || !is_dft(f.children()[0]) ||
        !is_dft(f.children()[1]))
        return not_a("Kronecker product of two DFTs");
    return has_two_factors(f.children()[0]);
}

/// The factors a of m that the bands may compute.
std::vector<Choice> bands_choices(const Formula& f) {
    std::vector<Choice> result;
    for (const Choice& split : split_choices(f.children()[0])) result.push_back({split[0]});
    return result;
}

/// `first`, of a points, along each of the b bands, after its rows.
Formula bands_sweep(const Formula& first, Integer b, const Formula& rows) {
    const Integer a = first.rows(), n = rows.rows(), all = a * b * n;
    const Formula to_bands = permutation(IndexMap(all, all, DigitMap{{b, a, n}, {n, b * n, 1}}));
    const Formula from_bands = permutation(IndexMap(all, all, DigitMap{{a, b, n}, {n, a * n, 1}}));
    const Formula band = spread(first, n) * repeat(a, rows);
    return pass(product_of({from_bands, repeat(b, band), to_bands}));
}

Formula build_bands(const Formula& f, const Choice& choice) {
    require(bands.name, f, applicable_bands(f));
    const Formula &columns = f.children()[0], &rows = f.children()[1];
    const Integer m = columns.rows();
    const bool fits = choice.size() == 1 && choice[0] > 1 && m % choice[0] == 0 && m / choice[0] > 1;
    require_choice(fits, bands.name, f, choice, fmt::format("a divisor of {}", m));
    const Integer a = choice[0], b = m / a;
    const Direction direction = columns.get_if<Dft>()->direction;
    const Formula rest = product_of({spread(DFT(b, direction), a), T(m, a, direction), L(m, b)});
    return spread(pass(rest), rows.rows()) * bands_sweep(DFT(a, direction), b, rows);
}

} // namespace

constinit const BreakdownRule bands = {
    .name = "bands",
    .identity =
        "DFT_m ⊗ DFT_n = (pass((DFT_b ⊗ I_a) · T^m_a · L^m_b) ⊗ I_n) · pass(S · (I_b ⊗ (DFT_a ⊗ I_n)(I_a ⊗ "
        "DFT_n)) · P)",
    .applicable = applicable_bands,
    .choices = bands_choices,
    .build = build_bands,
};

} // namespace swirl::rules
