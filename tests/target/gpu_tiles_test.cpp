#include "target/nvidia/tiles.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace swirl::target {
namespace gpu_tiles_test {

TEST(GpuTiles, HaveAllColumnsThatHopperHas) {
    std::set<std::string_view> names;
    for (const DataType type : {DataType::float16, DataType::bfloat16, DataType::float32})
        for (int columns = 8; columns <= 256; columns += 8) {
            const ir::WgmmaInstruction& entry = wgmma_of(type, columns);
            EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
            EXPECT_EQ(entry.columns, columns);
            EXPECT_EQ(entry.registers(), columns / 2);
            EXPECT_EQ(entry.operand_type, type);
            EXPECT_EQ(entry.k * bytes_of(type), 32);
            EXPECT_EQ(&entry, &wgmma_of(type, columns));
        }
    const ir::WgmmaInstruction& entry = wgmma_of(DataType::bfloat16, 256);
    EXPECT_EQ(entry.name, "tile_product_64x256x16_bf16");
    EXPECT_EQ(entry.text, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16");
    EXPECT_EQ(wgmma_of(DataType::float32, 8).text, "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32");
}

TEST(GpuTiles, HaveNoOthers) {
    for (const int columns : {0, -8, 4, 12, 264})
        EXPECT_THROW(wgmma_of(DataType::bfloat16, columns), InternalError);
    EXPECT_THROW(wgmma_of(DataType::float64, 8), InternalError);
}

} // namespace gpu_tiles_test
} // namespace swirl::target
