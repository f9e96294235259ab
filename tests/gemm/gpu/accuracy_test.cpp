// Errors of products of float32 from bfloat16 terms, in the interpreter, whose tensor cores cut sums off as a GPU's do.

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/reference.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace swirl::gemm::test {
namespace accuracy_test {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

MatrixProduct product_of(Integer k) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 64, 64, k);
    product.a = {k, 1};
    return product;
}

using Random = std::mt19937_64;
struct Pattern {
    const char* name;
    std::function<float(Random&)> element;
};
float between(Random& random, double low, double high) {
    return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random));
}
const Pattern patterns[] = {
    {"uniform", [](Random& r) { return between(r, -1, 1); }},
    {"positive", [](Random& r) { return between(r, 0, 1); }},
    {"spread", [](Random& r) { return std::exp2(between(r, -20, 20)) * ((r() & 1U) != 0 ? 1.0F : -1.0F); }},
    {"spread and positive", [](Random& r) { return std::exp2(between(r, -20, 20)); }},
};

struct Errors {
    double mean = 0, largest = 0, bias = 0;
};
class Operands {
public:
    Operands(const MatrixProduct& product, const Pattern& pattern) : k_extent_(product.k) {
        Random random(5);
        for (auto* side : {&a_, &b_})
            for (Integer i = 0; i < 64 * k_extent_; ++i) side->push_back(pattern.element(random));
    }
    Errors errors_of(const std::function<double(Integer i, Integer j)>& result) const {
        Errors errors;
        for (Integer i = 0; i < 64; ++i)
            for (Integer j = 0; j < 64; ++j) {
                long double exact = 0, magnitude = 0;
                for (Integer k = 0; k < k_extent_; ++k) {
                    const long double product = static_cast<long double>(a(i, k)) * b(k, j);
                    exact += product;
                    magnitude += std::abs(product);
                }
                const auto error = static_cast<double>((result(i, j) - exact) / magnitude);
                errors.mean += std::abs(error) / 4096;
                errors.largest = std::max(errors.largest, std::abs(error));
                errors.bias += (exact < 0 ? -error : error) / 4096;
            }
        return errors;
    }
    Errors of_multiply_adds() const {
        return errors_of([this](Integer i, Integer j) {
            float sum = 0;
            for (Integer k = 0; k < k_extent_; ++k) sum = std::fma(a(i, k), b(k, j), sum);
            return static_cast<double>(sum);
        });
    }
    Errors of_kernels(const MatrixProduct& product, const GpuGemmSchedule& schedule) const {
        support::KernelSequence kernels(gpu_gemm_kernels(product, schedule, gpu()));
        for (Integer i = 0; i < std::ssize(a_); ++i) {
            kernels.memory("a").set(i, a_[static_cast<std::size_t>(i)]);
            kernels.memory("b").set(i, b_[static_cast<std::size_t>(i)]);
        }
        kernels.memory("alpha_beta").assign(std::vector<long double>{1, 0});
        kernels.run({1, 0});
        return errors_of([&](Integer i, Integer j) {
            return static_cast<double>(element(kernels.memory("c"), product.c, 0, i, j));
        });
    }

private:
    float a(Integer i, Integer k) const { return a_[static_cast<std::size_t>(i * k_extent_ + k)]; }
    float b(Integer k, Integer j) const { return b_[static_cast<std::size_t>(j * k_extent_ + k)]; }
    Integer k_extent_;
    std::vector<float> a_, b_;
};

GpuGemmSchedule schedule_with(const std::string& more) {
    return parse_gpu_schedule(
        "wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 stages=2 "
        "epilogue_tile_m=64 bf16_split=3 " +
        more);
}

constexpr double slack = 1.1, unit = 0x1p-23;

TEST(GpuAccuracy, Bf16SplitIsAsAccurateAsFma) {
    for (const Integer k : {64, 512}) {
        const MatrixProduct product = product_of(k);
        const GpuGemmSchedule schedule = schedule_with("accumulation_interval=16 promotion_interval=" +
                                                       std::to_string(max_promotion_interval(k)));
        EXPECT_EQ(accuracy_of(schedule, product), Accuracy::ordinary_in_range);
        for (const Pattern& pattern : patterns) {
            SCOPED_TRACE(std::string(pattern.name) + ", " + std::to_string(k));
            const Operands operands(product, pattern);
            const Errors simt = operands.of_multiply_adds(), found = operands.of_kernels(product, schedule);
            EXPECT_LE(found.mean, slack * simt.mean);
            EXPECT_LE(found.largest, slack * simt.largest);
            EXPECT_LE(std::abs(found.bias), slack * std::max(std::abs(simt.bias), unit));
        }
    }
}

/// What the promise is there for: accumulators of a whole run drift.
TEST(GpuAccuracy, RunsOfCutOffSumsDriftTowardsZero) {
    const MatrixProduct product = product_of(512);
    const GpuGemmSchedule schedule = schedule_with("accumulation_interval=16");
    EXPECT_EQ(accuracy_of(schedule, product), Accuracy::reduced);
    const Operands operands(product, patterns[1]);
    const Errors simt = operands.of_multiply_adds(), found = operands.of_kernels(product, schedule);
    EXPECT_LT(found.bias, -2 * unit);
    EXPECT_GT(found.mean, slack * simt.mean);
}

TEST(GpuAccuracy, ModelsSchedulesKeepWhatTheyPromise) {
    for (const Integer k : {16, 63, 64, 128, 192, 1000, 100000}) {
        const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 4096, 4096, k);
        for (const Accuracy accuracy : {Accuracy::ordinary, Accuracy::ordinary_in_range})
            for (const GpuGemmSchedule& schedule : gpu_schedules(product, gpu(), 40, accuracy))
                EXPECT_LE(accuracy_of(schedule, product), accuracy) << to_string(schedule);
    }
}

TEST(GpuAccuracy, PromotionIntervalsDivideAKTile) {
    const MatrixProduct product = product_of(128);
    const auto why = [&](const std::string& more) {
        return infeasibility(schedule_with(more), product, gpu()).value_or("nothing");
    };
    EXPECT_EQ(why("accumulation_interval=1 promotion_interval=16"), "nothing");
    EXPECT_EQ(why("accumulation_interval=1 promotion_interval=64"), "nothing");
    for (const char* more :
         {"accumulation_interval=1 promotion_interval=8", "accumulation_interval=1 promotion_interval=48",
          "accumulation_interval=1 promotion_interval=128", "promotion_interval=16"})
        EXPECT_NE(why(more).find("promotion_interval"), std::string::npos) << more << ": " << why(more);
}

} // namespace accuracy_test
} // namespace swirl::gemm::test
