// Constants of short loops stay in vector registers that are unused otherwise.
#include "jit/compile.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/syntax.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::planning {
namespace kept_constants_test {

/// Operands of the kernel that are constants in memory, for all lanes of a vector.
int broadcasts_in(const std::string& text) {
    const Transform problem = swirl::problem(text);
    const Derivation derivation =
        derive(problem, dimension_passes(problem)[0], rules::parse_tree("formula"), target::avx512_cpu());
    const std::string listing =
        jit::compile(derivation.program, target::avx512_cpu(), {.listing = true}).listing;
    int count = 0;
    for (std::size_t at = listing.find("{1to8}"); at != std::string::npos;
         at = listing.find("{1to8}", at + 1))
        ++count;
    return count;
}

TEST(KeptConstants, LeaveNoConstantsOfAFilterInMemory) {
    EXPECT_EQ(broadcasts_in("formula FIR(4096; 1, 2, -3, 5, 7, -11, 13, 17, 19, 23, 29, 31) float64"), 0);
}

TEST(KeptConstants, LeaveThoseInMemoryForWhichNoRegisterIsLeft) {
    std::string taps = "1";
    for (int k = 2; k <= 48; ++k) taps += ", " + std::to_string(k * k);
    const int count = broadcasts_in("formula FIR(4096; " + taps + ") float64");
    EXPECT_GT(count, 8);
    EXPECT_LT(count, 30);
}

} // namespace kept_constants_test
} // namespace swirl::planning
