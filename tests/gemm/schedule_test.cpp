#include "gemm/cpu/schedule.hpp"

#include "base/error.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace swirl::gemm {
namespace schedule_test {

const DataType types[] = {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128};

MatrixProduct square(DataType data_type) { return MatrixProduct::column_major(data_type, 600, 600, 600); }

TEST(CpuGemm, ComesBackFromItsText) {
    const target::Cpu& cpu = target::avx512_cpu();
    const BlockedGemm blocked{
        .tile = {8, 3, 8}, .unroll = 4, .mc = 120, .kc = 512, .nc = 2048, .prefetch_a = 8};
    BlockedGemm plain = blocked;
    plain.prefetch_c = plain.prefetch_next = plain.rows_innermost = false;
    plain.prefetch_a = 0;
    const UnpackedGemm unpacked{
        .tile = {4, 2, 6}, .unroll = 8, .kc = 64, .rows_outermost = true, .prefetch_c = true};
    UnpackedGemm along_columns = unpacked;
    along_columns.along_columns = true;
    const std::pair<CpuGemm, const char*> all[] = {
        {{blocked}, "blocked mr=24 nr=8 unroll=4 mc=120 kc=512 nc=2048 loop=rows prefetch=c,next,a8"},
        {{plain}, "blocked mr=24 nr=8 unroll=4 mc=120 kc=512 nc=2048 loop=columns prefetch=none"},
        {{DotGemm{.rows = 4, .columns = 2, .lanes = 4, .chains = 1, .unroll = 2, .kc = 64}},
         "dot mr=4 nr=2 lanes=4 chains=1 unroll=2 kc=64 loop=columns"},
        {{unpacked}, "unpacked mr=8 nr=6 lanes=4 unroll=8 kc=64 loop=rows prefetch=c"},
        {{along_columns}, "unpacked mr=8 nr=6 lanes=4 unroll=8 kc=64 loop=rows prefetch=c along=columns"},
    };
    for (const auto& [schedule, text] : all) {
        EXPECT_EQ(to_string(schedule), text);
        EXPECT_EQ(parse_cpu_gemm(text, cpu, square(DataType::float64)), schedule) << text;
    }
    const AmxGemm amx{.term_products = 6,
                      .mc = 256,
                      .kc = 512,
                      .nc = 4096,
                      .fallback = BlockedGemm{.tile = {16, 3, 8}, .mc = 96, .kc = 256, .nc = 64}};
    const CpuGemm schedule{amx};
    EXPECT_EQ(to_string(schedule),
              "amx products=6 mc=256 kc=512 nc=4096 fallback mr=48 nr=8 unroll=4 mc=96 "
              "kc=256 nc=64 loop=rows prefetch=c,next");
    EXPECT_EQ(parse_cpu_gemm(to_string(schedule), cpu, square(DataType::float32)), schedule);
    MatrixProduct empty = square(DataType::float32);
    empty.k = 0;
    EXPECT_EQ(parse_cpu_gemm("empty", cpu, empty), CpuGemm{});
    const CpuGemm builtin{BuiltinGemm{}};
    EXPECT_EQ(to_string(builtin), "builtin");
    EXPECT_EQ(parse_cpu_gemm("builtin", target::portable_cpu(), square(DataType::float64)), builtin);
}

TEST(CpuGemm, ParametersComeInAnyOrder) {
    EXPECT_EQ(
        to_string(parse_cpu_gemm("  blocked prefetch=c nc=64 mr=8  nr=6 kc=100 mc=16 loop=rows unroll=2",
                                 target::avx2_cpu(), square(DataType::float64))),
        "blocked mr=8 nr=6 unroll=2 mc=16 kc=100 nc=64 loop=rows prefetch=c");
}

TEST(CpuGemm, ErrorsNameTheParameterItsValueAndWhatWorks) {
    const std::string rest = " unroll=4 mc=64 kc=64 nc=64 loop=rows prefetch=c";
    const std::pair<std::string, const char*> all[] = {
        {"", "unknown kind of kernel ''; use blocked, unpacked"},
        {"packed mr=8", "unknown kind of kernel 'packed'"},
        {"blocked mr=24", "'nr' is missing; add nr="},
        {"blocked mr=24 nr=8" + rest + " depth=3", "unknown parameter 'depth'; use mr, nr, unroll"},
        {"blocked mr=24 mr=24 nr=8" + rest, "'mr' is given twice"},
        {"blocked mr=24 nr" + rest, "'nr' is not of the form name=value"},
        {"blocked mr=23 nr=8" + rest, "mr is 23; use a multiple of 8"},
        {"blocked mr=0 nr=8" + rest, "mr is '0'; use an integer from 1"},
        {"blocked mr=64 nr=8" + rest,
         "more accumulators than the 32 registers of avx512; use a smaller mr or nr"},
        {"blocked mr=24 nr=8 unroll=4 mc=64 kc=99999 nc=64 loop=rows prefetch=c", "kc is '99999'"},
        {"blocked mr=24 nr=8 unroll=4 mc=64 kc=64 nc=99999999999999999999 loop=rows prefetch=c",
         "nc is '999"},
        {"blocked mr=24 nr=8 unroll=4 mc=64 kc=64 nc=64 loop=out prefetch=c",
         "loop is 'out'; use rows or columns"},
        {"blocked mr=24 nr=8 unroll=4 mc=64 kc=64 nc=64 loop=rows prefetch=d",
         "prefetch is 'd'; use none, or some of c, next and a followed by a distance"},
        {"unpacked mr=9 nr=6 lanes=3 unroll=8 kc=64 loop=rows prefetch=c", "lanes is 3; use a power of two"},
        {"amx products=1 mc=1 kc=64 nc=1", "tile registers multiply float32, bfloat16 and bytes"},
        {"builtin", "use 'portable: builtin'"},
        {"empty", "it is for problems with an extent of zero"}};
    for (const auto& [text, said] : all) {
        const std::string error = error_of<UserError>(
            [&, text = text] { parse_cpu_gemm(text, target::avx512_cpu(), square(DataType::float64)); });
        EXPECT_NE(error.find(said), std::string::npos) << text << "\n" << error;
    }
    EXPECT_NE(error_of<UserError>([&] {
                  parse_cpu_gemm("blocked mr=24 nr=8" + rest, target::portable_cpu(),
                                 square(DataType::float64));
              }).find("portable runs no generated code; use builtin"),
              std::string::npos);
    MatrixProduct bytes = square(DataType::int32);
    bytes.a_type = bytes.b_type = DataType::int8;
    EXPECT_NE(error_of<UserError>([&] {
                  parse_cpu_gemm("blocked mr=8 nr=6" + rest, target::avx2_cpu(), bytes);
              }).find("nr is 6; for int8 and int8 use 1, 2, 4 or 8"),
              std::string::npos);
}

TEST(ModelSchedule, FitsTheRegistersAndTheCachesOfEveryCpu) {
    for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()})
        for (const DataType data_type : types) {
            const BlockedGemm schedule = model_schedule(data_type, *cpu);
            SCOPED_TRACE(to_string(schedule));
            EXPECT_TRUE(fits_registers(OperandTypes::all(data_type), schedule.tile, *cpu));
            EXPECT_EQ(schedule.tile.lanes, target::lanes(*cpu, scalar_of(data_type)));
            EXPECT_EQ(schedule.mc % schedule.tile.rows(), 0);
            EXPECT_EQ(schedule.nc % schedule.tile.columns, 0);
            EXPECT_EQ(schedule.kc % schedule.unroll, 0);
            EXPECT_LE(schedule.mc * schedule.kc * bytes_of(data_type), cpu->cache_bytes);
            EXPECT_EQ(model_schedule_of(OperandTypes::all(data_type), schedule.tile, *cpu), schedule);
        }
}

TEST(ModelSchedule, HasTheTileOfTheFewestCyclesThatFits) {
    const target::Cpu& cpu = target::avx512_cpu();
    for (const DataType data_type : types) {
        const Tile best = model_schedule(data_type, cpu).tile;
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (int columns = 1; columns <= 16; ++columns) {
                const Tile tile{best.lanes, vectors, columns};
                if (fits_registers(OperandTypes::all(data_type), tile, cpu)) {
                    EXPECT_LE(cycles_per_k(OperandTypes::all(data_type), best, cpu),
                              cycles_per_k(OperandTypes::all(data_type), tile, cpu));
                }
            }
    }
    EXPECT_FALSE(fits_registers(OperandTypes::all(DataType::float64), {8, 4, 8}, cpu));
    EXPECT_GT(cycles_per_k(OperandTypes::all(DataType::float64), {8, 1, 1}, cpu), 3)
        << "one chain waits for itself";
}

TEST(BlocksOfAProduct, AreBalancedAndConsistOfWholeTiles) {
    const BlockedGemm schedule{.tile = {8, 3, 8}, .mc = 120, .kc = 512, .nc = 2048};
    EXPECT_EQ(blocks_of(schedule, 1000, 1000, 1000, 500), (BlockSizes{.mc = 120, .kc = 500, .nc = 1000}));
    EXPECT_EQ(blocks_of(schedule, 130, 100, 3000, 512), (BlockSizes{.mc = 72, .kc = 100, .nc = 1504}));
    EXPECT_EQ(blocks_of(schedule, 1000, 1024, 1000, 1024).mc, 72) << "deeper blocks have fewer rows";
}

} // namespace schedule_test
} // namespace swirl::gemm
