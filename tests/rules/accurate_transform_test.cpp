#include "rules/accurate_transform.hpp"

#include "rules/reference.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace swirl::rules {
namespace accurate_transform_test {

using namespace formula;

TEST(AccurateTransform, EqualsTheDefinition) {
    std::mt19937 generator(5);
    for (const Integer n : {1, 2, 3, 4, 8, 12, 31, 32, 37, 100, 128}) {
        std::vector<Formula> transforms{circulant(reference::random_vector(n, generator))};
        for (const Direction direction : {Direction::forward, Direction::backward}) {
            transforms.push_back(DFT(n, direction));
            transforms.push_back(RDFT(n, direction));
        }
        transforms.push_back(DHT(n));
        transforms.push_back(formula::CZT(n, n + 5, 0.1L, 0.003L));
        for (const int type : {1, 2, 3, 4, 5, 6, 7, 8}) {
            if (type > 1 || n > 1) transforms.push_back(DCT(type, n));
            transforms.push_back(DST(type, n));
        }
        for (const auto order :
             {formula::WalshOrder::natural, formula::WalshOrder::dyadic, formula::WalshOrder::sequency})
            if ((n & (n - 1)) == 0) transforms.push_back(WHT(n, order));
        for (const Formula& transform : transforms) {
            const auto x = reference::random_vector(n, generator);
            EXPECT_LT(
                reference::relative_error(accurate_transform(transform, x), formula::apply(transform, x)),
                64 * std::numeric_limits<long double>::epsilon())
                << n << " points, payload " << transform.payload().index();
        }
    }
}

} // namespace accurate_transform_test
} // namespace swirl::rules
