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

Applicability applicable(const Formula& f) {
    if (!f.is<Circulant>()) return not_a("circulant convolution");
    return accepted();
}

std::vector<Choice> choices(const Formula&) { return {{}}; }

Formula build(const Formula& f, const Choice&) {
    require(circulant_dft.name, f, applicable(f));
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
    .applicable = applicable,
    .choices = choices,
    .build = build,
};

} // namespace swirl::rules
