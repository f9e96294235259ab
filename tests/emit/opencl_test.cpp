#include "base/error.hpp"
#include "emit/gpu_c/source.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/kernel_call.hpp"
#include "emit/ptx_programs.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "problem/matrix_product.hpp"
#include "support/opencl_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace swirl::emit {
namespace opencl_test {

support::OpenclRun run_of(const GpuTransform& transform) {
    support::OpenclRun run;
    run.name = transform.name;
    run.text = emit_gpu(transform, {.language = GpuLanguage::opencl});
    run.has_workspace = gpu_workspace_bytes(transform) > 0;
    return run;
}

/// Of the programs that hold all operations those that have no parameters or atomic additions.
bool runs_in_opencl(const ir::Program& program) {
    const std::string_view name = program.name;
    return name.starts_with("operations_") || name == "vectors_float16_4" || name == "vectors_float32_4" ||
           name == "tables" || name.starts_with("sums_") || name.starts_with("factors_") ||
           name == "moving pointers" || name == "copies in groups";
}

/// Both precisions, in place and not, all lengths.
bool runs_in_opencl(const DerivedCase& c) {
    return c.scalar == DataType::float32 || c.in_place || c.n == 4096;
}

class EmittedOpencl : public testing::Test {
protected:
    void SetUp() override {
        if (const auto reason = support::opencl_is_missing()) GTEST_SKIP() << *reason;
    }

    /// All programs in one text, each on data of its own, against the interpreter.
    static void expect_bits_of_interpreter(std::vector<ir::Program> programs, const std::string& name,
                                           const std::vector<Integer>& parameters = {}) {
        const OwnedTransform all = all_of(std::move(programs), name);
        std::vector<KernelCall> calls;
        std::vector<support::OpenclRun> runs = {run_of(all.transform)};
        for (std::size_t p = 0; p < all.programs.size(); ++p) {
            calls.emplace_back(*all.programs[p], parameters, static_cast<unsigned>(p));
            for_each_argument(*all.programs[p], [&](std::size_t b) {
                if (all.programs[p]->buffers[b].by_value) runs[0].by_value.insert(runs[0].memories.size());
                runs[0].memories.push_back(calls.back().native(b).bytes());
            });
        }
        ASSERT_EQ(support::run_opencl(runs), "");
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
    EXPECT_EQ(programs.size(), 20U);
    expect_bits_of_interpreter(std::move(programs), "operations");
}

TEST_F(EmittedOpencl, GivesTheInterpretersBitsForDerivedKernels) {
    std::vector<ir::Program> programs;
    for (const DerivedCase& c : derived_cases())
        if (runs_in_opencl(c))
            for (ir::Program& program : c.programs()) programs.push_back(std::move(program));
    for (ir::Program& program : fused_programs()) programs.push_back(std::move(program));
    EXPECT_GE(programs.size(), 15U);
    expect_bits_of_interpreter(std::move(programs), "derived");
}

gemm::GpuGemmSchedule schedule_of(const char* more) {
    return gemm::parse_gpu_schedule(
        fmt::format("cta_m=32 cta_n=16 cta_k=4 thread_m=4 thread_n=4 warp_lanes_m=8 "
                    "warp_lanes_n=4 "
                    "stages=3 raster_group=2 {}",
                    more));
}

/// C = α·A·B + β·C, where tiles at edges lie over others.
TEST_F(EmittedOpencl, GivesTheInterpretersBitsForMatrixProducts) {
    std::vector<ir::Program> programs;
    for (const DataType data_type : {DataType::float32, DataType::float64})
        for (const char* more :
             {"", "sliced_k=2", "a_vector_m=2 b_vector_n=2 c_vector_m=2 fma_order=columns"}) {
            const MatrixProduct product{.data_type = data_type,
                                        .rows = 100,
                                        .columns = 36,
                                        .k = 13,
                                        .a = {1, 104},
                                        .b = {36, 1},
                                        .c = {1, 100}};
            for (ir::Program& program :
                 gemm::gpu_gemm_kernels(product, schedule_of(more), target::gpu_named("sm_80")))
                programs.push_back(std::move(program));
        }
    expect_bits_of_interpreter(std::move(programs), "products", {1, 1});
}

/// Parts of results, which one kernel leaves for another, are arguments here.
TEST_F(EmittedOpencl, GivesTheInterpretersBitsForReductions) {
    std::vector<ir::Program> products, reductions;
    for (const char* more : {"", "sliced_k=2", "c_vector_m=2 zigzag=0"}) {
        MatrixProduct product = MatrixProduct::column_major(DataType::float32, 100, 36, 13);
        gemm::GpuEpilogue epilogue;
        for (const Over over : {Over::columns, Over::rows, Over::all})
            for (const Reduce operation : {Reduce::sum, Reduce::maximum}) {
                const std::string name = fmt::format("{}_{}", name_of(operation), name_of(over));
                product.reductions.push_back({name, operation, over, {}});
                const int index = static_cast<int>(epilogue.reductions.size());
                epilogue.reductions.push_back({name, operation, over, {}, index});
            }
        const target::Gpu& gpu = target::gpu_named("sm_80");
        const gemm::GpuGemmSchedule schedule = schedule_of(more);
        for (ir::Program& program : gemm::gpu_gemm_kernels(product, schedule, gpu, epilogue))
            products.push_back(std::move(program));
        for (ir::Program& program : gemm::gpu_reductions(product, schedule, gpu, epilogue))
            reductions.push_back(std::move(program));
    }
    for (auto* programs : {&products, &reductions})
        for (ir::Program& program : *programs)
            for (ir::BufferInfo& buffer : program.buffers)
                if (buffer.space == ir::Space::scratch) buffer.space = ir::Space::argument;
    expect_bits_of_interpreter(std::move(products), "reduced", {1, 1});
    expect_bits_of_interpreter(std::move(reductions), "reductions");
}

/// The second kernel of Stream-K, on its own partial tiles; the first one has conditional barriers, for which PoCL 3.1
/// gives wrong sums.
TEST_F(EmittedOpencl, GivesTheInterpretersBitsForPartialTiles) {
    std::vector<ir::Program> programs;
    for (const char* more :
         {"stream_k_blocks=5 data_parallel_tiles=1", "stream_k_blocks=7 c_vector_m=2 b_vector_n=2"}) {
        const MatrixProduct product{
            .rows = 100, .columns = 36, .k = 13, .a = {1, 104}, .b = {36, 1}, .c = {1, 100}};
        ir::Program& program = programs.emplace_back(
            gemm::gpu_gemm_kernels(product, schedule_of(more), target::gpu_named("sm_80")).back());
        for (ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::scratch) buffer.space = ir::Space::argument;
    }
    expect_bits_of_interpreter(std::move(programs), "parts", {1, 1});
}

/// The largest difference of both, for values of about 10.
double largest_difference(const GpuTransform& transform, const formula::Formula& formula) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const auto entries = static_cast<std::size_t>(formula.columns());
    std::vector<float> x(2 * entries), y(2 * entries);
    std::vector<formula::Complex> precise(entries);
    for (std::size_t i = 0; i < entries; ++i) {
        x[2 * i] = uniform(random), x[2 * i + 1] = uniform(random);
        precise[i] = {x[2 * i], x[2 * i + 1]};
    }
    const std::size_t bytes = x.size() * sizeof x[0];
    std::vector<support::OpenclRun> runs = {run_of(transform)};
    runs[0].memories.assign(2, std::vector<unsigned char>(bytes));
    std::memcpy(runs[0].memories[0].data(), x.data(), bytes);
    EXPECT_EQ(support::run_opencl(runs), "");
    std::memcpy(y.data(), runs[0].memories[1].data(), bytes);
    const auto expected = formula::apply(formula, precise);
    long double largest = 0;
    for (std::size_t i = 0; i < entries; ++i)
        largest = std::max(largest, std::abs(formula::Complex(y[2 * i], y[2 * i + 1]) - expected[i]));
    return static_cast<double>(largest);
}

TEST_F(EmittedOpencl, EqualsTheFormulaInSeveralStepsWithWorkspaceBetween) {
    EXPECT_LT(largest_difference(two_dimensional(16, 8).transform, two_dimensional_formula(16, 8)), 1e-5);
}

TEST_F(EmittedOpencl, KernelSequencesEqualTheFormula) {
    const OwnedTransform sweeps = two_sweeps();
    EXPECT_EQ(sweeps.transform.launches.size(), 2U);
    EXPECT_GE(gpu_workspace_bytes(sweeps.transform), 3 * 1024 * 8);
    EXPECT_LT(largest_difference(sweeps.transform, two_sweeps_formula()), 1e-4);
}

} // namespace opencl_test
} // namespace swirl::emit
