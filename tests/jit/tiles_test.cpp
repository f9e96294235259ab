#include "gemm/cpu/amx_pack.hpp"
#include "gemm/extremes.hpp"
#include "ir/builder.hpp"
#include "passes/pipeline.hpp"
#include "run.hpp"
#include "target/x86/amx_products.hpp"

#include <string_view>
#include <tuple>
#include <vector>

namespace swirl::jit::test {
namespace tiles_test {

using ir::Builder;
using ir::Value;

constexpr int sums = 256, factors = 512;

std::size_t times_in(std::string_view text, std::string_view expected) {
    std::size_t count = 0;
    for (std::size_t at = text.find(expected); at != text.npos; at = text.find(expected, at + 1)) ++count;
    return count;
}

/// Adds the products of some pairs of tiles, one after the other, to as many sums.
ir::Program wgmmas(int count) {
    Builder builder("tile_products");
    const ir::Buffer a = builder.input("a", DataType::bfloat16, Integer{factors} * count);
    const ir::Buffer c = builder.output("c", DataType::float32, Integer{sums} * count);
    std::vector<Value> products;
    for (int i = 0; i < count; ++i) {
        const Value factor = builder.load(a, Integer{factors} * i, {.lanes = factors});
        products.push_back(
            builder.instruction(target::x86::amx_bfloat16_product(),
                                {builder.constant({DataType::float32, sums}, 0), factor, factor}));
    }
    for (int i = 0; i < count; ++i)
        builder.store(c, Integer{sums} * i, products[static_cast<std::size_t>(i)], {.lanes = sums});
    return builder.finish();
}

std::string listing_of(const ir::Program& program) {
    return compile(program, target::avx512_cpu(), {.listing = true}).listing;
}

TEST(Tiles, AreLoadedMultipliedAndStoredByTheirInstructions) {
    const std::string listing = listing_of(wgmmas(3));
    EXPECT_EQ(times_in(listing, "tileloadd tmm"), 3U) << listing;
    EXPECT_EQ(times_in(listing, "tilezero tmm"), 3U) << listing;
    EXPECT_EQ(times_in(listing, "tdpbf16ps tmm"), 3U) << listing;
    EXPECT_EQ(times_in(listing, "tilestored ["), 3U) << listing;
}

TEST(Tiles, ByteTilesMultiplyWithTheirSignedness) {
    for (const auto& [a_is_signed, b_is_signed, name] : {std::tuple(false, false, "tdpbuud"),
                                                         {false, true, "tdpbusd"},
                                                         {true, false, "tdpbsud"},
                                                         {true, true, "tdpbssd"}}) {
        Builder builder("bytes");
        const ir::Buffer a = builder.input("a", DataType::int32, sums);
        const ir::Buffer c = builder.output("c", DataType::int32, sums);
        const Value factor = builder.load(a, 0, {.lanes = sums});
        const Value product = builder.instruction(target::x86::amx_byte_product(a_is_signed, b_is_signed),
                                                  {builder.load(c, 0, {.lanes = sums}), factor, factor});
        builder.store(c, 0, product, {.lanes = sums});
        EXPECT_EQ(times_in(listing_of(builder.finish()), name), 1U) << name;
    }
}

TEST(Tiles, MoreThanThereAreRegistersAreAnInternalError) {
    EXPECT_NO_THROW(listing_of(wgmmas(7)));
    EXPECT_THROW(listing_of(wgmmas(8)),
                 InternalError); // no tile is left for an operand beside eight accumulators
}

TEST(Tiles, RejectNoncontiguousAndNonzeroConstants) {
    const auto stored = [](auto&& make) {
        Builder builder("one");
        const ir::Buffer a = builder.input("a", DataType::float32, 2 * sums);
        const ir::Buffer c = builder.output("c", DataType::float32, sums);
        builder.store(c, 0, make(builder, a), {.lanes = sums});
        return listing_of(builder.finish());
    };
    EXPECT_NO_THROW(stored([](Builder& b, ir::Buffer a) { return b.load(a, 0, {.lanes = sums}); }));
    EXPECT_THROW(
        stored([](Builder& b, ir::Buffer a) { return b.load(a, 0, {.lanes = sums, .lane_stride = 2}); }),
        InternalError);
    EXPECT_THROW(
        stored([](Builder& b, ir::Buffer a) { return b.load(a, 0, {.lanes = sums, .active = 255}); }),
        InternalError);
    EXPECT_THROW(stored([](Builder& b, ir::Buffer) {
                     return b.constant({DataType::float32, sums}, 1);
                 }),
                 InternalError);
}

/// What suits tile registers is made by vectors of AVX-512.
class TilePanels : public testing::Test {
protected:
    void SetUp() override {
        if (!target::host_can_run(cpu)) GTEST_SKIP() << "this machine has no AVX-512";
    }
    const target::Cpu& cpu = target::avx512_cpu();
};

TEST_F(TilePanels, AreTheInterpretersBitByBit) {
    using gemm::Operand;
    using Source = gemm::Pack::Source;
    struct Layout {
        Source source;
        Integer k_stride, stride;
    };
    for (const Operand operand : {Operand::a, Operand::b})
        for (const Layout& layout :
             {Layout{Source::across_panel, 37, 1}, {Source::along_k, 1, 140}, {Source::neither, 2, 67}})
            for (const DataType from : {DataType::float32, DataType::bfloat16, DataType::uint8})
                for (const int count : {5, 32}) {
                    gemm::AmxPack pack{
                        .operand = operand, .from = from, .count = count, .source = layout.source};
                    pack.terms = from == DataType::float32 ? 3 : 1;
                    pack.is_scaled = from == DataType::float32 && count == 5;
                    pack.max_k = 133;
                    pack.max_stride = 140;
                    const Integer whole = pack.max_k / pack.k_group() * pack.k_group();
                    expect_same(passes::run_codegen_passes(gemm::amx_pack(pack), cpu), cpu,
                                {.parameters = {whole, pack.max_k, layout.k_stride, layout.stride},
                                 .integers = from == DataType::uint8,
                                 .print_on_failure = false});
                }
}

TEST_F(TilePanels, ExtremesAreTheInterpretersBitByBit) {
    for (const Integer length : {16, 63, 64, 131})
        expect_same(passes::run_codegen_passes(gemm::extremes(3, length, length + 5), cpu), cpu,
                    {.parameters = {3, length / 64 * 64, length, length + 5}});
}

} // namespace tiles_test
} // namespace swirl::jit::test
