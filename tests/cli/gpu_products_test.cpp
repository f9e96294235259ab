// `swirl … gemm … --device`, without a driver or with one whose kernels do nothing.

#include <swirl/matrix_product.hpp>
#include "cli/run_swirl.hpp"
#include "problem/matrix_product.hpp"
#include "support/fake_cuda.hpp"
#include "support/opencl_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace swirl {
namespace gpu_products_test {

using nlohmann::json;

support::Outcome run_with(const std::string& driver, const std::string& arguments) {
    setenv("SWIRL_CUDA_DRIVER", driver.c_str(), 1);
    support::Outcome outcome = run_swirl(arguments);
    unsetenv("SWIRL_CUDA_DRIVER");
    return outcome;
}
support::Outcome run_without_driver(const std::string& arguments) {
    return run_with("/nowhere.so", arguments);
}

void expect_contains(const support::Outcome& outcome, int status,
                     std::initializer_list<const char*> phrases) {
    const std::string said = outcome.output + outcome.errors;
    EXPECT_EQ(outcome.status, status) << said;
    for (const char* expected : phrases)
        EXPECT_NE(said.find(expected), std::string::npos) << expected << " in\n" << said;
}

TEST(ProductsOnGpus, AreShownWithoutADriver) {
    expect_contains(run_without_driver("show --device sm_90 gemm 200x100x300 float32"), 0,
                    {"program gemm", "parameter reads_c"});
    expect_contains(run_without_driver("show --device sm_80 --stage ptx gemm 100x200x300 b=rows"), 0,
                    {".target sm_80", ".entry gemm", "cp.async", "fma.rn.f64"});
    expect_contains(run_without_driver("show --device sm_90 --stage asm gemm 8x8x8"), 2, {"one of ir, ptx"});
    expect_contains(run_without_driver("show --device sm_90 gemm 0x8x8"), 2, {"C is empty"});
}

TEST(ProductsOnGpus, ArePlannedWithoutADriver) {
    expect_contains(run_without_driver("plan --device sm_80 gemm 2048x2048x2048 float32"), 0,
                    {"schedule   sm_80: simt cta_m=", "17179869184", "estimate", "shared"});
    expect_contains(run_without_driver("plan --device sm_90 gemm 128x128x128 float32"), 0,
                    {"reorder_sass=0"});
    expect_contains(run_without_driver("plan --device sm_90 --reorder-sass gemm 128x128x128 float32"), 0,
                    {"reorder_sass=1"});
    expect_contains(run_without_driver("plan --reorder-sass gemm 8x8x8"), 2, {"add --device gpu"});
    const auto report =
        json::parse(run_without_driver("plan --json --device sm_80 gemm 256x256x64 float32").output);
    EXPECT_EQ(report.at("gpu"), "sm_80");
    EXPECT_EQ(report.at("kernels").at(0).at("cluster"), 1);
    const std::string schedule = report.at("schedule");
    const auto again = run_without_driver("plan --json --device sm_80 gemm 256x256x64 float32 --schedule '" +
                                          schedule + "'");
    EXPECT_EQ(json::parse(again.output), report);
    expect_contains(
        run_without_driver("plan --device sm_90 gemm 256x256x64 float32 --schedule '" + schedule + "'"), 2,
        {"the schedule is for sm_80, but the plan is for sm_90"});
}

support::Outcome run_on_fake(const std::string& arguments) {
    setenv("SWIRL_FAKE_CUDA_MIB", "64", 1);
    support::Outcome outcome = run_with(support::fake_cuda_library(12080), arguments);
    unsetenv("SWIRL_FAKE_CUDA_MIB");
    return outcome;
}

TEST(ProductsOnGpus, AreOfComplexTypesAndOfIntegersInMemory) {
    for (const char* data_type : {"complex64", "complex128"}) {
        const std::string product = std::string("gemm 64x48x32 ") + data_type + " a=rows,conj";
        expect_contains(run_without_driver("show --device sm_80 --stage ptx " + product), 0,
                        {".entry gemm", "cp.async", "fma.rn.f"});
        expect_contains(run_on_fake("verify --device gpu --no-check " + product), 1, {"WRONG"});
        expect_contains(run_on_fake("verify --device gpu " + product), 1, {"is wrong at"});
        expect_contains(run_on_fake("bench --device gpu --no-check --seconds 0.01 " + product), 0,
                        {"Gflop/s"});
    }
    for (const char* data_type : {"unorm8", "snorm8", "unorm16", "snorm16", "int8", "uint8"}) {
        const std::string product =
            std::string("gemm 64x48x32 float32 a=rows,") + data_type + " b=" + data_type;
        expect_contains(run_without_driver("plan --device sm_80 " + product), 0, {data_type, "cta_m="});
        expect_contains(run_on_fake("verify --device gpu " + product + " c=" + data_type), 1,
                        {"is wrong at"});
        expect_contains(run_on_fake("bench --device gpu --no-check " + product), 0, {"Gflop/s, by"});
        expect_contains(run_without_driver("plan " + product), 2, {"are multiplied on GPUs"});
    }
}

TEST(ProductsOnGpus, HaveListsDataTypesAndAccuracy) {
    expect_contains(
        run_without_driver("show --device sm_90 --stage ptx gemm 100x80x60 float32 batch=10,lists:8"), 0,
        {".entry gemm", "a_list", "c_list", "a: argument float32 0..5999, not passed"});
    expect_contains(run_without_driver("plan --device sm_90 gemm 64x64x64 float32 batch=3,lists"), 0,
                    {"batch=3,lists", "a_vector_m=1"});
    expect_contains(run_without_driver("plan gemm 64x64x64 float32 batch=3,lists"), 2, {"listed is true"});
    expect_contains(
        run_without_driver("emit --language cuda --gpu sm_90 gemm 64x64x64 float32 batch=3,lists"), 2,
        {"lists of pointers"});
    expect_contains(
        run_without_driver("plan --device sm_90 gemm 512x512x512 float32 a=rows,float8_e4m3 b=float8_e4m3"),
        0, {"a=rows,float8_e4m3", "wgmma cta_m="});
    expect_contains(
        run_without_driver("plan --device sm_90 --gemm-accuracy reduced gemm 4096x4096x4096 float32"), 0,
        {"bf16_split=2"});
    expect_contains(run_without_driver("plan --device sm_90 --gemm-accuracy poor gemm 64x64x64"), 2,
                    {"--gemm-accuracy is 'poor'", "in-range"});
    expect_contains(run_without_driver("plan --gemm-accuracy low gemm 64x64x64"), 2,
                    {"for products on GPUs"});
}

TEST(ProductsOnGpus, ArePlannedTimedAndVerified) {
    expect_contains(run_on_fake("plan --device gpu --no-check gemm 100x80x60 float32"), 0,
                    {"gemm 100x80x60 float32", "schedule   sm_90: simt cta_m=", "resident"});
    const auto report =
        json::parse(run_on_fake("plan --json --device gpu --no-check gemm 100x80x60 float32").output);
    EXPECT_GT(report.at("kernels").at(0).at("registers"), 0);
    EXPECT_GT(report.at("kernels").at(0).at("flops"), 2 * 100 * 80 * 60);
    const auto times = json::parse(
        run_on_fake("bench --json --device gpu --no-check --seconds 0.01 gemm 64x64x64 --schedule '"
                    "sm_90: cta_m=32 cta_n=32 thread_m=4 thread_n=4'")
            .output);
    EXPECT_EQ(times.at("device"), "GPU 0 (Fake H100)");
    EXPECT_GT(times.at("gflops"), 0);
    EXPECT_NE(std::string(times.at("schedule")).find("cta_m=32 cta_n=32"), std::string::npos);
    // Its kernels do nothing: that is found.
    expect_contains(run_on_fake("verify --device gpu --no-check gemm 20x30x40"), 1, {"WRONG"});
    expect_contains(run_on_fake("verify --device gpu gemm 20x30x40"), 1, {"is wrong at"});
    expect_contains(run_on_fake("verify --device gpu --no-check gemm 20x30x40 batch=3,lists:16"), 1,
                    {"WRONG"});
    expect_contains(run_on_fake("verify --device gpu gemm 64x64x64 float32 a=bfloat16 b=bfloat16"), 1,
                    {"is wrong at"});
    expect_contains(run_on_fake("bench --device gpu --no-check gemm 64x64x64 float32 a=bfloat16 b=bfloat16"),
                    0, {"Gflop/s, by"});
    expect_contains(run_on_fake("verify --device gpu gemm 0x30x40"), 0, {"ok"});
    expect_contains(run_on_fake("plan --device gpu gemm 0x30x40"), 0, {"nothing is to be computed"});
}

TEST(ProductsOnGpus, SayWhatDoesNotFit) {
    expect_contains(run_without_driver("plan --device sm_90 gemm 8x8x8 int32 a=int8 b=int8"), 2,
                    {"int32 accumulators", "float32, float64 and complex types"});
    expect_contains(run_without_driver("emit --language cuda --gpu sm_90 gemm 64x64x64 complex64"), 2,
                    {"complex kernels are PTX alone"});
    expect_contains(run_without_driver("plan --device sm_90 gemm 8x8x8 complex64 epilogue=2*x"), 2,
                    {"no epilogue for complex64"});
    expect_contains(run_without_driver("plan --device sm_90 gemm 64x64x64 --schedule 'sm_90: cta_m=96'"), 2,
                    {"this schedule is infeasible"});
    expect_contains(run_without_driver("plan --device sm_90 gemm 64x64x64 --schedule 'sm_90: rows=96'"), 2,
                    {"'rows=96'"});
    expect_contains(run_without_driver("plan --device sm_90 --cpu avx2 gemm 8x8x8"), 2,
                    {"--cpu is for CPUs"});
    expect_contains(run_without_driver("plan --device sm_90 --measure gemm 8x8x8"), 2, {"--device gpu"});
    for (const char* command : {"plan", "show", "verify", "bench"})
        expect_contains(run_without_driver(std::string(command) + " --device gpu gemm 8x8x8"), 2,
                        {"there is no NVIDIA driver"});
    for (const char* command : {"verify", "bench"})
        expect_contains(run_on_fake(std::string(command) + " --device sm_90 gemm 8x8x8"), 2, {"'sm_90'"});
}

/// A matrix of such a product, in memory from its lowest element on.
template <class T> class Matrix {
public:
    Matrix(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch, std::uint32_t seed)
        : layout_(layout), lowest_(extent_of(layout, rows, columns, batch).lowest) {
        std::mt19937 random(seed);
        std::uniform_int_distribution<int> quarters(-8, 8);
        values_.resize(
            static_cast<std::size_t>(extent_of(layout, rows, columns, batch).highest - lowest_ + 1));
        for (T& element : values_) element = static_cast<T>(quarters(random)) / 4; // sums are exact
    }
    T& at(Integer matrix, Integer i, Integer j) {
        return values_[static_cast<std::size_t>(matrix * layout_.batch_stride + i * layout_.row_stride +
                                                j * layout_.column_stride - lowest_)];
    }
    void fill(T value) { std::fill(values_.begin(), values_.end(), value); }
    std::vector<unsigned char> bytes() const {
        std::vector<unsigned char> result(values_.size() * sizeof(T));
        std::memcpy(result.data(), values_.data(), result.size());
        return result;
    }
    void set_bytes(const std::vector<unsigned char>& bytes) {
        std::memcpy(values_.data(), bytes.data(), bytes.size());
    }

private:
    MatrixLayout layout_;
    Integer lowest_;
    std::vector<T> values_;
};

struct Factors {
    double alpha, beta;
};

/// One problem text, run with these α and β; unread operands are NaN.
template <class T> class EmittedProduct {
public:
    EmittedProduct(const std::string& text, const std::string& name, const Factors& factors)
        : product_(parse_matrix_product(text)),
          a_(product_.a, product_.rows, product_.k, product_.batch, 1),
          b_(product_.b, product_.k, product_.columns, product_.batch, 2),
          c_(product_.c, product_.rows, product_.columns, product_.batch, 3),
          before_(c_),
          factors_(factors) {
        if (factors.alpha == 0) a_.fill(std::numeric_limits<T>::quiet_NaN());
        if (factors.beta == 0) c_.fill(std::numeric_limits<T>::quiet_NaN());
        const T values[] = {static_cast<T>(factors.alpha), static_cast<T>(factors.beta)};
        std::vector<unsigned char> bytes(sizeof values);
        std::memcpy(bytes.data(), values, sizeof values);
        const auto emitted =
            run_swirl("emit " + support::quoted(text) + " --language opencl --function " + name);
        EXPECT_EQ(emitted.status, 0) << emitted.errors;
        run = {name, emitted.output, false, {a_.bytes(), b_.bytes(), c_.bytes(), bytes}, {3}};
    }
    void expect_product() {
        c_.set_bytes(run.memories[2]);
        for (Integer matrix = 0; matrix < product_.batch; ++matrix)
            for (Integer i = 0; i < product_.rows; ++i)
                for (Integer j = 0; j < product_.columns; ++j) {
                    double sum = 0;
                    for (Integer k = 0; factors_.alpha != 0 && k < product_.k; ++k)
                        sum += factors_.alpha * a_.at(matrix, i, k) * b_.at(matrix, k, j);
                    if (factors_.beta != 0) sum += factors_.beta * before_.at(matrix, i, j);
                    ASSERT_EQ(c_.at(matrix, i, j), sum)
                        << to_text(product_) << ": " << matrix << ", " << i << ", " << j;
                }
    }

    support::OpenclRun run;

private:
    MatrixProduct product_;
    Matrix<T> a_, b_, c_, before_;
    Factors factors_;
};

template <class T> void expect_emitted_products(const std::vector<std::pair<std::string, Factors>>& cases) {
    std::vector<EmittedProduct<T>> products;
    std::vector<support::OpenclRun> runs;
    for (const auto& [shape, factors] : cases) {
        products.emplace_back("gemm " + shape, "product_" + std::to_string(products.size()), factors);
        runs.push_back(products.back().run);
    }
    ASSERT_EQ(support::run_opencl(runs), "");
    for (std::size_t k = 0; k < runs.size(); ++k) {
        products[k].run = runs[k];
        products[k].expect_product();
    }
}

TEST(ProductsOnGpus, ComputeInOpenclWhatTheyAre) {
    if (const auto reason = support::opencl_is_missing()) GTEST_SKIP() << *reason;
    expect_emitted_products<float>({{"70x60x50 float32", {1.5, -0.5}},
                                    {"33x20x9 float32 a=-1:40 b=rows", {2, 0}},
                                    {"20x70x12 float32 batch=3", {1, 1}},
                                    {"5x4x0 float32", {1, 0.5}}});
    expect_emitted_products<double>({{"40x36x1 c=rows", {0, 0.5}}, {"33x20x30 b=rows", {-2, 0.25}}});
}

TEST(ProductsOnGpus, AreWrittenInEachLanguage) {
    const TemporaryFolder folder;
    const std::string header = (folder.path() / "product.h").string();
    for (const auto& [language, declaration] :
         {std::pair(
              "cuda",
              "cudaError_t product(const float* a, const float* b, float* c, const float* alpha_beta, "),
          std::pair("hip", "hipError_t product(const float* a,"),
          std::pair("opencl", "cl_int product_enqueue(")}) {
        expect_contains(run_without_driver(std::string("emit gemm 99x99x99 float32 --gpu sm_90 --function "
                                                       "product --header ") +
                                           support::quoted(header) + " --language " + language),
                        0, {"schedule: sm_90: simt cta_m=", "alpha_beta[1] != 0"});
        EXPECT_NE(support::content_of(header).find(declaration), std::string::npos)
            << support::content_of(header);
    }
    expect_contains(run_without_driver("emit 'gemm 64x64x64 float32 a=float16 b=float16 c=float16 "
                                       "epilogue=max(0, x + bias[i])' --language cuda --function product "
                                       "--header " +
                                       support::quoted(header)),
                    0, {"beta, which has to be 0"});
    EXPECT_NE(support::content_of(header).find("const float* bias"), std::string::npos)
        << support::content_of(header);
    expect_contains(
        run_without_driver("emit gemm 640x640x64 float32 'reduce=amax:max:columns:abs(x)' --language hip "
                           "--gpu sm_90 --function product --header " +
                           support::quoted(header)),
        0, {"product_kernel_2", "amax"});
    EXPECT_NE(support::content_of(header).find("float* amax, void* workspace"), std::string::npos)
        << support::content_of(header);
    expect_contains(
        run_without_driver("emit gemm 99x99x99 --language cuda --schedule 'generic: fma_order=diagonal'"), 2,
        {"fma_order=diagonal"});
    expect_contains(run_without_driver("emit gemm 99x99x99 --language metal"), 2, {"cuda, hip and opencl"});
    expect_contains(run_without_driver("emit gemm 64x64x999 --language hip --gpu sm_90 --schedule '"
                                       "sm_90: cta_m=32 cta_n=32 thread_m=4 thread_n=4 split_k=2'"),
                    2, {"split_k is 2"});
    const std::string stream =
        " --gpu sm_90 gemm 3000x3000x3000 float32 --schedule 'sm_90: cta_m=256 cta_n=128 "
        "cta_k=16 thread_m=16 stream_k_blocks=132 data_parallel_tiles=1'";
    expect_contains(run_without_driver("emit --language cuda" + stream), 0,
                    {"kernel_2", "if (alpha_beta[0] != 0) {", "void* workspace"});
    expect_contains(run_without_driver("emit --language opencl" + stream), 2,
                    {"stream_k_blocks is 132", "PoCL 3.1, gives wrong results", "stream_k_blocks=0"});
}

} // namespace gpu_products_test
} // namespace swirl
