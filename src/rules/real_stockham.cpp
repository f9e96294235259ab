#include "rules/real_stockham.hpp"

#include "rules/pairing.hpp"
#include "rules/real_columns.hpp"

#include <algorithm>
#include <memory>

namespace swirl::rules {

using namespace formula;

Formula RealStockhamPass::formula(Direction direction) const {
    if (direction == Direction::forward)
        return product_of({scatter(targets()), scatter(split_complex()), conjugation(), columns(direction),
                           gather(sources())});
    return product_of(
        {scatter(sources()), columns(direction), conjugation(), gather(split_complex()), gather(targets())});
}

Formula RealStockhamPass::columns(Direction direction) const {
    Summands groups;
    groups.add(spread(rdft(R, direction), M));
    if (has_middle()) groups.add(spread(odd_columns(direction), M));
    if (S > 0) groups.add(complex_columns(direction));
    return groups.sum();
}

Formula RealStockhamPass::odd_columns(Direction direction) const {
    const bool forward = direction == Direction::forward;
    const Formula halves = R % 2 == 0 ? L(R, forward ? R / 2 : 2) : I(R);
    const Formula odd = odd_frequencies(R, direction);
    return codelet(forward ? product_of({odd, halves}) : product_of({halves, odd}));
}

Formula RealStockhamPass::transforms(Direction direction) const {
    std::vector<Formula> factors{DFT(R, direction)};
    if (M > 1) factors.push_back(I(M));
    if (S > 1) factors.push_back(I(S));
    return factors.size() > 1 ? kron(std::move(factors)) : factors[0];
}

Formula RealStockhamPass::twiddles(Direction direction) const {
    return diagonal(TwiddleFunction{N, {K, R}, {1, K}, direction},
                    IndexMap(R * M * S, N, DigitMap{{R, M, S}, {K, 0, 1}, 1, 0}));
}

Formula RealStockhamPass::complex_columns(Direction direction) const {
    return real_of(pass(direction == Direction::forward
                            ? product_of({transforms(direction), twiddles(direction)})
                            : product_of({twiddles(direction), transforms(direction)})));
}

Formula RealStockhamPass::convolution() const {
    const Direction back = Direction::backward, there = Direction::forward;
    Summands groups;
    groups.add(
        product_of({rdft(R, back), halfcomplex_product(R, ArgumentFunction{n}, n, 0, K), rdft(R, there)}));
    if (has_middle()) groups.add(convolved_odd_columns());
    if (S > 0) {
        const Formula product =
            diagonal(ArgumentFunction{n}, IndexMap(R * S, n, DigitMap{{R, S}, {K, 1}, 1, 0}));
        groups.add(real_of(pass(
            product_of({twiddles(back), transforms(back), product, transforms(there), twiddles(there)}))));
    }
    return product_of({scatter(sources()), groups.sum(), gather(sources())});
}

Formula RealStockhamPass::convolved_odd_columns() const {
    const Formula back = odd_columns(Direction::backward), there = odd_columns(Direction::forward);
    if (R % 2 == 1)
        return product_of({back, halfcomplex_product(R, ArgumentFunction{n}, n, n / 2, K), there});
    const Integer pairs = R / 2, direct = direct_pairs();
    const auto part = [&](Integer first, Integer count) {
        return real_of(diagonal(ArgumentFunction{n},
                                IndexMap(count, n, DigitMap{{count}, {2 * K}, (1 + 4 * first) * K / 2, 0})));
    };
    Summands products;
    products.add(part(0, direct));
    if (pairs > direct) products.add(part(direct, pairs - direct));
    return product_of({back, products.sum(), there});
}

/// Indices of the columns' entries in the spectra.
IndexMap RealStockhamPass::sources() const {
    std::vector<DigitMap> pieces{{{R, M}, {M * K, K}, 0, 0}};
    if (has_middle()) pieces.push_back({{R, M}, {M * K, K}, K / 2, 0});
    pieces.push_back({{R, M, S, 2}, {M * K, K, 1, SpectrumOrder::between_passes(K).imaginary}, 1, 0});
    return IndexMap::piecewise(std::move(pieces), n);
}

/// In each group: real components of the pairs, then imaginary components.
IndexMap RealStockhamPass::split_complex() const {
    const Integer group = R * M;
    std::vector<DigitMap> pieces{{{group}, {1}, 0, 0}};
    if (has_middle() && R % 2 == 1) pieces.push_back({{group}, {1}, group, 0});
    if (has_middle() && R % 2 == 0) pieces.push_back({{R / 2, 2, M}, {M, group / 2, 1}, group, 0});
    pieces.push_back({{group * S, 2}, {1, group * S}, has_middle() ? 2 * group : group, 0});
    return IndexMap::piecewise(std::move(pieces), n);
}

IndexMap RealStockhamPass::targets() const {
    const Integer pairs = complex_entries(R), H = direct_columns();
    std::vector<DigitMap> pieces{{{R / 2 + 1, M}, {K, N}, 0, 0},
                                 {{pairs, M}, {-order.stride * K, N}, order.of(K * pairs), 0}};
    if (has_middle()) add_middle_targets(pieces);
    const Integer first = N - H * K - 1, stride = order.stride;
    pieces.insert(pieces.end(), {{{H, M, S}, {K, N, 1}, 1, 0},
                                 {{R - H, M, S}, {-K, N, -1}, first, 0},
                                 {{H, M, S}, {stride * K, N, stride}, order.of(1), 0},
                                 {{R - H, M, S}, {-stride * K, N, -stride}, order.of(first), 0}});
    return IndexMap::piecewise(std::move(pieces), n);
}

void RealStockhamPass::add_middle_targets(std::vector<DigitMap>& pieces) const {
    const Integer stride = order.stride, half = R / 2;
    if (R % 2 == 1) {
        pieces.insert(pieces.end(), {{{1, M}, {0, N}, N / 2, 0},
                                     {{half, M}, {-K, N}, N / 2 - K, 0},
                                     {{half, M}, {stride * K, N}, order.of(N / 2 - K * half), 0}});
        return;
    }
    const Integer H = direct_pairs(), first = N - (1 + 4 * H) * K / 2;
    pieces.insert(pieces.end(), {{{H, M}, {2 * K, N}, K / 2, 0},
                                 {{half - H, M}, {-2 * K, N}, first, 0},
                                 {{H, M}, {2 * stride * K, N}, order.of(K / 2), 0},
                                 {{half - H, M}, {-2 * stride * K, N}, order.of(first), 0}});
}

/// −1 at the imaginary components of results that stand for their conjugate.
Formula RealStockhamPass::conjugation() const {
    const Integer H = direct_columns(), half = R / 2, direct = direct_pairs();
    std::vector<DigitMap> pieces{{{R * M}, {0}, 0, 0}};
    if (has_middle() && R % 2 == 1)
        pieces.insert(pieces.end(), {{{(half + 1) * M}, {0}, 0, 0}, {{half * M}, {0}, 1, 0}});
    if (has_middle() && R % 2 == 0)
        pieces.insert(pieces.end(),
                      {{{direct * 2 * M}, {0}, 0, 0}, {{half - direct, 2, M}, {0, 1, 0}, 0, 0}});
    pieces.insert(pieces.end(), {{{H * M * S * 2}, {0}, 0, 0}, {{(R - H) * M * S, 2}, {0, 1}, 0, 0}});
    const auto negates = [](const DigitMap& piece) {
        const bool varies =
            std::any_of(piece.strides.begin(), piece.strides.end(), [](Integer s) { return s != 0; });
        return domain_of(piece) > 0 && (varies || piece.base.constant() != 0);
    };
    if (std::none_of(pieces.begin(), pieces.end(), negates)) return I(n);
    IndexMap index = IndexMap::piecewise(std::move(pieces), 2);
    return diagonal(
        ExplicitFunction{std::make_shared<const std::vector<Complex>>(std::vector<Complex>{1, -1})},
        std::move(index));
}

} // namespace swirl::rules
