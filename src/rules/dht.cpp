//   DHT_n = Pᵀ · (I ⊕ (I ⊗ [1 −1; 1 1])) · P · RDFT_n
//
// The discrete Hartley transform, unnormalised: entries cos(2πjk/n) + sin(2πjk/n). P pairs r_k with i_k, and Pᵀ writes
// r_k − i_k to k and r_k + i_k to n−k. Sorensen, Jones, Burrus and Heideman (1985).

#include "rules/building_blocks.hpp"
#include "rules/pairing.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_dht_rdft(const Formula& f) { return f.is<Dht>() ? accepted() : not_a("DHT"); }

Formula build_dht_rdft(const Formula& f, const Choice&) {
    require(dht_rdft.name, f, applicable_dht_rdft(f));
    const Integer n = f.rows(), pairs = complex_entries(n);
    if (pairs == 0) return rdft(n, Direction::forward);
    const Pairing pairing = pairs_of_spectrum(n);
    const Formula butterflies = direct_sum(I(n - 2 * pairs), repeat(pairs, matrix(2, 2, {1, -1, 1, 1})));
    return product_of({pairing.unpack(), butterflies, pairing.pack(), rdft(n, Direction::forward)});
}

} // namespace

constinit const BreakdownRule dht_rdft = {
    .name = "dht-rdft",
    .identity = "DHT_n = Pᵀ · (I ⊕ (I ⊗ [1 −1; 1 1])) · P · RDFT_n",
    .applicable = applicable_dht_rdft,
    .choices = one_choice,
    .build = build_dht_rdft,
};

} // namespace swirl::rules
