#include "plan/check/definition.hpp"

#include "problem/syntax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace swirl::planning {
namespace definition_test {

struct CosineOrSine {
    TransformKind kind;
    bool is_sine;
    Integer twice_a, twice_b; ///< 2·f(π·(j + a)·(k + b)/n)
};

constexpr CosineOrSine kinds[] = {
    {TransformKind::dct2, false, 1, 0}, {TransformKind::dct3, false, 0, 1},
    {TransformKind::dct4, false, 1, 1}, {TransformKind::dst2, true, 1, 2},
    {TransformKind::dst3, true, 2, 1},  {TransformKind::dst4, true, 1, 1},
};

/// π·(j + a)·(k + b)/n without whole turns.
long double angle(const CosineOrSine& kind, Integer n, Integer j, Integer k) {
    __extension__ using Wide = __int128;
    const Wide product = static_cast<Wide>(2 * j + kind.twice_a) * (2 * k + kind.twice_b);
    return std::numbers::pi_v<long double> * static_cast<long double>(product % (8 * n)) /
           static_cast<long double>(4 * n);
}

TEST(DefinitionRow, OfCosinesAndSinesIsExactToTheLastPlaceAtAnyLength) {
    for (const CosineOrSine& kind : kinds)
        for (const Integer n : {Integer{12}, Integer{1000003}, Integer{192734100}, (Integer{1} << 40) + 1})
            for (const Integer k : {Integer{1}, n / 3, n - 1}) {
                const Row row = definition_row(kind.kind, Direction::forward, n, k);
                for (const Integer j : {Integer{1}, n / 2, n - 2, n - 5}) {
                    const long double at = angle(kind, n, j, k);
                    const long double value = 2 * (kind.is_sine ? std::sin(at) : std::cos(at));
                    EXPECT_NEAR(row[j].real(), static_cast<double>(value), 2e-15)
                        << name_of(kind.kind) << " n = " << n << " row " << k << " entry " << j;
                }
            }
}

TEST(DefinitionRow, OfCosinesAndSinesHalvesOneEntry) {
    constexpr Integer n = 9, k = 4;
    const Row dct3 = definition_row(TransformKind::dct3, Direction::forward, n, k);
    const Row dst3 = definition_row(TransformKind::dst3, Direction::forward, n, k);
    EXPECT_EQ(dct3[0], 1.0);
    EXPECT_NEAR(dst3[n - 1].real(), 1, 1e-15);
}

} // namespace definition_test
} // namespace swirl::planning
