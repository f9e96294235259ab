#include "gemm/cpu/small_gemm.hpp"
#include "problem/matrix_product.hpp"

#include "small_product.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace small_gemm_test {

TEST(SmallGemm, IsTheProductForEveryLayoutUpdateAndRemainder) {
    unsigned seed = 0;
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type :
             {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128})
            for (int trial = 0; trial < 16; ++trial) {
                ++seed;
                std::mt19937 random(seed);
                const auto up_to = [&](unsigned n) { return static_cast<Integer>(1 + random() % n); };
                MatrixProduct product{
                    .data_type = data_type, .rows = up_to(40), .columns = up_to(20), .k = up_to(30)};
                const bool conjugates = is_complex(data_type);
                product.a = layout(product.rows, product.k, seed, conjugates && seed % 3 == 0);
                product.b = layout(product.k, product.columns, seed / 4, conjugates && seed % 5 < 2);
                product.c = {.row_stride = 1, .column_stride = product.rows + seed % 2};
                SmallGemm small = model_small_gemm(product, static_cast<Update>(seed % 3), seed % 4 != 0,
                                                   std::min<Integer>(product.k, 8 + seed % 20), *cpu);
                auto& schedule = std::get<UnpackedGemm>(small.schedule);
                schedule.rows_outermost = seed % 2 == 0;
                schedule.prefetch_a = schedule.prefetch_c = seed % 3 == 1;
                schedule.unroll = 1 + static_cast<int>(seed % 9);
                expect_product(small, seed);
            }
}

TEST(SmallGemm, LanesAlongColumnsComputeTheSameProduct) {
    unsigned seed = 0;
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type : {DataType::float32, DataType::float64})
            for (int trial = 0; trial < 16; ++trial) {
                ++seed;
                std::mt19937 random(seed);
                const auto up_to = [&](unsigned n) { return static_cast<Integer>(1 + random() % n); };
                MatrixProduct product{
                    .data_type = data_type, .rows = up_to(12), .columns = up_to(40), .k = up_to(30)};
                product.a = layout(product.rows, product.k, seed, false);
                product.b = layout(product.k, product.columns, seed / 4, false);
                product.c = {.row_stride = 1, .column_stride = product.rows + seed % 2};
                const MatrixProduct across = transposed(product);
                const std::vector<Tile> tiles = unpacked_tiles(across, *cpu);
                ASSERT_FALSE(tiles.empty());
                UnpackedGemm schedule = unpacked_with(across, std::min<Integer>(product.k, 8 + seed % 20),
                                                      *cpu, tiles[random() % tiles.size()], seed % 2 == 0);
                schedule.along_columns = true;
                schedule.prefetch_c = seed % 3 == 1;
                expect_product({.product = product,
                                .update = static_cast<Update>(seed % 3),
                                .alpha_is_one = seed % 4 != 0,
                                .schedule = schedule},
                               seed);
            }
}

TEST(SmallGemm, TilesFitTheRegisters) {
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type :
             {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128})
            for (Integer extent = 1; extent <= 128; extent += 3) {
                const MatrixProduct product{
                    .data_type = data_type, .rows = extent, .columns = extent, .k = extent};
                const SmallGemm small = model_small_gemm(product, Update::overwrite, true, extent, *cpu);
                const Tile tile = std::get<UnpackedGemm>(small.schedule).tile;
                const int components = scalars_in(data_type);
                EXPECT_LT(components * tile.vectors * (tile.columns + 1), cpu->vector_registers)
                    << cpu->name << " " << extent;
            }
}

} // namespace small_gemm_test
} // namespace swirl::gemm::test
