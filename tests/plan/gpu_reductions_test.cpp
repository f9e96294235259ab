// Reductions over products on GPUs, in the interpreter, against the definition: sums in long double of the elements that C ought to have.

#include "plan/gemm/gpu/kernel.hpp"

#include "problem/expression.hpp"
#include "support/interpreted_product.hpp"
#include "support/kernel_sequence.hpp"
#include "support/reduced.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace swirl::planning {
namespace gpu_reductions_test {

/// Of all kinds, of expressions with arrays, indices and functions among them.
std::vector<Reduction> all_kinds() {
    std::vector<Reduction> result;
    for (const Over over : {Over::columns, Over::rows, Over::all}) {
        const std::string name(name_of(over));
        result.push_back({"sum_" + name, Reduce::sum, over, Expression("x * weight[j] + i - j + b")});
        result.push_back({"max_" + name, Reduce::maximum, over, Expression("abs(x)")});
    }
    result.push_back({"least", Reduce::minimum, Over::columns, {}});
    result.push_back({"squares", Reduce::sum, Over::all, Expression("x * x")});
    return result;
}

MatrixProduct with_all_kinds(MatrixProduct product, const char* epilogue = "") {
    product.reductions = all_kinds();
    if (is_complex(product.data_type))
        for (Reduction& reduction : product.reductions)
            reduction.of = Expression("re(x) * weight[j] - im(x) * i");
    if (*epilogue != 0) product.epilogue = Expression(epilogue);
    return product;
}

/// An execution by all kernels of a schedule.
class Execution {
public:
    Execution(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule, bool reads_c = true)
        : product_(product), sequence_(programs_of(product, schedule)), before_(sequence_.memory("c")) {
        validate(product);
        std::mt19937 random(5);
        std::vector<std::string> filled = {"a", "b", "alpha_beta"};
        for (const AuxiliaryArray& array : arrays_of(product)) filled.push_back("auxiliary_" + array.name);
        if (reads_c) filled.emplace_back("c");
        std::uniform_int_distribution<int> uniform(-99, 99);
        for (const std::string& name : filled)
            for (Integer i = 0; i < memory(name).elements(); ++i)
                memory(name).set(memory(name).first() + i, static_cast<long double>(uniform(random)) / 64);
        before_ = memory("c");
        reads_c_ = reads_c;
    }

    ir::Memory& memory(const std::string& name) { return sequence_.memory(name); }
    void run(const ir::InterpreterOptions& options = {}) {
        sequence_.run({product_.k > 0 ? 1 : 0, reads_c_ ? 1 : 0}, options);
    }

    /// C before it is stored.
    std::complex<long double> finished(Integer matrix, Integer i, Integer j) {
        const auto at = [&](const ir::Memory& from, const MatrixLayout& layout, Integer row, Integer column) {
            return support::element_at(
                from, product_.data_type,
                matrix * layout.batch_stride + row * layout.row_stride + column * layout.column_stride);
        };
        std::complex<long double> sum = 0;
        for (Integer k = 0; k < product_.k; ++k)
            sum += at(memory("a"), product_.a, i, k) * at(memory("b"), product_.b, k, j);
        sum *= support::element_at(memory("alpha_beta"), product_.data_type, 0);
        if (reads_c_)
            sum += support::element_at(memory("alpha_beta"), product_.data_type, 1) *
                   at(before_, product_.c, i, j);
        return product_.epilogue.tree() == nullptr ? sum
                                                   : value(*product_.epilogue.tree(), sum, matrix, i, j);
    }

    void expect_results() {
        const long double epsilon = scalar_bytes() == 4 ? 0x1p-23L : 0x1p-52L;
        for (const Reduction& reduction : product_.reductions) {
            const auto value_of = [&](Integer matrix, Integer i, Integer j) {
                const std::complex<long double> x = finished(matrix, i, j);
                return reduction.of.tree() == nullptr ? x.real()
                                                      : value(*reduction.of.tree(), x, matrix, i, j).real();
            };
            const std::vector<support::Reduced> expected =
                support::reduced_by_definition(product_, reduction, value_of);
            const ir::Memory& found = memory("reduction_" + reduction.name);
            ASSERT_EQ(static_cast<Integer>(expected.size()), found.elements());
            for (std::size_t r = 0; r < expected.size(); ++r)
                ASSERT_NEAR(
                    static_cast<double>(found[static_cast<Integer>(r)]),
                    static_cast<double>(expected[r].value),
                    static_cast<double>(epsilon * 64 *
                                        (expected[r].magnitude + static_cast<long double>(product_.k))))
                    << reduction.name << " " << r;
        }
    }

private:
    static std::vector<ir::Program> programs_of(const MatrixProduct& product,
                                                const gemm::GpuGemmSchedule& schedule) {
        std::vector<ir::Program> programs;
        for (GpuMatrixDerivation& derivation : derive_gemm_for_gpu(product, schedule, gpu()))
            programs.push_back(std::move(derivation.program));
        for (GpuMatrixDerivation& derivation : derive_reductions_for_gpu(product, schedule, gpu()))
            programs.push_back(std::move(derivation.program));
        return programs;
    }
    Integer scalar_bytes() const {
        return bytes_of(product_.data_type) / (is_complex(product_.data_type) ? 2 : 1);
    }
    std::complex<long double> value(const ExpressionTree& tree, const std::complex<long double>& x,
                                    Integer matrix, Integer i, Integer j) {
        return support::value_of(tree, product_, std::complex<double>(x), {matrix, i, j},
                                 [&](const std::string& name, Integer k) {
                                     return static_cast<double>(memory("auxiliary_" + name)[k]);
                                 });
    }

    MatrixProduct product_;
    support::KernelSequence sequence_;
    ir::Memory before_;
    bool reads_c_ = true;
};

void expect_reductions(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                       bool reads_c = true) {
    SCOPED_TRACE(to_string(schedule));
    Execution execution(product, schedule, reads_c);
    execution.run();
    execution.expect_results();
}

TEST(GpuReductions, AreThoseOfFinishedElements) {
    for (const DataType data_type : {DataType::float32, DataType::float64})
        for (const auto& [rows, columns] : {std::array{40, 20}, {32, 16}, {33, 47}, {96, 16}})
            for (const char* epilogue : {"", "max(0, x + bias[i])"}) {
                expect_reductions(
                    with_all_kinds(MatrixProduct::column_major(data_type, rows, columns, 7), epilogue),
                    schedule_with(""));
                expect_reductions(
                    with_all_kinds(MatrixProduct::row_major(data_type, columns, rows, 7), epilogue),
                    schedule_with(""), false);
            }
}

TEST(GpuReductions, OfVectorsOfElements) {
    expect_reductions(
        with_all_kinds(MatrixProduct::column_major(DataType::float32, 68, 36, 9), "x + residual[i,j]"),
        schedule_with("c_vector_m=4"));
    expect_reductions(with_all_kinds(MatrixProduct::column_major(DataType::float64, 68, 36, 9)),
                      schedule_with("c_vector_m=2"));
}

TEST(GpuReductions, CountElementsOnceWhereSumsAreShared) {
    for (const char* more :
         {"sliced_k=2 cta_k=8", "split_k=2", "split_k=4 c_vector_m=4", "split_k=4 split_k_in_workspace=1",
          "split_k=16 split_k_in_workspace=1 thread_n=8 cta_n=32"})
        expect_reductions(with_all_kinds(MatrixProduct::column_major(DataType::float32, 40, 36, 64)),
                          schedule_with(more));
}

TEST(GpuReductions, OfEveryMapOfThreads) {
    for (const char* more : {"zigzag=0", "warp_lanes_m=1 warp_lanes_n=32 cta_m=8 cta_n=128",
                             "warp_lanes_m=32 warp_lanes_n=1 cta_m=128 cta_n=4",
                             "warp_lanes_m=32 warp_lanes_n=1 cta_m=128 cta_n=12",
                             "warp_lanes_m=2 warp_lanes_n=2 cta_m=8 cta_n=8 sliced_k=8 cta_k=16",
                             "thread_m=3 cta_m=24", "thread_n=6 cta_n=24"})
        expect_reductions(with_all_kinds(MatrixProduct::column_major(DataType::float32, 130, 130, 6)),
                          schedule_with(more));
}

TEST(GpuReductions, OfProductsThatWarpsMultiply) {
    const auto warps = gemm::parse_gpu_schedule(
        "cta_m=32 cta_n=32 cta_k=8 thread_m=4 thread_n=4 warp_lanes_m=8 "
        "warp_lanes_n=4 zigzag=0 mma_k=4 stages=3");
    expect_reductions(with_all_kinds(MatrixProduct::column_major(DataType::float64, 70, 50, 20)), warps);
}

TEST(GpuReductions, SupportComplexTypes) {
    for (const DataType data_type : {DataType::complex64, DataType::complex128})
        expect_reductions(with_all_kinds(MatrixProduct::column_major(data_type, 40, 36, 7)),
                          schedule_with(""));
}

TEST(GpuReductions, OfEachMatrixOfABatch) {
    for (const char* more : {"matrices=4", "matrices=1", "matrices=4 sliced_k=2"}) {
        MatrixProduct product = with_all_kinds(MatrixProduct::column_major(DataType::float32, 12, 8, 5));
        product.batch = 7;
        product.a.batch_stride = 60;
        product.b.batch_stride = 40;
        product.c.batch_stride = 96;
        expect_reductions(product,
                          gemm::parse_gpu_schedule("cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 "
                                                   "warp_lanes_m=4 warp_lanes_n=4 stages=2 c_vector_m=2 " +
                                                   std::string(more)));
    }
}

TEST(GpuReductions, OfElementsBeforeTheyAreStored) {
    MatrixProduct product = with_all_kinds(MatrixProduct::column_major(DataType::float32, 40, 36, 9));
    for (const DataType stored : {DataType::bfloat16, DataType::int8}) {
        product.c_type = stored;
        expect_reductions(product, schedule_with(""), false);
    }
}

TEST(GpuReductions, OfWhatIsNotMultiplied) {
    for (const bool reads_c : {false, true})
        expect_reductions(with_all_kinds(MatrixProduct::column_major(DataType::float32, 40, 20, 0)),
                          schedule_with(""), reads_c);
}

/// Fewer: the interpreter takes its time for tiles.
MatrixProduct with_some_kinds(MatrixProduct product) {
    product.reductions = {{"rows", Reduce::sum, Over::columns, Expression("x * weight[j] + i")},
                          {"columns", Reduce::maximum, Over::rows, Expression("abs(x)")},
                          {"most", Reduce::minimum, Over::columns, {}},
                          {"all", Reduce::sum, Over::all, Expression("x - b")}};
    return product;
}

MatrixProduct of_bfloat16(Integer rows, Integer columns, bool has_columns) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, rows, columns, 24);
    product.a_type = product.b_type = DataType::bfloat16;
    product.a = product.b = {1, 136};
    product.c = has_columns ? MatrixLayout{1, 136} : MatrixLayout{136, 1};
    return product;
}

/// Tiles that reach beyond C, in the middle of a pair of rows, too; of products that are computed as they are and turned.
TEST(GpuReductions, OfTiles) {
    struct Case {
        const char* schedule;
        Integer rows, columns;
        bool has_columns;
    };
    for (const Case& one :
         {Case{"cta_m=64 cta_n=64 warpgroups=1 epilogue_tile_m=64", 71, 70, true},
          Case{"cta_m=64 cta_n=64 warpgroups=1 epilogue_tile_m=32", 64, 129, false},
          Case{"cta_m=64 cta_n=128 warpgroups=2 epilogue_tile_m=64 cluster_m=2", 40, 128, true},
          Case{"cta_m=128 cta_n=64 warpgroups=1 epilogue_tile_m=64 cluster_n=2", 128, 40, true}})
        expect_reductions(with_some_kinds(of_bfloat16(one.rows, one.columns, one.has_columns)),
                          gemm::parse_gpu_schedule("wgmma cta_k=64 stages=2 " + std::string(one.schedule)),
                          one.has_columns);
}

TEST(GpuReductions, OfTilesAreNaNWhereAnElementIs) {
    MatrixProduct product = of_bfloat16(64, 64, true);
    product.reductions = {{"most", Reduce::maximum, Over::columns, {}},
                          {"least", Reduce::minimum, Over::rows, {}},
                          {"all", Reduce::maximum, Over::all, {}}};
    Execution execution(product, gemm::parse_gpu_schedule("wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 "
                                                          "stages=2 epilogue_tile_m=64"));
    execution.memory("c").set(9 * 136 + 20, std::numeric_limits<long double>::quiet_NaN());
    execution.run();
    for (Integer k = 0; k < 64; ++k) {
        EXPECT_EQ(std::isnan(execution.memory("reduction_most")[k]), k == 20) << k;
        EXPECT_EQ(std::isnan(execution.memory("reduction_least")[k]), k == 9) << k;
    }
    EXPECT_TRUE(std::isnan(execution.memory("reduction_all")[0]));
}

TEST(GpuReductions, OfTilesOfABatch) {
    MatrixProduct product = with_some_kinds(MatrixProduct::column_major(DataType::float32, 72, 80, 24));
    product.a_type = product.b_type = product.c_type = DataType::bfloat16;
    product.batch = 2;
    product.a.batch_stride = product.b.batch_stride = product.c.batch_stride = 80 * 80;
    const auto schedule = gemm::parse_gpu_schedule(
        "wgmma cta_m=128 cta_n=128 cta_k=64 warpgroups=2 stages=2 epilogue_tile_m=64");
    for (const bool last_role_first : {false, true}) {
        Execution execution(product, schedule, false);
        execution.run({.last_role_first = last_role_first});
        execution.expect_results();
    }
}

/// Whose rows are those of wgmmas.
TEST(GpuReductions, OfTilesByFragments) {
    for (const char* more : {"cta_m=128 cta_n=64 warpgroups=1 epilogue_tile_m=64",
                             "cta_m=128 cta_n=64 warpgroups=2 epilogue_tile_m=32"}) {
        MatrixProduct product = MatrixProduct::column_major(DataType::float32, 130, 66, 40);
        product.a.column_stride = product.c.column_stride = 132;
        product.b.column_stride = 44;
        expect_reductions(with_some_kinds(product),
                          gemm::parse_gpu_schedule("wgmma cta_k=32 stages=2 tf32=1 " + std::string(more)));
    }
}

/// By bf16 splits, in range or not: the fallback kernel has other tiles.
TEST(GpuReductions, OfProductsThatAreGuarded) {
    MatrixProduct product = MatrixProduct::row_major(DataType::float32, 64, 68, 64);
    product.reductions = {{"sum", Reduce::sum, Over::columns, {}},
                          {"most", Reduce::maximum, Over::rows, Expression("abs(x)")},
                          {"squares", Reduce::sum, Over::all, Expression("x * x")}};
    const auto schedule = gemm::parse_gpu_schedule(
        "wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 stages=2 epilogue_tile_m=64 bf16_split=3 "
        "accumulation_interval=1 "
        "range_check=1");
    for (const long double special : {0.5L, 1e-40L}) {
        Execution execution(product, schedule);
        execution.memory("a").set(5 * 64 + 7, special);
        execution.run();
        EXPECT_EQ(execution.memory("blocks_out_of_range")[0] > 0, special != 0.5L);
        execution.expect_results();
    }
}

TEST(GpuReductions, OfNothingAreNeutral) {
    MatrixProduct product = with_all_kinds(MatrixProduct::column_major(DataType::float32, 0, 70, 5));
    std::vector<ir::Program> programs;
    for (GpuMatrixDerivation& derivation : derive_reductions_for_gpu(product, schedule_with(""), gpu()))
        programs.push_back(std::move(derivation.program));
    support::KernelSequence sequence(programs);
    sequence.run({});
    constexpr long double infinity = std::numeric_limits<long double>::infinity();
    for (const Reduction& reduction : product.reductions)
        for (Integer r = 0; r < results_of_matrix(product, reduction.over); ++r)
            EXPECT_EQ(sequence.memory("reduction_" + reduction.name)[r],
                      reduction.operation == Reduce::sum       ? 0
                      : reduction.operation == Reduce::maximum ? -infinity
                                                               : infinity);
}

TEST(GpuReductions, AreNaNWhereAnElementIs) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 40, 40, 4);
    product.reductions = {{"most", Reduce::maximum, Over::columns, {}},
                          {"least", Reduce::minimum, Over::rows, {}},
                          {"all", Reduce::maximum, Over::all, {}}};
    for (const long double special :
         {std::numeric_limits<long double>::quiet_NaN(), std::numeric_limits<long double>::infinity(),
          -std::numeric_limits<long double>::infinity()})
        for (const Integer position : {0, 17, 39}) {
            Execution execution(product, schedule_with(""));
            execution.memory("c").set(position * 40 + position, special);
            execution.memory("alpha_beta").assign(std::vector<long double>{1, 1});
            execution.run();
            const auto is_special = [&](long double found) {
                return std::isnan(special) ? std::isnan(found) : found == special;
            };
            for (Integer i = 0; i < 40; ++i) {
                const bool is_here = i == position;
                EXPECT_EQ(is_special(execution.memory("reduction_most")[i]), is_here && !(special < 0)) << i;
                EXPECT_EQ(is_special(execution.memory("reduction_least")[i]), is_here && !(special > 0)) << i;
            }
            EXPECT_EQ(is_special(execution.memory("reduction_all")[0]), !(special < 0));
        }
}

} // namespace gpu_reductions_test
} // namespace swirl::planning
