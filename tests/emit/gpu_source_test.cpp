#include "emit/gpu_c/source.hpp"

#include "base/error.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/nvrtc.hpp"
#include "emit/ptx_compiler.hpp"
#include "emit/ptx_programs.hpp"
#include "ir/builder.hpp"
#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace swirl::emit {
namespace gpu_source_test {

OwnedTransform derived() {
    std::vector<ir::Program> programs;
    for (const DerivedCase& c : derived_cases())
        for (ir::Program& program : c.programs()) programs.push_back(std::move(program));
    for (ir::Program& program : fused_programs()) programs.push_back(std::move(program));
    return all_of(std::move(programs), "derived");
}

bool takes_scalars(const ir::Program& program) {
    return std::any_of(
        program.variables.begin(), program.variables.end(),
        [](const ir::VariableInfo& variable) { return variable.kind == ir::VariableInfo::Kind::parameter; });
}

bool adds_atomically_in_16_bits(const ir::Program& program) {
    return std::any_of(
        program.operations.begin(), program.operations.end(), [](const ir::Operation& operation) {
            return operation.opcode == ir::Opcode::atomic_add && bytes_of(operation.type.scalar) == 2;
        });
}

OwnedTransform every_operation() {
    std::vector<ir::Program> programs = ptx_programs();
    std::erase_if(programs, [](const ir::Program& program) {
        return takes_scalars(program) || adds_atomically_in_16_bits(program);
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

TEST_F(EmittedCuda, CompilesForClustersAndGroups) {
    std::vector<ir::Program> programs = programs_of_clusters();
    for (ir::Program& program : programs_of_groups()) programs.push_back(std::move(program));
    programs.push_back(exchange_in_cluster());
    for (const bool in_halves : {false, true}) programs.push_back(opposite_in_group(in_halves));
    EXPECT_EQ(nvrtc_complaints(*library, emit_gpu(all_of(std::move(programs), "met").transform), "sm_90"),
              "");
}

TEST_F(EmittedCuda, CompilesForSeveralSteps) {
    EXPECT_EQ(nvrtc_complaints(*library, emit_gpu(two_dimensional(16, 8).transform), "sm_80"), "");
}

TEST_F(EmittedCuda, CompilesForEveryOperation) {
    EXPECT_EQ(nvrtc_complaints(*library, emit_gpu(every_operation().transform), "sm_80",
                               {"--diag-suppress=177"}), // lanes that are not stored
              "");
}

/// Whether a compiler takes a file with the host's function in it, without a warning.
std::string complaints_of(const std::string& command, const std::string& text, const char* file_name) {
    const TemporaryFolder folder;
    const std::string source = (folder.path() / file_name).string();
    std::ofstream(source) << text;
    const support::Outcome outcome = support::run_command(command + " -c -o " + source + ".o " + source);
    const std::string words = outcome.output + outcome.errors;
    return outcome.status == 0 || !words.empty() ? words : "it failed without a word";
}

/// Tables, several kernels, workspace, dynamic shared memory, half precision.
OwnedTransform of_all_kinds() {
    std::vector<ir::Program> programs = derived_cases().back().programs();
    for (ir::Program& program : ptx_programs())
        if (program.name.starts_with("operations_") || program.name == "tables") programs.push_back(program);
    OwnedTransform all = all_of(std::move(programs), "of_all_kinds");
    GpuTransform::Memory& between = all.transform.memories[1]; // the first kernel's output
    between.workspace = true;
    between.elements = 8192;
    return all;
}

TEST(EmittedCudaFile, CompilesWithTheHostsFunction) {
    const auto compiler = cuda_tool("nvcc");
    if (!compiler) GTEST_SKIP() << "no nvcc in PATH, under CUDA_HOME or in /usr/local/cuda*";
    EXPECT_EQ(complaints_of(support::quoted(*compiler) +
                                " -arch=sm_80 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror",
                            emit_gpu(of_all_kinds().transform), "file.cu"),
              "");
}

TEST(EmittedCudaFile, LaunchesClustersAndGroups) {
    const auto compiler = cuda_tool("nvcc");
    if (!compiler) GTEST_SKIP() << "no nvcc in PATH, under CUDA_HOME or in /usr/local/cuda*";
    std::vector<ir::Program> programs = programs_of_clusters();
    for (ir::Program& program : programs_of_groups()) programs.push_back(std::move(program));
    EXPECT_EQ(complaints_of(support::quoted(*compiler) +
                                " -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror",
                            emit_gpu(all_of(std::move(programs), "met").transform), "file.cu"),
              "");
}

TEST(EmittedHipFile, CompilesWithTheHostsFunction) {
    if (support::run_command("command -v hipcc").status != 0) GTEST_SKIP() << "no hipcc in PATH";
    EXPECT_EQ(complaints_of("hipcc --offload-arch=gfx90a -O1 -Wall -Wextra -Werror",
                            emit_gpu(of_all_kinds().transform, {.language = GpuLanguage::hip}), "file.hip"),
              "");
    EXPECT_EQ(
        complaints_of("hipcc --offload-arch=gfx90a -O1 -Wall -Wextra -Werror",
                      emit_gpu(all_of(programs_of_groups(), "met").transform, {.language = GpuLanguage::hip}),
                      "groups.hip"),
        "");
}

/// y = a·x, or 0 if a flag says that a is 0, for then x may be NaN.
ir::Program scaling() {
    ir::Builder b("scaling");
    b.launch({.blocks = {2, 1, 1}, .threads = {32, 1, 1}});
    const auto in = b.input("in", DataType::float32, 64);
    const auto out = b.output("out", DataType::float32, 64);
    ir::BufferInfo factors;
    factors.name = "factors";
    factors.role.argument = ir::ArgumentRole::alpha;
    factors.element = DataType::float32;
    factors.elements = 1;
    factors.by_value = true;
    const auto few = b.add(factors);
    const Affine is_needed = b.parameter("is_needed"), place = b.thread() + 32 * b.block();
    b.if_then(
        {{is_needed - 1, ir::Condition::Relation::nonnegative}},
        [&] { b.store(out, place, b.multiply(b.load(few, 0), b.load(in, place))); },
        [&] {
            b.store(out, place, b.constant({DataType::float32, 1}, 0));
        });
    return b.finish();
}

TEST(EmittedGpuFiles, TakeFlagsFromScalarsPassedByValue) {
    OwnedTransform scaled = alone(scaling(), "scaled");
    scaled.transform.launches[0].flags.clear();
    for (const GpuLanguage language : {GpuLanguage::cuda, GpuLanguage::hip, GpuLanguage::opencl})
        EXPECT_THROW(emit_gpu(scaled.transform, {.language = language}), InternalError) << "no flag is named";
    GpuTransform& transform = scaled.transform;
    transform.launches[0].flags = {{0, 0}};
    EXPECT_THROW(emit_gpu(transform), InternalError) << "memory of the GPU cannot be looked at";
    transform.launches[0].flags = {{2, 0}};
    EXPECT_NE(emit_gpu(transform).find("long long flag_0 = factors[0] != 0;"), std::string::npos);
    if (const auto nvcc = cuda_tool("nvcc")) {
        EXPECT_EQ(complaints_of(support::quoted(*nvcc) +
                                    " -arch=sm_80 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror",
                                emit_gpu(transform), "file.cu"),
                  "");
    }
    if (support::run_command("command -v hipcc").status == 0) {
        EXPECT_EQ(complaints_of("hipcc --offload-arch=gfx90a -O1 -Wall -Wextra -Werror",
                                emit_gpu(transform, {.language = GpuLanguage::hip}), "file.hip"),
                  "");
    }
}

// ---- the text ---------------------------------------------------------------------------------------------------

ir::Program doubling(Integer elements = 64) {
    ir::Builder b("doubling");
    b.launch({.blocks = {2, 1, 1}, .threads = {32, 1, 1}});
    const auto in = b.input("in", DataType::float32, elements);
    const auto out = b.output("out", DataType::float32, elements);
    const Affine thread = b.thread(), i = thread + 32 * b.block();
    const ir::Value x = b.load(in, i);
    b.store(out, i, b.add(x, x));
    return b.finish();
}

TEST(EmittedGpuSource, DiffersByDialect) {
    const OwnedTransform owned = alone(doubling(), "twice");
    EXPECT_EQ(emit_gpu_kernels(owned.transform, {.comment = "Twice."}),
              "// Twice.\n"
              "// CUDA C++. Compile with -fmad=false where results are to be the same everywhere.\n"
              "#if !defined(__CUDACC_RTC__)\n"
              "#include <cuda_runtime.h>\n"
              "#endif\n"
              "\n"
              "// 2 x 1 x 1 blocks of 32 x 1 x 1 threads\n"
              "extern \"C\" __global__ void __launch_bounds__(32) twice_kernel_1(\n"
              "    const float* __restrict__ in, float* __restrict__ out\n"
              ") {\n"
              "    const int thread_x = (int)(threadIdx.x);\n"
              "    const int block_x = (int)(blockIdx.x);\n"
              "    const float v0 = in[thread_x + 32 * block_x];\n"
              "    const float v1 = v0 + v0;\n"
              "    out[thread_x + 32 * block_x] = v1;\n"
              "}\n");
    EXPECT_EQ(emit_gpu_kernels(owned.transform, {.language = GpuLanguage::opencl, .arguments_overlap = true}),
              "// OpenCL C.\n"
              "#pragma OPENCL FP_CONTRACT OFF\n"
              "\n"
              "// 2 x 1 x 1 blocks of 32 x 1 x 1 threads\n"
              "__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void twice_kernel_1(\n"
              "    __global const float* in, __global float* out\n"
              ") {\n"
              "    const int thread_x = (int)((uint)get_local_id(0));\n"
              "    const int block_x = (int)((uint)get_group_id(0));\n"
              "    const float v0 = in[thread_x + 32 * block_x];\n"
              "    const float v1 = v0 + v0;\n"
              "    out[thread_x + 32 * block_x] = v1;\n"
              "}\n");
}

TEST(EmittedGpuSource, HasAHostFunctionThatNeedsNothingElse) {
    const std::string text = emit_gpu(alone(doubling(), "twice").transform, {.language = GpuLanguage::hip});
    EXPECT_NE(
        text.find(
            "#if !defined(__HIPCC_RTC__)\n"
            "// twice, on memory of the GPU, in the stream's order:\n"
            "//   in: float 0…63, aligned to 4 bytes\n"
            "//   out: float 0…63, aligned to 4 bytes\n"
            "extern \"C\" hipError_t twice(const float* in, float* out, hipStream_t stream) {\n"
            "    hipError_t error = hipSuccess;\n"
            "    {\n"
            "        void* arguments[] = {&in, &out};\n"
            "        error = hipLaunchKernel(reinterpret_cast<const void*>(&twice_kernel_1), dim3(2, 1, 1), "
            "dim3(32, 1, 1), arguments, 0, stream);\n"
            "        if (error != hipSuccess) return error;\n"
            "    }\n"
            "    return error;\n"
            "}\n"
            "#endif\n"),
        std::string::npos)
        << text;
}

TEST(EmittedGpuSource, HasAHeader) {
    EXPECT_EQ(
        emit_gpu_header(two_dimensional(16, 8).transform),
        "#pragma once\n"
        "\n"
        "#include <cuda_runtime.h>\n"
        "\n"
        "#ifdef __cplusplus\n"
        "extern \"C\" {\n"
        "#endif\n"
        "\n"
        "#define two_dimensional_workspace_bytes 2048\n"
        "// On memory of the GPU, in the stream's order:\n"
        "//   in: float 0…255, aligned to 8 bytes\n"
        "//   out: float 0…255, aligned to 8 bytes\n"
        "//   workspace: 2048 bytes, contents irrelevant, aligned as allocations are\n"
        "cudaError_t two_dimensional(const float* in, float* out, void* workspace, cudaStream_t stream);\n"
        "\n"
        "#ifdef __cplusplus\n"
        "} // extern \"C\"\n"
        "#endif\n");
}

TEST(EmittedGpuSource, AssumesDifferentMemoryOnlyWhereItIs) {
    OwnedTransform owned = alone(doubling(), "twice");
    owned.transform.launches[0].memories = {1, 1};
    EXPECT_EQ(emit_gpu_kernels(owned.transform).find("__restrict__"), std::string::npos);
}

TEST(EmittedGpuSource, CountsInSixtyFourBitsWhereItMust) {
    EXPECT_NE(emit_gpu_kernels(alone(doubling(Integer{1} << 33), "twice").transform)
                  .find("const long long thread_x = (long long)(threadIdx.x);"),
              std::string::npos);
}

TEST(EmittedGpuSource, ReachesTheSharedMemoryOfOtherBlocks) {
    const std::string text = emit_gpu(alone(exchange_in_cluster(), "exchange").transform);
    for (const char* expected :
         {"void __cluster_dims__(4, 1, 1) __launch_bounds__(64) exchange_kernel_1(", "float all[128];",
          "barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;",
          "*(in_block(all, (unsigned int)(3 - block_x_mod_4)) + (thread_x)) = 1.0f;",
          "*(in_block(all, (unsigned int)(2)) + (127 - thread_x)) = 2.0f;", " = *(all + thread_x);",
          "cudaLaunchKernel("})
        EXPECT_NE(text.find(expected), std::string::npos) << expected << text;
    EXPECT_EQ(text.find("NonPortable"), std::string::npos);
    const std::string wide = emit_gpu(alone(programs_of_clusters().back(), "wide").transform);
    EXPECT_NE(wide.find("cudaFuncAttributeNonPortableClusterSizeAllowed, 1);"), std::string::npos);
}

TEST(EmittedGpuSource, LetsBlocksOfAGroupWaitForEachOther) {
    const OwnedTransform owned = alone(opposite_in_group(false), "opposite");
    for (const GpuLanguage language : {GpuLanguage::cuda, GpuLanguage::hip}) {
        const std::string text = emit_gpu(owned.transform, {.language = language});
        for (const char* expected :
             {"    long long awaited = 0;\n",
              "    __syncthreads();\n"
              "    awaited += 4;\n"
              "    if (threadIdx.x == 0) arrive(meetings + 16 * block_x_4);\n"
              "    if (threadIdx.x == 0) while (arrivals(meetings + 16 * block_x_4) < awaited) {}\n"
              "    __syncthreads();\n",
              "MemsetAsync(scratch_2, 0, 256, stream);", "LaunchCooperativeKernel("})
            EXPECT_NE(text.find(expected), std::string::npos) << expected << text;
    }
}

TEST(EmittedGpuSource, SaysWhatALanguageLacks) {
    for (const ir::Program& program : ptx_programs()) {
        if (!program.name.starts_with("atomics")) continue;
        const OwnedTransform owned = alone(program, "adding");
        EXPECT_THROW(emit_gpu_kernels(owned.transform, {.language = GpuLanguage::opencl}), UserError);
    }
    EXPECT_THROW(gpu_language_named("metal"), UserError);
    EXPECT_EQ(gpu_language_named("opencl"), GpuLanguage::opencl);
    for (const GpuLanguage language : {GpuLanguage::hip, GpuLanguage::opencl}) {
        EXPECT_FALSE(has_clusters(language));
        EXPECT_THROW(
            emit_gpu_kernels(alone(exchange_in_cluster(), "exchange").transform, {.language = language}),
            UserError);
    }
    EXPECT_FALSE(has_cooperative_groups(GpuLanguage::opencl));
    EXPECT_THROW(emit_gpu_kernels(alone(opposite_in_group(false), "opposite").transform,
                                  {.language = GpuLanguage::opencl}),
                 UserError);
    ir::Program on_cpu = doubling();
    on_cpu.launch = {};
    EXPECT_THROW(emit_gpu_kernels(alone(on_cpu, "twice").transform), InternalError);
}

} // namespace gpu_source_test
} // namespace swirl::emit
