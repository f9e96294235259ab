#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

namespace swirl::planning {
namespace high_registers_test {

/// Vectors of 32 bytes, more of them at once than VEX instructions have names for: what permutes and blends such vectors
/// must know registers 16…31 too.
TEST(HalfVectorsOfAvx512, UseAllRegisters) {
    const target::Cpu& cpu = target::cpu_named("avx512");
    if (!runtime::ExecutableCode::is_available() || !target::host_can_run(cpu))
        GTEST_SKIP() << "not this machine";
    for (const char* text :
         {"dft 16 in=2 batch=2:(1,16)", "dft 20 in=2 batch=2:(1,20)", "dft 32 in=4 batch=4:(1,32)",
          "dft 16 float32 in=4 batch=4:(1,16)", "dft 32 float32 in=8 batch=8:(1,32)"})
        EXPECT_NO_THROW(Plan::build(problem(text), transform_schedule("avx512: 0 codelet"))) << text;
}

} // namespace high_registers_test
} // namespace swirl::planning
