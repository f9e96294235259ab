#include "ir/interpreter.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/amx/multiply.hpp"
#include "plan/gemm/cpu/code.hpp"
#include "plan/gemm/cpu/extras.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "plan/gemm/cpu/split_scale.hpp"
#include "runtime/cpu/tile_state.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace swirl::planning {
namespace amx_test {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(SplitScale, IsOneForModerateMagnitudes) {
    EXPECT_EQ(split_scale({1, 0x1p-24F}, {3, 0.5F}, 1000), SplitScale{});
    EXPECT_EQ(split_scale({1e15F, 1e-15F}, {1e15F, 1e-15F}, 4096), SplitScale{});
    EXPECT_EQ(split_scale({0, 0}, {1e38F, 1e-40F}, 10), SplitScale{}) << "zeros only";
}

TEST(SplitScale, MovesMagnitudesTowardsOne) {
    for (const float size : {1e-40F, 1e-36F, 1e36F, 3e38F}) {
        const auto scale = split_scale({size, size}, {1, 0.1F}, 100);
        ASSERT_TRUE(scale) << size;
        EXPECT_NEAR(std::ilogb(size) + scale->a, 0, 8) << size;
    }
    const auto both = split_scale({1e-30F, 1e-34F}, {1e30F, 1e25F}, 100);
    ASSERT_TRUE(both);
    EXPECT_GT(both->a, 0);
    EXPECT_LT(both->b, 0);
}

TEST(SplitScale, IsNoneForTooWideARangeOrInfinities) {
    EXPECT_FALSE(split_scale({3e38F, 1e-38F}, {3e38F, 1e-38F}, 10));
    EXPECT_FALSE(split_scale({infinity, 1}, {1, 1}, 10));
    EXPECT_FALSE(split_scale({1, 1}, {std::numeric_limits<float>::quiet_NaN(), 1}, 10));
}

TEST(Magnitudes, AreThoseOfTheMatrixAloneInEveryLayout) {
    if (!target::host_can_run(target::avx512_cpu())) GTEST_SKIP() << "looks with AVX-512";
    const Integer rows = 37, columns = 21;
    for (const MatrixLayout& layout : {MatrixLayout{1, 40}, MatrixLayout{25, 1}, MatrixLayout{2, 90},
                                       MatrixLayout{1, -40}, MatrixLayout{-25, 1}}) {
        std::vector<float> memory(8000, 1e30F); // beside the matrix
        float* const matrix = memory.data() + 4000;
        const auto at = [&](Integer i, Integer j) -> float& {
            return matrix[i * layout.row_stride + j * layout.column_stride];
        };
        for (Integer i = 0; i < rows; ++i)
            for (Integer j = 0; j < columns; ++j) at(i, j) = (i + j) % 5 == 0 ? 0 : 0.5F;
        at(rows - 1, columns - 1) = -9;
        at(3, 20) = 1e-41F;
        for (const int threads : {1, 3}) {
            const Magnitudes found = magnitudes_of(matrix, layout, rows, columns, threads);
            EXPECT_EQ(found.largest, 9);
            EXPECT_EQ(found.least, 1e-41F);
        }
        at(0, 0) = infinity;
        EXPECT_TRUE(std::isinf(magnitudes_of(matrix, layout, rows, columns, 1).largest));
    }
}

TEST(AmxKernels, OfEveryKindAreMadeOnAnyMachine) {
    const target::Cpu& host = target::host_cpu();
    if (host.set < target::InstructionSet::sse2 || host.emitted_only)
        GTEST_SKIP() << "generates no machine code";
    MatrixProduct product = MatrixProduct::row_major(DataType::float32, 75, 50, 70);
    product.epilogue = Expression("max(0, x + bias[j]) * scale[i, j]");
    AmxKernels with_epilogue(model_amx(6, {}), {}, MatrixEpilogue(product).code());
    product = MatrixProduct::column_major(DataType::int32, 75, 50, 70);
    product.a_type = product.b_type = DataType::int8;
    product.c_type = DataType::float32;
    product.epilogue = Expression("gelu(x * scale[j])");
    const gemm::AmxTypes bytes{DataType::int8, DataType::int8}, mixed{DataType::int8, DataType::uint8};
    AmxKernels of_bytes(model_amx(1, bytes), bytes, MatrixEpilogue(product).code());
    AmxKernels one(model_amx(1, {}), {}), three(model_amx(3, {}), {}), of_mixed(model_amx(1, mixed), mixed);
    for (AmxKernels* kernels : {&with_epilogue, &of_bytes, &one, &three, &of_mixed})
        for (const int rows : {7, 32}) {
            EXPECT_NE(kernels->tiles(rows, 20, gemm::Update::scale, 5), nullptr);
            const auto operand = rows == 7 ? gemm::Operand::a : gemm::Operand::b;
            const DataType from = kernels->types().are_bytes() ? DataType::uint8 : DataType::bfloat16;
            EXPECT_NE(kernels->pack(operand, from, gemm::Pack::Source::along_k, rows, false), nullptr);
        }
}

class AmxProducts : public testing::Test {
protected:
    void SetUp() override {
        if (!runtime::may_use_tiles()) GTEST_SKIP() << "this CPU has no tile registers";
    }

    static std::vector<float> sample(Integer count, float size) {
        std::mt19937 random(static_cast<unsigned>(count));
        std::uniform_real_distribution<float> uniform(-size, size);
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = uniform(random);
        return values;
    }

    /// Error of the product by this many bf16 split products, on values of this magnitude.
    static double error(MatrixProduct product, int products, float alpha, float beta, int threads,
                        float size = 1) {
        const std::vector<float> a = sample(product.rows * product.k, size);
        const std::vector<float> b = sample(product.k * product.columns, 1);
        const Integer stride = product.c.row_stride == 1 ? product.rows : product.columns;
        std::vector<float> c = sample(product.rows * product.columns, size);
        const std::vector<float> before = c;
        if (beta == 0) std::fill(c.begin(), c.end(), std::numeric_limits<float>::quiet_NaN());
        const MatrixExtras extras{.route = AmxRoute{.term_products = products}};
        multiply(product, {&alpha, a.data(), b.data(), &beta, c.data(), &extras}, model_code(product),
                 threads);
        double worst = 0;
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                double sum = 0, absolute = 0;
                for (Integer k = 0; k < product.k; ++k) {
                    const double term =
                        double{a[static_cast<std::size_t>(i * product.a.row_stride +
                                                          k * product.a.column_stride)]} *
                        b[static_cast<std::size_t>(k * product.b.row_stride + j * product.b.column_stride)];
                    sum += term;
                    absolute += std::fabs(term);
                }
                const auto at =
                    static_cast<std::size_t>(product.c.row_stride == 1 ? i + j * stride : i * stride + j);
                const double kept = double{beta} * before[at];
                const double error =
                    std::fabs(alpha * sum + kept - c[at]) / (std::fabs(alpha) * absolute + std::fabs(kept));
                if (!(error <= worst)) worst = error;
            }
        return worst;
    }
};

constexpr double ordinary = 0x1p-22, reduced = 0x1p-16, low = 0x1p-7;

TEST_F(AmxProducts, AreAccurateInEveryLayout) {
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{1, 1, 1}, {33, 31, 70}, {64, 96, 32}, {100, 45, 1100}, {270, 50, 40}}) {
        const MatrixProduct columns_first =
            MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
        MatrixProduct mixed = MatrixProduct::row_major(DataType::float32, rows, columns, k_extent);
        mixed.b = columns_first.b;
        for (const MatrixProduct& product :
             {columns_first, MatrixProduct::row_major(DataType::float32, rows, columns, k_extent), mixed})
            for (const auto& [alpha, beta] : {std::pair{1.0F, 0.0F}, {1.0F, 1.0F}, {-0.7F, 0.3F}}) {
                EXPECT_LE(error(product, 6, alpha, beta, 1), ordinary) << rows << ", " << columns;
                EXPECT_LE(error(product, 3, alpha, beta, 1), reduced) << rows << ", " << columns;
                EXPECT_LE(error(product, 1, alpha, beta, 1), low) << rows << ", " << columns;
            }
    }
}

TEST_F(AmxProducts, OfTinyAndHugeElementsAreAsAccurate) {
    const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 40, 50, 60);
    for (const float size : {1e-36F, 1e-30F, 1e30F, 1e35F})
        EXPECT_LE(error(product, 6, 1, 1, 1, size), ordinary) << size;
}

TEST_F(AmxProducts, PropagateInfinitiesAndNan) {
    const Integer n = 64;
    const MatrixProduct product = MatrixProduct::column_major(DataType::float32, n, n, n);
    std::vector<float> a = sample(n * n, 1), b = sample(n * n + 1, 1), c(a.size());
    a[5] = infinity;           // row 5
    a[7 + 3 * 64] = -infinity; // row 7
    b[64 * 9] = std::nanf(""); // column 9
    const float one = 1, zero = 0;
    const MatrixExtras extras{.route = AmxRoute{.term_products = 6}};
    multiply(product, {&one, a.data(), b.data(), &zero, c.data(), &extras}, model_code(product), 1);
    for (Integer j = 0; j < n; ++j)
        for (Integer i = 0; i < n; ++i) {
            const float value = c[static_cast<std::size_t>(i + j * n)];
            if (j == 9)
                EXPECT_TRUE(std::isnan(value));
            else if (i == 5 || i == 7)
                EXPECT_TRUE(std::isinf(value)) << i << ", " << j;
            else
                EXPECT_TRUE(std::isfinite(value)) << i << ", " << j;
        }
}

TEST_F(AmxProducts, HaveTheSameBitsForAnyThreadCount) {
    for (const Integer n : {300, 850}) { // the caches of two threads do not hold all panels of 850
        const Integer k = n == 300 ? 700 : 2100;
        const MatrixProduct product = MatrixProduct::column_major(DataType::float32, n, n, k);
        const std::vector<float> a = sample(n * k, 1), b = sample(k * n + 1, 1);
        const float one = 1, zero = 0;
        const MatrixExtras extras{.route = AmxRoute{.term_products = 6}};
        std::vector<float> first;
        for (const int threads : {1, 2, 5}) {
            std::vector<float> c(static_cast<std::size_t>(n * n));
            multiply(product, {&one, a.data(), b.data(), &zero, c.data(), &extras}, model_code(product),
                     threads);
            if (threads == 1) first = c;
            EXPECT_EQ(c, first) << n << " " << threads;
        }
    }
}

/// What `swirl explain` prints of them; compiling needs no tile registers.
TEST(AmxPrograms, AreATileAndThePackingOfBothOperands) {
    MatrixProduct of_floats = MatrixProduct::column_major(DataType::float32, 500, 20, 3000);
    MatrixProduct of_bytes = MatrixProduct::row_major(DataType::int32, 100, 100, 1000);
    of_bytes.a_type = of_bytes.b_type = DataType::int8;
    for (const MatrixProduct& product : {of_floats, canonical(of_bytes)}) {
        const gemm::AmxTypes types = gemm::AmxTypes::of(product);
        const AmxKernels kernels(model_amx(types.are_bytes() ? 1 : 6, types), types);
        const std::vector<ir::Program> programs = amx_programs(kernels, product, nullptr);
        ASSERT_EQ(programs.size(), 3U);
        EXPECT_TRUE(programs[1].name.ends_with("_a") && programs[2].name.ends_with("_b"));
        const target::Cpu& cpu = target::avx512_cpu();
        for (const ir::Program& program : programs)
            EXPECT_GT(jit::compile(passes::run_codegen_passes(program, cpu), cpu, {.listing = true})
                          .statistics.instructions,
                      0)
                << program.name;
        const auto code = jit::compile(passes::run_codegen_passes(programs[0], cpu), cpu, {.listing = true});
        EXPECT_NE(code.listing.find(types.are_bytes() ? "tdpb" : "tdpbf16ps"), std::string::npos);
    }
}

/// A bfloat16 of any size, now and then a subnormal one.
bfloat16 any_bfloat16(std::mt19937& random) {
    const float fraction = static_cast<float>(static_cast<int>(random() % 65536) - 32768) / 32768;
    const int exponent =
        random() % 50 == 0 ? -60 - static_cast<int>(random() % 70) : static_cast<int>(random() % 13) - 6;
    return bfloat16(std::ldexp(fraction, exponent));
}

TEST_F(AmxProducts, TilesAreTheInterpretersBitByBit) {
    for (const int products : {1, 3, 6}) {
        AmxKernels kernels(model_amx(products, {}), {});
        const int rows = 29, columns = 27;
        const Integer tiles = 2, groups = 2, stride = 70;
        const ir::Program program = gemm::amx_kernel({.product = kernels.product(),
                                                      .rows = rows,
                                                      .columns = columns,
                                                      .update = gemm::Update::scale,
                                                      .columns_at_once = gemm::columns_at_once(groups),
                                                      .k_groups_per_panel = kernels.k_groups_per_panel(),
                                                      .max_tiles = tiles,
                                                      .max_stride = stride});
        ir::Arguments arguments(program);
        std::mt19937 random(7);
        const auto in_panel = static_cast<std::size_t>(kernels.panel_bytes()) / sizeof(bfloat16);
        std::vector<bfloat16> a(in_panel * tiles), b(in_panel);
        std::vector<float> c(static_cast<std::size_t>(arguments["c"].elements()));
        const auto fill = [&](auto& sample, ir::Memory& memory) {
            for (std::size_t i = 0; i < sample.size(); ++i) {
                sample[i] = any_bfloat16(random);
                memory.set(static_cast<Integer>(i), static_cast<long double>(static_cast<float>(sample[i])));
            }
        };
        fill(a, arguments["a"]);
        fill(b, arguments["b"]);
        fill(c, arguments["c"]);
        std::array<float, 2> factors = {1.5F, -0.75F};
        for (const std::size_t i : {0U, 1U})
            arguments["alpha_beta"].set(static_cast<Integer>(i), static_cast<long double>(factors[i]));
        arguments.parameters = {tiles, groups, stride};
        ir::interpret(program, arguments);
        void* const buffers[] = {a.data(), b.data(), c.data(), factors.data()};
        const std::int64_t parameters[] = {tiles, groups, stride};
        {
            const runtime::TileState state;
            kernels.tiles(rows, columns, gemm::Update::scale, groups)(buffers, parameters);
        }
        for (std::size_t i = 0; i < c.size(); ++i)
            ASSERT_EQ(c[i], static_cast<float>(arguments["c"][static_cast<Integer>(i)])) << i;
    }
}

TEST_F(AmxProducts, EndWithEpilogues) {
    for (const bool by_rows : {false, true})
        for (const Integer k_extent : {70, 1100}) {
            const Integer rows = 75, columns = 50;
            MatrixProduct product =
                by_rows ? MatrixProduct::row_major(DataType::float32, rows, columns, k_extent)
                        : MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
            product.epilogue = Expression("max(0, x + bias[j]) * scale[i, j]");
            const std::vector<float> a = sample(rows * k_extent, 1), b = sample(k_extent * columns, 1);
            const std::vector<float> bias = sample(columns, 1), scale = sample(rows * columns, 1);
            std::vector<float> c(scale.size());
            MatrixEpilogue epilogue(product);
            epilogue.use(AmxKernels(model_amx(6, {}), {}));
            const std::vector<AuxiliaryArray> arrays = arrays_of(product);
            std::vector<const void*> pointers;
            for (const AuxiliaryArray& array : arrays)
                pointers.push_back(array.name == "bias" ? bias.data() : scale.data());
            const MatrixExtras extras{.epilogue = {&epilogue, pointers.data()},
                                      .route = AmxRoute{.term_products = 6}};
            const float one = 1, zero = 0;
            multiply(product, {&one, a.data(), b.data(), &zero, c.data(), &extras}, model_code(product), 2);
            for (Integer i = 0; i < rows; ++i)
                for (Integer j = 0; j < columns; ++j) {
                    double sum = 0;
                    for (Integer k = 0; k < k_extent; ++k)
                        sum += double{a[static_cast<std::size_t>(i * product.a.row_stride +
                                                                 k * product.a.column_stride)]} *
                               b[static_cast<std::size_t>(k * product.b.row_stride +
                                                          j * product.b.column_stride)];
                    const double expected = std::max(0.0, sum + bias[static_cast<std::size_t>(j)]) *
                                            scale[static_cast<std::size_t>(i * columns + j)];
                    EXPECT_NEAR(
                        c[static_cast<std::size_t>(i * product.c.row_stride + j * product.c.column_stride)],
                        expected, 1e-4)
                        << i << ", " << j;
                }
        }
}

TEST_F(AmxProducts, OfBytesEndAsFloats) {
    const Integer rows = 75, columns = 50, k_extent = 1100;
    MatrixProduct product = MatrixProduct::column_major(DataType::int32, rows, columns, k_extent);
    product.a_type = product.b_type = DataType::int8;
    product.c_type = DataType::float32;
    product.epilogue = Expression("x * 0.5 + bias[j]");
    std::vector<std::int8_t> a(static_cast<std::size_t>(rows * k_extent)),
        b(static_cast<std::size_t>(k_extent * columns));
    std::mt19937 random(2);
    for (auto* sample : {&a, &b})
        for (std::int8_t& x : *sample) x = static_cast<std::int8_t>(random());
    const std::vector<float> bias = sample(columns, 1);
    std::vector<float> c(static_cast<std::size_t>(rows * columns));
    MatrixEpilogue epilogue(product);
    const gemm::AmxTypes bytes{DataType::int8, DataType::int8};
    epilogue.use(AmxKernels(model_amx(1, bytes), bytes));
    const void* const pointers[] = {bias.data()};
    const MatrixExtras extras{.epilogue = {&epilogue, pointers}, .route = AmxRoute{.term_products = 1}};
    const std::int32_t one = 1, zero = 0;
    multiply(product, {&one, a.data(), b.data(), &zero, c.data(), &extras}, model_code(product), 2);
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j < columns; ++j) {
            std::int64_t sum = 0;
            for (Integer k = 0; k < k_extent; ++k)
                sum += std::int64_t{a[static_cast<std::size_t>(i + k * rows)]} *
                       b[static_cast<std::size_t>(k + j * k_extent)];
            EXPECT_FLOAT_EQ(c[static_cast<std::size_t>(i + j * rows)],
                            static_cast<float>(sum) * 0.5F + bias[static_cast<std::size_t>(j)]);
        }
}

template <class A, class B, class C> void expect_narrow_products() {
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{1, 1, 1}, {33, 31, 70}, {64, 96, 64}, {100, 45, 2100}})
        for (const bool by_rows : {false, true}) {
            MatrixProduct product =
                by_rows ? MatrixProduct::row_major(data_type_of<C>(), rows, columns, k_extent)
                        : MatrixProduct::column_major(data_type_of<C>(), rows, columns, k_extent);
            product.a_type = data_type_of<A>();
            product.b_type = data_type_of<B>();
            std::mt19937 random(4);
            std::vector<A> a(static_cast<std::size_t>(rows * k_extent));
            std::vector<B> b(static_cast<std::size_t>(k_extent * columns));
            for (A& x : a) x = A(static_cast<std::int8_t>(random()) / 2 + (std::is_unsigned_v<A> ? 99 : 0));
            for (B& x : b) x = B(static_cast<std::int8_t>(random()) / 2 + (std::is_unsigned_v<B> ? 99 : 0));
            std::vector<C> c(static_cast<std::size_t>(rows * columns), C(5));
            const C alpha(2), beta(3);
            const MatrixExtras extras{.route = AmxRoute{.term_products = 1}};
            multiply(product, {&alpha, a.data(), b.data(), &beta, c.data(), &extras}, model_code(product), 1);
            for (Integer i = 0; i < rows; ++i)
                for (Integer j = 0; j < columns; ++j) {
                    std::int64_t sum = 0; // small enough for float32
                    for (Integer k = 0; k < k_extent; ++k)
                        sum += static_cast<std::int64_t>(static_cast<float>(a[static_cast<std::size_t>(
                                   i * product.a.row_stride + k * product.a.column_stride)])) *
                               static_cast<std::int64_t>(static_cast<float>(b[static_cast<std::size_t>(
                                   k * product.b.row_stride + j * product.b.column_stride)]));
                    EXPECT_EQ(
                        c[static_cast<std::size_t>(i * product.c.row_stride + j * product.c.column_stride)],
                        static_cast<C>(2 * sum + 15))
                        << i << ", " << j;
                }
        }
}

TEST_F(AmxProducts, OfLowPrecisionAreExactWhereTheirSumsAre) {
    expect_narrow_products<bfloat16, bfloat16, float>();
    expect_narrow_products<std::int8_t, std::int8_t, std::int32_t>();
    expect_narrow_products<std::int8_t, std::uint8_t, std::int32_t>();
    expect_narrow_products<std::uint8_t, std::int8_t, std::int32_t>();
    expect_narrow_products<std::uint8_t, std::uint8_t, std::int32_t>();
}

} // namespace amx_test
} // namespace swirl::planning
