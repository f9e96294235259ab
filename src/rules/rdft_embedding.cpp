//   RDFT_n = G · RealOf(DFT_n) · S                                           forward
//   RDFT_n = Sᵀ · RealOf(DFT_n) · Gᵀ · diag(1, 2, …, 2 [, 1], 2, …, 2)       backward
//
// S writes real data to the real components of a complex vector; G keeps both components of half the spectrum. For
// sizes without a real algorithm (large primes); in a straight-line program the zeros fold away.

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_embedding(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() == 1) return rejected("size 1 is the identity");
    return accepted();
}

Formula build_rdft_embedding(const Formula& f, const Choice&) {
    require(rdft_embedding.name, f, applicable_rdft_embedding(f));
    const Direction direction = f.get_if<RealDft>()->direction;
    const Integer n = f.rows();
    const IndexMap real_parts = IndexMap::strided(n, 2 * n, 0, 2);
    const Integer complex = complex_entries(n);
    const IndexMap half_spectrum = IndexMap::piecewise(
        {DigitMap{{n / 2 + 1}, {2}, 0, 0}, DigitMap{{complex}, {-2}, 2 * complex + 1, 0}}, 2 * n);
    const Formula transform = real_of(DFT(n, direction));
    if (direction == Direction::forward) return gather(half_spectrum) * transform * scatter(real_parts);
    Summands weights;
    weights.add_identity(1);
    if (complex_entries(n) > 0) weights.add(scaled_identity(complex_entries(n), 2));
    if (n % 2 == 0) weights.add_identity(1);
    if (complex_entries(n) > 0) weights.add(scaled_identity(complex_entries(n), 2));
    return product_of({gather(real_parts), transform, scatter(half_spectrum), weights.sum()});
}

} // namespace

constinit const BreakdownRule rdft_embedding = {
    .name = "rdft-embedding",
    .identity = "RDFT_n = G · RealOf(DFT_n) · S",
    .applicable = applicable_rdft_embedding,
    .choices = one_choice,
    .build = build_rdft_embedding,
};

} // namespace swirl::rules
