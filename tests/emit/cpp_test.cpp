#include "emit/cpp/cpp.hpp"

#include "base/error.hpp"
#include "emit/compiled_text.hpp"
#include "emit/kernel_call.hpp"
#include "emit/sample_programs.hpp"
#include "ir/builder.hpp"
#include "ir/verify.hpp"
#include "passes/random_program.hpp"
#include "passes/select_instructions.hpp"
#include "passes/vectorize.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::emit {
namespace cpp_test {

std::vector<const ir::Program*> pointers(const std::vector<ir::Program>& programs) {
    std::vector<const ir::Program*> result;
    for (const ir::Program& program : programs) result.push_back(&program);
    return result;
}

void expect_file_computes(const std::vector<ir::Program>& programs, const CppOptions& options,
                          const std::string& flags) {
    const std::vector<const ir::Program*> all = pointers(programs);
    const std::string text = emit_cpp(all, options);
    const std::vector<std::string> names = cpp_function_names(all);
    for (const std::string& compiler : compilers()) {
        SCOPED_TRACE(compiler + " " + flags);
        const CompiledText file(text, compiler, flags);
        for (std::size_t i = 0; i < programs.size(); ++i)
            for (const unsigned seed : {1U, 2U}) {
                KernelCall call(programs[i], {5, 0, seed == 1 ? 3 : 2}, seed);
                call.run(file.function<Kernel>(names[i]));
                call.expect_same_bits();
            }
    }
}

TEST(EmittedCpp, ComputesWhatTheInterpreterDoesWithVectorExtensions) {
    expect_file_computes(sample_programs(), {.vectors = CppVectors::extensions}, "-O1");
}

TEST(EmittedCpp, VectorClassEqualsTheInterpreter) {
    expect_file_computes(sample_programs(), {.vectors = CppVectors::scalar}, "-O1");
}

TEST(EmittedCpp, ComputesTheSameWhenOptimisedForThisMachine) {
    expect_file_computes(sample_programs(), {}, "-O3 -march=native");
}

TEST(EmittedCpp, KeepsLastValuesOfInductions) { expect_file_computes({last_iterations()}, {}, "-O1"); }

TEST(EmittedCpp, FallsBackToTheVectorClass) { expect_file_computes(sample_programs(), {}, "-O0 -U__GNUC__"); }

TEST(EmittedCpp, ReplacesCpuShufflesByPortableOnes) {
    std::vector<ir::Program> programs;
    for (const DataType scalar : {DataType::float32, DataType::float64})
        for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()}) {
            const int lanes = target::lanes(*cpu, scalar);
            ir::Program lowered = passes::RandomProgram(7, {.scalar = scalar, .trips = lanes}).make();
            lowered.name = "lowered";
            programs.push_back(lowered);
            programs.push_back(
                passes::select_instructions(passes::vectorize(std::move(lowered), lanes), *cpu));
            programs.back().name = "vectorized";
        }
    expect_file_computes(programs, {}, "-O2");
}

TEST(EmittedCpp, VectorClassSupportsAnyLanes) {
    ir::Builder b("three");
    const auto in = b.input("in", DataType::float64, 6);
    const auto out = b.output("out", DataType::float64, 3);
    b.store(out, 0, b.multiply(b.load(in, 0, {.lanes = 3}), b.load(in, 1, {.lanes = 3, .lane_stride = 2})));
    const std::vector<ir::Program> programs = {b.finish()};
    expect_file_computes(programs, {.vectors = CppVectors::scalar}, "-O1");
}

TEST(EmittedCpp, PassesTablesInWhenAsked) {
    ir::Builder b("scaled");
    const auto in = b.input("in", DataType::float64, 2);
    const auto factors = b.table("factors", DataType::float64, {3, 5});
    const auto out = b.output("out", DataType::float64, 2);
    for (const Integer i : {0, 1}) b.store(out, i, b.multiply(b.load(in, i), b.load(factors, i)));
    const ir::Program program = b.finish();
    const std::string text = emit_cpp(program, {.embed_tables = false});
    const CompiledText file(text, compilers().front(), "-O0");
    double input[] = {1, 2};
    double table[] = {10, 20};
    double output[2] = {};
    void* const buffers[] = {input, table, output};
    file.function<Kernel>("scaled")(buffers, nullptr);
    EXPECT_EQ(output[0], 10);
    EXPECT_EQ(output[1], 40);
}

TEST(EmittedCpp, OffersAnOverloadWithNamedPointers) {
    ir::Builder b("add");
    const auto x = b.input("x", DataType::float32, 4);
    const auto constants = b.table("constants", DataType::float32, {0.5L});
    const auto y = b.output("y", DataType::float32, 4);
    const Affine n = b.parameter("n");
    b.for_loop("i", n, [&](const Affine& i) {
        b.store(y, i, b.fma(b.load(x, i), b.load(constants, 0), b.load(y, i)));
    });
    const std::string text = emit_cpp(b.finish());
    const std::string use = R"(
extern "C" void use(const float* x, float* y) {
    void (*typed)(const float*, float*, std::int64_t) = add;
    typed(x, y, 3);
})";
    for (const std::string& compiler : compilers()) {
        const CompiledText file(text + use, compiler, "-O0");
        const float in[] = {2, 4, 6, 8};
        float out[] = {1, 1, 1, 1};
        file.function<void(const float*, float*)>("use")(in, out);
        EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{2, 3, 4, 1}));
    }
}

TEST(EmittedCpp, StoresATableOfSeveralKernelsOnce) {
    const auto contents = ir::shared(ir::Table(DataType::float64, std::vector{0.25L}));
    std::vector<ir::Program> programs;
    for (int i = 0; i < 2; ++i) {
        ir::Builder b("kernel");
        ir::BufferInfo table;
        table.name = "quarter";
        table.space = ir::Space::table;
        table.elements = 1;
        table.contents = contents;
        const auto from = b.add(table);
        b.store(b.output("out", DataType::float64, 1), 0, b.load(from, 0));
        programs.push_back(b.finish());
    }
    const std::string text = emit_cpp(pointers(programs));
    std::size_t arrays = 0;
    for (std::size_t at = text.find("static const"); at != std::string::npos;
         at = text.find("static const", at + 1))
        ++arrays;
    EXPECT_EQ(arrays, 1U) << text;
    EXPECT_EQ(cpp_function_names(pointers(programs)), (std::vector<std::string>{"kernel", "kernel_2"}));
}

TEST(EmittedCpp, ReadsLikeWrittenByHand) {
    ir::Builder b("dft_2");
    const auto in = b.input("input", DataType::float64, 16);
    const auto out = b.output("output", DataType::float64, 16);
    b.for_loop("j", 4, [&](const Affine& j) {
        const ir::Value x = b.load(in, 4 * j);
        const ir::Value y = b.load(in, 4 * j + 2);
        b.store(out, 2 * j, b.add(x, y));
        const ir::Value tenth = b.constant({DataType::float64, 1}, 0.1L);
        b.store(out, 2 * j + 8, b.multiply(b.subtract(x, y), tenth));
    });
    EXPECT_EQ(emit_cpp(b.finish(), {.typed_overload = false}),
              "// Standalone C++17. With -ffp-contract=off the results do not depend on the compiler.\n"
              "\n"
              "#include <cmath>\n"
              "#include <cstdint>\n"
              "\n"
              "// dft_2: the elements of its buffers by position\n"
              "//   0  input: double 0…15, read\n"
              "//   1  output: double 0…15, written\n"
              "extern \"C\" void dft_2(void* const* buffers, const std::int64_t*) {\n"
              "    const double* const input = static_cast<const double*>(buffers[0]);\n"
              "    double* const output = static_cast<double*>(buffers[1]);\n"
              "    for (std::int64_t j = 0; j < 4; j += 1) {\n"
              "        const double v0 = input[4 * j];\n"
              "        const double v1 = input[4 * j + 2];\n"
              "        const double v2 = v0 + v1;\n"
              "        output[2 * j] = v2;\n"
              "        const double v5 = v0 - v1;\n"
              "        const double v6 = v5 * 0.1;\n"
              "        output[2 * j + 8] = v6;\n"
              "    }\n"
              "}\n");
}

TEST(EmittedCpp, RefusesWhatItCannotSay) {
    ir::Builder gpu("gpu");
    gpu.launch({.threads = {32, 1, 1}});
    EXPECT_THROW(emit_cpp(gpu.finish()), UserError);

    ir::Builder half("half");
    const auto out = half.output("out", DataType::float16, 1);
    half.store(out, 0, half.constant({DataType::float16, 1}, 1));
    EXPECT_THROW(emit_cpp(half.finish()), UserError);

    static const ir::Instruction machine_only{
        .name = "estimate_reciprocal", .operands = {{}}, .result = {}, .meaning = {}, .lane_map = {}};
    ir::Builder machine("machine");
    const auto to = machine.output("out", DataType::float64, 1);
    machine.store(to, 0, machine.instruction(machine_only, {machine.constant({}, 2)}));
    EXPECT_THROW(emit_cpp(machine.finish()), UserError);
}

} // namespace cpp_test
} // namespace swirl::emit
