// Reductions over products on a real GPU, against long double over the elements that are in C behind them.

#include <swirl/half.hpp>
#include <swirl/swirl.hpp>

#include "problem/matrix_product.hpp"
#include "support/first_gpu.hpp"
#include "support/gpu_schedules.hpp"
#include "support/padded_product.hpp"
#include "support/reduced.hpp"

#include <cmath>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace swirl {
namespace matrix_reductions_test {

class MatrixReductionsOnGpu : public support::FirstGpu {};

std::vector<Reduction> all_kinds() {
    std::vector<Reduction> result;
    for (const Over over : {Over::columns, Over::rows, Over::all}) {
        const std::string name(name_of(over));
        result.push_back({"sum_" + name, Reduce::sum, over, Expression("x * x + 0.125 * j")});
        result.push_back({"max_" + name, Reduce::maximum, over, Expression("abs(x)")});
    }
    result.push_back({"least", Reduce::minimum, Over::columns, {}});
    return result;
}

MatrixProduct reduced(MatrixProduct product) {
    product.reductions = all_kinds();
    return product;
}

using Results = std::vector<std::vector<float>>;

/// Of operands T with C of float, twice with the same bits.
template <class T>
void expect_reductions(MatrixProduct product, const std::string& schedule, float special = 0.5F) {
    SCOPED_TRACE(schedule);
    product = reduced(product);
    std::mt19937 random(11);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const auto filled = [&](const MatrixLayout& layout, Integer rows, Integer columns) {
        const Extent extent = extent_of(layout, rows, columns, product.batch);
        std::vector<T> values;
        for (Integer k = 0; k <= extent.highest; ++k) values.emplace_back(T(uniform(random)));
        return values;
    };
    std::vector<T> a = filled(product.a, product.rows, product.k);
    const std::vector<T> b = filled(product.b, product.k, product.columns);
    a[3] = T(special);
    const Extent extent = extent_of(product.c, product.rows, product.columns, product.batch);
    std::vector<float> c(static_cast<std::size_t>(extent.highest + 1));
    const gpu::Array<T> there_a(a), there_b(b);
    gpu::Array<float> there_c(c);
    std::deque<gpu::Array<float>> there;
    Plan plan = swirl::plan(
        product,
        {.device = Device::gpu(), .schedule = schedule, .use_wisdom = false, .use_kernel_cache = false});
    for (const AuxiliaryArray& result : results_of(product)) {
        there.emplace_back(static_cast<std::size_t>(result.elements));
        plan = plan.with(result.name, there.back().data());
    }
    const auto run = [&] {
        plan.execute(0.75F, there_a.data(), there_b.data(), 0.0F, there_c.data());
        Results results;
        for (const gpu::Array<float>& array : there) {
            results.emplace_back(array.size());
            array.copy_to(results.back());
        }
        return results;
    };
    const Results found = run();
    EXPECT_EQ(run(), found);
    there_c.copy_to(c);
    for (std::size_t k = 0; k < product.reductions.size(); ++k) {
        const Reduction& reduction = product.reductions[k];
        const auto value = [&](Integer matrix, Integer i, Integer j) -> long double {
            const long double x = c[static_cast<std::size_t>(
                matrix * product.c.batch_stride + i * product.c.row_stride + j * product.c.column_stride)];
            if (reduction.operation == Reduce::sum) return x * x + 0.125L * static_cast<long double>(j);
            return reduction.operation == Reduce::maximum ? std::abs(x) : x;
        };
        const auto expected = support::reduced_by_definition(product, reduction, value);
        for (std::size_t r = 0; r < expected.size(); ++r)
            ASSERT_NEAR(found[k][r], static_cast<double>(expected[r].value),
                        static_cast<double>(0x1p-18L * (1 + expected[r].magnitude)))
                << reduction.name << " " << r;
    }
}

TEST_F(MatrixReductionsOnGpu, OfThreads) {
    for (const bool by_rows : {false, true})
        for (const auto& [rows, columns, k_extent] :
             {std::array<Integer, 3>{200, 136, 70}, {333, 700, 64}, {64, 48, 20000}}) {
            const MatrixProduct product =
                by_rows ? MatrixProduct::row_major(DataType::float32, rows, columns, k_extent)
                        : MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
            for (const std::string& schedule : swirl::gpu_schedules(reduced(product), 4))
                expect_reductions<float>(product, schedule);
        }
    MatrixProduct small = MatrixProduct::column_major(DataType::float32, 8, 8, 8);
    small.batch = 1001;
    small.a.batch_stride = small.b.batch_stride = small.c.batch_stride = 64;
    for (const std::string& schedule : swirl::gpu_schedules(reduced(small), 4))
        expect_reductions<float>(small, schedule);
}

TEST_F(MatrixReductionsOnGpu, OfTiles) {
    for (const bool by_rows : {false, true})
        for (const auto& [rows, columns] : {std::array<Integer, 2>{1000, 520}, {333, 700}, {2048, 1024}}) {
            const MatrixProduct product =
                support::padded_low_precision_product(by_rows, rows, columns, by_rows ? 1024 : 2048);
            for (const std::string& schedule : swirl::gpu_schedules(reduced(product), 3))
                expect_reductions<bfloat16>(product, schedule);
        }
}

/// By the check of new plans, which looks at elements of C, or multiplies where these are integers.
TEST_F(MatrixReductionsOnGpu, AreCompared) {
    const Options options{.device = Device::gpu(), .use_wisdom = false, .use_kernel_cache = false};
    EXPECT_NO_THROW(
        swirl::plan(reduced(MatrixProduct::column_major(DataType::float32, 48, 100000, 40)), options));
    EXPECT_NO_THROW(
        swirl::plan(reduced(MatrixProduct::row_major(DataType::float32, 400, 600, 100)), options));
    for (const DataType stored : {DataType::int8, DataType::unorm8, DataType::bfloat16}) {
        MatrixProduct product = MatrixProduct::column_major(DataType::float32, 300, 200, 64);
        product.c_type = stored;
        product.epilogue = Expression("max(0, x) + 0.5");
        EXPECT_NO_THROW(swirl::plan(reduced(product), options));
        product.a_type = product.b_type = DataType::bfloat16;
        product.rows = 512;
        product.a.column_stride = product.c.column_stride = 512;
        EXPECT_NO_THROW(swirl::plan(reduced(product), options));
    }
}

/// Numbers in range and others, which threads multiply.
TEST_F(MatrixReductionsOnGpu, OfTermsAndOfTf32) {
    const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 1024, 1152, 512);
    for (const float special : {0.5F, 1e-39F})
        for (const std::string& schedule : swirl::gpu_schedules(reduced(product), 2))
            expect_reductions<float>(product, schedule, special);
    for (const std::string& schedule : swirl::gpu_schedules(reduced(product), 2, Accuracy::eleven_bits))
        expect_reductions<float>(product, schedule);
}

} // namespace matrix_reductions_test
} // namespace swirl
