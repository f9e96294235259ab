#include "gemm/micro_kernel.hpp"
#include "gemm/pack.hpp"
#include "gemm/schedule.hpp"
#include "passes/pipeline.hpp"
#include "run.hpp"
#include "target/extensions.hpp"

namespace swirl::jit::test {
namespace {

/// Every combination of narrow numbers, with the machine's extensions and without.
template <class F> void for_each_way(F&& f) {
    constexpr std::array<std::array<Number, 3>, 6> all = {
        {{Number::bfloat16, Number::bfloat16, Number::float32},
         {Number::float16, Number::float16, Number::float32},
         {Number::int8, Number::int8, Number::int32},
         {Number::int8, Number::uint8, Number::int32},
         {Number::uint8, Number::int8, Number::int32},
         {Number::uint8, Number::uint8, Number::int32}}};
    for (const target::Cpu* cpu : runnable_cpus())
        for (const auto& [a, b, c] : all) {
            MatrixProduct product{.number = c};
            product.a_number = a;
            product.b_number = b;
            const gemm::Numbers plain = gemm::numbers_of(product, *cpu, {});
            const gemm::Numbers best = gemm::numbers_of(product, *cpu, target::host_extensions());
            f(*cpu, plain);
            if (!(best == plain)) f(*cpu, best);
        }
}

TEST(NarrowKernels, TilesHaveTheInterpretersBits) {
    for_each_way([](const target::Cpu& cpu, const gemm::Numbers& numbers) {
        const gemm::Schedule schedule = gemm::model_schedule(numbers, cpu);
        for (const auto update : {gemm::Update::overwrite, gemm::Update::add, gemm::Update::scale})
            for (const int less : {0, 1}) {
                const gemm::MicroKernel kernel{.number = numbers.c,
                                               .tile = schedule.tile,
                                               .rows = schedule.tile.rows() - less,
                                               .columns = schedule.tile.columns - less,
                                               .unroll = 2,
                                               .update = update,
                                               .most_depth = 5,
                                               .most_stride = 70,
                                               .grouping = numbers.grouping};
                expect_same(passes::run_in_order(gemm::micro_kernel(kernel), cpu), cpu,
                            {.parameters = {4, 5, 64}, .integers = !cpu.has_fma, .print_on_failure = false});
            }
    });
}

TEST(NarrowKernels, PanelsHaveTheInterpretersBits) {
    for_each_way([](const target::Cpu& cpu, const gemm::Numbers& numbers) {
        const gemm::Tile tile = gemm::model_schedule(numbers, cpu).tile;
        for (const bool is_b : {false, true})
            for (const auto source : {gemm::Pack::Source::across_panel, gemm::Pack::Source::along_depth,
                                      gemm::Pack::Source::neither})
                for (const int rest : {0, numbers.grouping.group() - 1})
                    for (const int less : {0, 1}) {
                        const int width = is_b ? tile.columns : tile.rows();
                        gemm::Pack pack{.number = numbers.c,
                                        .lanes = tile.lanes,
                                        .width = width,
                                        .count = width - less,
                                        .source = source,
                                        .most_depth = 24,
                                        .most_stride = 101,
                                        .narrow = is_b ? numbers.b : numbers.a,
                                        .grouping = numbers.grouping,
                                        .operand = is_b ? gemm::Operand::b : gemm::Operand::a,
                                        .rest = rest,
                                        .has_masks = cpu.has_masks};
                        const Integer together = gemm::steps_together(pack);
                        const bool is_across = source == gemm::Pack::Source::across_panel;
                        const bool is_along = source == gemm::Pack::Source::along_depth;
                        expect_same(passes::run_in_order(gemm::pack(pack), cpu), cpu,
                                    {.parameters = {21 / together * together, 21, is_along ? 1 : 60,
                                                    is_across  ? 1
                                                    : is_along ? 101
                                                               : 3},
                                     .print_on_failure = false});
                    }
    });
}

} // namespace
} // namespace swirl::jit::test
