#include "ir/builder.hpp"
#include "run.hpp"
#include "target/catalogue.hpp"
#include "target/shuffle.hpp"

#include <functional>

namespace swirl::jit::test {
namespace opcode_test {

using ir::Access;
using ir::Builder;
using ir::Value;

struct Shape {
    const target::Cpu* cpu;
    DataType scalar;
    int lanes;
};

std::vector<Shape> all_shapes() {
    std::vector<Shape> shapes;
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64})
            for (int lanes = 1; lanes <= target::lanes(*cpu, scalar); lanes *= 2)
                shapes.push_back({cpu, scalar, lanes});
    return shapes;
}

/// out = f(a, b, c) on vectors of the shape, twice: from memory and from values that are still needed afterwards.
void expect_same_operation(const Shape& shape, const std::string& name,
                           const std::function<Value(Builder&, Value, Value, Value)>& f) {
    Builder builder(fmt::format("{}_{}x{}", name, bytes_of(shape.scalar) * 8, shape.lanes));
    const int n = shape.lanes;
    const ir::Buffer in = builder.input("in", shape.scalar, 3 * n);
    const ir::Buffer out = builder.output("out", shape.scalar, 8 * n);
    const auto load = [&](int i) { return builder.load(in, i * n, {.lanes = n}); };
    builder.store(out, 0, f(builder, load(0), load(1), load(2)), {.lanes = n});
    const Value a = load(0), b = load(1), c = load(2);
    const Value sum = builder.add(builder.add(a, b), c);
    builder.store(out, n, f(builder, a, b, c), {.lanes = n});
    builder.store(out, 2 * n, f(builder, sum, b, c), {.lanes = n});
    builder.store(out, 3 * n, f(builder, b, sum, c), {.lanes = n});
    builder.store(out, 4 * n, f(builder, b, c, sum), {.lanes = n});
    builder.store(out, 5 * n, f(builder, a, a, sum), {.lanes = n});
    builder.store(out, 6 * n, f(builder, sum, sum, sum), {.lanes = n});
    builder.store(out, 7 * n, builder.add(sum, b), {.lanes = n});
    expect_same(builder.finish(), *shape.cpu);
}

TEST(Opcodes, ArithmeticEqualsTheInterpreter) {
    for (const Shape& shape : all_shapes()) {
        const ir::Type type{shape.scalar, shape.lanes};
        expect_same_operation(shape, "add", [](Builder& p, Value a, Value b, Value) { return p.add(a, b); });
        expect_same_operation(shape, "subtract",
                              [](Builder& p, Value a, Value b, Value) { return p.subtract(a, b); });
        expect_same_operation(shape, "multiply",
                              [](Builder& p, Value a, Value b, Value) { return p.multiply(a, b); });
        expect_same_operation(shape, "negate", [](Builder& p, Value a, Value, Value) { return p.negate(a); });
        expect_same_operation(shape, "constant", [&](Builder& p, Value a, Value, Value) {
            return p.multiply(p.add(a, p.constant(type, 1.25L)), p.constant(type, 0.1L));
        });
        expect_same_operation(shape, "constant_first", [&](Builder& p, Value a, Value, Value) {
            return p.subtract(p.constant(type, 1.25L), a);
        });
    }
}

TEST(Opcodes, UnaryOperationsAndDivisionEqualTheInterpreter) {
    for (const Shape& shape : all_shapes()) {
        const ir::Type type{shape.scalar, shape.lanes};
        expect_same_operation(shape, "divide",
                              [](Builder& p, Value a, Value b, Value) { return p.divide(a, b); });
        expect_same_operation(shape, "divide_constant", [&](Builder& p, Value a, Value, Value) {
            return p.divide(p.constant(type, 1), p.add(a, p.constant(type, 5)));
        });
        expect_same_operation(shape, "square_root", [](Builder& p, Value a, Value b, Value) {
            return p.add(p.square_root(p.magnitude(a)), b);
        });
        expect_same_operation(shape, "magnitude", [](Builder& p, Value a, Value b, Value) {
            return p.subtract(p.magnitude(b), p.magnitude(a));
        });
        const bool is_double = shape.scalar == DataType::float64;
        for (const int exponent : {-126, -3, 0, 1, 127, is_double ? -1022 : 5, is_double ? 1023 : 6})
            expect_same_operation(shape, "power_of_two", [&](Builder& p, Value a, Value, Value) {
                const Value whole = p.select(p.less(a, a), a, p.constant(type, exponent));
                return p.power_of_two(whole);
            });
    }
}

TEST(Opcodes, FmaEqualsTheInterpreter) {
    for (const Shape& shape : all_shapes()) {
        if (!shape.cpu->has_fma) continue;
        const ir::Type type{shape.scalar, shape.lanes};
        expect_same_operation(shape, "fma",
                              [](Builder& p, Value a, Value b, Value c) { return p.fma(a, b, c); });
        expect_same_operation(shape, "fms",
                              [](Builder& p, Value a, Value b, Value c) { return p.fms(a, b, c); });
        expect_same_operation(shape, "fnma",
                              [](Builder& p, Value a, Value b, Value c) { return p.fnma(a, b, c); });
        expect_same_operation(shape, "fma_constant", [&](Builder& p, Value a, Value, Value c) {
            return p.fma(a, p.constant(type, 0.3L), c);
        });
        expect_same_operation(shape, "fms_constant", [&](Builder& p, Value a, Value b, Value) {
            return p.fms(a, b, p.constant(type, 0.3L));
        });
        expect_same_operation(shape, "fnma_square",
                              [&](Builder& p, Value a, Value, Value) { return p.fnma(a, a, a); });
    }
}

TEST(Opcodes, ComparisonAndSelectionEqualTheInterpreter) {
    for (const Shape& shape : all_shapes())
        expect_same_operation(shape, "select", [](Builder& p, Value a, Value b, Value c) {
            return p.select(p.less(a, b), p.add(b, c), c);
        });
}

TEST(Opcodes, SplatEqualsTheInterpreterForLoadsConstantsAndResults) {
    for (const Shape& shape : all_shapes()) {
        const int n = shape.lanes;
        Builder builder("splat");
        const ir::Buffer in = builder.input("in", shape.scalar, 2 + n);
        const ir::Buffer out = builder.output("out", shape.scalar, 4 * n);
        const Value x = builder.load(in, 0), y = builder.load(in, 1);
        const Value v = builder.load(in, 2, {.lanes = n});
        builder.store(out, 0, builder.add(v, builder.splat(x, n)), {.lanes = n});
        builder.store(out, n, builder.add(v, builder.splat(builder.add(x, y), n)), {.lanes = n});
        builder.store(out, 2 * n, builder.splat(builder.constant({shape.scalar, 1}, 0.7L), n), {.lanes = n});
        builder.store(out, 3 * n, builder.multiply(builder.splat(x, n), builder.splat(y, n)), {.lanes = n});
        expect_same(builder.finish(), *shape.cpu);
    }
}

TEST(Opcodes, ConversionEqualsTheInterpreter) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (int n = 1; n <= target::lanes(*cpu, DataType::float64); n *= 2) {
            Builder builder("convert");
            const ir::Buffer narrow = builder.input("narrow", DataType::float32, n);
            const ir::Buffer wide = builder.input("wide", DataType::float64, n);
            const ir::Buffer out32 = builder.output("out32", DataType::float32, 2 * n);
            const ir::Buffer out64 = builder.output("out64", DataType::float64, 2 * n);
            const Value x = builder.load(narrow, 0, {.lanes = n}), y = builder.load(wide, 0, {.lanes = n});
            builder.store(out64, 0, builder.convert(x, DataType::float64), {.lanes = n});
            builder.store(out32, 0, builder.convert(y, DataType::float32), {.lanes = n});
            builder.store(out64, n, builder.convert(builder.add(x, x), DataType::float64), {.lanes = n});
            builder.store(out32, n, builder.convert(builder.add(y, y), DataType::float32), {.lanes = n});
            expect_same(builder.finish(), *cpu);
        }
}

TEST(Instructions, EveryTableEntryComputesItsMeaning) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const ir::Instruction* instruction : cpu->instructions) {
            Builder builder{std::string(instruction->name)};
            const ir::Type type = instruction->result;
            const int n = type.lanes;
            const ir::Buffer in = builder.input("in", type.scalar, 3 * n);
            const ir::Buffer out = builder.output("out", type.scalar, 4 * n);
            const auto load = [&](int i) { return builder.load(in, i * n, {.lanes = n}); };
            const bool two = instruction->operands.size() == 2;
            const auto apply = [&](Value a, Value b) {
                return two ? builder.instruction(*instruction, {a, b})
                           : builder.instruction(*instruction, {a});
            };
            const Value a = load(0), b = load(1), sum = builder.add(a, load(2));
            builder.store(out, 0, apply(a, b), {.lanes = n});
            builder.store(out, n, apply(sum, b), {.lanes = n});
            builder.store(out, 2 * n, apply(b, sum), {.lanes = n});
            builder.store(out, 3 * n, apply(sum, sum), {.lanes = n});
            expect_same(builder.finish(), *cpu);
        }
}

/// The machine's result of each instruction on two random vectors against a direct call of its meaning.
void expect_meanings(const target::Cpu& cpu, const std::vector<const ir::Instruction*>& instructions) {
    const ir::Type type = instructions.front()->result;
    const int n = type.lanes;
    const auto count = static_cast<Integer>(instructions.size());
    Builder builder("immediates");
    const ir::Buffer in = builder.input("in", type.scalar, 2 * n);
    const ir::Buffer out = builder.output("out", type.scalar, count * n);
    const Value a = builder.load(in, 0, {.lanes = n}), b = builder.load(in, n, {.lanes = n});
    for (Integer i = 0; i < count; ++i) {
        const ir::Instruction& instruction = *instructions[static_cast<std::size_t>(i)];
        const Value result = instruction.operands.size() == 2 ? builder.instruction(instruction, {a, b})
                                                              : builder.instruction(instruction, {a});
        builder.store(out, i * n, result, {.lanes = n});
    }
    const Mapped mapped(compile(builder.finish(), cpu));
    std::vector<ir::Lanes> operands(2);
    std::vector<double> in64, out64(static_cast<std::size_t>(count * n));
    std::vector<float> in32, out32(out64.size());
    for (int i = 0; i < 2 * n; ++i) {
        operands[static_cast<std::size_t>(i / n)].push_back(i + 1);
        in64.push_back(i + 1);
        in32.push_back(static_cast<float>(i + 1));
    }
    const bool is_double = type.scalar == DataType::float64;
    void* buffers[] = {is_double ? static_cast<void*>(in64.data()) : in32.data(),
                       is_double ? static_cast<void*>(out64.data()) : out32.data()};
    mapped.function()(buffers, nullptr);
    std::size_t at = 0;
    for (const ir::Instruction* instruction : instructions)
        for (const long double expected : instruction->meaning(operands)) {
            EXPECT_EQ(is_double ? out64[at] : static_cast<double>(out32[at]), static_cast<double>(expected))
                << instruction->name << " on " << cpu.name;
            ++at;
        }
}

TEST(Instructions, EveryImmediateOfEveryFamilyComputesItsMeaning) {
    using target::ShuffleFamily;
    for (const target::Cpu* cpu : runnable_cpus())
        for (const ShuffleFamily* family : target::shuffle_families(cpu->set)) {
            std::vector<const ir::Instruction*> instructions;
            // 65536 immediates of a blend: every 251st will do
            const int step = family->immediates > 256 ? 251 : 1;
            for (int immediate = 0; immediate < std::max(1, family->immediates); immediate += step)
                if (target::source_lane(*family, 0, immediate) != ShuffleFamily::invalid)
                    instructions.push_back(&target::instruction_of(*family, immediate));
            expect_meanings(*cpu, instructions);
        }
}

std::vector<std::int8_t> random_map(std::mt19937& random, int lanes, int sources) {
    std::vector<std::int8_t> map(static_cast<std::size_t>(lanes));
    for (auto& source : map)
        source = static_cast<std::int8_t>(random() % static_cast<unsigned>(sources * lanes));
    return map;
}

TEST(Instructions, AnyPermutationComputesItsLaneMap) {
    std::mt19937 random(7);
    for (const Shape& shape : all_shapes()) {
        if (shape.lanes == 1) continue;
        const int n = shape.lanes;
        const ir::Type type{shape.scalar, n};
        Builder builder("permute");
        const ir::Buffer in = builder.input("in", shape.scalar, 2 * n);
        const ir::Buffer out = builder.output("out", shape.scalar, 60 * n);
        const Value a = builder.load(in, 0, {.lanes = n});
        const Value b = builder.add(a, builder.load(in, n, {.lanes = n}));
        for (int i = 0; i < 60; ++i) {
            const auto map = random_map(random, n, i % 3 == 0 ? 1 : 2);
            const ir::Instruction& instruction = target::general_permute(*shape.cpu, type, map);
            const Value x = i % 5 == 0 ? b : a, y = i % 7 == 0 ? a : b;
            const Value result = instruction.operands.size() == 2 ? builder.instruction(instruction, {x, y})
                                                                  : builder.instruction(instruction, {x});
            builder.store(out, i * n, result, {.lanes = n});
        }
        expect_same(builder.finish(), *shape.cpu);
    }
}

TEST(Instructions, ShufflesThatNoPassHasSelectedAreSelectedHere) {
    std::mt19937 random(11);
    for (const Shape& shape : all_shapes()) {
        if (shape.lanes == 1) continue;
        const int n = shape.lanes;
        Builder builder("shuffle");
        const ir::Buffer in = builder.input("in", shape.scalar, 2 * n);
        const ir::Buffer out = builder.output("out", shape.scalar, 21 * n);
        const Value a = builder.load(in, 0, {.lanes = n}), b = builder.load(in, n, {.lanes = n});
        for (int i = 0; i < 20; ++i)
            builder.store(out, i * n, builder.shuffle(a, i % 4 == 0 ? a : b, random_map(random, n, 2)),
                          {.lanes = n});
        const auto half = random_map(random, n, 2);
        if (n > 2)
            builder.store(out, 20 * n,
                          builder.shuffle(a, b, std::vector<std::int8_t>(half.begin(), half.begin() + n / 2)),
                          {.lanes = n / 2});
        expect_same(builder.finish(), *shape.cpu);
    }
}

TEST(Shuffles, OfTwoHalvesMakeOneVector) {
    for (const Shape& shape : all_shapes()) {
        const int n = shape.lanes;
        if (n < 4) continue;
        Builder builder("join");
        const ir::Buffer in = builder.input("in", shape.scalar, n);
        const ir::Buffer out = builder.output("out", shape.scalar, n);
        const Value low = builder.load(in, 0, {.lanes = n / 2}),
                    high = builder.load(in, n / 2, {.lanes = n / 2});
        std::vector<std::int8_t> map;
        for (int lane = 0; lane < n; ++lane) map.push_back(static_cast<std::int8_t>(lane));
        builder.store(out, 0, builder.shuffle(low, high, map), {.lanes = n});
        expect_same(builder.finish(), *shape.cpu);
    }
}

} // namespace opcode_test
} // namespace swirl::jit::test
