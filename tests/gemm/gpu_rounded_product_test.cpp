// Products by tiles of float32 numbers that are rounded on their way to shared memory.
#include "gemm/gpu_product.hpp"
#include "gemm/gpu_turn.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/rounding.hpp"
#include "ir/verify.hpp"
#include "reference.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace swirl::gemm::test {
namespace {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

GpuSchedule rounded_schedule(const std::string& more = {}) {
    return parse_gpu_schedule(
        "block_rows=64 block_columns=64 block_depth=32 warpgroups=1 stages=2 "
        "staged_rows=64 group=2 rounded=1 " +
        more);
}

MatrixProduct product_of(char a, char b, Integer rows, Integer columns, Integer depth) {
    const auto pitch = [](Integer extent) { return ceil_divide(extent, 4) * 4; };
    const auto layout = [&](char letter, Integer r, Integer c) {
        return letter == 'N' ? MatrixLayout{1, pitch(r)} : MatrixLayout{pitch(c), 1};
    };
    MatrixProduct product;
    product.number = Number::float32;
    product.rows = rows;
    product.columns = columns;
    product.depth = depth;
    product.a = layout(a, rows, depth);
    product.b = layout(b, depth, columns);
    product.c = {1, pitch(rows)};
    return product;
}

/// Quarters of small whole numbers, and a little more or less than them, which rounding takes away.
void fill(ir::Memory& memory, std::mt19937& random, long double little) {
    std::uniform_int_distribution<int> uniform(-8, 8), more(-1, 1);
    for (Integer i = 0; i < memory.elements(); ++i)
        memory.set(memory.first() + i, static_cast<long double>(uniform(random)) / 4 *
                                           (1 + static_cast<long double>(more(random)) * little));
}

struct Execution {
    bool reads_c = true;
    bool last_role_first = false;
};

/// All kernels of a product, one after the other; reports are the last one's.
struct Interpreted {
    Interpreted(const MatrixProduct& product, const GpuSchedule& schedule, const Execution& execution)
        : kernels(gpu_product(product, schedule, gpu())) {
        std::mt19937 random(7);
        for (const char* name : {"a", "b"}) fill(kernels.memory(name), random, 0x1p-13L);
        fill(kernels.memory("factors"), random, 0);
        if (execution.reads_c) fill(kernels.memory("c"), random, 0);
        before = kernels.memory("c");
        report = kernels.run({1, execution.reads_c ? 1 : 0}, {.last_role_first = execution.last_role_first});
    }

    support::KernelSequence kernels;
    std::optional<ir::Memory> before; ///< C
    ir::InterpreterReport report;
};

void expect_product(const MatrixProduct& product, const GpuSchedule& schedule, bool reads_c = true) {
    SCOPED_TRACE(to_string(schedule));
    for (const bool last_role_first : {false, true}) {
        Interpreted result(product, schedule, {reads_c, last_role_first});
        support::KernelSequence& kernels = result.kernels;
        expect_gaps_kept(product, *result.before, kernels.memory("c"));
        const Definition definition{
            product,
            kernels.memory("a"),
            kernels.memory("b"),
            kernels.memory("factors"),
            reads_c ? &*result.before : nullptr,
            true,
            [](long double number) {
                return static_cast<long double>(ir::round_to_tf32(static_cast<double>(number)));
            }};
        for (Integer matrix = 0; matrix < product.batch; ++matrix)
            for (Integer i = 0; i < product.rows; ++i)
                for (Integer j = 0; j < product.columns; ++j) {
                    ASSERT_EQ(element(kernels.memory("c"), product.c, matrix, i, j),
                              definition.at(matrix, i, j))
                        << matrix << ", " << i << ", " << j;
                }
    }
}

TEST(GpuRoundedProduct, IsThatOfRoundedNumbersForEveryTransposition) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) expect_product(product_of(a, b, 128, 64, 96), rounded_schedule());
}

TEST(GpuRoundedProduct, HasEdgesAnywhere) {
    for (const auto& [rows, columns, depth] :
         {std::array{1, 1, 1}, {65, 130, 8}, {127, 63, 70}, {200, 3, 129}})
        for (const char b : {'N', 'T'}) {
            expect_product(product_of('N', b, rows, columns, depth), rounded_schedule());
            expect_product(product_of('T', b, rows, columns, depth), rounded_schedule());
        }
}

TEST(GpuRoundedProduct, WarpgroupsShareRowsOfFragments) {
    for (const char* more :
         {"block_rows=128", "block_rows=128 warpgroups=2", "block_rows=192 warpgroups=3 staged_rows=96",
          "block_rows=256 warpgroups=2 staged_rows=32", "block_rows=256 block_columns=32",
          "block_rows=128 staged_rows=32 block_columns=96 block_depth=64"})
        expect_product(product_of('N', 'N', 300, 70, 100), rounded_schedule(more));
}

TEST(GpuRoundedProduct, BlocksOfAClusterLoadTogether) {
    expect_product(product_of('N', 'N', 300, 300, 40),
                   rounded_schedule("cluster_rows=2 block_columns=128 staged_rows=32"));
    expect_product(product_of('N', 'T', 300, 300, 40), rounded_schedule("cluster_columns=2 block_rows=128"));
}

TEST(GpuRoundedProduct, AddsRunsAndDoesNotReadC) {
    expect_product(product_of('N', 'N', 70, 66, 200), rounded_schedule("run=2"));
    expect_product(product_of('N', 'N', 70, 66, 70), rounded_schedule(), false);
}

TEST(GpuRoundedProduct, OfABatchAndOfRows) {
    MatrixProduct product = product_of('N', 'T', 64, 40, 72);
    product.batch = 3;
    product.a.batch_stride = 64 * 72;
    product.b.batch_stride = 40 * 72;
    product.c.batch_stride = 64 * 40;
    expect_product(product, rounded_schedule());
    product.b.batch_stride = 0;
    expect_product(product, rounded_schedule());
    MatrixProduct by_rows = product_of('T', 'N', 64, 40, 72);
    by_rows.c = {40, 1};
    expect_product(by_rows, rounded_schedule());
}

TEST(GpuRoundedProduct, AKernelBringsAAlongTheDepth) {
    const std::string turned = "a_along_depth=1";
    for (const char b : {'N', 'T'}) {
        expect_product(product_of('N', b, 127, 63, 70), rounded_schedule(turned));
        expect_product(product_of('T', b, 65, 130, 8), rounded_schedule(turned));
    }
    expect_product(product_of('N', 'N', 200, 130, 72),
                   rounded_schedule(turned + " block_columns=128 warpgroups=2 cluster_rows=2 run=2"), false);
    MatrixProduct batch = product_of('N', 'N', 64, 40, 72);
    batch.batch = 3;
    batch.a.batch_stride = 64 * 72;
    batch.b.batch_stride = 40 * 72;
    batch.c.batch_stride = 64 * 40;
    expect_product(batch, rounded_schedule(turned));
    batch.a.batch_stride = 0;
    expect_product(batch, rounded_schedule(turned));
    MatrixProduct odd = product_of('N', 'N', 60, 40, 33);
    odd.a.column_stride = 61;
    expect_product(odd, rounded_schedule(turned));
    MatrixProduct by_rows = product_of('N', 'T', 64, 40, 72);
    by_rows.c = {40, 1};
    expect_product(by_rows, rounded_schedule(turned));
}

TEST(GpuRoundedProduct, TurnsOnlyWhatLiesAcross) {
    const auto kernels = [](char a, char b, const char* more = "") {
        return gpu_product(product_of(a, b, 64, 64, 64), rounded_schedule(more), gpu()).size();
    };
    EXPECT_EQ(kernels('N', 'N', "a_along_depth=1"), 2);
    EXPECT_EQ(kernels('T', 'N', "a_along_depth=1"), 1);
    EXPECT_EQ(kernels('N', 'T', "a_along_depth=1"), 3);
    EXPECT_EQ(kernels('N', 'N'), 1);
    EXPECT_EQ(kernels('T', 'N'), 1);
    EXPECT_EQ(kernels('N', 'T'), 2);
    EXPECT_EQ(kernels('T', 'T'), 2);
}

/// Pairs of 32 threads take two wavefronts, that is 256 bytes.
TEST(GpuRoundedProduct, HasNoBankConflicts) {
    for (const char* more : {"", "block_rows=128", "block_rows=128 warpgroups=2"}) {
        const Interpreted result(product_of('N', 'N', 128, 64, 64), rounded_schedule(more), {});
        EXPECT_EQ(result.report.bank_conflict_cycles(), 0) << more;
    }
    const Interpreted turned(product_of('N', 'T', 64, 64, 64), rounded_schedule(), {});
    EXPECT_EQ(turned.report.bank_conflict_cycles(), 0);
}

TEST(GpuRoundedProduct, ObjectsToWhatCannotBe) {
    const auto why = [](const MatrixProduct& product, const std::string& more) {
        return objection(rounded_schedule(more), product, gpu()).value_or("nothing");
    };
    const MatrixProduct product = product_of('N', 'N', 128, 128, 128);
    EXPECT_EQ(why(product, ""), "nothing");
    for (const auto& [more, word] : {std::pair{"rounded=2", "rounded is 2"},
                                     {"terms=2", "rounded"},
                                     {"rounded=0", "factors are float32"},
                                     {"a_along_depth=2", "a_along_depth is 2"},
                                     {"terms=2 rounded=0 a_along_depth=1", "a_along_depth is 1"},
                                     {"block_rows=192", "block_rows"},
                                     {"block_columns=36", "block_columns"},
                                     {"block_rows=256 block_columns=16 staged_rows=32", "staged_rows"},
                                     {"block_depth=16", "block_depth"}})
        EXPECT_NE(why(product, more).find(word), std::string::npos) << more << ": " << why(product, more);
    MatrixProduct odd = product;
    odd.a.column_stride = 129;
    EXPECT_NE(why(odd, "").find("A"), std::string::npos) << why(odd, "");
    EXPECT_EQ(why(odd, "a_along_depth=1"), "nothing") << "a kernel of threads reads it";
    MatrixProduct any = product_of('N', 'T', 128, 128, 128);
    any.b.row_stride = 129;
    EXPECT_EQ(why(any, ""), "nothing") << "a kernel of threads reads it";
    MatrixProduct halves = product;
    halves.a_number = halves.b_number = Number::bfloat16;
    EXPECT_NE(why(halves, "block_depth=64").find("bfloat16"), std::string::npos);
}

TEST(GpuSchedules, SayWhoMultipliesWhat) {
    const auto words = [](const MatrixProduct& product, const char* schedule) {
        return arithmetic_of(parse_gpu_schedule(schedule), product);
    };
    const MatrixProduct product = product_of('N', 'N', 128, 128, 128);
    MatrixProduct halves = product;
    halves.a_number = halves.b_number = Number::float16;
    EXPECT_EQ(words(product, ""), "threads multiply float32");
    EXPECT_EQ(words(halves, ""), "threads multiply float16, which becomes float32 before");
    EXPECT_EQ(words(halves, "warp_depth=16"), "tensor cores multiply float16 with sums of float32");
    EXPECT_EQ(words(halves, "warpgroups=2"), "tensor cores multiply float16 with sums of float32");
    EXPECT_EQ(words(product, "warpgroups=2 terms=3"),
              "tensor cores multiply 3 bfloat16 terms of each float32");
    EXPECT_EQ(words(product, "warpgroups=2 terms=3 guarded=1"),
              "tensor cores multiply 3 bfloat16 terms of each float32; threads, where numbers are out of "
              "their range");
    EXPECT_EQ(words(product, "warpgroups=2 rounded=1"),
              "tensor cores multiply float32 rounded to 11 significant bits");
}

TEST(GpuRoundedProduct, HasElevenBits) {
    const MatrixProduct product = product_of('N', 'N', 128, 128, 128);
    EXPECT_EQ(accuracy_of(rounded_schedule(), product), Accuracy::eleven_bits);
    EXPECT_EQ(parse_gpu_schedule(to_string(rounded_schedule())), rounded_schedule());
}

} // namespace
} // namespace swirl::gemm::test
