#include "emit/opencl_runner.hpp"

#include "base/error.hpp"
#include "emit/gpu_source.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/kernel_call.hpp"
#include "emit/ptx_programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace swirl::emit {
namespace {

/// Of the programs that hold all operations those that have no parameters or atomic additions.
bool runs_in_opencl(const ir::Program& program) {
    const std::string_view name = program.name;
    return name.starts_with("operations_") || (name.starts_with("vectors_") && name.ends_with("_4")) ||
           name == "tables";
}

/// Both precisions, in place and not, all lengths.
bool runs_in_opencl(const DerivedCase& c) {
    return c.scalar == ir::Scalar::float32 || c.in_place || c.n == 4096;
}

class EmittedOpencl : public testing::Test {
protected:
    void SetUp() override {
        if (const auto reason = opencl_is_missing()) GTEST_SKIP() << *reason;
    }

    /// All programs in one text, each on data of its own, against the interpreter.
    static void expect_bits_of_interpreter(std::vector<ir::Program> programs, const std::string& name) {
        const OwnedTransform all = all_of(std::move(programs), name);
        std::vector<KernelCall> calls;
        std::vector<OpenclRun> runs = {{&all.transform, {}}};
        for (std::size_t p = 0; p < all.programs.size(); ++p) {
            calls.emplace_back(*all.programs[p], std::vector<Integer>{}, static_cast<unsigned>(p));
            for_each_argument(*all.programs[p], [&](std::size_t b) {
                runs[0].memories.push_back(calls.back().native(b).bytes());
            });
        }
        ASSERT_EQ(run_opencl(runs), "");
        std::size_t m = 0;
        for (std::size_t p = 0; p < calls.size(); ++p) {
            for_each_argument(*all.programs[p],
                              [&](std::size_t b) { calls[p].native(b).bytes() = runs[0].memories[m++]; });
            calls[p].expect_same_bits();
        }
    }

    template <class F> static void for_each_argument(const ir::Program& program, F&& f) {
        for (std::size_t b = 0; b < program.buffers.size(); ++b)
            if (program.buffers[b].space == ir::Space::argument) f(b);
    }
};

TEST_F(EmittedOpencl, GivesTheInterpretersBitsForEveryOperation) {
    std::vector<ir::Program> programs = ptx_programs();
    std::erase_if(programs, [](const ir::Program& program) { return !runs_in_opencl(program); });
    EXPECT_EQ(programs.size(), 10U);
    expect_bits_of_interpreter(std::move(programs), "operations");
}

TEST_F(EmittedOpencl, GivesTheInterpretersBitsForDerivedKernels) {
    std::vector<ir::Program> programs;
    for (const DerivedCase& c : derived_cases())
        if (runs_in_opencl(c)) programs.push_back(c.program());
    EXPECT_GE(programs.size(), 12U);
    expect_bits_of_interpreter(std::move(programs), "derived");
}

TEST_F(EmittedOpencl, EqualsTheFormulaInSeveralStepsWithWorkspaceBetween) {
    const OwnedTransform owned = two_dimensional(16, 8);
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> x(256), y(256);
    std::vector<formula::Complex> precise(128);
    for (std::size_t i = 0; i < precise.size(); ++i)
        precise[i] = {x[2 * i] = uniform(random), x[2 * i + 1] = uniform(random)};
    const std::size_t bytes = x.size() * sizeof x[0];
    std::vector<OpenclRun> runs = {{&owned.transform, {Bytes(bytes), Bytes(bytes)}}};
    std::memcpy(runs[0].memories[0].data(), x.data(), bytes);
    ASSERT_EQ(run_opencl(runs), "");
    std::memcpy(y.data(), runs[0].memories[1].data(), bytes);
    const auto expected = formula::apply(two_dimensional_formula(16, 8), precise);
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_LT(std::abs(formula::Complex(y[2 * i], y[2 * i + 1]) - expected[i]), 1e-5L) << i;
}

} // namespace
} // namespace swirl::emit
