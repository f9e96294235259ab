#include "gemm/gpu/epilogue/range_check.hpp"

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/reference.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace swirl::gemm::test {
namespace range_check_test {

constexpr Integer rows = 70, columns = 40, k_extent = 90;
constexpr float infinity = std::numeric_limits<float>::infinity();

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

GpuGemmSchedule guarded_schedule() {
    return parse_gpu_schedule(
        "wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 stages=2 epilogue_tile_m=64 raster_group=2 "
        "bf16_split=3 "
        "accumulation_interval=1 promotion_interval=16 range_check=1");
}

struct Kind {
    bool a_by_rows = false, b_by_rows = false;
    Integer batch = 1;
};

MatrixProduct product_of(const Kind& kind) {
    const auto layout = [&](bool by_rows, Integer height, Integer width) {
        MatrixLayout result = by_rows ? MatrixLayout{width, 1} : MatrixLayout{1, height + 2};
        if (kind.batch > 1) result.batch_stride = (height + 2) * width;
        return result;
    };
    MatrixProduct product;
    product.data_type = DataType::float32;
    product.rows = rows;
    product.columns = columns;
    product.k = k_extent;
    product.batch = kind.batch;
    product.a = layout(kind.a_by_rows, rows, k_extent);
    product.b = layout(kind.b_by_rows, k_extent, columns);
    product.c = layout(false, rows, columns);
    return product;
}

std::vector<ir::Program> kernels_of(const MatrixProduct& product) {
    return gpu_gemm_kernels(product, guarded_schedule(), gpu());
}

bool is_out_of_range(support::KernelSequence& sequence) {
    return sequence.memory("blocks_out_of_range")[0] > 0;
}

/// Numbers from −1 to 1 but for one in each row, or column, and batch.
struct Data {
    float in_a = 1, in_b = 1;
    float scale_a = 1, scale_b = 1;
};

Integer offset_of(const MatrixLayout& layout, Integer matrix, Integer i, Integer j) {
    return matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride;
}

void fill(support::KernelSequence& memories, const MatrixProduct& product, const Data& data) {
    std::mt19937 random(9);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (const char* name : {"a", "b", "c"})
        for (Integer i = 0; i < memories.memory(name).elements(); ++i)
            memories.memory(name).set(i, uniform(random) * (*name == 'a'   ? data.scale_a
                                                            : *name == 'b' ? data.scale_b
                                                                           : 1));
    memories.memory("a").set(offset_of(product.a, product.batch - 1, 3, 5), data.in_a);
    memories.memory("b").set(offset_of(product.b, product.batch - 1, 77, 11), data.in_b);
}

/// As accurate as FMA chains, with infinities and NaN where these have them.
void expect_product(const Kind& kind, const Data& data, bool out_of_range) {
    const MatrixProduct product = product_of(kind);
    support::KernelSequence memories(kernels_of(product));
    memories.memory("alpha_beta").assign(std::vector<long double>{0.5, 2});
    fill(memories, product, data);
    const ir::Memory a = memories.memory("a"), b = memories.memory("b"), before = memories.memory("c");
    memories.run({1, 1});
    EXPECT_EQ(is_out_of_range(memories), out_of_range);
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < rows; ++i)
            for (Integer j = 0; j < columns; ++j) {
                long double sum = 0, magnitude = 0;
                for (Integer k = 0; k < k_extent; ++k) {
                    const long double term =
                        a[offset_of(product.a, matrix, i, k)] * b[offset_of(product.b, matrix, k, j)];
                    sum += term;
                    magnitude += std::abs(term);
                }
                const Integer at = offset_of(product.c, matrix, i, j);
                const long double expected = sum / 2 + 2 * before[at], found = memories.memory("c")[at];
                magnitude += 2 * std::abs(before[at]);
                if (!std::isfinite(static_cast<float>(expected))) {
                    ASSERT_EQ(std::isnan(found), std::isnan(expected)) << i << ", " << j << ": " << found;
                    ASSERT_TRUE(std::isnan(found) || found == expected) << i << ", " << j << ": " << found;
                } else {
                    ASSERT_LE(std::abs(found - expected), magnitude * 0x1p-21L + k_extent * 0x1p-149L)
                        << i << ", " << j << ": " << found << " and not " << expected;
                }
            }
}

TEST(GpuRange, TensorCoresMultiplyWhatIsInRange) {
    const Bf16SplitRange range = bf16_split_range(k_extent);
    expect_product({}, {}, false);
    expect_product({}, {.in_a = 0, .in_b = -0.0F}, false);
    expect_product({}, {.in_a = static_cast<float>(range.lowest)}, false);
    const float below_end = std::nextafter(static_cast<float>(range.end), 0.0F);
    expect_product({}, {.in_a = below_end, .in_b = -below_end}, false);
    expect_product({}, {.scale_a = 0, .scale_b = 0}, false);
}

TEST(GpuRange, ThreadsMultiplyWhatIsNot) {
    const Bf16SplitRange range = bf16_split_range(k_extent);
    for (const float value :
         {infinity, -infinity, std::nanf(""), 1e-40F, -1e-45F, 1e38F,
          -3.4e38F, // which rounds to −∞ as bfloat16
          static_cast<float>(range.end), std::nextafter(static_cast<float>(range.lowest), 0.0F)}) {
        SCOPED_TRACE(value);
        expect_product({}, {.in_a = value}, true);
        expect_product({}, {.in_b = value}, true);
    }
    expect_product({}, {.in_a = infinity, .in_b = -infinity}, true);
    expect_product({}, {.scale_a = 1e38F, .scale_b = 1e-38F}, true);
    expect_product({}, {.scale_a = 1e-22F, .scale_b = 1e-22F}, false); // sums are subnormal
    expect_product({}, {.scale_a = 1e-38F, .scale_b = 1e38F}, true);
}

TEST(GpuRange, OfTransposedMatricesAndBatches) {
    for (const Kind& kind : {Kind{.a_by_rows = true}, Kind{.b_by_rows = true},
                             Kind{.a_by_rows = true, .b_by_rows = true, .batch = 2}, Kind{.batch = 3}}) {
        expect_product(kind, {}, false);
        expect_product(kind, {.in_b = infinity}, true);
        expect_product(kind, {.in_a = 1e-39F}, true);
    }
}

TEST(GpuRange, AlphaZeroSkipsTheRangeCheck) {
    const MatrixProduct product = product_of({});
    support::KernelSequence memories(kernels_of(product));
    EXPECT_EQ(memories.programs().size(), 4);
    fill(memories, product, {.in_a = infinity});
    memories.memory("alpha_beta").assign(std::vector<long double>{0, 2});
    const ir::Memory before = memories.memory("c");
    memories.run_last({0, 1});
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j < columns; ++j)
            ASSERT_EQ(memories.memory("c")[offset_of(product.c, 0, i, j)],
                      2 * before[offset_of(product.c, 0, i, j)]);
}

TEST(GpuRange, IsWhereTermsAreExactAndSumsFinite) {
    for (const Integer steps : {1, 2, 90, 4096, 1 << 24}) {
        const Bf16SplitRange range = bf16_split_range(steps);
        EXPECT_LE(static_cast<double>(steps) * range.end * range.end, 0x1p126);
        EXPECT_GE(static_cast<double>(steps) * range.end * range.end, 0x1p123);
        EXPECT_GE(range.lowest * 0x1p-23, 0x1p-126);
    }
}

TEST(GpuRange, IsOfTermsAlone) {
    WgmmaGemm schedule = std::get<WgmmaGemm>(guarded_schedule());
    const MatrixProduct product = product_of({});
    EXPECT_EQ(accuracy_of(schedule, product), Accuracy::ordinary);
    schedule.operands = Bf16Terms{.count = 3};
    EXPECT_EQ(accuracy_of(schedule, product), Accuracy::ordinary_in_range);
    EXPECT_EQ(gpu_gemm_kernels(product, schedule, gpu()).size(), 3);
}

} // namespace range_check_test
} // namespace swirl::gemm::test
