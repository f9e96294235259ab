#include "gemm/cpu/micro_kernel.hpp"
#include "gemm/cpu/pack.hpp"
#include "gemm/cpu/schedule.hpp"
#include "passes/pipeline.hpp"
#include "run.hpp"
#include "target/extensions.hpp"

namespace swirl::jit::test {
namespace low_precision_kernels_test {

/// Every combination of low-precision types, with and without the CPU's extensions.
template <class F> void for_each_way(F&& f) {
    constexpr std::array<std::array<DataType, 3>, 6> all = {
        {{DataType::bfloat16, DataType::bfloat16, DataType::float32},
         {DataType::float16, DataType::float16, DataType::float32},
         {DataType::int8, DataType::int8, DataType::int32},
         {DataType::int8, DataType::uint8, DataType::int32},
         {DataType::uint8, DataType::int8, DataType::int32},
         {DataType::uint8, DataType::uint8, DataType::int32}}};
    for (const target::Cpu* cpu : runnable_cpus())
        for (const auto& [a, b, c] : all) {
            MatrixProduct product{.data_type = c};
            product.a_type = a;
            product.b_type = b;
            const gemm::OperandTypes plain = gemm::operand_types_of(product, *cpu, {});
            const gemm::OperandTypes best = gemm::operand_types_of(product, *cpu, target::host_extensions());
            f(*cpu, plain);
            if (!(best == plain)) f(*cpu, best);
        }
}

TEST(LowPrecisionKernels, TilesHaveTheInterpretersBits) {
    for_each_way([](const target::Cpu& cpu, const gemm::OperandTypes& types) {
        const gemm::BlockedGemm schedule = gemm::model_schedule(types, cpu);
        for (const auto update : {gemm::Update::overwrite, gemm::Update::add, gemm::Update::scale})
            for (const int less : {0, 1}) {
                const gemm::MicroKernel kernel{.data_type = types.c,
                                               .tile = schedule.tile,
                                               .rows = schedule.tile.rows() - less,
                                               .columns = schedule.tile.columns - less,
                                               .unroll = 2,
                                               .update = update,
                                               .max_k = 5,
                                               .max_stride = 70,
                                               .k_packing = types.k_packing};
                expect_same(passes::run_codegen_passes(gemm::micro_kernel(kernel), cpu), cpu,
                            {.parameters = {4, 5, 64}, .integers = !cpu.has_fma, .print_on_failure = false});
            }
    });
}

TEST(LowPrecisionKernels, PanelsHaveTheInterpretersBits) {
    for_each_way([](const target::Cpu& cpu, const gemm::OperandTypes& types) {
        const gemm::Tile tile = gemm::model_schedule(types, cpu).tile;
        for (const bool is_b : {false, true})
            for (const auto source :
                 {gemm::Pack::Source::across_panel, gemm::Pack::Source::along_k, gemm::Pack::Source::neither})
                for (const int rest : {0, types.k_packing.k_group() - 1})
                    for (const int less : {0, 1}) {
                        const int width = is_b ? tile.columns : tile.rows();
                        gemm::Pack pack{.data_type = types.c,
                                        .lanes = tile.lanes,
                                        .width = width,
                                        .count = width - less,
                                        .source = source,
                                        .max_k = 24,
                                        .max_stride = 101,
                                        .source_type = is_b ? types.b : types.a,
                                        .k_packing = types.k_packing,
                                        .operand = is_b ? gemm::Operand::b : gemm::Operand::a,
                                        .rest = rest,
                                        .has_masks = cpu.has_masks};
                        const Integer k_block = gemm::k_per_iteration(pack);
                        const bool is_across = source == gemm::Pack::Source::across_panel;
                        const bool is_along = source == gemm::Pack::Source::along_k;
                        expect_same(passes::run_codegen_passes(gemm::pack(pack), cpu), cpu,
                                    {.parameters = {21 / k_block * k_block, 21, is_along ? 1 : 60,
                                                    is_across  ? 1
                                                    : is_along ? 101
                                                               : 3},
                                     .print_on_failure = false});
                    }
    });
}

} // namespace low_precision_kernels_test
} // namespace swirl::jit::test
