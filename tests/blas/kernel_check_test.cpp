#include "base/error.hpp"
#include "blas/check.hpp"
#include "gemm/square.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::blas {
namespace kernel_check_test {

constexpr DataType types[] = {DataType::float32, DataType::float64, DataType::complex64,
                              DataType::complex128};

std::vector<const target::Cpu*> cpus_of_host() {
    std::vector<const target::Cpu*> cpus;
    for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()})
        if (runtime::ExecutableCode::is_available() && target::host_can_run(*cpu)) cpus.push_back(cpu);
    return cpus;
}

/// What the check of a kernel says of a program; empty if it accepts it.
template <class Kernel>
std::string refusal(const Kernel& kernel, const ir::Program& program, const target::Cpu& cpu) {
    const runtime::ExecutableCode code(
        jit::compile(passes::run_codegen_passes(program, cpu), cpu, {.arguments_may_overlap = true}));
    try {
        check_kernel(kernel, code.function());
    } catch (const InternalError& error) {
        return error.what();
    }
    return "";
}

TEST(KernelCheck, AcceptsStripsAndRefusesWrongOnes) {
    for (const target::Cpu* cpu : cpus_of_host())
        for (const DataType type : types)
            for (const TriangularTask task : {TriangularTask::multiply, TriangularTask::solve})
                for (unsigned choice = 0; choice < 16; ++choice) {
                    StripKernel right =
                        with_shape_for({.task = task,
                                        .data_type = type,
                                        .column_major = (choice & 1) != 0,
                                        .reversed = (choice & 2) != 0,
                                        .scaled = (choice & 4) != 0,
                                        .divides = (choice & 8) != 0 && task == TriangularTask::solve,
                                        .most_rows = triangular_block},
                                       *cpu);
                    if ((choice & 8) != 0) {
                        right = with_columns(right, right.columns - 1);
                        right.rest = 1;
                    }
                    EXPECT_EQ(refusal(right, strip_program(right, *cpu), *cpu), "") << cpu->name;
                    StripKernel wrong = right;
                    if (choice % 2 == 0)
                        wrong.scaled ^= true;
                    else
                        wrong.reversed ^= true;
                    EXPECT_NE(refusal(right, strip_program(wrong, *cpu), *cpu).find(" strips of "),
                              std::string::npos)
                        << cpu->name << " " << choice;
                }
}

TEST(KernelCheck, AcceptsCopiesOfTrianglesAndRefusesWrongOnes) {
    for (const target::Cpu* cpu : cpus_of_host())
        for (const DataType type : types)
            for (const CopiedDiagonal diagonal :
                 {CopiedDiagonal::elements, CopiedDiagonal::reciprocals, CopiedDiagonal::ones})
                for (unsigned choice = 0; choice < 16; ++choice) {
                    TrianglePack right{.layout = {.data_type = type,
                                                  .lanes = gemm::square_lanes(type, *cpu),
                                                  .most_rows = triangular_block,
                                                  .reversed = (choice & 1) != 0},
                                       .row_major = (choice & 2) != 0,
                                       .conjugated = (choice & 4) != 0,
                                       .diagonal = diagonal};
                    if ((choice & 8) != 0) right.rest = right.layout.lanes - 1;
                    EXPECT_EQ(refusal(right, triangle_pack(right), *cpu), "") << cpu->name << " " << choice;
                    TrianglePack wrong = right;
                    if (choice % 2 == 0)
                        wrong.layout.reversed ^= true;
                    else
                        wrong.row_major ^= true;
                    EXPECT_NE(refusal(right, triangle_pack(wrong), *cpu).find("copy of a triangle"),
                              std::string::npos)
                        << cpu->name << " " << choice;
                    wrong = right; // the check sees that the diagonal is read
                    wrong.diagonal = CopiedDiagonal::elements;
                    if (diagonal != CopiedDiagonal::elements) {
                        EXPECT_NE(refusal(right, triangle_pack(wrong), *cpu), "") << cpu->name;
                    }
                }
}

TEST(KernelCheck, AcceptsMirrorsAndRefusesWrongOnes) {
    for (const target::Cpu* cpu : cpus_of_host())
        for (const DataType type : types)
            for (unsigned choice = 0; choice < 16; ++choice) {
                Mirror right{.data_type = type,
                             .upper = (choice & 1) != 0,
                             .hermitian = (choice & 2) != 0,
                             .conjugated = (choice & 4) != 0,
                             .lanes = gemm::square_lanes(type, *cpu),
                             .most_rows = 256};
                if ((choice & 8) != 0) right.rest = right.lanes - 1;
                EXPECT_EQ(refusal(right, mirror(right), *cpu), "") << cpu->name << " " << choice;
                Mirror wrong = right;
                wrong.upper ^= true;
                EXPECT_NE(refusal(right, mirror(wrong), *cpu).find("both triangles of a"), std::string::npos)
                    << cpu->name << " " << choice;
                wrong = right;
                wrong.hermitian ^= true;
                if (is_complex(type)) {
                    EXPECT_NE(refusal(right, mirror(wrong), *cpu), "") << cpu->name << " " << choice;
                }
            }
}

} // namespace kernel_check_test
} // namespace swirl::blas
