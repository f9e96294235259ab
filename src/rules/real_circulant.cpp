//   circulant(h) = RDFT_n^{−1} · (diag(ĥ_0, ĥ_{n/2}) ⊕ RealOf(diag(ĥ_1, ĥ_2, …))) · RDFT_n · 1/n
//
// The convolution theorem for real kernels: half spectra, as pairs of reals between the real frequencies 0 and, for even n,
// n/2. RDFT^{−1} denotes the unnormalised backward transform. The spectrum ĥ is given at execution.
//
//   circulant(h) = P_1ᵀ · … · P_{k−1}ᵀ · C · P_{k−1} · … · P_1 · 1/n
//
// with the passes P_l of rdft-stockham, choice {R_1, …, R_k}; Pᵀ is a pass of the backward transform. C is the last pass forward,
// the product with ĥ and the first pass backward: it needs no order of the spectrum, and both transforms of a column are one
// codelet.

#include "rules/building_blocks.hpp"
#include "rules/pairing.hpp"
#include "rules/real_stockham.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Formula over(Integer n) { return diagonal(ConstantFunction{1 / static_cast<long double>(n)}, n); }

Applicability applicable_circulant_rdft(const Formula& f) {
    const auto* circulant = f.get_if<Circulant>();
    return circulant != nullptr && circulant->of_reals ? accepted() : not_a("circulant of reals");
}

Formula build_circulant_rdft(const Formula& f, const Choice&) {
    require(circulant_rdft.name, f, applicable_circulant_rdft(f));
    const Integer n = f.rows();
    return product_of({over(n), rdft(n, Direction::backward),
                       halfcomplex_product(n, ArgumentFunction{n}, n, 0, 1), rdft(n, Direction::forward)});
}

Applicability applicable_circulant_stockham(const Formula& f) {
    if (const Applicability applicability = applicable_circulant_rdft(f); !applicability.ok())
        return applicability;
    return rdft_stockham.applicable(RDFT(f.rows()));
}

std::vector<Choice> circulant_stockham_choices(const Formula& f) {
    return rdft_stockham.choices(RDFT(f.rows()));
}

Formula build_circulant_stockham(const Formula& f, const Choice& choice) {
    require(circulant_stockham.name, f, applicable_circulant_stockham(f));
    require_radices(circulant_stockham.name, f, choice);
    require_choice(choice.size() > 1, circulant_stockham.name, f, choice, "two radices or more");
    const Integer n = f.rows();
    std::vector<Formula> factors{over(n)}, there;
    Integer before = 1;
    for (std::size_t k = 0; k + 1 < choice.size(); before *= choice[k++]) {
        const RealStockhamPass pass(n, before, choice[k]);
        factors.push_back(pass.formula(Direction::backward));
        there.insert(there.begin(), pass.formula(Direction::forward));
    }
    factors.push_back(RealStockhamPass(n, before, choice.back()).convolution());
    factors.insert(factors.end(), there.begin(), there.end());
    return product(std::move(factors));
}

} // namespace

constinit const BreakdownRule circulant_rdft = {
    .name = "circulant-rdft",
    .identity = "circulant(h) = RDFT_n^{−1} · (diag(ĥ_0, ĥ_{n/2}) ⊕ RealOf(diag(ĥ_1, …))) · RDFT_n · 1/n",
    .applicable = applicable_circulant_rdft,
    .choices = one_choice,
    .build = build_circulant_rdft,
};

constinit const BreakdownRule circulant_stockham = {
    .name = "circulant-stockham",
    .identity = "circulant(h) = P_1ᵀ · … · P_{k−1}ᵀ · C · P_{k−1} · … · P_1 · 1/n, P_l as in rdft-stockham",
    .applicable = applicable_circulant_stockham,
    .choices = circulant_stockham_choices,
    .build = build_circulant_stockham,
};

} // namespace swirl::rules
