#include "base/interrupt_scope.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace swirl {
namespace interrupt_scope_test {

TEST(AnInterruptScope, IsAskedBesidesThoseAroundItWhileItLives) {
    int outer = 0, inner = 0;
    ask_interrupt();
    {
        const InterruptScope around([&] { ++outer; });
        ask_interrupt();
        {
            const InterruptScope nothing({});
            const InterruptScope inside([&] { ++inner; });
            ask_interrupt();
        }
        ask_interrupt();
    }
    ask_interrupt();
    EXPECT_EQ(outer, 3);
    EXPECT_EQ(inner, 1);
}

TEST(AnInterruptScope, EndsLongComputationsByThrowing) {
    const InterruptScope scope([] { throw std::runtime_error("enough"); });
    InterruptCounter counter;
    Integer elements = 0;
    const auto compute = [&] {
        for (; elements < 1'000'000; ++elements) counter.after_element();
    };
    EXPECT_THROW(compute(), std::runtime_error);
    EXPECT_GT(elements, 1000);
    EXPECT_LT(elements, 100'000);
}

} // namespace interrupt_scope_test
} // namespace swirl
