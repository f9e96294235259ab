#include "gemm/gpu/model/mma_shapes.hpp"

#include "gemm/gpu/model/model.hpp"
#include "target/gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace swirl::gemm::test {
namespace mma_shapes_test {

MatrixProduct square(Integer n, DataType data_type, DataType operand_type) {
    MatrixProduct product;
    product.data_type = data_type;
    if (operand_type != data_type) product.a_type = product.b_type = operand_type;
    product.rows = product.columns = product.k = n;
    product.a = product.b = product.c = {1, n};
    return product;
}

TEST(MmaShapes, DivideTilesAmongWholeWarps) {
    for (const MatrixProduct& product :
         {square(768, DataType::float64, DataType::float64), square(40, DataType::float64, DataType::float64),
          square(768, DataType::float32, DataType::float16)}) {
        const std::vector<SimtGemm> shapes = mma_shapes(product);
        ASSERT_FALSE(shapes.empty());
        for (const SimtGemm& shape : shapes) {
            EXPECT_TRUE(shape.is_mma());
            EXPECT_EQ(shape.threads() % 32, 0);
            EXPECT_LE(shape.threads(), 256);
            EXPECT_EQ(shape.cta_tile.m % (8 * shape.thread_tile.m), 0);
            EXPECT_EQ(shape.cta_tile.n % (4 * shape.thread_tile.n), 0);
            EXPECT_LE(shape.cta_tile.m, product.rows);
            EXPECT_LE(shape.cta_tile.n, product.columns);
            EXPECT_EQ(std::count(shapes.begin(), shapes.end(), shape), 1);
        }
    }
}

/// Tiles between the powers of two: one wave of 128 blocks of 48 × 96 is faster than two waves of 144 of 64 × 64.
TEST(MmaShapes, FitTheMultiprocessors) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    const auto first =
        std::get<SimtGemm>(gpu_schedules(square(768, DataType::float64, DataType::float64), gpu, 1).front());
    ASSERT_TRUE(first.is_mma());
    const Integer blocks = ceil_divide(Integer{768}, Integer{first.cta_tile.m}) *
                           ceil_divide(Integer{768}, Integer{first.cta_tile.n}) * first.splits();
    EXPECT_LE(blocks, gpu.multiprocessors);
    EXPECT_GT(blocks, gpu.multiprocessors / 2);
}

} // namespace mma_shapes_test
} // namespace swirl::gemm::test
