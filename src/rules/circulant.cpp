//   circulant(h) = DFT_n^{−1} · diag(DFT_n(h) / n) · DFT_n
//
// The convolution theorem; DFT_n^{−1} denotes the unnormalised backward transform. A spectrum given at execution
// replaces DFT_n(h), with 1/n as a separate diagonal.

#include "rules/accurate_dft.hpp"
#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_circulant_dft(const Formula& f) {
    const auto* circulant = f.get_if<Circulant>();
    return circulant != nullptr && !circulant->of_reals ? accepted() : not_a("circulant convolution");
}

Formula build_circulant_dft(const Formula& f, const Choice&) {
    require(circulant_dft.name, f, applicable_circulant_dft(f));
    const Integer n = f.rows();
    if (!f.get_if<Circulant>()->kernel)
        return product_of({diagonal(ConstantFunction{1 / static_cast<long double>(n)}, n),
                           dft(n, Direction::backward), diagonal(ArgumentFunction{}, n),
                           dft(n, Direction::forward)});
    std::vector<Complex> spectrum = accurate_dft(*f.get_if<Circulant>()->kernel, Direction::forward);
    for (Complex& value : spectrum) value /= static_cast<long double>(n);
    return product_of(
        {dft(n, Direction::backward), diagonal(std::move(spectrum)), dft(n, Direction::forward)});
}

} // namespace

constinit const BreakdownRule circulant_dft = {
    .name = "circulant-dft",
    .identity = "circulant(h) = DFT_n^{−1} · diag(DFT_n(h) / n) · DFT_n",
    .applicable = applicable_circulant_dft,
    .choices = one_choice,
    .build = build_circulant_dft,
};

} // namespace swirl::rules
