#include "cli/bench_program.hpp"

#include <swirl/problem.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace swirl {
namespace bench_test {

using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

class Draw : public support::BenchProgram {
protected:
    std::vector<std::string> drawn(const std::string& arguments) {
        const auto outcome = run("--list --draw " + arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return lines_of(outcome.output);
    }
};

TEST_F(Draw, IsTheSameForTheSameSeedAlone) {
    for (const char* what : {"transforms", "signals", "products --device gpu"}) {
        const std::string draw = fmt::format("{} --count 100 --seed ", what);
        EXPECT_EQ(drawn(draw + "7"), drawn(draw + "7")) << what;
        EXPECT_NE(drawn(draw + "7"), drawn(draw + "8")) << what;
    }
    EXPECT_EQ(drawn("transforms --count 2 --seed 1"), (std::vector<std::string>{"dft 519 inplace", "dft 14"}))
        << "the draw depends on the machine, or has changed";
}

TEST_F(Draw, GivesValidProblemsThatParseAndPrintTheSame) {
    for (const char* what : {"transforms", "products", "signals"})
        for (const char* device : {"cpu", "gpu"}) {
            const auto problems = drawn(fmt::format("{} --device {} --count 400 --seed 3", what, device));
            EXPECT_EQ(problems.size(), 400U);
            for (const std::string& text : problems) {
                const Problem problem = parse_problem(text);
                EXPECT_NO_THROW(validate(problem)) << text;
                EXPECT_EQ(to_text(problem), text);
            }
            EXPECT_GT(std::set(problems.begin(), problems.end()).size(), 300U) << what << " " << device;
        }
}

TEST_F(Draw, KeepsToItsTypesAndLimits) {
    for (const std::string& text : drawn("transforms --count 300 --types float32 --largest 1000")) {
        EXPECT_NE(text.find(" float32"), std::string::npos) << text;
        const auto transform = std::get<Transform>(parse_problem(text));
        Integer points = 1;
        for (const auto* axes : {&transform.dimensions, &transform.batches})
            for (const Dimension& axis : *axes) points *= axis.length;
        EXPECT_LE(points, 1000) << text;
    }
    for (const std::string& text : drawn("products --count 300 --types bfloat16 --largest 100")) {
        const auto product = std::get<MatrixProduct>(parse_problem(text));
        EXPECT_EQ(product.type_of_a(), DataType::bfloat16) << text;
        EXPECT_LE(std::max({product.rows, product.columns, product.k}), 100) << text;
    }
}

class BenchOnCpu : public support::BenchProgram {
protected:
    /// A BLAS whose dgemm_ is the definition, and of whose sgemm_ an element is wrong.
    std::string compile_blas(const std::filesystem::path& file) const {
        const std::filesystem::path source = folder_.path() / "blas.c";
        std::ofstream(source) << R"(
#define GEMM(name, T, mistake)                                                                              \
    void name(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha,       \
              const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {  \
        for (int j = 0; j < *n; ++j)                                                                          \
            for (int i = 0; i < *m; ++i) {                                                                    \
                T sum = mistake;                                                                              \
                for (int l = 0; l < *k; ++l) sum += a[i + l * *lda] * b[l + j * *ldb];                        \
                c[i + j * *ldc] = *alpha * sum;                                                               \
            }                                                                                                 \
    }
GEMM(dgemm_, double, 0)
GEMM(sgemm_, float, i == 3)
)";
        std::filesystem::create_directories(file.parent_path());
        const auto outcome =
            support::run_command(support::quoted(SWIRL_C_COMPILER) + " -O3 -shared -fPIC -o " +
                                 support::quoted(file.string()) + " " + support::quoted(source.string()));
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return file.string();
    }
};

TEST_F(BenchOnCpu, ComparesLibrariesWithTheDefinitionOrReportsAbsence) {
    auto results = rows(
        "--peers fftw-estimate,fftw-avx512,mkl 'dft 256' 'rdft 30 batch=3' 'rdft 16 backward float32 "
        "batch=4' "
        "'dft 8x6 inplace' 'dft 16 float32 strides=5 batch=5:1' 'dft 60 planar backward'");
    ASSERT_EQ(outcome_.status, 0) << outcome_.errors;
    EXPECT_EQ(results.size(), 6U);
    EXPECT_GT(run_["machine"]["flops_float64"], 0);
    EXPECT_TRUE(results.at(0)["absent"].contains("fftw-avx512")) << results.at(0);
    for (json row : results) {
        EXPECT_TRUE(row["libraries"].contains("swirl")) << row;
        const bool is_single = row["problem"].get<std::string>().find("float32") != std::string::npos;
        for (const auto& [name, library] : row["libraries"].items()) {
            EXPECT_GT(library["minimum"], 0) << row;
            EXPECT_LE(library["minimum"], library["median"]) << row;
            EXPECT_GT(library["planning"], 0) << row;
            EXPECT_LT(library["distance"], is_single ? 1e-6 : 1e-14) << row;
        }
        EXPECT_GT(row["floors"]["traffic"], 0) << row;
        const json absent = row.value("absent", json::object());
        for (const auto& [name, reason] : absent.items()) EXPECT_NE(reason, "") << name;
    }
}

TEST_F(BenchOnCpu, MultipliesMatricesOfEveryLayoutAndType) {
    auto results = rows(
        "'gemm 8x8x8' 'gemm 5x7x9 float32 a=rows b=rows' 'gemm 6x5x4 complex128' 'gemm 3x4x5 batch=6' "
        "'gemm 16x8x12 float32 a=bfloat16 b=bfloat16' 'gemm 16x8x12 int32 a=int8 b=int8'");
    ASSERT_EQ(outcome_.status, 0) << outcome_.errors;
    ASSERT_EQ(results.size(), 6U);
    EXPECT_EQ(results.at(0)["flops"], 1024.0);
    EXPECT_EQ(results.at(5)["libraries"]["swirl"]["distance"], 0);
    for (json row : results) EXPECT_LT(row["libraries"]["swirl"]["distance"], 1e-6) << row;
    for (json row : rows("--cold 'gemm 8x8x8' 'gemm 20x20x20 float32'"))
        EXPECT_GT(row["libraries"]["swirl"]["median"], 0) << row;
}

TEST_F(BenchOnCpu, EndsWithStatusOneWhereAResultIsWrong) {
    compile_blas(folder_.path() / "openblas" / "lib" / "libopenblas.so.0");
    auto results = rows("--peers openblas 'gemm 5x5x5' 'gemm 5x5x5 float32'");
    EXPECT_EQ(outcome_.status, 1);
    EXPECT_NE(outcome_.errors.find("1 results are wrong"), std::string::npos) << outcome_.errors;
    ASSERT_EQ(results.size(), 2U);
    EXPECT_GT(results.at(0)["libraries"]["openblas"]["median"], 0) << results.at(0);
    json wrong = results.at(1)["libraries"]["openblas"];
    EXPECT_TRUE(wrong["wrong"]) << wrong;
    EXPECT_FALSE(wrong.contains("median")) << wrong;
    EXPECT_NE(outcome_.output.find("openblas WRONG by"), std::string::npos) << outcome_.output;
    EXPECT_NE(outcome_.output.find("geometric mean"), std::string::npos) << outcome_.output;
}

TEST_F(BenchOnCpu, CallsSwirlsBlasAsAPeer) {
    environment_ = "SWIRL_BLAS=" + support::quoted(compile_blas(folder_.path() / "libswirl_blas.so"));
    auto results = rows("--peers swirl-blas 'gemm 9x8x7'");
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results.at(0)["libraries"]["swirl-blas"]["made_by"], "libswirl_blas") << results.at(0);
}

TEST_F(BenchOnCpu, StoresThePlansOfFftw) {
    for (const bool is_second : {false, true}) {
        auto results = rows("--peers fftw 'dft 64 inplace'");
        ASSERT_EQ(results.size(), 1U);
        if (results.at(0)["absent"].contains("fftw")) GTEST_SKIP() << results.at(0)["absent"]["fftw"];
        const std::string made_by = results.at(0)["libraries"]["fftw"]["made_by"];
        EXPECT_EQ(made_by.find("remembered") != std::string::npos, is_second) << made_by;
    }
}

TEST_F(BenchOnCpu, TakesThreadsSchedulesAndFilesOfProblems) {
    std::ofstream(folder_.path() / "problems") << "# two problems\ndft 64\ngemm 20x20x20\n";
    const auto results =
        rows("--threads 2 --problems " + support::quoted((folder_.path() / "problems").string()));
    EXPECT_EQ(run_["threads"], 2);
    EXPECT_EQ(results.size(), 2U);
    auto measured = rows("--peers swirl-measured --planning-seconds 0.1 'dft 48'");
    EXPECT_GT(measured.at(0)["libraries"]["swirl-measured"]["median"], 0) << measured;
    auto schedules = rows(
        "--peers none --schedule 'avx2: 0 stockham(4,4,4)' --schedule 'avx2: 0 stockham(8,8)' "
        "--schedule nonsense 'dft 64'");
    ASSERT_EQ(schedules.size(), 1U);
    EXPECT_TRUE(schedules.at(0)["absent"].contains("swirl 3")) << schedules.at(0);
    if (schedules.at(0)["libraries"].contains("swirl 2")) {
        EXPECT_EQ(schedules.at(0)["libraries"]["swirl 2"]["made_by"], "avx2: 0 stockham(8,8)");
    }
}

TEST_F(BenchOnCpu, TimesTheModelsCandidatesOfATransform) {
    auto timed = rows("--peers none --candidates 4 'dft 240' 'rdft 6x8'");
    ASSERT_EQ(timed.size(), 2U);
    std::set<std::string> schedules;
    for (const auto& [name, library] : timed.at(0)["libraries"].items())
        schedules.insert(library["made_by"].get<std::string>());
    EXPECT_EQ(schedules.size(), 4U) << timed.at(0);
    EXPECT_NE(timed.at(1)["absent"]["swirl"].get<std::string>().find("several passes"), std::string::npos)
        << timed.at(1);
}

TEST_F(BenchOnCpu, ComparesHalfSpectraOfSeveralDimensions) {
    for (const json& row :
         rows("--peers none 'rdft 8x8 backward' 'rdft 6x5x9 backward batch=2' 'rdft 1x2 backward'"))
        EXPECT_LT(row["libraries"]["swirl"]["distance"].get<double>(), 1e-15) << row;
}

TEST_F(BenchOnCpu, NamesWhatItDoesNotKnow) {
    for (const auto& [arguments, complaint] :
         {std::pair("", "no problem: name some"), std::pair("'dft x'", "dft x"),
          std::pair("--peers fftpack 'dft 8'", "--peers has 'fftpack'; use none, usual, fftw"),
          std::pair("--peers openblas 'dft 8'", "--peers has 'openblas'; use none, usual, fftw"),
          std::pair("--device tpu 'dft 8'", "--device is 'tpu'"),
          std::pair("--draw transforms --types float", "--types has 'float'"),
          std::pair("--draw products --largest 3", "--largest is 3"),
          std::pair("--candidates 2 --schedule x 'dft 8'", "--schedule and --candidates both say")}) {
        const auto outcome = run(arguments);
        EXPECT_EQ(outcome.status, 1) << arguments;
        EXPECT_NE(outcome.errors.find(complaint), std::string::npos) << outcome.errors;
    }
    auto results = rows("--peers none 'dct2 64' 'dft 8 scale=2'");
    for (json row : results)
        EXPECT_NE(row["absent"]["swirl"].get<std::string>().find("has no definition here"), std::string::npos)
            << row;
}

} // namespace bench_test
} // namespace swirl
