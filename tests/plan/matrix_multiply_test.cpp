#include "plan/gemm/cpu/multiply.hpp"

#include "plan/gemm/cpu/blocks.hpp"
#include "plan/gemm/cpu/code.hpp"
#include "plan/gemm/cpu/shared_panels.hpp"
#include "plan/gemm/cpu/small_gemm_cache.hpp"
#include "plan/portable/gemm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <thread>
#include <vector>

namespace swirl::planning {
namespace matrix_multiply_test {

/// Random operands and C of a column-major float64 product.
struct Operands {
    explicit Operands(const MatrixProduct& product)
        : a(elements(product.rows * product.k)),
          b(elements(product.k * product.columns)),
          c(static_cast<std::size_t>(product.rows * product.columns)) {}

    static std::vector<double> elements(Integer count) {
        std::mt19937 random(static_cast<unsigned>(count));
        std::uniform_real_distribution<double> uniform(-1, 1);
        std::vector<double> values(static_cast<std::size_t>(count));
        for (double& value : values) value = uniform(random);
        return values;
    }
    void multiply_by(const MatrixProduct& product, double alpha, double beta, int threads = 1) {
        multiply(product, {&alpha, a.data(), b.data(), &beta, c.data()}, model_code(product), threads);
    }

    std::vector<double> a, b, c;
};

TEST(MatrixMultiply, SpecializedKernelsKeepTheBits) {
    for (const auto& [rows, columns, k] :
         {std::array<Integer, 3>{9, 7, 5}, {40, 40, 40}, {24, 300, 700}, {700, 12, 900}})
        for (const double alpha : {1.0, -0.7})
            for (const double beta : {0.0, 1.0, 0.3}) {
                const MatrixProduct product =
                    MatrixProduct::column_major(DataType::float64, rows, columns, k);
                Operands operands(product);
                const std::vector<double> before = Operands::elements(rows * columns);
                std::vector<double> first;
                for (int call = 0; call < 70; ++call) {
                    operands.c = before;
                    operands.multiply_by(product, alpha, beta, 1 + call % 2);
                    if (call == 0) first = operands.c;
                    ASSERT_EQ(operands.c, first) << "call " << call << " of " << rows;
                }
            }
}

TEST(MatrixMultiply, KernelsAreFoundOnceTheyPay) {
    SmallGemmCache products;
    const MatrixProduct small = MatrixProduct::column_major(DataType::float64, 6, 6, 6);
    const MatrixProduct other = MatrixProduct::column_major(DataType::float64, 6, 6, 7);
    const auto find = [&](const MatrixProduct& product) {
        return products.find(*SmallKey::of(product, gemm::Update::overwrite, true, product.k));
    };
    int calls = 0;
    while (find(small) == nullptr) ASSERT_LT(++calls, 100);
    EXPECT_GT(calls, 3);
    EXPECT_EQ(find(small), find(small));
    EXPECT_EQ(find(other), nullptr);
    EXPECT_EQ(products.find(*SmallKey::of(small, gemm::Update::add, true, small.k)), nullptr);
    const Integer most = SmallKey::most_extent;
    const MatrixProduct largest = MatrixProduct::column_major(DataType::complex128, most, most, most);
    EXPECT_TRUE(gemm::suits_small_gemm(largest));
    EXPECT_EQ(gemm::small_kc(largest, target::host_cpu()), most);
    EXPECT_EQ(threads_worthwhile(largest, 8), 1);
    MatrixProduct scattered = small;
    scattered.a = {.row_stride = 2, .column_stride = 20};
    EXPECT_EQ(SmallKey::of(scattered, gemm::Update::overwrite, true, 6), std::nullopt);
}

TEST(MatrixMultiply, ThreadsThatAskAtOnceGetTheSame) {
    const MatrixProduct product = MatrixProduct::column_major(DataType::float64, 17, 13, 11);
    Operands expected(product);
    expected.multiply_by(product, 1, 0);
    std::vector<std::thread> threads;
    std::vector<int> differences(4);
    for (int& different : differences)
        threads.emplace_back([&] {
            Operands operands(product);
            for (int call = 0; call < 300; ++call) {
                operands.multiply_by(product, 1, 0);
                different += operands.c == expected.c ? 0 : 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(differences, std::vector<int>(4, 0));
}

/// As many k blocks as the members' caches hold are packed at a time.
TEST(MatrixMultiply, TeamsKeepTheBitsInSeveralRounds) {
    if (needs_portable_gemm()) GTEST_SKIP() << "generated code cannot run here";
    const target::Cpu& cpu = target::host_cpu();
    const Integer n =
        3 * cpu.cache_bytes / 8192; // of two members the caches hold one block of 1024 k indices, not two
    const MatrixProduct product = MatrixProduct::column_major(DataType::float64, n, n / 2, 2500);
    gemm::BlockedGemm schedule = gemm::model_schedule(DataType::float64, cpu);
    schedule.kc = 1024;
    const MatrixCode code = code_by_blocks(gemm::OperandTypes::all(DataType::float64), schedule, cpu);
    const auto shape = [&](MatrixKernels::Operand operand) {
        return panel_shape(*code.blocks, operand, kc_of(product, code), product.k);
    };
    const PanelShape a = shape(MatrixKernels::Operand::a), b = shape(MatrixKernels::Operand::b);
    EXPECT_EQ(k_blocks_at_once(product, a, b, 2, false, cpu), 1);
    EXPECT_EQ(k_blocks_at_once(product, a, b, 2, true, cpu), 0);
    EXPECT_EQ(k_blocks_at_once(product, a, b, 64, true, cpu), 3);
    Operands operands(product);
    const std::vector<double> before = Operands::elements(product.rows * product.columns);
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
        operands.c = before;
        const double alpha = 0.7, beta = -1.5;
        multiply(product, {&alpha, operands.a.data(), operands.b.data(), &beta, operands.c.data()}, code,
                 threads);
        if (threads == 1) first = operands.c;
        EXPECT_EQ(operands.c, first) << threads;
    }
}

TEST(MatrixMultiply, CTouchesNothingBetweenItsColumns) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float64, 50, 41, 260);
    product.c.column_stride = 53;
    Operands operands(product);
    operands.c.assign(static_cast<std::size_t>(53 * 41), 7);
    operands.multiply_by(product, 1, 0);
    for (std::size_t column = 0; column < 41; ++column)
        for (std::size_t row = 50; row < 53; ++row) EXPECT_EQ(operands.c[column * 53 + row], 7);
}

TEST(MultiplyBlocks, NoScheduleChangesBitsWhereBlocksAreAsDeep) {
    if (needs_portable_gemm()) GTEST_SKIP() << "generated code cannot run here";
    const MatrixProduct product = MatrixProduct::column_major(DataType::float64, 71, 53, 90);
    const gemm::BlockedGemm model = gemm::model_schedule(DataType::float64, target::host_cpu());
    std::vector<gemm::BlockedGemm> schedules(6, model);
    schedules[1].rows_innermost = false;
    schedules[1].mc = 2 * model.tile.rows();
    schedules[2].prefetch_a = 4;
    schedules[2].prefetch_c = schedules[2].prefetch_next = false;
    schedules[3].tile = {model.tile.lanes, 1, 5};
    schedules[3].nc = 20;
    schedules[4].tile = {model.tile.lanes, 2, 3};
    schedules[4].unroll = 1;
    schedules[5].unroll = 7;
    schedules[5].rows_innermost = false;
    Operands operands(product);
    std::vector<double> first;
    for (const gemm::BlockedGemm& schedule : schedules) {
        MatrixKernels kernels(DataType::float64, schedule, target::host_cpu());
        const double alpha = 0.7, beta = 0;
        multiply_blocks(kernels, product,
                        {&alpha, operands.a.data(), operands.b.data(), &beta, operands.c.data()},
                        gemm::Update::overwrite, 40);
        if (first.empty()) first = operands.c;
        EXPECT_EQ(operands.c, first) << to_string(schedule);
    }
}

} // namespace matrix_multiply_test
} // namespace swirl::planning
