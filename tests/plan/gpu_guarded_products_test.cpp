// Fallback kernels for values outside the bf16 split range, with epilogues, as plans launch them.

#include "gemm/gpu/schedule_text.hpp"
#include "plan/gemm/gpu/kernel.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace swirl::planning {
namespace gpu_guarded_products_test {

constexpr Integer extent = 64;

/// Of row-major matrices, so that kernels compute their transposes.
MatrixProduct product_with(const std::string& epilogue) {
    MatrixProduct product = MatrixProduct::row_major(DataType::float32, extent, extent, extent);
    product.epilogue = Expression(epilogue);
    return product;
}

TEST(GuardedProducts, HaveEpiloguesEitherWay) {
    const MatrixProduct product = product_with("max(0, x + bias[j])");
    const gemm::GpuGemmSchedule schedule = gemm::parse_gpu_schedule(
        "wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 stages=2 epilogue_tile_m=64 bf16_split=3 "
        "accumulation_interval=1 "
        "range_check=1");
    for (const float special : {0.5F, HUGE_VALF, 1e-40F}) {
        std::vector<ir::Program> programs;
        for (GpuMatrixDerivation& derivation :
             derive_gemm_for_gpu(product, schedule, target::gpu_named("sm_90")))
            programs.push_back(std::move(derivation.program));
        support::KernelSequence sequence(std::move(programs));
        std::mt19937 random(3);
        std::uniform_real_distribution<float> uniform(-1, 1);
        for (const char* name : {"a", "b", "auxiliary_bias"})
            for (Integer i = 0; i < sequence.memory(name).elements(); ++i)
                sequence.memory(name).set(i, uniform(random));
        sequence.memory("a").set(5 * extent + 7, special);
        sequence.memory("alpha_beta").assign(std::vector<long double>{1, 0});
        sequence.run({1, 0});
        EXPECT_EQ(sequence.memory("blocks_out_of_range")[0] > 0, special != 0.5F);
        for (Integer i = 0; i < extent; ++i)
            for (Integer j = 0; j < extent; ++j) {
                long double sum = sequence.memory("auxiliary_bias")[j];
                for (Integer k = 0; k < extent; ++k)
                    sum += sequence.memory("a")[i * extent + k] * sequence.memory("b")[k * extent + j];
                const long double found = sequence.memory("c")[i * extent + j];
                if (std::isinf(sum)) {
                    ASSERT_EQ(found, sum > 0 ? sum : 0) << i << ", " << j;
                } else {
                    ASSERT_NEAR(static_cast<double>(found), static_cast<double>(std::max(0.0L, sum)), 1e-5)
                        << i << ", " << j;
                }
            }
    }
}

} // namespace gpu_guarded_products_test
} // namespace swirl::planning
