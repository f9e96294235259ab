//   DFT_l ⊗ DFT_m ⊗ DFT_n = pass(((DFT_l ⊗ I_b)(I_l ⊗ DFT_b) ⊗ I_a ⊗ I_n) · (I_l ⊗ T^m_a ⊗ I_n))
//                           · pass(I_l ⊗ (I_b ⊗ (DFT_a ⊗ I_n)(I_a ⊗ DFT_n)) · P),   m = a·b
//
// The rule `bands` with one more dimension. P gathers rows i_2, i_2 + b, …, i_2 + (a−1)·b of each plane into band i_2.
// The band is transformed along its rows and by the first factor of the middle dimension's transforms (the four-step
// split of DFT_m). Their remaining factors are fused with the outermost dimension, for adjacent entries of the rows.
// Two sweeps over memory, where one pass per dimension takes three. Choice {a}.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_volume_bands(const Formula& f) {
    const auto is_dft = [](const Formula& child) { return child.is<Dft>(); };
    if (!f.is<Kronecker>() || f.children().size() != 3 ||
        !std::all_of(f.children().begin(), f.children().end(), is_dft))
        return not_a("Kronecker product of three DFTs");
    return has_two_factors(f.children()[1]);
}

/// The factors a of m that the bands may compute.
std::vector<Choice> volume_bands_choices(const Formula& f) {
    std::vector<Choice> result;
    for (const Choice& split : split_choices(f.children()[1])) result.push_back({split[0]});
    return result;
}

/// (A ⊗ I)(I ⊗ B): a plane whose rows B transforms.
Formula plane(const Formula& a, const Formula& b) {
    return product_of({spread(a, b.rows()), repeat(a.rows(), b)});
}

Formula build_volume_bands(const Formula& f, const Choice& choice) {
    require(volume_bands.name, f, applicable_volume_bands(f));
    const Formula &planes = f.children()[0], &columns = f.children()[1], &rows = f.children()[2];
    const Integer l = planes.rows(), m = columns.rows(), n = rows.rows();
    const bool fits = choice.size() == 1 && choice[0] > 1 && m % choice[0] == 0 && m / choice[0] > 1;
    require_choice(fits, volume_bands.name, f, choice, fmt::format("a divisor of {}", m));
    const Integer a = choice[0], b = m / a;
    const Direction direction = columns.get_if<Dft>()->direction;
    const Formula to_bands = permutation(IndexMap(m * n, m * n, DigitMap{{b, a, n}, {n, b * n, 1}}));
    const Formula bands = product_of({repeat(b, plane(DFT(a, direction), rows)), to_bands});
    // T^m_a of each plane, for all entries of a row
    const Formula twiddles = diagonal(TwiddleFunction{m, {a * n, b}, {n, a}, direction}, l * m * n);
    const Formula rest = kron({plane(planes, DFT(b, direction)), I(a), I(n)});
    return pass(product_of({rest, twiddles})) * pass(repeat(l, bands));
}

} // namespace

constinit const BreakdownRule volume_bands = {
    .name = "volume-bands",
    .identity =
        "DFT_l ⊗ DFT_m ⊗ DFT_n = pass(((DFT_l ⊗ I_b)(I_l ⊗ DFT_b) ⊗ I_a ⊗ I_n) · (I_l ⊗ T^m_a ⊗ I_n)) · "
        "pass(I_l ⊗ (I_b ⊗ (DFT_a ⊗ I_n)(I_a ⊗ DFT_n)) · P)",
    .applicable = applicable_volume_bands,
    .choices = volume_bands_choices,
    .build = build_volume_bands,
};

} // namespace swirl::rules
