// Matrix multiplications that lie where lists of pointers say, in the interpreter: its memory is as large as all of them, and has
// nothing between them.

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/model/sample.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/reference.hpp"
#include "ir/verify.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace swirl::gemm::test {
namespace pointer_lists_test {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// One of a product's three matrices, of a batch, with gaps in between and in no order.
class Listed {
public:
    Listed(DataType data_type, const MatrixLayout& layout, Integer rows, Integer columns,
           const MatrixProduct& product)
        : layout_(layout), rows_(rows), columns_(columns) {
        const Extent extent = extent_of({layout.row_stride, layout.column_stride}, rows, columns, 1);
        const Integer unit = std::max<Integer>(product.list_alignment / bytes_of(data_type), 1);
        const auto rounded = [&](Integer elements) { return ceil_divide(elements, unit) * unit; };
        const Integer first = rounded(-extent.lowest) + 5 * unit;
        const Integer stride = rounded(extent.highest - extent.lowest + 1) + 3 * unit;
        for (Integer matrix = 0; matrix < product.batch; ++matrix)
            origins_.push_back(first + (product.batch - 1 - matrix) * stride);
        memory_ = std::make_shared<ir::Memory>(scalar_of(data_type), first + product.batch * stride);
    }

    void bind(ir::Arguments& arguments, const std::string& name) const {
        std::vector<Integer> addresses;
        for (const Integer origin : origins_) addresses.push_back(origin * bytes_of(memory_->element()));
        arguments.bind(name, memory_);
        arguments[name + "_list"].assign(addresses);
    }
    void fill(std::mt19937& random) {
        std::uniform_int_distribution<int> uniform(-99, 99);
        for (const Integer origin : origins_)
            for (Integer i = 0; i < rows_; ++i)
                for (Integer j = 0; j < columns_; ++j)
                    memory_->set(offset_of(origin, i, j), static_cast<long double>(uniform(random)) / 64);
    }
    long double at(Integer matrix, Integer i, Integer j) const {
        return (*memory_)[offset_of(origins_[static_cast<std::size_t>(matrix)], i, j)];
    }
    /// Elements that have been written, of all.
    Integer written() const {
        Integer count = 0;
        for (Integer k = 0; k < memory_->elements(); ++k) count += memory_->is_written(k) ? 1 : 0;
        return count;
    }

private:
    Integer offset_of(Integer origin, Integer i, Integer j) const {
        return origin + i * layout_.row_stride + j * layout_.column_stride;
    }

    MatrixLayout layout_;
    Integer rows_, columns_;
    std::vector<Integer> origins_;
    std::shared_ptr<ir::Memory> memory_;
};

void expect_product(const MatrixProduct& product, const GpuGemmSchedule& schedule) {
    Listed a(product.type_of_a(), product.a, product.rows, product.k, product);
    Listed b(product.type_of_b(), product.b, product.k, product.columns, product);
    Listed c(product.type_of_c(), product.c, product.rows, product.columns, product);
    std::mt19937 random(7);
    a.fill(random);
    b.fill(random);
    constexpr long double alpha = 1.25;
    std::map<std::string, std::shared_ptr<ir::Memory>> scratch; // what kernels leave for the next one
    for (const ir::Program& program : gpu_gemm_kernels(product, schedule, gpu())) {
        ir::verify(program, ir::VerificationLevel::vectorized);
        ir::Arguments arguments(program);
        arguments["alpha_beta"].set(0, alpha);
        arguments["alpha_beta"].set(1, 0);
        for (const ir::BufferInfo& buffer : program.buffers) {
            if (buffer.name == "a") a.bind(arguments, "a");
            if (buffer.name == "b") b.bind(arguments, "b");
            if (buffer.name == "c") c.bind(arguments, "c");
            if (buffer.space != ir::Space::scratch) continue;
            const auto [known, is_new] = scratch.emplace(buffer.name, arguments.shared(buffer.name));
            if (!is_new) arguments.bind(buffer.name, known->second);
        }
        arguments.parameters = {1, 0};
        ir::interpret(program, arguments);
    }
    EXPECT_EQ(c.written(), product.batch * product.rows * product.columns);
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                long double expected = 0;
                for (Integer k = 0; k < product.k; ++k)
                    expected += alpha * a.at(matrix, i, k) * b.at(matrix, k, j);
                ASSERT_NEAR(static_cast<double>(c.at(matrix, i, j)), static_cast<double>(expected),
                            static_cast<double>(tolerance(product.data_type, product.k)))
                    << to_string(schedule) << ": " << matrix << ", " << i << ", " << j;
            }
}

MatrixProduct listed(DataType data_type, Integer rows, Integer columns, Integer k, Integer batch,
                     int alignment) {
    MatrixProduct product = MatrixProduct::column_major(data_type, rows, columns, k);
    product.batch = batch;
    product.listed = true;
    product.list_alignment = alignment;
    return product;
}

TEST(GpuLists, SayWhereMatricesLie) {
    for (const DataType data_type : {DataType::float32, DataType::float64})
        for (const int alignment : {0, 8, 16}) {
            MatrixProduct product = listed(data_type, 40, 20, 12, 3, alignment);
            const std::array<std::array<MatrixLayout, 2>, 4> layouts = {
                {{{{1, 40}, {1, 40}}}, {{{12, 1}, {1, 44}}}, {{{-1, 41}, {20, 1}}}, {{{1, 44}, {-2, 90}}}}};
            for (const auto& [of_a, of_c] : layouts) {
                product.a = of_a;
                product.c = of_c;
                for (const GpuGemmSchedule& schedule : gpu_schedules(product, gpu(), 2))
                    expect_product(product, schedule);
            }
        }
}

/// Half precision by mma.sync, on all GPUs with it.
TEST(GpuLists, AreMultipliedByTensorCoresOfWarps) {
    for (const DataType data_type : {DataType::bfloat16, DataType::float16})
        for (const int alignment : {0, 4, 16}) {
            MatrixProduct large = listed(DataType::float32, 256, 256, 256, 100, alignment);
            MatrixProduct product = listed(DataType::float32, 72, 68, 40, 3, alignment);
            for (MatrixProduct* const each : {&large, &product}) each->a_type = each->b_type = data_type;
            for (const char* kind : {"sm_80", "sm_90"}) {
                const auto likely = gpu_schedules(large, target::gpu_named(kind), 1);
                EXPECT_EQ(std::get<SimtGemm>(likely.front()).mma_k(), 16)
                    << kind << ", aligned to " << alignment;
            }
            int by_warps = 0;
            for (const GpuGemmSchedule& schedule : gpu_schedules(product, gpu(), 30))
                if (std::get<SimtGemm>(schedule).is_mma() && by_warps++ < 2)
                    expect_product(product, schedule);
            EXPECT_GE(by_warps, 2);
        }
    SimtGemm schedule = std::get<SimtGemm>(
        parse_gpu_schedule("cta_m=16 cta_n=16 cta_k=32 thread_m=2 thread_n=4 warp_lanes_m=8 "
                           "warp_lanes_n=4 mma_k=16 copy_k=16 stages=2 a_vector_m=8 b_vector_k=8"));
    MatrixProduct product = listed(DataType::float32, 24, 20, 120, 6, 16);
    product.a_type = product.b_type = DataType::bfloat16;
    expect_product(product, schedule);
    schedule.decomposition = SplitK{.splits = 2};
    expect_product(product, schedule);
    schedule.decomposition = DataParallel{.matrices = 4};
    expect_product(product, schedule);
}

TEST(GpuLists, AccessesAreNoWiderThanPointersAllow) {
    const auto lanes = [&](int alignment) {
        const auto schedules = gpu_schedules(listed(DataType::float32, 64, 64, 64, 8, alignment), gpu(), 1);
        return std::get<SimtGemm>(schedules.front()).a.vector_mn;
    };
    EXPECT_EQ(lanes(0), 1);
    EXPECT_EQ(lanes(2), 1);
    EXPECT_EQ(lanes(8), 2);
    EXPECT_EQ(lanes(256), 4);
    const GpuGemmSchedule wide =
        gpu_schedules(listed(DataType::float32, 64, 64, 64, 8, 16), gpu(), 1).front();
    EXPECT_NE(error_of([&] {
                  gpu_gemm_kernels(listed(DataType::float32, 64, 64, 64, 8, 8), wide, gpu());
              }).find("a_vector_m is 4"),
              std::string::npos);
}

TEST(GpuLists, BlocksHaveSeveralMatricesSplitsAndStreams) {
    const GpuGemmSchedule several = parse_gpu_schedule(
        "cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 warp_lanes_m=4 "
        "warp_lanes_n=4 stages=2 matrices=4");
    for (const Integer batch : {1, 7, 8})
        expect_product(listed(DataType::float32, 8, 8, 5, batch, 0), several);
    const GpuGemmSchedule split = parse_gpu_schedule(
        "cta_m=32 cta_n=16 cta_k=4 thread_m=4 thread_n=4 warp_lanes_m=8 "
        "warp_lanes_n=4 stages=3 split_k=2 split_k_in_workspace=1");
    expect_product(listed(DataType::float32, 40, 20, 64, 2, 4), split);
    const GpuGemmSchedule stream = parse_gpu_schedule(
        "cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 warp_lanes_m=4 "
        "warp_lanes_n=4 stages=3 stream_k_blocks=7 data_parallel_tiles=1");
    expect_product(listed(DataType::float32, 20, 9, 14, 3, 4), stream);
}

TEST(GpuLists, AreForProductsByThreads) {
    MatrixProduct product = listed(DataType::float32, 256, 256, 256, 4, 16);
    product.a_type = product.b_type = DataType::bfloat16;
    for (const GpuGemmSchedule& schedule : gpu_schedules(product, gpu(), 10))
        EXPECT_FALSE(is_wgmma(schedule));
    product.listed = false;
    product.list_alignment = 0;
    const GpuGemmSchedule tiles = gpu_schedules(product, gpu(), 1).front();
    ASSERT_TRUE(is_wgmma(tiles));
    product.listed = true;
    EXPECT_NE(error_of([&] { gpu_gemm_kernels(product, tiles, gpu()); }).find("pointer lists"),
              std::string::npos);
}

TEST(GpuLists, HaveTheAccessesOfOtherBatches) {
    const MatrixProduct product = listed(DataType::float32, 8, 8, 8, 9, 16);
    for (const GpuGemmSchedule& schedule : gpu_schedules(product, gpu(), 3))
        EXPECT_NO_THROW(gpu_sample(product, schedule, gpu()));
}

} // namespace pointer_lists_test
} // namespace swirl::gemm::test
