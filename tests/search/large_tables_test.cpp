// Plans whose factors or indices, in one table each, would fill as much memory as the data: products of entries of small tables, and
// loops over the pieces of index maps.

#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace swirl::search {
namespace large_tables_test {

std::shared_ptr<const planning::Plan> plan_of(const std::string& text, const target::Cpu& cpu, bool check) {
    const Transform problem = swirl::problem(text);
    return planning::Plan::build(problem, estimate(problem, cpu).schedule, {.check = check});
}

TEST(LargeTables, AreReplacedByProductsOfSmallOnes) {
    constexpr Integer most = Integer{13} << 20; // of data of 4 to 32 MiB
    for (const char* text : {"dct4 1048600 float32", "dct3 1048576 inplace", "dct4 1042041 float32",
                             "dct4 1594323", "rdft 4194304", "rdft 4194304 backward"})
        for (const target::Cpu* cpu : {&target::host_cpu(), &target::portable_cpu()}) {
            // The check compares all outputs with the definition.
            EXPECT_LT(plan_of(text, *cpu, true)->table_bytes(), most) << cpu->name << ": " << text;
        }
}

TEST(LargeTables, OfChirpsAreReplacedByProductsOfSmallOnes) {
    constexpr Integer most = Integer{24}
                             << 20; // the spectrum alone takes 17 MiB or more, and a chirp 8.4 MiB
    for (const char* text : {"dft 1100009 float32", "dft 1100009 float32 backward inplace"})
        for (const target::Cpu* cpu : {&target::host_cpu(), &target::portable_cpu()})
            EXPECT_LT(plan_of(text, *cpu, true)->table_bytes(), most) << cpu->name << ": " << text;
}

TEST(LargeTables, AreNotMadeForTheLongestLengths) {
    constexpr Integer most = Integer{100} << 20; // of data of 2.9 to 12 GiB
    for (const char* text : {"dct4 387420489", "dct3 536870912", "rdft 795326040 backward", "dst3 669165507",
                             "dft 229445216", "dct4 192734100", "dst3 183174288 float32"})
        for (const target::Cpu* cpu : {&target::host_cpu(), &target::portable_cpu()}) {
            std::shared_ptr<const planning::Plan> plan;
            ASSERT_NO_THROW(plan = plan_of(text, *cpu, false)) << cpu->name << ": " << text;
            EXPECT_LT(plan->table_bytes(), most) << cpu->name << ": " << text;
        }
}

TEST(LargeTables, OfSpectraLeaveSomeOf200MiBToThePlan) {
    constexpr Integer most = Integer{170} << 20;
    for (const char* text : {"dft 5200007", "dft 5242877", "dft 5700007"})
        EXPECT_LT(plan_of(text, target::host_cpu(), false)->table_bytes(), most) << text;
}

TEST(LargeTables, AreNotMadeForLargePrimes) {
    constexpr Integer most = Integer{200} << 20; // of spectra of 2 to 32 GiB
    for (const char* text : {"dft 1000000007", "dft 1073741789 float32 backward", "rdft 730258614 float32",
                             "dct2 799140377", "dst4 379488179"})
        for (const target::Cpu* cpu : {&target::host_cpu(), &target::portable_cpu()}) {
            std::shared_ptr<const planning::Plan> plan;
            ASSERT_NO_THROW(plan = plan_of(text, *cpu, false)) << cpu->name << ": " << text;
            EXPECT_LT(plan->table_bytes(), most) << cpu->name << ": " << text;
        }
}

TEST(LargeTables, AreNotMadeForProductsOfLargePrimes) {
    constexpr Integer most = Integer{100} << 20; // of data of 4.4 and 6.8 GiB
    // 8 lanes take 16741 columns in 2092 = 4 · 523 vectors, and 25229 in 3153 = 3 · 1051: no divisor is near the root.
    for (const char* text : {"dft 292532234", "rdft 906049077 backward"})
        EXPECT_LT(plan_of(text, target::avx512_cpu(), false)->table_bytes(), most) << text;
}

TEST(LargeTables, OfOneSpectrumAreOne) {
    // Full vectors of transforms and the rest are two loops that multiply by a spectrum of 160 MB.
    EXPECT_LT(plan_of("dft 623853875", target::avx2_cpu(), false)->table_bytes(), Integer{180} << 20);
}

TEST(LargeTables, OfSpectraBecomeCodeThatThePlansCheckProves) {
    // The check compares all outputs with the definition.
    for (const char* text : {"dft 5900047", "rdft 5900047 float32"})
        EXPECT_LT(plan_of(text, target::host_cpu(), true)->table_bytes(), Integer{64} << 20) << text;
    EXPECT_LT(plan_of("dft 5900047 float32 backward", target::portable_cpu(), true)->table_bytes(),
              Integer{64} << 20);
}

} // namespace large_tables_test
} // namespace swirl::search
