#include "cli/accuracy.hpp"
#include "cli/data.hpp"
#include "cli/reference.hpp"
#include "cli/run_swirl.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "support/callback_cases.hpp"
#include "support/special_values.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace swirl::cli {
namespace callbacks_test {

std::vector<std::string> cpus() {
    std::vector<std::string> result;
    for (const char* name : {"sse2", "avx2", "avx512", "portable"})
        if (target::host_can_run(target::cpu_named(name))) result.emplace_back(name);
    return result;
}

std::shared_ptr<const planning::Plan> plan_of(const Transform& problem, const std::string& cpu,
                                              int threads = 1) {
    const search::Choice choice = search::estimate(problem, target::cpu_named(cpu));
    return planning::Plan::build(problem, choice.schedule, {.threads = threads, .sharing = {}});
}

/// Compares with the reference in long double.
void prove(const std::string& text, const std::string& cpu) {
    SCOPED_TRACE(cpu + ": " + text);
    const Transform problem = swirl::problem(text);
    const auto plan = plan_of(problem, cpu);
    Data data(problem);
    data.fill(1);
    const auto expected = data.stored(expected_output(problem, data.elements(Side::input)));
    plan->execute(data.arguments());
    EXPECT_LE(accuracy(problem, data.elements(Side::output), expected).units, 3);
}

void prove(const std::vector<std::string>& texts) {
    for (const std::string& cpu : cpus())
        for (const std::string& text : texts) prove(text, cpu);
}

TEST(CallbacksOnCpus, SupportTheWholeLanguage) {
    for (const std::string expression : support::callback_expressions) {
        const std::string quoted = "=\"" + expression + "\"";
        prove({"dft 64 batch=5 load" + quoted, "dft 60 float32 planar batch=5 store" + quoted,
               "convolution 60 float32 batch=5 store" + quoted + " load" + quoted,
               "dft 12 batch=37 inplace load" + quoted});
    }
}

TEST(CallbacksOnCpus, AreComputedOnPairsOfLanesInSmallKernels) {
    for (const std::string n : {"4", "5", "8", "12", "16", "20", "30", "32", "36", "60", "64"})
        for (const std::string scalar : {"", " float32"})
            prove({"dft " + n + scalar + " load=\"x * w[i]\"",
                   "dft " + n + scalar + " store=\"2 * x + complex h[i] * conj(x) - im(x)\"",
                   "dft " + n + scalar + " load=\"x * complex w[b, i] * (i < 3 ? 2 : re(x))\" batch=3",
                   "dft " + n + scalar +
                       " batch=5x2 inplace store=\"x * h[b0] + i * abs(im(x)) - (b1 == 1 and i != 2 ? 3 : "
                       "complex(1, i))\""});
}

TEST(CallbacksOnCpus, GoWithEveryKindLayoutAndSize) {
    for (const std::string& cpu : cpus())
        for (const char* problem : support::callback_problems) prove(problem, cpu);
    prove({
        "dft 97 batch=5 load=\"x where i < 50\" store=\"x where i >= 13\"",
        "dft 1021 load=\"x where i < 500\" store=\"x * s[]\"",
        "dft 65536 load=\"x * w[i]\" store=\"x where i < 40000\"",
        "dft 1 batch=5 load=\"x + i + 1\" store=\"2 * x where b < 3\"",
        "rdft 64 inplace batch=3 store=\"x * i\" load=\"x where i < 33\"",
        "rdft 64 inplace backward batch=3 load=\"x * i\" store=\"x where i < 33\"",
        "rdft 1000 batch=3 store=\"conj(x) where i < 100\"",
        "rdft 101 batch=3 store=\"x * complex(1, i)\" load=\"x where i < 50\"",
        "rdft 103 batch=4 backward load=\"x * complex(1, i) where i < 40\" store=\"x where i < 60\"",
        "rdft 202 inplace store=\"x * complex(1, i)\" load=\"x where i < 50\"",
        "rdft 16x30 backward load=\"x * i0 + i1\" store=\"x * w[i0, i1]\"",
        "dct4 30 batch=7 load=\"x + i\" store=\"max(x, 0)\"",
        "dst3 17 load=\"x * x where i < 11\"",
    });
}

TEST(CallbacksOnCpus, ConvolveWithAnySpectrum) {
    prove({"convolution 64", "convolution 1000", "convolution 7 batch=10", "convolution 1",
           "convolution 2 batch=9 spectrum=each", "convolution 64 batch=5 spectrum=each",
           "convolution 16x20 batch=3 spectrum=each planar", "convolution 97",
           "convolution 4096 float32 planar", "convolution 8x8x8 scale=0.5",
           "convolution 1009 spectrum=each batch=2",
           "convolution 210 batch=4:1000 strides=2 float32 load=\"x where i < 100\"",
           "convolution 1024 inplace load=\"x * w[i]\" store=\"re(x) where i < 500\"",
           "convolution 12x10 load=\"x where i0 < 7\" store=\"x where i0 >= 2 and i1 < 9\"",
           "convolution 6x5x7 inplace batch=2 store=\"2 * x where i2 >= 3\""});
    prove({"rconvolution 64", "rconvolution 1000", "rconvolution 7 batch=10", "rconvolution 1",
           "rconvolution 2 batch=9 spectrum=each", "rconvolution 64 batch=5 spectrum=each",
           "rconvolution 16x20 batch=3 spectrum=each", "rconvolution 97", "rconvolution 4096 float32",
           "rconvolution 8x8x9 scale=0.5", "rconvolution 1009 spectrum=each batch=2", "rconvolution 300000",
           "rconvolution 210 batch=4:1000 strides=2 float32 load=\"x where i < 100\"",
           "rconvolution 1024 inplace load=\"x * w[i]\" store=\"x where i >= 24 and i < 500\"",
           "rconvolution 12x10 load=\"x where i0 < 7\" store=\"x where i0 >= 2 and i1 < 9\"",
           "rconvolution 256 float16 batch=3", "rconvolution 15x16 bfloat16"});
}

TEST(HalfPrecisionOnCpus, IsStoredWithArithmeticInFloat32) {
    prove({"dft 64 float16",
           "dft 64 bfloat16",
           "dft 100 float16 batch=7",
           "dft 1000 bfloat16 inplace",
           "dft 4096 float16 planar",
           "dft 37 float16 batch=3",
           "dft 1021 bfloat16",
           "dft 16x30 float16",
           "dft 12 float16 batch=37:20 strides=1",
           "dft 30 float16 strides=3 batch=5:100",
           "dft 15 bfloat16 in=2 out=3 batch=9:50",
           "rdft 64 float16",
           "rdft 1000 bfloat16 batch=3",
           "rdft 64 float16 backward batch=4",
           "rdft 30x16 float16 backward",
           "rdft 48 float16 inplace",
           "rdft 101 bfloat16",
           "dct2 64 float16",
           "wht 256 bfloat16",
           "convolution 256 float16 batch=3",
           "convolution 16x16 bfloat16",
           "dft 256 float16 load=\"x * w[i]\" store=\"x where i < 100\"",
           "dft 256 load=\"float32: x * float32 w[i]\" store=\"float32: x\"",
           "dft 100 float32 load=\"float16: x\" store=\"bfloat16: 2 * x\"",
           "dft 100 float32 load=\"x * float16 w[i] + complex bfloat16 h[i]\" planar",
           "dft 20 float16 load=\"float32: x\" store=\"float32: x\" batch=8",
           "dft 8 float16 batch=33"});
}

std::vector<std::byte> output_of(const planning::Plan& plan) {
    planning::ProblemData data(plan.problem());
    data.fill(3);
    plan.execute(data.arguments());
    std::vector<std::byte> bytes;
    for (const planning::GuardedBuffer& buffer : data.buffers()) {
        const auto bytes_of_array = buffer.span_of<std::byte>();
        bytes.insert(bytes.end(), bytes_of_array.begin(), bytes_of_array.end());
    }
    return bytes;
}

TEST(CallbacksOnCpus, HaveTheSameBitsForAnyThreadCount) {
    for (const char* text :
         {"dft 4096 batch=8 load=\"x * w[i] where i < 3000\" store=\"x where i - b < 2000\"",
          "dft 100x60 float32 load=\"x + i0 * i1\" store=\"2 * x\"",
          "rdft 1024 batch=16 store=\"x * complex h[i]\"", "convolution 65536",
          "dft 16384 float16 scale=1/128 batch=4"}) {
        const Transform problem = swirl::problem(text);
        const std::vector<std::byte> one = output_of(*plan_of(problem, "sse2"));
        for (const int threads : {2, 3}) {
            const std::vector<std::byte> many = output_of(*plan_of(problem, "sse2", threads));
            EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size()), 0) << text << " " << threads;
        }
    }
}

/// A function of C++ that computes a dct2 of length 1, which doubles its input, with a load callback.
struct DoublingFunction {
    std::string name, expression, cpu;

    std::string text() const {
        const auto emitted = run_swirl("emit --cpu " + cpu + " --function " + name + " " +
                                       support::quoted("dct2 1 batch=7 load=\"" + expression + "\""));
        EXPECT_EQ(emitted.status, 0) << emitted.errors;
        return emitted.output;
    }
};

/// A line of results for special values for each function. The compiler sees no values where it compiles the functions.
std::string printed_by(const std::vector<DoublingFunction>& functions) {
    const TemporaryFolder folder;
    const auto path = [&](const char* name) { return support::quoted((folder.path() / name).string()); };
    std::ofstream kernels(folder.path() / "kernels.cpp"), main(folder.path() / "main.cpp");
    kernels << "#include <cmath>\n#include <cstdint>\n#include <cstring>\n";
    main << R"(#include <cmath>
#include <cstdio>
using Function = void(const double*, double*);
void print(Function function) {
    const double x[] = {0.0, -0.0, 3, -3, INFINITY, -INFINITY, NAN};
    double y[7];
    function(x, y);
    for (const double value : y) std::isnan(value) ? std::printf("nan ") : std::printf("%g ", value);
    std::printf("\n");
}
)";
    std::string calls;
    for (const DoublingFunction& function : functions) {
        kernels << "namespace file_of_" << function.name << " {\n" << function.text() << "}\n";
        main << "extern \"C\" Function " << function.name << ";\n";
        calls += "    print(" + function.name + ");\n";
    }
    main << "int main() {\n" << calls << "}\n";
    kernels.close();
    main.close();
    const auto compiled =
        support::run_command(std::string(SWIRL_CXX_COMPILER) + " -std=c++17 -O2 -march=native " +
                             path("kernels.cpp") + " " + path("main.cpp") + " -o " + path("main"));
    EXPECT_EQ(compiled.status, 0) << compiled.errors;
    return support::run_command(path("main")).output;
}

TEST(CallbacksInEmittedText, HaveTheNansInfinitiesAndZerosOfTheirArithmetic) {
    std::vector<DoublingFunction> functions;
    std::vector<std::string> expected;
    for (const support::SpecialExpression& expression : support::special_expressions) {
        std::string line;
        for (const double x : support::special_values) {
            const double value = 2 * expression.value(x);
            line += std::isnan(value) ? "nan " : fmt::format("{:g} ", value);
        }
        for (const char* cpu : {"sse2", "avx2"}) {
            functions.push_back({fmt::format("transform_{}", functions.size()), expression.text, cpu});
            expected.push_back(line);
        }
    }
    std::istringstream lines(printed_by(functions));
    for (std::size_t k = 0; k < functions.size(); ++k) {
        std::string line;
        std::getline(lines, line);
        EXPECT_EQ(line, expected[k]) << functions[k].cpu << ": " << functions[k].expression;
    }
}

TEST(CallbacksInEmittedText, AreNotFoldedInPtx) {
    const auto ptx = [](const std::string& expression) {
        const auto shown =
            run_swirl("show --device sm_80 --stage ptx " +
                      support::quoted("dft 64 batch=1000 float32 load=\"" + expression + "\""));
        EXPECT_EQ(shown.status, 0) << shown.errors;
        return shown.output;
    };
    const auto count = [](const std::string& text, const std::string& word) {
        std::size_t found = 0;
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
        return found;
    };
    const std::string zero = "0f00000000";
    EXPECT_GT(count(ptx("x * 0"), "mul.rn.f32"), count(ptx("x"), "mul.rn.f32"));
    EXPECT_NE(ptx("x * 0").find(zero), std::string::npos);
    EXPECT_GT(count(ptx("x - x"), "sub.rn.f32"), count(ptx("x"), "sub.rn.f32"));
    EXPECT_GT(count(ptx("x + 0"), "add.rn.f32"), count(ptx("x"), "add.rn.f32"));
    EXPECT_EQ(count(ptx("x * 1"), "mul.rn.f32"), count(ptx("x"), "mul.rn.f32"));
}

} // namespace callbacks_test
} // namespace swirl::cli
