// Products on GPUs with what is done to their elements, in the interpreter, against the expression's own meaning.

#include "plan/gemm/gpu/kernel.hpp"

#include "gemm/gpu/model/model.hpp"
#include "ir/interpreter.hpp"
#include "problem/expression.hpp"
#include "support/error_of.hpp"
#include "support/interpreted_product.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <tuple>

namespace swirl::planning {
namespace gpu_products_test {

/// Multiples of 1/64, which E4M3 holds exactly up to 16 of them.
void fill(ir::Memory& memory, std::mt19937& random, int most = 99) {
    std::uniform_int_distribution<int> uniform(-most, most);
    for (Integer i = 0; i < memory.elements(); ++i)
        memory.set(memory.first() + i, static_cast<long double>(uniform(random)) / 64);
}

long double at(const ir::Memory& memory, const MatrixLayout& layout, Integer matrix, Integer i, Integer j) {
    return memory[matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride];
}

/// An interpreted execution, and what it ought to give.
class Execution {
public:
    Execution(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule, bool reads_c)
        : product_(product),
          reads_c_(reads_c),
          known_(arrays_of(product)),
          kernels_(programs_of(product, schedule)),
          before_(kernels_.memory("c")) {
        std::mt19937 random(5);
        const bool is_e4m3 = product.type_of_a() == DataType::float8_e4m3;
        for (const char* name : {"a", "b"}) fill(kernels_.memory(name), random, is_e4m3 ? 15 : 99);
        fill(kernels_.memory("alpha_beta"), random);
        for (const AuxiliaryArray& array : known_) fill(kernels_.memory("auxiliary_" + array.name), random);
        if (reads_c) fill(kernels_.memory("c"), random);
        before_ = kernels_.memory("c");
        kernels_.run({product.k > 0 ? 1 : 0, reads_c ? 1 : 0});
    }

    long double found(Integer matrix, Integer i, Integer j) {
        return at(kernels_.memory("c"), product_.c, matrix, i, j);
    }
    long double expected(Integer matrix, Integer i, Integer j) {
        long double sum = 0;
        for (Integer k = 0; k < product_.k; ++k)
            sum += at(kernels_.memory("a"), product_.a, matrix, i, k) *
                   at(kernels_.memory("b"), product_.b, matrix, k, j);
        sum *= kernels_.memory("alpha_beta")[0];
        if (reads_c_) sum += kernels_.memory("alpha_beta")[1] * at(before_, product_.c, matrix, i, j);
        const ExpressionTree* const tree = product_.epilogue.tree();
        if (tree == nullptr) return sum;
        const ExpressionScope scope = scope_of(product_);
        const std::vector<Integer> indices = {matrix, i, j};
        const auto index = [&](const std::string& name) { return indices[*scope.axis_of(name)]; };
        const auto array = [&](const ExpressionNode& node) { return element(node, indices); };
        return evaluate(tree->value, {static_cast<double>(sum), index, array}).real();
    }

private:
    std::complex<double> element(const ExpressionNode& node, const std::vector<Integer>& indices) {
        const ExpressionScope scope = scope_of(product_);
        Integer element_index = 0;
        for (const std::string& name : node.indices) {
            const std::size_t axis = *scope.axis_of(name);
            element_index = element_index * scope.lengths[axis] + indices[axis];
        }
        const ir::Memory& memory = kernels_.memory("auxiliary_" + node.name);
        const auto component = [&](Integer k) { return static_cast<double>(memory[k]); };
        return node.is_complex
                   ? std::complex<double>(component(2 * element_index), component(2 * element_index + 1))
                   : std::complex<double>(component(element_index));
    }

    static std::vector<ir::Program> programs_of(const MatrixProduct& product,
                                                const gemm::GpuGemmSchedule& schedule) {
        std::vector<ir::Program> programs;
        for (GpuMatrixDerivation& kernel : derive_gemm_for_gpu(product, schedule, gpu()))
            programs.push_back(std::move(kernel.program));
        return programs;
    }

    const MatrixProduct& product_;
    bool reads_c_;
    std::vector<AuxiliaryArray> known_;
    support::KernelSequence kernels_;
    ir::Memory before_;
};

void expect_product(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                    bool reads_c = true) {
    validate(product);
    Execution execution(product, schedule, reads_c);
    const double epsilon = product.type_of_c() == DataType::bfloat16  ? 0x1p-16
                           : product.type_of_c() == DataType::float16 ? 0x1p-19
                           : product.data_type == DataType::float32   ? 0x1p-23
                                                                      : 0x1p-52;
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                const auto expected = static_cast<double>(execution.expected(matrix, i, j));
                ASSERT_NEAR(static_cast<double>(execution.found(matrix, i, j)), expected,
                            epsilon * 256 * (std::abs(expected) + static_cast<double>(product.k)))
                    << product.epilogue.text() << " at " << i << ", " << j << " of " << matrix << " by "
                    << to_string(schedule);
            }
}

constexpr const char* expressions[] = {
    "x + bias[i]",
    "x * scale[j] + bias[i]",
    "max(0, x + bias[j])",
    "x + residual[i,j]",
    "x + residual[j,i] * s[]",
    "gelu(x) + tanh(bias[i])",
    "i < j ? x : 0",
    "i == j || i + 2 == j ? x : x * w[b,i,j]",
    "x * (i - 2 * j + b)",
    "re(complex(x, 1) * complex z[i])",
};

MatrixProduct column_major(Integer rows, Integer columns, Integer k, const char* epilogue,
                           DataType data_type = DataType::float32) {
    MatrixProduct product = MatrixProduct::column_major(data_type, rows, columns, k);
    product.epilogue = Expression(epilogue);
    return product;
}

TEST(GpuProducts, FinishTheirElements) {
    for (const char* expression : expressions)
        for (const DataType data_type : {DataType::float32, DataType::float64}) {
            expect_product(column_major(40, 20, 7, expression, data_type), schedule_with(""));
            expect_product(column_major(64, 32, 7, expression, data_type),
                           schedule_with(data_type == DataType::float32 ? "c_vector_m=4" : "c_vector_m=2"),
                           false);
        }
}

TEST(GpuProducts, ApplyEpiloguesToSwappedOperands) {
    for (const char* expression : expressions) {
        MatrixProduct product = MatrixProduct::row_major(DataType::float32, 24, 36, 7);
        product.epilogue = Expression(expression);
        expect_product(product, schedule_with(""));
        expect_product(product, schedule_with("c_vector_m=4"));
    }
}

TEST(GpuProducts, FinishElementsOnceWhereSumsAreShared) {
    for (const char* more : {"sliced_k=2 cta_k=8", "split_k=2", "split_k=4 c_vector_m=4",
                             "split_k=8 split_k_in_workspace=1 thread_n=8 cta_n=32", "stream_k_blocks=5",
                             "stream_k_blocks=2 data_parallel_tiles=2 c_vector_m=4"})
        for (const char* expression : {"x * scale[j] + bias[i]", "x + residual[j,i] * i"})
            expect_product(column_major(40, 36, 64, expression), schedule_with(more));
}

/// By tiles, that do not divide the product's extents.
TEST(GpuProducts, FinishElementsOfTiles) {
    const gemm::GpuGemmSchedule schedule =
        gemm::parse_gpu_schedule("wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 stages=2 epilogue_tile_m=64");
    for (const char* expression : expressions)
        for (const auto& [rows, columns, has_columns] :
             {std::tuple{72, 70, true}, {71, 128, false}, {128, 64, true}}) {
            MatrixProduct product = has_columns
                                        ? MatrixProduct::column_major(DataType::float32, rows, columns, 24)
                                        : MatrixProduct::row_major(DataType::float32, rows, columns, 24);
            product.a_type = product.b_type = DataType::bfloat16;
            product.a.row_stride = product.b.row_stride = 1;
            product.a.column_stride = product.b.column_stride = 80;
            product.a.column_stride = 136;
            product.b.column_stride = 136;
            product.c = has_columns ? MatrixLayout{1, 136} : MatrixLayout{136, 1};
            product.epilogue = Expression(expression);
            expect_product(product, schedule, has_columns);
        }
}

/// Each block of a cluster finishes some rows.
TEST(GpuProducts, FinishElementsOnceWhereAClusterSharesK) {
    const gemm::GpuGemmSchedule schedule = gemm::parse_gpu_schedule(
        "wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 stages=2 epilogue_tile_m=64 split_k=2");
    for (const char* expression : {"x * scale[j] + bias[i]", "x + residual[j,i] * i", "i < j ? x : 0"})
        for (const bool has_columns : {true, false}) {
            MatrixProduct product = MatrixProduct::column_major(DataType::float32, 71, 70, 72);
            product.a_type = product.b_type = DataType::bfloat16;
            product.a.column_stride = product.b.column_stride = 80;
            product.c = has_columns ? MatrixLayout{1, 136} : MatrixLayout{136, 1};
            product.epilogue = Expression(expression);
            expect_product(product, schedule, has_columns);
            product.c_type = DataType::bfloat16;
            expect_product(product, schedule, false);
        }
}

TEST(GpuProducts, FinishElementsOfTilesThatAreRounded) {
    MatrixProduct product = column_major(130, 66, 40, "x * scale[j] + bias[i]");
    product.a.column_stride = product.c.column_stride = 132;
    product.epilogue = Expression("max(0, x + residual[i,j])");
    expect_product(product, gemm::parse_gpu_schedule("wgmma cta_m=128 cta_n=64 cta_k=32 warpgroups=1 "
                                                     "stages=2 epilogue_tile_m=64 tf32=1"));
}

/// A by rows and B by columns, as tensor cores read them.
TEST(GpuProducts, FinishElementsOfTilesOfE4M3) {
    const gemm::GpuGemmSchedule schedule = gemm::parse_gpu_schedule(
        "wgmma cta_m=128 cta_n=64 cta_k=128 warpgroups=1 stages=2 epilogue_tile_m=64");
    for (const char* expression : {"x * scale[j] + bias[i]", "x + residual[j,i] * s[]", "gelu(x) + i - j"})
        for (const bool has_columns : {true, false}) {
            MatrixProduct product = MatrixProduct::column_major(DataType::float32, 136, 70, 48);
            product.a_type = product.b_type = DataType::float8_e4m3;
            product.a = {48, 1};
            product.c = has_columns ? MatrixLayout{1, 140} : MatrixLayout{76, 1};
            product.epilogue = Expression(expression);
            expect_product(product, schedule, has_columns);
            product.c_type = DataType::bfloat16;
            product.c = has_columns ? MatrixLayout{1, 144} : MatrixLayout{80, 1};
            expect_product(product, schedule, false);
        }
}

TEST(GpuProducts, FinishElementsOfBatches) {
    for (const char* expression : expressions) {
        MatrixProduct product = column_major(8, 12, 5, expression);
        product.batch = 7;
        product.a.batch_stride = 50;
        product.b.batch_stride = 60;
        product.c.batch_stride = 96;
        expect_product(product, gemm::parse_gpu_schedule(
                                    "cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 "
                                    "warp_lanes_m=4 warp_lanes_n=4 stages=2 c_vector_m=2 matrices=4"));
        expect_product(product, gemm::parse_gpu_schedule("cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 "
                                                         "warp_lanes_m=4 warp_lanes_n=4 stages=2"));
        product.a.batch_stride = 40;
        expect_product(product, gemm::parse_gpu_schedule("batched thread_m=4 thread_n=3 matrices=2"));
    }
}

TEST(GpuProducts, FinishWhatIsNotMultiplied) {
    expect_product(column_major(40, 20, 0, "x + bias[i]"), schedule_with(""));
    expect_product(column_major(40, 20, 0, "x + bias[i]"), schedule_with(""), false);
}

TEST(GpuProducts, VectorizeContiguousRows) {
    const auto vectors_of = [](const char* expression) {
        int count = 0;
        const ir::Program program =
            derive_gemm_for_gpu(column_major(64, 32, 8, expression), schedule_with("c_vector_m=4"), gpu())
                .back()
                .program;
        for (const ir::Operation& operation : program.operations)
            if (operation.opcode == ir::Opcode::load && operation.type.lanes == 4 &&
                program.buffers[static_cast<std::size_t>(operation.address.buffer)].name == "auxiliary_r")
                count += operation.address.lane_stride == 1 ? 1 : 0;
        return count;
    };
    EXPECT_GT(vectors_of("x + r[i]"), 0);
    EXPECT_GT(vectors_of("x + r[j,i]"), 0);
    EXPECT_EQ(vectors_of("x + r[i,j]"), 0);
    EXPECT_EQ(vectors_of("x + r[j]"), 0);
}

/// Halves and quarters, exact in all of these types.
TEST(GpuProducts, OfLowPrecisionAreWidened) {
    for (const DataType data_type : {DataType::bfloat16, DataType::float16})
        for (const char a : {'N', 'T'})
            for (const char b : {'N', 'T'}) {
                MatrixProduct product = MatrixProduct::column_major(DataType::float32, 64, 32, 10);
                product.a_type = product.b_type = data_type;
                if (a == 'T') product.a = {16, 1};
                if (b == 'T') product.b = {32, 1};
                expect_product(product, schedule_with(""));
                std::string wide = "c_vector_m=4 sliced_k=2 cta_k=8";
                if (a == 'N') wide += " a_vector_m=8";
                if (b == 'T') wide += " b_vector_n=2";
                expect_product(product, schedule_with(wide), false);
                product.c = {32, 1}; // which exchanges A and B
                expect_product(product, schedule_with("split_k=2"));
            }
}

TEST(GpuProducts, StoreWhatTheyRound) {
    for (const DataType data_type : {DataType::bfloat16, DataType::float16})
        for (const char* more :
             {"", "c_vector_m=4", "split_k=2", "split_k=4 split_k_in_workspace=1 c_vector_m=2",
              "stream_k_blocks=3 c_vector_m=2"}) {
            MatrixProduct product = column_major(64, 32, 32, "x * scale[j] + i");
            product.c_type = data_type;
            expect_product(product, schedule_with(more), false);
            product.a_type = product.b_type = DataType::float16;
            expect_product(product, schedule_with(more), false);
        }
}

TEST(GpuProducts, OfLowPrecisionHaveKernelsByEveryLikelySchedule) {
    for (const auto& [rows, columns, k_extent] : {std::array<Integer, 3>{1, 1, 1},
                                                  {7, 30, 50},
                                                  {33, 57, 19},
                                                  {64, 64, 64},
                                                  {1024, 1024, 512},
                                                  {64, 64, 4096}})
        for (const bool by_rows : {false, true})
            for (const DataType c : {DataType::float32, DataType::float16}) {
                MatrixProduct product =
                    by_rows ? MatrixProduct::row_major(DataType::float32, rows, columns, k_extent)
                            : MatrixProduct::column_major(DataType::float32, rows, columns, k_extent);
                product.a_type = product.b_type = DataType::float16;
                product.c_type = c;
                product.epilogue = Expression("x * w[j] + bias[i]");
                const std::vector<gemm::GpuGemmSchedule> schedules = gemm::gpu_schedules(product, gpu(), 4);
                ASSERT_FALSE(schedules.empty());
                for (const gemm::GpuGemmSchedule& schedule : schedules)
                    EXPECT_NO_THROW(derive_gemm_for_gpu(product, schedule, gpu())) << to_string(schedule);
                if (rows < 64) expect_product(product, schedules.front(), false);
            }
}

TEST(GpuProducts, AreOfSupportedDataTypes) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 64, 64, 64);
    product.a_type = product.b_type = DataType::bfloat16;
    const auto error = [&](const char* name) {
        return error_of<UserError>(
            [&] { derive_gemm_for_gpu(product, schedule_with(""), target::gpu_named(name)); });
    };
    EXPECT_EQ(error("sm_90"), "");
    EXPECT_NE(error("generic").find("no instructions for bfloat16"), std::string::npos) << error("generic");
    product.a_type = product.b_type = DataType::int8;
    product.data_type = DataType::int32;
    EXPECT_NE(error("sm_90").find("int8 by int8 into int32"), std::string::npos) << error("sm_90");
}

} // namespace gpu_products_test
} // namespace swirl::planning
