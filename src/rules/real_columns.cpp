#include "rules/real_columns.hpp"

namespace swirl::rules {

using namespace formula;

Formula odd_frequencies(Integer k, Direction direction) {
    const bool forward = direction == Direction::forward;
    if (k % 2 == 1)
        return forward ? product_of({rdft(k, direction), alternating_signs(k)})
                       : product_of({alternating_signs(k), rdft(k, direction)});
    const Integer q = k / 2;
    const Formula conjugation = repeat(q, diagonal({1, -1}));
    const Formula twiddles = q == 1 ? I(2) : real_of(root_diagonal(2 * k, q, 0, 1, direction));
    const Formula transform = q == 1 ? I(2) : real_of(DFT(q, direction));
    return forward ? product_of({transform, twiddles, conjugation})
                   : product_of({scaled_identity(k, 2), conjugation, twiddles, transform});
}

} // namespace swirl::rules
