//   DFT_n = pass( Q · (I_{n_1/g} ⊗ DFT_{n_2} ⊗ I_g) · D ) · pass( S · (I_{n_2/t} ⊗ tile(I_t ⊗ DFT_{n_1})) · P ),   n = n_1·n_2
//
// Input i_1·n_2 + i_2, output k_2·n_1 + k_1. P gathers t adjacent columns i_2 into each tile; S stores the results
// (i_2, k_1) in blocks of g adjacent k_1: [n_1/g][n_2][g]. D multiplies them by ω_n^{i_2·k_1}. Each block is then
// contiguous; Q moves its output (k_2, g) to [n_2][n_1/g][g].
//
// Two sweeps over memory for any n whose tiles of n_1·t and blocks of n_2·g entries fit in cache: the four-step method
// (Gentleman and Sande 1966; Bailey 1990), with the transposition of the six-step method folded into the layout of the
// intermediate array. Choice {n_1, t, g}.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

/// Upper bound on the width of tiles and blocks; choices use the largest divisor up to it.
constexpr Integer widest = 32;

Integer largest_divisor(Integer n, Integer most) {
    Integer best = 1;
    for (Integer d = 2; d <= std::min(n, most); ++d)
        if (n % d == 0) best = d;
    return best;
}

/// All splits, each with the widest tiles and blocks up to 8 and up to `widest`.
std::vector<Choice> two_sweep_choices(const Formula& f) {
    std::vector<Choice> result;
    for (const Choice& split : split_choices(f)) {
        const Integer columns = split[0], rows = split[1];
        for (const Integer most : {Integer{8}, widest}) {
            const Choice choice{columns, largest_divisor(rows, most), largest_divisor(columns, most)};
            if (result.empty() || result.back() != choice) result.push_back(choice);
        }
    }
    return result;
}

struct Parameters {
    Integer first, second; ///< n_1, n_2
    Integer tile, block;   ///< t, g
};

Parameters parameters_of(const Formula& f, const Choice& choice) {
    const Integer n = f.rows();
    const bool fits = choice.size() == 3 && choice[0] > 1 && n % choice[0] == 0 && n / choice[0] > 1 &&
                      choice[1] > 0 && n / choice[0] % choice[1] == 0 && choice[2] > 0 &&
                      choice[0] % choice[2] == 0;
    require_choice(fits, two_sweep.name, f, choice,
                   fmt::format("a divisor of {}, a divisor of the quotient, a divisor of the first", n));
    return {choice[0], n / choice[0], choice[1], choice[2]};
}

Formula first_sweep(const Parameters& p, Direction direction) {
    const auto [n1, n2, t, g] = p;
    const Integer n = n1 * n2;
    const Formula columns = permutation(IndexMap(n, n, DigitMap{{n2 / t, t, n1}, {t, 1, n2}}));
    const Formula blocks = permutation(IndexMap(n, n, DigitMap{{n1 / g, n2, g}, {g, n1, 1}}));
    return pass(product_of({blocks, repeat(n2 / t, tile(kron(I(t), DFT(n1, direction)))), columns}));
}

Formula second_sweep(const Parameters& p, Direction direction) {
    const auto [n1, n2, t, g] = p;
    const Integer n = n1 * n2;
    const IndexMap natural(n, n,
                           DigitMap{{n1 / g, n2, g}, {g, n1, 1}}); // (i_2, k_1) of an entry of the blocks
    const Formula twiddles = diagonal(TwiddleFunction{n, {n1, n2}, {1, n1}, direction}, natural);
    const Formula sorting = permutation(IndexMap(n, n, DigitMap{{n2, n1 / g, g}, {g, n2 * g, 1}}));
    return pass(product_of({sorting, repeat(n1 / g, spread(DFT(n2, direction), g)), twiddles}));
}

Formula build_two_sweep(const Formula& f, const Choice& choice) {
    require(two_sweep.name, f, has_two_factors(f));
    const Parameters parameters = parameters_of(f, choice);
    const Direction direction = f.get_if<Dft>()->direction;
    return second_sweep(parameters, direction) * first_sweep(parameters, direction);
}

} // namespace

constinit const BreakdownRule two_sweep = {
    .name = "two-sweep",
    .identity =
        "DFT_n = pass(Q · (I_{n_1/g} ⊗ DFT_{n_2} ⊗ I_g) · D) · pass(S · (I_{n_2/t} ⊗ tile(I_t ⊗ DFT_{n_1})) "
        "· P)",
    .applicable = has_two_factors,
    .choices = two_sweep_choices,
    .build = build_two_sweep,
};

} // namespace swirl::rules
