//   RDFT_2 = F_2
//   RDFT_p = (C ⊕ −S) · F                    forward, p = 2h+1 prime
//   RDFT_p = Fᵀ · (2C ⊕ −2S)                 backward; the column of r_0 has C instead of 2C
//
//   F folds the input as in rules/dft_base.cpp; C = [cos(2πjk/p)], j, k = 0…h;  S = [sin(2πjk/p)], j, k = 1…h, in the
//   order i_h … i_1 of the halfcomplex format.

#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"
#include "rules/symmetric_base.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_base(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() > largest_base_prime) return rejected("{} is above {}", f.rows(), largest_base_prime);
    if (f.rows() > 2 && !is_prime(f.rows())) return rejected("{} is not prime", f.rows());
    return accepted();
}

Formula build_rdft_base(const Formula& f, const Choice&) {
    require(rdft_base.name, f, applicable_rdft_base(f));
    const Integer p = f.rows(), h = p / 2;
    if (p == 1) return I(1);
    if (p == 2) return F2();
    const bool forward = f.get_if<RealDft>()->direction == Direction::forward;
    std::vector<Complex> sines;
    for (Integer row = 1; row <= h; ++row)
        for (Integer column = 1; column <= h; ++column) {
            const Integer jk = forward ? (h + 1 - row) * column : row * (h + 1 - column);
            sines.emplace_back((forward ? 1 : 2) * root_of_unity(p, jk % p, Direction::forward).imag());
        }
    const Formula symmetric_transforms =
        direct_sum(cosine_matrix(p, forward ? 1 : 2), matrix(h, h, std::move(sines)));
    return forward ? product_of({symmetric_transforms, fold(p)})
                   : product_of({transpose(fold(p)), symmetric_transforms});
}

} // namespace

constinit const BreakdownRule rdft_base = {
    .name = "rdft-base",
    .identity = "RDFT_2 = F_2; RDFT_p = (C ⊕ −S) · F, p prime",
    .applicable = applicable_rdft_base,
    .choices = one_choice,
    .build = build_rdft_base,
};

} // namespace swirl::rules
