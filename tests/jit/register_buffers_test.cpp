#include "jit/register_buffers.hpp"

#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/micro_kernel.hpp"
#include "gemm/cpu/schedule.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "ir/builder.hpp"
#include "passes/pipeline.hpp"
#include "run.hpp"

#include <array>

namespace swirl::jit::test {
namespace register_buffers_test {

using ir::Builder;
using ir::Value;

/// As many vectors as asked for, each to gather every fifth element of `in` or thereabouts.
ir::Program sums(int vectors, int lanes) {
    Builder builder("sums");
    const ir::Buffer in = builder.input("in", DataType::float64, 10 * lanes + vectors);
    const ir::Buffer out = builder.output("out", DataType::float64, Integer{vectors} * lanes);
    const ir::Buffer kept = builder.local("kept", DataType::float64, Integer{vectors} * lanes);
    const ir::Type type{DataType::float64, lanes};
    for (int v = 0; v < vectors; ++v)
        builder.store(kept, Integer{v} * lanes, builder.constant(type, v), {.lanes = lanes});
    builder.for_loop("i", 10, [&](const Affine& i) {
        for (int v = 0; v < vectors; ++v) {
            const Value term = builder.load(in, i * lanes + v, {.lanes = lanes});
            builder.store(kept, Integer{v} * lanes,
                          builder.fma(term, term, builder.load(kept, Integer{v} * lanes, {.lanes = lanes})),
                          {.lanes = lanes});
        }
    });
    for (int v = 0; v < vectors; ++v)
        builder.store(out, Integer{v} * lanes, builder.load(kept, Integer{v} * lanes, {.lanes = lanes}),
                      {.lanes = lanes});
    return builder.finish();
}

TEST(RegisterBuffers, LoopsKeepAccumulatorsInRegisters) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        const int lanes = target::lanes(*cpu, DataType::float64);
        for (const int vectors : {1, 3, cpu->vector_registers - 4, cpu->vector_registers - 3, 40}) {
            const ir::Program program = sums(vectors, lanes);
            const RegisterBuffers in_registers(program, *cpu);
            EXPECT_EQ(in_registers.holds(2), vectors <= cpu->vector_registers - 4) << vectors << cpu->name;
            const CodeStatistics statistics = expect_same(program, *cpu, {.integers = !cpu->has_fma});
            if (in_registers.holds(2) && cpu->has_fma) {
                EXPECT_EQ(statistics.spills, 0);
            }
        }
    }
}

TEST(RegisterBuffers, KeepValuesPastTheirOverwriting) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("exchange");
        const ir::Buffer in = builder.input("in", DataType::float64, 20);
        const ir::Buffer out = builder.output("out", DataType::float64, 20);
        const ir::Buffer kept = builder.local("kept", DataType::float64, 3);
        for (int i = 0; i < 3; ++i) builder.store(kept, i, builder.load(in, i));
        builder.for_loop("i", 6, [&](const Affine& i) {
            const Value a = builder.load(kept, 0), b = builder.load(kept, 1), c = builder.load(kept, 2);
            builder.store(kept, 0, b);
            builder.store(kept, 1, builder.fma(a, builder.load(in, i), c));
            builder.store(kept, 2, a);
            builder.store(out, 3 * i, builder.add(b, builder.multiply(a, c)));
            builder.store(out, 3 * i + 1, builder.load(kept, 1));
            builder.store(out, 3 * i + 2, builder.subtract(c, builder.load(kept, 2)));
        });
        expect_same(builder.finish(), *cpu, {.integers = !cpu->has_fma});
    }
}

TEST(RegisterBuffers, LoopInvariantElementsKeepTheirValue) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("read");
        const ir::Buffer in = builder.input("in", DataType::float64, 8);
        const ir::Buffer out = builder.output("out", DataType::float64, 8);
        const ir::Buffer kept = builder.local("kept", DataType::float64, 1);
        builder.store(kept, 0, builder.load(in, 3));
        builder.for_loop("i", 8, [&](const Affine& i) {
            const Value x = builder.load(in, i);
            builder.store(out, i, builder.fma(x, x, builder.load(kept, 0)));
        });
        expect_same(builder.finish(), *cpu, {.integers = !cpu->has_fma});
    }
}

TEST(RegisterBuffers, AccessesThatOverlapOrMoveStayInMemory) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("moving");
        const ir::Buffer in = builder.input("in", DataType::float64, 8);
        const ir::Buffer out = builder.output("out", DataType::float64, 8);
        const ir::Buffer moving = builder.local("moving", DataType::float64, 8);
        const ir::Buffer overlapping = builder.local("overlapping", DataType::float64, 3);
        builder.for_loop("i", 8, [&](const Affine& i) { builder.store(moving, i, builder.load(in, i)); });
        builder.store(overlapping, 0, builder.load(in, 0, {.lanes = 2}), {.lanes = 2});
        builder.store(overlapping, 1, builder.load(in, 2, {.lanes = 2}), {.lanes = 2});
        builder.for_loop("i", 8, [&](const Affine& i) {
            builder.store(out, i,
                          builder.add(builder.load(moving, i), builder.add(builder.load(overlapping, 0),
                                                                           builder.load(overlapping, 1))));
        });
        const ir::Program program = builder.finish();
        const RegisterBuffers in_registers(program, *cpu);
        EXPECT_FALSE(in_registers.holds(moving));
        EXPECT_FALSE(in_registers.holds(overlapping));
        expect_same(program, *cpu);
    }
}

constexpr std::array values = {DataType::float32, DataType::float64, DataType::complex64,
                               DataType::complex128};

TEST(MatrixKernels, TilesAsMachineCodeGiveWhatTheInterpreterGives) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType data_type : values)
            for (const gemm::Update update :
                 {gemm::Update::overwrite, gemm::Update::add, gemm::Update::scale})
                for (const int less : {0, 1, 3}) {
                    gemm::MicroKernel kernel{
                        .data_type = data_type, .update = update, .max_k = 11, .max_stride = 70};
                    kernel.tile = {target::lanes(*cpu, gemm::scalar_of(data_type)), 1, 4};
                    if (!is_complex(data_type)) kernel.tile.vectors = 3;
                    kernel.rows = std::max(1, kernel.tile.rows() - less);
                    kernel.columns = kernel.tile.columns - less % 2;
                    kernel.prefetch_next = less == 1;
                    expect_same(passes::run_codegen_passes(gemm::micro_kernel(kernel), *cpu), *cpu,
                                {.parameters = {8, 11, kernel.max_stride}, .integers = !cpu->has_fma});
                }
}

TEST(MatrixKernels, SumsOfTilesAreNotSpilled) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        if (!cpu->has_fma) continue;
        for (const DataType data_type : values) {
            const gemm::BlockedGemm schedule = gemm::model_schedule(data_type, *cpu);
            const gemm::MicroKernel kernel{.data_type = data_type,
                                           .tile = schedule.tile,
                                           .rows = schedule.tile.rows(),
                                           .columns = schedule.tile.columns,
                                           .max_k = 64};
            const MachineCode code =
                compile(passes::run_codegen_passes(gemm::micro_kernel(kernel), *cpu), *cpu);
            EXPECT_EQ(code.statistics.spills, 0) << cpu->name;
        }
    }
}

TEST(MatrixKernels, SmallGemmEqualsTheInterpreter) {
    unsigned seed = 1;
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType data_type : values)
            for (const auto& [rows, columns, k] :
                 {std::array{1, 1, 1}, {5, 7, 3}, {8, 8, 8}, {23, 20, 19}, {33, 13, 40}})
                for (const bool is_transposed : {false, true}) {
                    MatrixProduct product{.data_type = data_type, .rows = rows, .columns = columns, .k = k};
                    product.a = {.row_stride = 1, .column_stride = rows + 1, .conjugated = is_transposed};
                    if (is_transposed) product.a = {.row_stride = k, .column_stride = 1};
                    product.b = {.row_stride = columns + 2, .column_stride = 1, .conjugated = is_transposed};
                    product.c = {.row_stride = 1, .column_stride = rows + 3};
                    const gemm::SmallGemm small = gemm::model_small_gemm(
                        product, static_cast<gemm::Update>(seed % 3), seed % 2 == 0, std::min(k, 16), *cpu);
                    expect_same(passes::run_codegen_passes(gemm::small_gemm(small), *cpu), *cpu,
                                {.integers = !cpu->has_fma, .seed = seed++, .print_on_failure = false});
                    gemm::SmallGemm along_k = small;
                    along_k.schedule = gemm::model_dot(product, *cpu);
                    expect_same(passes::run_codegen_passes(gemm::small_gemm(along_k), *cpu), *cpu,
                                {.integers = true, .seed = seed, .print_on_failure = false});
                }
}

} // namespace register_buffers_test
} // namespace swirl::jit::test
