#include "rules/pairing.hpp"

#include "rules/building_blocks.hpp"

namespace swirl::rules {

using namespace formula;

Formula Pairing::pack() const { return product_of({gather(components), gather(groups)}); }
Formula Pairing::unpack() const { return product_of({scatter(groups), scatter(components)}); }

Pairing pairs_of_spectrum(Integer n) {
    const Integer columns = complex_entries(n), alone = n - 2 * columns;
    std::vector<DigitMap> maps{{{1}, {1}, 0, 0}};
    if (alone == 2) maps.push_back({{1}, {1}, n / 2, 0});
    maps.insert(maps.end(), {{{columns}, {1}, 1, 0}, {{columns}, {-1}, n - 1, 0}});
    return {IndexMap::piecewise({{{alone}, {1}, 0, 0}, {{columns, 2}, {1, columns}, alone, 0}}, n),
            IndexMap::piecewise(std::move(maps), n)};
}

Formula halfcomplex_product(Integer points, const DiagonalFunction& spectrum, Integer n, Integer first,
                            Integer step) {
    const Integer columns = complex_entries(points), alone = points - 2 * columns;
    Summands products;
    products.add(diagonal(spectrum, IndexMap(alone, n, DigitMap{{alone}, {step * (points / 2)}, first, 0})));
    if (columns == 0) return products.sum();
    products.add(
        real_of(diagonal(spectrum, IndexMap(columns, n, DigitMap{{columns}, {step}, first + step, 0}))));
    const Pairing pairs = pairs_of_spectrum(points);
    return product_of({pairs.unpack(), products.sum(), pairs.pack()});
}

Pairing pairs_of_mirrored(Integer n) {
    const Integer m = n / 2;
    return {IndexMap(n, n, DigitMap{{m, 2}, {1, m}, 0, 0}),
            IndexMap::piecewise({{{m}, {2}, 0, 0}, {{m}, {-2}, n - 1, 0}}, n)};
}

} // namespace swirl::rules
