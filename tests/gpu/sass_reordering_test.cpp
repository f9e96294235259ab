// Main loops in another order on a real GPU: the same bits as the compiled ones, at each of many executions.

#include <swirl/swirl.hpp>

#include "support/first_gpu.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace swirl {
namespace sass_reordering_test {

class SassMainLoopsOnGpu : public support::FirstGpu {
protected:
    static std::vector<float> random(std::size_t count, std::uint32_t seed) {
        std::mt19937 engine(seed);
        std::uniform_real_distribution<float> value(-1, 1);
        std::vector<float> result(count);
        for (float& each : result) each = value(engine);
        return result;
    }

    static Plan plan(const MatrixProduct& product, const std::string& schedule, int reorder_sass) {
        return swirl::plan(product, {.device = Device::gpu(),
                                     .schedule = schedule + " reorder_sass=" + std::to_string(reorder_sass),
                                     .check = false,
                                     .use_wisdom = false,
                                     .use_kernel_cache = false});
    }

    /// Columns next to each other of C, of A and of B where they are not transposed.
    static MatrixProduct product_of(Integer n, bool transposed_a, bool transposed_b) {
        MatrixProduct product;
        product.data_type = DataType::float32;
        product.rows = product.columns = product.k = n;
        product.a = transposed_a ? MatrixLayout{n, 1} : MatrixLayout{1, n};
        product.b = transposed_b ? MatrixLayout{n, 1} : MatrixLayout{1, n};
        product.c = {1, n};
        return product;
    }
};

TEST_F(SassMainLoopsOnGpu, HaveTheBitsOfCompiledOnes) {
    constexpr Integer n = 1024;
    constexpr int executions = 100;
    const gpu::Array<float> a(random(n * n, 1)), b(random(n * n, 2));
    for (const bool transposed_a : {false, true})
        for (const bool transposed_b : {false, true}) {
            const MatrixProduct product = product_of(n, transposed_a, transposed_b);
            const std::string schedule = std::string(
                                             "sm_90: cta_m=256 cta_n=128 cta_k=16 thread_m=16 thread_n=8 "
                                             "warp_lanes_m=8 warp_lanes_n=4 stages=4 c_vector_m=4") +
                                         (transposed_a ? "" : " a_vector_m=4") +
                                         (transposed_b ? " b_vector_n=4" : "");
            std::vector<float> expected(n * n), found(n * n);
            const gpu::Array<float> c(std::vector<float>(n * n, 0));
            plan(product, schedule, 0).execute(1, a.data(), b.data(), 0, c.data());
            c.copy_to(expected);
            const Plan other = plan(product, schedule, 1);
            int different = 0;
            for (int k = 0; k < executions; ++k) {
                other.execute(1, a.data(), b.data(), 0, c.data());
                c.copy_to(found);
                different += found != expected ? 1 : 0;
            }
            EXPECT_EQ(different, 0) << schedule;
        }
}

} // namespace sass_reordering_test
} // namespace swirl
