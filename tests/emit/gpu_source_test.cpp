#include "emit/gpu_source.hpp"

#include "base/error.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/nvrtc.hpp"
#include "emit/ptx_programs.hpp"
#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace swirl::emit {
namespace {

OwnedTransform derived() {
    std::vector<ir::Program> programs;
    for (const DerivedCase& c : derived_cases()) programs.push_back(c.program());
    return all_of(std::move(programs), "derived");
}

bool takes_numbers(const ir::Program& program) {
    return std::any_of(
        program.variables.begin(), program.variables.end(),
        [](const ir::VariableInfo& variable) { return variable.kind == ir::VariableInfo::Kind::parameter; });
}

bool adds_atomically_in_16_bits(const ir::Program& program) {
    return std::any_of(program.operations.begin(), program.operations.end(),
                       [](const ir::Operation& operation) {
                           return operation.opcode == ir::Opcode::atomic_add &&
                                  ir::size_in_bytes(operation.type.scalar) == 2;
                       });
}

OwnedTransform every_operation() {
    std::vector<ir::Program> programs = ptx_programs();
    std::erase_if(programs, [](const ir::Program& program) {
        return takes_numbers(program) || adds_atomically_in_16_bits(program);
    });
    return all_of(std::move(programs), "operations");
}

class EmittedCuda : public testing::Test {
protected:
    void SetUp() override {
        library = nvrtc_library();
        if (!library) GTEST_SKIP() << "no libnvrtc under CUDA_HOME, /usr/local/cuda* or in Python's packages";
    }
    std::optional<std::string> library;
};

TEST_F(EmittedCuda, CompilesForEveryDerivedKernel) {
    EXPECT_EQ(nvrtc_complaints(*library, emit_gpu(derived().transform), "sm_80"), "");
}

TEST_F(EmittedCuda, CompilesForSeveralSteps) {
    EXPECT_EQ(nvrtc_complaints(*library, emit_gpu(two_dimensional(16, 8).transform), "sm_80"), "");
}

TEST_F(EmittedCuda, CompilesForEveryOperation) {
    EXPECT_EQ(nvrtc_complaints(*library, emit_gpu(every_operation().transform), "sm_80",
                               {"--diag-suppress=177"}), // lanes that are not stored
              "");
}

TEST(Dump, D) {
    for (auto l : {GpuLanguage::cuda, GpuLanguage::hip, GpuLanguage::opencl}) {
        std::ofstream("/tmp/eg_2d." + std::string(name_of(l)))
            << emit_gpu(two_dimensional(16, 8).transform, {l});
        std::ofstream("/tmp/eg_der." + std::string(name_of(l))) << emit_gpu(derived().transform, {l});
    }
}
} // namespace
} // namespace swirl::emit
