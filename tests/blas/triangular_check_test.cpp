#include "blas/triangular_check.hpp"

#include "base/error.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::blas {
namespace triangular_check_test {

runtime::ExecutableCode compiled(const StripKernel& kernel, const target::Cpu& cpu) {
    return runtime::ExecutableCode(jit::compile(passes::run_codegen_passes(strip_program(kernel, cpu), cpu),
                                                cpu, {.arguments_may_overlap = true}));
}

/// What the check says of a function; empty if it accepts it.
std::string refusal(const StripKernel& kernel, const runtime::ExecutableCode& code) {
    try {
        check_strip(kernel, code.function());
    } catch (const InternalError& error) {
        return error.what();
    }
    return "";
}

TEST(TriangularCheck, AcceptsEveryKernelAndRefusesWrongOnes) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()}) {
        if (!target::host_can_run(*cpu)) continue;
        for (const DataType type :
             {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128})
            for (const TriangularTask task : {TriangularTask::multiply, TriangularTask::solve})
                for (unsigned choice = 0; choice < 8; ++choice) {
                    const StripKernel right = with_shape_for({.task = task,
                                                              .data_type = type,
                                                              .column_major = (choice & 1) != 0,
                                                              .reversed = (choice & 2) != 0,
                                                              .scaled = (choice & 4) != 0,
                                                              .most_rows = triangular_block},
                                                             *cpu);
                    const runtime::ExecutableCode code = compiled(right, *cpu);
                    EXPECT_EQ(refusal(right, code), "") << cpu->name;
                    StripKernel wrong = right;
                    (choice % 2 == 0 ? wrong.scaled : wrong.reversed) ^= true;
                    const runtime::ExecutableCode planted = compiled(wrong, *cpu);
                    const std::string error = refusal(right, planted);
                    EXPECT_NE(error.find(" strips of "), std::string::npos) << cpu->name << " " << choice;
                }
    }
}

} // namespace triangular_check_test
} // namespace swirl::blas
