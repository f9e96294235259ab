//   DFT_2 = F_2
//   DFT_p = Fᵀ · (C ⊕ ∓i·S) · F        p = 2h+1 prime
//
//   F folds the input into x[0], sums x[j] + x[p−j] and differences x[j] − x[p−j];
//   C = [cos(2πjk/p)], k, j = 0…h;  S = [sin(2πjk/p)], k, j = 1…h.

#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"
#include "rules/symmetric_base.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_dft_base(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (f.rows() > largest_base_prime) return rejected("{} is above {}", f.rows(), largest_base_prime);
    if (f.rows() > 2 && !is_prime(f.rows())) return rejected("{} is not prime", f.rows());
    return accepted();
}

Formula build_dft_base(const Formula& f, const Choice&) {
    require(dft_base.name, f, applicable_dft_base(f));
    const Integer p = f.rows(), h = p / 2;
    if (p == 1) return I(1);
    if (p == 2) return F2();
    std::vector<Complex> sines;
    for (Integer k = 1; k <= h; ++k)
        for (Integer j = 1; j <= h; ++j)
            sines.emplace_back(0, root_of_unity(p, j * k % p, f.get_if<Dft>()->direction).imag());
    return product_of(
        {transpose(fold(p)), direct_sum(cosine_matrix(p, 1), matrix(h, h, std::move(sines))), fold(p)});
}

} // namespace

constinit const BreakdownRule dft_base = {
    .name = "dft-base",
    .identity = "DFT_2 = F_2; DFT_p = Fᵀ · (C ⊕ ∓i·S) · F, p prime",
    .applicable = applicable_dft_base,
    .choices = one_choice,
    .build = build_dft_base,
};

} // namespace swirl::rules
