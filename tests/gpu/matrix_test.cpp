// GEMM on a real GPU against wider accumulators.

#include <swirl/swirl.hpp>

#include "problem/matrix_product.hpp"
#include "support/first_gpu.hpp"
#include "support/gpu_schedules.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace swirl {
namespace matrix_test {

const Options unchecked{
    .device = Device::gpu(), .check = false, .use_wisdom = false, .use_kernel_cache = false};

/// What α and β are, and whether C is NaN before.
struct Execution {
    double alpha = 1.5;
    double beta = -0.5;
    bool c_is_nan = false;
};

/// The elements that a matrix's memory has, from the lowest index on.
struct MatrixMemory {
    MatrixMemory(const MatrixLayout& matrix_layout, Integer rows, Integer columns, Integer batch)
        : layout(matrix_layout) {
        if (rows == 0 || columns == 0 || batch == 0) return;
        const Extent reach = extent_of(layout, rows, columns, batch);
        lowest = reach.lowest;
        elements = static_cast<std::size_t>(reach.highest - reach.lowest + 1);
    }
    std::size_t index(Integer matrix, Integer i, Integer j) const {
        return static_cast<std::size_t>(matrix * layout.batch_stride + i * layout.row_stride +
                                        j * layout.column_stride - lowest);
    }
    /// Element (0, 0) of the first matrix.
    template <class T> T* zero(T* memory) const { return memory - lowest; }

    MatrixLayout layout;
    Integer lowest = 0;
    std::size_t elements = 1;
};

/// Operands on the host and on the GPU.
template <class T> class Operands {
public:
    Operands(const MatrixProduct& product, std::uint32_t seed)
        : product_(product),
          memory_a_(product.a, product.rows, product.k, product.batch),
          memory_b_(product.b, product.k, product.columns, product.batch),
          memory_c_(product.c, product.rows, product.columns, product.batch),
          a(random(memory_a_.elements, seed)),
          b(random(memory_b_.elements, seed + 1)),
          c(random(memory_c_.elements, seed + 2)),
          there_a_(a),
          there_b_(b),
          there_c_(c) {}

    void set_c(T value) {
        for_each([&](Integer matrix, Integer i, Integer j) { c[memory_c_.index(matrix, i, j)] = value; });
    }
    void send() {
        there_a_.copy_from(a);
        there_b_.copy_from(b);
        there_c_.copy_from(c);
    }
    void execute(const Plan& plan, const Execution& execution, gpu::Stream stream = {}) const {
        plan.execute(static_cast<T>(execution.alpha), memory_a_.zero<const T>(there_a_.data()),
                     memory_b_.zero<const T>(there_b_.data()), static_cast<T>(execution.beta),
                     memory_c_.zero(there_c_.data()), stream);
    }
    std::vector<T> result() const {
        std::vector<T> found(c.size());
        there_c_.copy_to(found);
        return found;
    }

    template <class F> void for_each(F&& f) const {
        for (Integer matrix = 0; matrix < product_.batch; ++matrix)
            for (Integer j = 0; j < product_.columns; ++j)
                for (Integer i = 0; i < product_.rows; ++i) f(matrix, i, j);
    }
    std::size_t index_of_a(Integer i, Integer k) const { return memory_a_.index(0, i, k); }
    std::size_t index_of_c(Integer i, Integer j) const { return memory_c_.index(0, i, j); }

    /// The largest error, in roundings of as many additions in the sum of absolute values; infinite if something
    /// outside C was written.
    double error(const Execution& execution) const {
        const std::vector<T> found = result();
        std::vector<T> outside_c = found;
        double largest = 0;
        for_each([&](Integer matrix, Integer i, Integer j) {
            const std::size_t at = memory_c_.index(matrix, i, j);
            outside_c[at] = c[at];
            const double error = error_at(found[at], matrix, i, j, execution);
            if (!(error <= largest)) largest = error; // NaN, too
        });
        const bool is_unchanged = std::memcmp(outside_c.data(), c.data(), c.size() * sizeof(T)) == 0;
        return is_unchanged ? largest : std::numeric_limits<double>::infinity();
    }

private:
    using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

    static std::vector<T> random(std::size_t count, std::uint32_t seed) {
        std::mt19937 generator(seed);
        std::uniform_real_distribution<T> uniform(-1, 1);
        std::vector<T> values(count);
        for (T& element : values) element = uniform(generator);
        return values;
    }
    double error_at(T found, Integer matrix, Integer i, Integer j, const Execution& execution) const {
        Wide sum = 0, magnitude = 0;
        for (Integer k = 0; execution.alpha != 0 && k < product_.k; ++k) {
            const Wide term = static_cast<Wide>(a[memory_a_.index(matrix, i, k)]) *
                              static_cast<Wide>(b[memory_b_.index(matrix, k, j)]);
            sum += term;
            magnitude += std::abs(term);
        }
        Wide expected = static_cast<Wide>(execution.alpha) * sum;
        magnitude *= static_cast<Wide>(std::abs(execution.alpha));
        if (execution.beta != 0) {
            const Wide old = static_cast<Wide>(execution.beta) * c[memory_c_.index(matrix, i, j)];
            expected += old;
            magnitude += std::abs(old);
        }
        const Wide allowed = std::numeric_limits<T>::epsilon() * static_cast<Wide>(product_.k + 4) *
                             std::max<Wide>(magnitude, Wide(1e-30));
        return static_cast<double>(std::abs(found - expected) / allowed);
    }

    MatrixProduct product_;
    MatrixMemory memory_a_, memory_b_, memory_c_;

public:
    std::vector<T> a, b, c;

private:
    gpu::Array<T> there_a_, there_b_, there_c_;
};

class MatrixPlansOnGpu : public support::FirstGpu {
protected:
    template <class T>
    void expect_product_of(const MatrixProduct& product, const Execution& execution, const Options& options) {
        const Plan plan = swirl::plan(product, options);
        Operands<T> operands(product, 7);
        if (execution.c_is_nan) operands.set_c(std::numeric_limits<T>::quiet_NaN());
        operands.send();
        operands.execute(plan, execution);
        EXPECT_LT(operands.error(execution), 1)
            << product.rows << "x" << product.columns << "x" << product.k << " of " << product.batch
            << ", beta " << execution.beta << ": " << plan.schedule();
    }
    void expect_product(const MatrixProduct& product, const Execution& execution = {},
                        const Options& options = unchecked) {
        if (product.data_type == DataType::float32)
            expect_product_of<float>(product, execution, options);
        else
            expect_product_of<double>(product, execution, options);
    }
};

/// A layout of such a matrix: by columns or rows, with gaps, now and then with a negative stride or gaps both ways.
MatrixLayout random_layout(std::mt19937& random, Integer rows, Integer columns) {
    const auto below = [&](unsigned n) { return static_cast<Integer>(random() % n); };
    const Integer stride = below(8) == 0 ? 2 : 1;
    MatrixLayout layout{stride, stride * rows + below(2) * below(9)};
    if (below(2) == 0) layout = {stride * columns + below(2) * below(9), stride};
    if (below(8) == 0) layout.row_stride = -layout.row_stride;
    const Integer reach =
        std::abs(layout.row_stride) * (rows - 1) + std::abs(layout.column_stride) * (columns - 1);
    layout.batch_stride = reach + 1 + below(2) * below(5);
    return layout;
}

TEST_F(MatrixPlansOnGpu, ComputeRandomShapesStridesAndBatches) {
    std::mt19937 random(11);
    const auto below = [&](unsigned n) { return static_cast<Integer>(random() % n); };
    for (int round = 0; round < 60; ++round) {
        const auto extent = [&] { return 1 + below(round % 3 == 0 ? 12 : round % 3 == 1 ? 90 : 400); };
        MatrixProduct product;
        product.data_type = below(2) == 0 ? DataType::float32 : DataType::float64;
        product.rows = extent();
        product.columns = extent();
        product.k = extent();
        product.batch = below(3) == 0 ? 1 + below(4) : 1;
        product.a = random_layout(random, product.rows, product.k);
        product.b = random_layout(random, product.k, product.columns);
        product.c = random_layout(random, product.rows, product.columns);
        if (below(4) == 0) product.b.batch_stride = 0;
        const bool overwrites = below(2) == 0;
        expect_product(product, {.beta = overwrites ? 0.0 : -0.5, .c_is_nan = overwrites});
    }
}

TEST_F(MatrixPlansOnGpu, ComputeEveryRemainderOfATile) {
    Options options = unchecked;
    options.schedule =
        "sm_90: cta_m=32 cta_n=16 cta_k=8 thread_m=4 thread_n=4 "
        "warp_lanes_m=8 warp_lanes_n=4 stages=3 raster_group=2";
    for (Integer rest = 0; rest < 32; ++rest)
        for (const DataType data_type : {DataType::float32, DataType::float64})
            expect_product(MatrixProduct::column_major(data_type, 64 + rest, 32 + rest % 16, 1 + rest), {},
                           options);
}

/// Rows of TMA boxes begin at multiples of 16 bytes, for any padding before the first k index, and wherever the
/// last tile begins.
TEST_F(MatrixPlansOnGpu, ComputeWhatTheCopyEngineBringsOfAnyExtents) {
    const auto pitch = [](Integer extent) { return (extent + 3) / 4 * 4; };
    Options options = unchecked;
    for (const char* bulk :
         {"a_load=tma_k_major b_load=tma_k_major a_vector_k=4 b_vector_k=4",
          "a_load=tma_k_major b_load=tma_k_major", "a_load=tma_transpose b_load=tma_transpose",
          "a_load=tma_k_major b_load=tma_transpose a_vector_k=4"})
        for (Integer k = 81; k <= 88; ++k) {
            options.schedule = std::string(
                                   "sm_90: cta_m=32 cta_n=16 cta_k=64 thread_m=4 thread_n=4 "
                                   "warp_lanes_m=8 warp_lanes_n=4 sliced_k=4 stages=3 ") +
                               bulk;
            expect_product({.data_type = DataType::float32,
                            .rows = 60 + k % 7,
                            .columns = 40 + k % 5,
                            .k = k,
                            .a = {pitch(k), 1},
                            .b = {1, pitch(k)},
                            .c = {1, 68}},
                           {}, options);
        }
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{16, 99, 681}, {103, 167, 200}, {128, 40, 82}, {33, 192, 232}})
        for (const bool a_by_rows : {false, true})
            for (const bool b_by_rows : {false, true})
                expect_product(
                    {.data_type = DataType::float32,
                     .rows = rows,
                     .columns = columns,
                     .k = k_extent,
                     .a = a_by_rows ? MatrixLayout{pitch(k_extent), 1} : MatrixLayout{1, pitch(rows)},
                     .b = b_by_rows ? MatrixLayout{pitch(columns), 1} : MatrixLayout{1, pitch(k_extent)},
                     .c = {1, rows}});
}

/// Of terms, too, which large ones have.
TEST_F(MatrixPlansOnGpu, ComputeBatchesThatShareAMatrix) {
    for (const Integer extent : {64, 512})
        for (const bool shares_a : {false, true}) {
            MatrixProduct product = MatrixProduct::column_major(DataType::float32, extent, extent, extent);
            product.batch = 3;
            const Integer distance = extent * extent;
            product.a.batch_stride = shares_a ? 0 : distance;
            product.b.batch_stride = shares_a ? distance : 0;
            product.c.batch_stride = distance;
            expect_product(product);
        }
}

TEST_F(MatrixPlansOnGpu, ComputeEveryRemainderOfAStream) {
    Options options = unchecked;
    for (const char* shares :
         {"stream_k_blocks=7", "stream_k_blocks=3 data_parallel_tiles=1", "stream_k_blocks=5"})
        for (Integer rest = 0; rest < 24; ++rest) {
            options.schedule = std::string(
                                   "sm_90: cta_m=32 cta_n=16 cta_k=8 thread_m=4 thread_n=4 "
                                   "warp_lanes_m=8 warp_lanes_n=4 stages=3 raster_group=2 ") +
                               shares;
            const MatrixProduct product =
                MatrixProduct::column_major(DataType::float32, 64 + rest, 32 + rest % 16, 20 + rest);
            expect_product(product, {}, options);
            expect_product(product, {.beta = 0, .c_is_nan = true}, options);
            expect_product(product, {.alpha = 0}, options);
        }
}

TEST_F(MatrixPlansOnGpu, ComputeByEveryScheduleThatTheModelLikes) {
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{64, 64, 64}, {200, 33, 500}, {1, 300, 70}, {512, 384, 1024}}) {
        const MatrixProduct product = MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
        for (const std::string& schedule : swirl::gpu_schedules(product, 12)) {
            Options options = unchecked;
            options.schedule = schedule;
            expect_product(product, {}, options);
        }
    }
}

TEST_F(MatrixPlansOnGpu, ComputeThinProducts) {
    for (const auto& [rows, columns, k_extent] : {std::array<Integer, 3>{1, 1, 100000},
                                                  {1, 4000, 300},
                                                  {4000, 1, 300},
                                                  {16, 2000, 500},
                                                  {2000, 16, 3}})
        for (const DataType data_type : {DataType::float32, DataType::float64}) {
            expect_product(MatrixProduct::column_major(data_type, rows, columns, k_extent));
            expect_product(MatrixProduct::row_major(data_type, rows, columns, k_extent));
        }
}

TEST_F(MatrixPlansOnGpu, KeepNansAndInfinitiesWhereTheyBelong) {
    const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 70, 50, 40);
    const Plan plan = swirl::plan(product, unchecked);
    for (const float special :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        Operands<float> operands(product, 3);
        operands.a[operands.index_of_a(69, 39)] = special;
        operands.a[operands.index_of_a(5, 0)] = special;
        operands.send();
        operands.execute(plan, {});
        const std::vector<float> found = operands.result();
        operands.for_each([&](Integer, Integer i, Integer j) {
            EXPECT_EQ(std::isfinite(found[operands.index_of_c(i, j)]), i != 69 && i != 5) << i << ", " << j;
        });
        operands.send();
        operands.execute(plan, {.alpha = 0}); // A is not read
        EXPECT_LT(operands.error({.alpha = 0}), 1);
    }
}

TEST_F(MatrixPlansOnGpu, OfNothingScaleC) {
    for (const double beta : {0.0, 1.0, -0.5}) {
        const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 33, 20, 0);
        const Plan plan = swirl::plan(product, unchecked);
        Operands<float> operands(product, 3);
        gpu::Array<float> c(operands.c);
        plan.execute(2, nullptr, nullptr, static_cast<float>(beta), c.data());
        std::vector<float> found(operands.c.size());
        c.copy_to(found);
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_EQ(found[k], static_cast<float>(beta) * operands.c[k]);
    }
    for (const MatrixProduct& product : {MatrixProduct::column_major(DataType::float64, 0, 3, 4),
                                         MatrixProduct::column_major(DataType::float64, 3, 0, 4)})
        EXPECT_NO_THROW(swirl::plan(product, {.device = Device::gpu()})
                            .execute(1, nullptr, nullptr, 0, static_cast<float*>(nullptr)));
}

TEST_F(MatrixPlansOnGpu, AreCheckedOnFirstUse) {
    for (const DataType data_type : {DataType::float32, DataType::float64})
        for (const Integer extent : {1, 63, 300}) {
            const MatrixProduct product = MatrixProduct::row_major(data_type, extent, 2 * extent, extent + 1);
            expect_product(product, {},
                           {.device = Device::gpu(), .use_wisdom = false, .use_kernel_cache = false});
        }
}

TEST_F(MatrixPlansOnGpu, AreSearchedFor) {
    expect_product(MatrixProduct::column_major(DataType::float32, 1000, 700, 500), {},
                   {.device = Device::gpu(),
                    .effort = Effort::measure,
                    .time_budget_seconds = 2,
                    .check = false,
                    .use_wisdom = false,
                    .use_kernel_cache = false});
}

TEST_F(MatrixPlansOnGpu, GiveTheSameBitsEachTime) {
    const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 300, 200, 3000);
    const Plan plan = swirl::plan(product, unchecked);
    Operands<float> operands(product, 5);
    operands.send();
    operands.execute(plan, {});
    const std::vector<float> first = operands.result();
    for (int k = 0; k < 20; ++k) {
        operands.send();
        operands.execute(plan, {}, gpu::Stream(stream->handle()));
        stream->synchronize();
        EXPECT_EQ(operands.result(), first);
    }
}

TEST_F(MatrixPlansOnGpu, StayUsableAfterBadArguments) {
    const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 64, 48, 32);
    const Plan plan = swirl::plan(product, unchecked);
    gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48), all(1 << 14);
    std::vector<float> host(64 * 48);
    const auto refuse = [&](const float* left, const float* right, float* result) {
        EXPECT_THROW(plan.execute(1, left, right, 0, result), UserError);
    };
    refuse(nullptr, b.data(), c.data());
    refuse(a.data(), nullptr, c.data());
    refuse(a.data(), b.data(), nullptr);
    refuse(host.data(), b.data(), c.data());
    refuse(a.data(), b.data(), host.data());
    refuse(all.data(), b.data(), all.data() + 64);
    EXPECT_THROW(plan.execute(1, nullptr, nullptr, 0, static_cast<float*>(nullptr)), UserError);
    Operands<float> operands(product, 1);
    operands.send();
    operands.execute(plan, {});
    EXPECT_LT(operands.error({}), 1);
}

} // namespace matrix_test
} // namespace swirl
