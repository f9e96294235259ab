#include "ir/builder.hpp"
#include "run.hpp"

namespace swirl::jit::test {
namespace memory_test {

using ir::Access;
using ir::Builder;
using ir::Value;

TEST(Memory, EveryMaskedAndStridedAccessEqualsTheInterpreter) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64})
            for (int n = 2; n <= target::lanes(*cpu, scalar); n *= 2)
                for (const Integer stride : {1, 2, 3, 17, -1, -2})
                    for (int active = 1; active <= n; ++active) {
                        Builder builder(
                            fmt::format("access_{}x{}_{}_{}", bytes_of(scalar) * 8, n, stride, active));
                        const Integer reach = (active - 1) * std::abs(stride) + 1;
                        const Integer first = stride < 0 ? reach - 1 : 0;
                        const ir::Buffer in = builder.input("in", scalar, reach);
                        const ir::Buffer out = builder.output("out", scalar, reach);
                        const ir::Buffer whole = builder.output("whole", scalar, 2 * n);
                        const Access access{.lanes = n, .lane_stride = stride, .active = active};
                        const Value v = builder.load(in, first, access);
                        builder.store(whole, 0, v, {.lanes = n});
                        const Value sum = builder.add(v, builder.load(in, first, access));
                        builder.store(out, first, sum, access);
                        builder.store(whole, n, sum, {.lanes = n});
                        expect_same(builder.finish(), *cpu);
                    }
}

TEST(Memory, ALoadOfStrideZeroIsABroadcast) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64}) {
            const int n = target::lanes(*cpu, scalar);
            Builder builder("broadcast");
            const ir::Buffer in = builder.input("in", scalar, 2);
            const ir::Buffer out = builder.output("out", scalar, 2 * n);
            const Value v = builder.load(in, 1, {.lanes = n, .lane_stride = 0});
            builder.store(out, 0, builder.multiply(v, v), {.lanes = n});
            builder.store(out, n, builder.load(in, 0, {.lanes = n, .lane_stride = 0, .active = n - 1}),
                          {.lanes = n});
            expect_same(builder.finish(), *cpu);
        }
}

TEST(Memory, MoreThanSevenDifferentMasksInOneKernel) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        const int n = target::lanes(*cpu, DataType::float32);
        Builder builder("masks");
        const ir::Buffer in = builder.input("in", DataType::float32, 20 * n);
        const ir::Buffer out = builder.output("out", DataType::float32, 20 * n);
        for (int active = 1; active < n; ++active) {
            const Value v = builder.load(in, active * n, {.lanes = n, .active = active});
            const Value w = builder.load(in, active * n, {.lanes = n, .active = n - active});
            builder.store(out, active * n, builder.add(v, w), {.lanes = n, .active = active});
        }
        expect_same(builder.finish(), *cpu);
    }
}

TEST(Memory, TableDrivenAddressesEqualTheInterpreter) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64}) {
            const int n = target::lanes(*cpu, scalar);
            Builder builder("permutation");
            const std::vector<Integer> offsets = {5, 0, 3, 7, 1, 2, 6, 4};
            const ir::Buffer table = builder.table("places", offsets);
            const ir::Buffer in = builder.input("in", scalar, 8 * n + 2);
            const ir::Buffer out = builder.output("out", scalar, 8 * n + 2);
            builder.for_loop("i", 8, [&](const Affine& i) {
                const Value at = builder.load(table, i);
                const Value x = builder.load(in, 1, {.dynamic = at});
                builder.store(out, i, builder.add(x, builder.load(in, 2, {.dynamic = at})));
            });
            const Value two = builder.constant({DataType::int64, 1}, 2);
            const Value element_index =
                builder.add(builder.multiply(builder.load(table, 3), two), builder.index(1));
            const Value v =
                builder.load(in, 0,
                             {.lanes = n,
                              .active = n > 2 ? n - 1 : n,
                              .dynamic = builder.negate(builder.subtract(builder.index(2), two))});
            builder.store(out, 8, v,
                          {.lanes = n,
                           .lane_stride = 2,
                           .dynamic = builder.subtract(element_index, builder.index(Affine(15)))});
            expect_same(builder.finish(), *cpu);
        }
}

TEST(Memory, ManyIndicesAreSpilledAndReloaded) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        std::vector<Integer> offsets(40);
        for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<Integer>(i * 7 % 40);
        Builder builder("indices");
        const ir::Buffer table = builder.table("places", offsets);
        const ir::Buffer in = builder.input("in", DataType::float64, 80);
        const ir::Buffer out = builder.output("out", DataType::float64, 40);
        std::vector<Value> indices;
        for (int i = 0; i < 40; ++i)
            indices.push_back(builder.add(builder.load(table, i), builder.load(table, 39 - i)));
        for (int i = 0; i < 40; ++i)
            builder.store(out, i, builder.load(in, 0, {.dynamic = indices[static_cast<std::size_t>(i)]}));
        expect_same(builder.finish(), *cpu);
    }
}

TEST(Memory, BuffersMayStartBelowZero) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("negative");
        ir::BufferInfo info;
        info.name = "in";
        info.role.argument = ir::ArgumentRole::input;
        info.elements = 16;
        info.first = -12;
        const ir::Buffer in = builder.add(info);
        info.name = "out";
        info.role.argument = ir::ArgumentRole::output;
        info.written = true;
        const ir::Buffer out = builder.add(info);
        builder.for_loop(
            "i", 16, [&](const Affine& i) { builder.store(out, i - 12, builder.load(in, Affine(3) - i)); });
        expect_same(builder.finish(), *cpu);
    }
}

// ---- transforms in place: loads and stores must keep their order where buffers may overlap ---------------------

TEST(InPlace, KeepsValuesPastTheirOverwriting) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        const int n = target::lanes(*cpu, DataType::float64);
        Builder builder("reverse");
        const int count = 48; // more vectors than registers
        const ir::Buffer in = builder.input("in", DataType::float64, count * n);
        const ir::Buffer out = builder.output("out", DataType::float64, count * n);
        std::vector<Value> values;
        for (int i = 0; i < count; ++i) values.push_back(builder.load(in, i * n, {.lanes = n}));
        for (int i = 0; i < count; ++i) {
            const Value last = values[static_cast<std::size_t>(count - 1 - i)];
            builder.store(out, i * n, builder.add(last, values[0]), {.lanes = n});
        }
        const ir::Program program = builder.finish();
        expect_same(program, *cpu, {.in_place = true});
        expect_same(program, *cpu, {.in_place = false});
    }
}

TEST(InPlace, AReadAfterAStoreSeesTheStoredValue) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("prefix");
        const ir::Buffer in = builder.input("in", DataType::float64, 32);
        const ir::Buffer out = builder.output("out", DataType::float64, 32);
        Value sum = builder.load(in, 0);
        for (int i = 1; i < 32; ++i) {
            sum = builder.add(builder.load(in, i), builder.load(in, i - 1));
            builder.store(out, i, sum);
        }
        builder.store(out, 0, builder.add(sum, builder.splat(builder.load(in, 5), 1)));
        const ir::Program program = builder.finish();
        expect_same(program, *cpu, {.in_place = true});
    }
}

TEST(InPlace, OneBufferReadAndWrittenThroughOverlappingVectors) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        const int n = target::lanes(*cpu, DataType::float32);
        Builder builder("overlap");
        const ir::Buffer data = builder.output("data", DataType::float32, 8 * n);
        const Value a = builder.load(data, 0, {.lanes = n});
        const Value b = builder.load(data, 1, {.lanes = n});
        const Value s = builder.load(data, n);
        builder.store(data, n / 2, builder.add(a, b), {.lanes = n});
        builder.store(data, 3 * n, builder.multiply(a, b), {.lanes = n});
        builder.store(data, 5 * n, builder.multiply(builder.splat(s, n), builder.load(data, 1, {.lanes = n})),
                      {.lanes = n});
        expect_same(builder.finish(), *cpu);
    }
}

} // namespace memory_test
} // namespace swirl::jit::test
