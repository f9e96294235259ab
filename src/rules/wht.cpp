//   WHT_2    = F_2
//   WHT_2^k  = ∏_{i<k} (I_2^{k−i−1} ⊗ F_2 ⊗ I_2^i)                       the tutorial's eq. 17
//   WHT_2n   = (F_2 ⊗ I_n) · (I_2 ⊗ WHT_n)                               eq. 18
//   WHT_mn   = (WHT_m ⊗ I_n) · (I_m ⊗ WHT_n)                             exercise 2e; choice {m, n}

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

bool is_natural(const Formula& f) {
    const Wht* wht = f.get_if<Wht>();
    return wht != nullptr && wht->order == WalshOrder::natural;
}

Applicability applicable_base(const Formula& f) {
    if (!is_natural(f)) return not_a("WHT in natural order");
    if (f.rows() > 2) return rejected("size {} is above 2", f.rows());
    return accepted();
}

Formula build_base(const Formula& f, const Choice&) {
    require(wht_base.name, f, applicable_base(f));
    return f.rows() == 1 ? I(1) : F2();
}

Applicability applicable_split(const Formula& f) {
    if (!is_natural(f)) return not_a("WHT in natural order");
    if (f.rows() < 4) return rejected("size {} is below 4", f.rows());
    return accepted();
}

Formula build_iterative(const Formula& f, const Choice&) {
    require(wht_iterative.name, f, applicable_split(f));
    std::vector<Formula> stages;
    for (Integer after = 1; after < f.rows(); after *= 2)
        stages.push_back(repeat(f.rows() / (2 * after), spread(F2(), after)));
    return product(std::move(stages));
}

Formula build_recursive(const Formula& f, const Choice&) {
    require(wht_recursive.name, f, applicable_split(f));
    const Integer n = f.rows() / 2;
    return kron(F2(), I(n)) * kron(I(2), WHT(n));
}

Formula build_split(const Formula& f, const Choice& choice) {
    require(wht_split.name, f, applicable_split(f));
    const auto [m, n] = split_of(wht_split.name, f, choice);
    return kron(WHT(m), I(n)) * kron(I(m), WHT(n));
}

} // namespace

constinit const BreakdownRule wht_base = {
    .name = "wht-base",
    .identity = "WHT_2 = F_2",
    .applicable = applicable_base,
    .choices = one_choice,
    .build = build_base,
};

constinit const BreakdownRule wht_iterative = {
    .name = "wht-iterative",
    .identity = "WHT_2^k = ∏_{i<k} (I_2^{k−i−1} ⊗ F_2 ⊗ I_2^i)",
    .applicable = applicable_split,
    .choices = one_choice,
    .build = build_iterative,
};

constinit const BreakdownRule wht_recursive = {
    .name = "wht-recursive",
    .identity = "WHT_2n = (F_2 ⊗ I_n) · (I_2 ⊗ WHT_n)",
    .applicable = applicable_split,
    .choices = one_choice,
    .build = build_recursive,
};

constinit const BreakdownRule wht_split = {
    .name = "wht-split",
    .identity = "WHT_mn = (WHT_m ⊗ I_n) · (I_m ⊗ WHT_n)",
    .applicable = applicable_split,
    .choices = split_choices,
    .build = build_split,
};

} // namespace swirl::rules
