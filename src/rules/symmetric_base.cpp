#include "rules/symmetric_base.hpp"

#include "rules/building_blocks.hpp"

namespace swirl::rules {

using namespace formula;

Formula fold(Integer p) {
    const Integer h = p / 2;
    return product_of({direct_sum(I(1), spread(F2(), h)), h == 1 ? I(p) : direct_sum(I(1 + h), J(h))});
}

Formula cosine_matrix(Integer p, long double weight) {
    const auto cosine = [&](Integer jk) { return root_of_unity(p, jk % p, Direction::forward).real(); };
    if (p == 5) {
        // [c_1 c_2; c_2 c_1] = F_2 · diag(c_1 + c_2, c_1 − c_2)/2 · F_2, and c_1 + c_2 = −½.
        const Formula butterfly = direct_sum(I(1), F2());
        const Formula products = direct_sum(matrix(2, 2, {1, weight, 1, -weight / 4}),
                                            scaled_identity(1, weight * (cosine(1) - cosine(2)) / 2));
        return product_of({butterfly, products, butterfly});
    }
    const Integer h = p / 2;
    std::vector<Complex> entries;
    for (Integer k = 0; k <= h; ++k)
        for (Integer j = 0; j <= h; ++j) entries.emplace_back((j > 0 ? weight : 1) * cosine(j * k));
    return matrix(h + 1, h + 1, std::move(entries));
}

} // namespace swirl::rules
