#include "ir/builder.hpp"
#include "passes/pipeline.hpp"
#include "run.hpp"
#include "target/extensions.hpp"
#include "target/x86/dot_products.hpp"

namespace swirl::jit::test {
namespace short_integers_test {

using ir::Builder;
using ir::Value;

void expect_same_for_all_cpus(const ir::Program& program, unsigned seed = 1) {
    for (const target::Cpu* cpu : runnable_cpus())
        expect_same(passes::run_codegen_passes(program, *cpu), *cpu, {.seed = seed});
}

/// y = compute(x), in so many lanes or one.
template <class F> ir::Program mapped(DataType from, DataType to, int lanes, F&& compute) {
    Builder builder("mapped");
    const auto x = builder.input("x", from, 64), y = builder.output("y", to, 64);
    builder.for_loop("i", 0, 64, lanes, ir::For::Kind::serial, [&](const Affine& i) {
        builder.store(y, i, compute(builder, builder.load(x, i, {.lanes = lanes})), {.lanes = lanes});
    });
    return builder.finish();
}

TEST(ShortIntegers, AreComputedAsTheInterpreterDoes) {
    for (const int lanes : {1, 4})
        for (const long double factor : {1.0L, 256.0L, 77.0L, -3.0L})
            expect_same_for_all_cpus(
                mapped(DataType::int32, DataType::int32, lanes, [&](Builder& b, Value x) {
                    const Value c = b.constant({DataType::int32, lanes}, factor);
                    const Value product = b.multiply(b.multiply(x, c), b.subtract(x, c));
                    return b.add(b.bit_xor(product, c), b.negate(b.bit_and(x, c)));
                }));
}

TEST(ShortIntegers, AreWidenedWithTheirSigns) {
    for (const int lanes : {1, 4})
        for (const DataType from : {DataType::int8, DataType::uint8, DataType::int16}) {
            const auto widen = [&](Builder& b, Value x) { return b.convert(x, DataType::int32); };
            expect_same_for_all_cpus(mapped(from, DataType::int32, lanes, widen));
        }
    for (const DataType from : {DataType::int8, DataType::uint8}) {
        Builder b("pairs");
        const auto x = b.input("x", from, 8), y = b.output("y", DataType::int32, 4);
        const Value words = b.convert(b.load(x, 0, {.lanes = 8}), DataType::int16);
        b.store(y, 0, b.bitcast(words, DataType::int32), {.lanes = 4});
        expect_same_for_all_cpus(b.finish());
    }
}

TEST(ShortIntegers, Int32IsRoundedToFloat32) {
    const auto rounded = [](Builder& b, Value x) { return b.convert(b.add(x, x), DataType::float32); };
    for (const int lanes : {1, 4})
        expect_same_for_all_cpus(mapped(DataType::int32, DataType::float32, lanes, rounded));
    for (const target::Cpu* cpu : runnable_cpus()) {
        const int lanes = target::lanes(*cpu, DataType::float32);
        expect_same(
            passes::run_codegen_passes(mapped(DataType::int32, DataType::float32, lanes, rounded), *cpu),
            *cpu, {});
    }
}

/// A vector converted and stored: lanes, active lanes and lane stride.
ir::Program narrowed(DataType from, DataType through, DataType to, const ir::Access& access) {
    Builder b("narrowed");
    const auto x = b.input("x", from, access.lanes), y = b.output("y", to, 128);
    const Value value = b.convert(b.load(x, 0, {.lanes = access.lanes}), through);
    b.store(y, 64, b.convert(value, to), access);
    return b.finish();
}

TEST(ShortIntegers, AreNarrowedToAndStoredInAnyLanes) {
    struct Case {
        DataType from, through, to;
    };
    constexpr Case cases[] = {{DataType::int32, DataType::int32, DataType::int8},
                              {DataType::int32, DataType::int32, DataType::uint8},
                              {DataType::int32, DataType::int32, DataType::int16},
                              {DataType::int32, DataType::int32, DataType::uint16},
                              {DataType::int32, DataType::float32, DataType::float16},
                              {DataType::float32, DataType::float32, DataType::float16},
                              {DataType::float32, DataType::float32, DataType::bfloat16}};
    for (const target::Cpu* cpu : runnable_cpus())
        for (const Case& each : cases)
            for (const int lanes : {1, 4, target::lanes(*cpu, DataType::float32)})
                for (const Integer lane_stride : {1, 3, -2})
                    for (int active = 1; active <= lanes; ++active)
                        expect_same(
                            passes::run_codegen_passes(
                                narrowed(each.from, each.through, each.to,
                                         {.lanes = lanes, .lane_stride = lane_stride, .active = active}),
                                *cpu),
                            *cpu, {.seed = static_cast<unsigned>(active)});
}

TEST(ShortIntegers, Float32IsTruncatedToInt32) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const int lanes : {1, 4, target::lanes(*cpu, DataType::float32)}) {
            const auto there_and_back = [&](Builder& b, Value x) {
                const Value half = b.constant({DataType::float32, lanes}, 0.5L);
                const Value quotient = b.multiply(b.convert(x, DataType::float32), half);
                return b.convert(quotient, DataType::int32);
            };
            expect_same(passes::run_codegen_passes(
                            mapped(DataType::int32, DataType::int32, lanes, there_and_back), *cpu),
                        *cpu, {});
        }
}

TEST(ShortIntegers, HalfPrecisionBecomesFloat32) {
    const auto widen = [](Builder& b, Value x) { return b.convert(x, DataType::float32); };
    for (const int lanes : {1, 4})
        for (const DataType from : {DataType::float16, DataType::bfloat16})
            expect_same_for_all_cpus(mapped(from, DataType::float32, lanes, widen));
}

TEST(ShortIntegers, EveryFloat16IsWidened) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder b("all");
        const auto x = b.input("x", DataType::float16, 65536), y = b.output("y", DataType::float32, 65536);
        b.for_loop("i", 0, 65536, 4, ir::For::Kind::serial, [&](const Affine& i) {
            b.store(y, i, b.convert(b.load(x, i, {.lanes = 4}), DataType::float32), {.lanes = 4});
        });
        const Mapped code(compile(passes::run_codegen_passes(b.finish(), *cpu), *cpu));
        std::vector<float16> from(65536);
        std::vector<float> to(65536);
        for (std::size_t i = 0; i < from.size(); ++i) from[i].bits = static_cast<std::uint16_t>(i);
        void* const buffers[] = {from.data(), to.data()};
        code.function()(buffers, nullptr);
        for (std::size_t i = 0; i < from.size(); ++i) {
            const float expected = from[i];
            if (expected != expected)
                ASSERT_NE(to[i], to[i]) << i;
            else
                ASSERT_EQ(std::bit_cast<std::uint32_t>(to[i]), std::bit_cast<std::uint32_t>(expected))
                    << i << " on " << cpu->name;
        }
    }
}

TEST(ShortIntegers, AreShuffledAsFloat32) {
    const auto reversed = [](Builder& b, Value x) { return b.shuffle(x, x, {3, 2, 1, 0}); };
    expect_same_for_all_cpus(mapped(DataType::int32, DataType::int32, 4, reversed));
}

TEST(ShortIntegers, SupportNegativeAndLargeStrides) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (int n = 2; n <= target::lanes(*cpu, DataType::float32); n *= 2)
            for (const Integer stride : {-2, -1, 2})
                for (int active = 1; active <= n; ++active) {
                    Builder builder(fmt::format("int32x{}_{}_{}", n, stride, active));
                    const Integer reach = (active - 1) * std::abs(stride) + 1;
                    const Integer first = stride < 0 ? reach - 1 : 0;
                    const ir::Buffer in = builder.input("in", DataType::int32, reach);
                    const ir::Buffer out = builder.output("out", DataType::int32, reach);
                    const ir::Buffer whole = builder.output("whole", DataType::int32, n);
                    const ir::Access access{.lanes = n, .lane_stride = stride, .active = active};
                    const Value x = builder.load(in, first, access);
                    builder.store(whole, 0, x, {.lanes = n});
                    builder.store(out, first, builder.load(in, first, access), access);
                    expect_same(passes::run_codegen_passes(builder.finish(), *cpu), *cpu);
                }
}

// ---- dot products: any bits at all ------------------------------------------------------------------------------

constexpr int values = 1024;

std::uint32_t any_bits(std::mt19937& random, int kind) {
    const auto half = [&]() -> std::uint32_t {
        constexpr std::uint16_t special[] = {0,      0x8000, 1,      0x807f, 0x7f,  0x80,
                                             0x7f80, 0xff80, 0x7fc0, 0x7f7f, 0x3f80};
        if (random() % 3 == 0) return special[random() % std::size(special)];
        return kind == 1 ? 0x3f00 | (random() & 0x80ff) : random() & 0xffff;
    };
    const std::uint32_t low = half();
    return half() << 16 | low;
}

/// c = entry(c, a, b) or entry(a, b), of lanes that hold `sum`, on the CPU and by the meaning.
void expect_meaning(const ir::Instruction& entry, const target::Cpu& cpu, bool by_broadcast) {
    const int lanes = entry.result.lanes;
    const DataType sum = entry.result.scalar;
    Builder builder("dot");
    const auto a = builder.input("a", DataType::int32, values),
               b = builder.input("b", DataType::int32, values), c = builder.output("c", sum, values);
    builder.for_loop("i", 0, values, lanes, ir::For::Kind::serial, [&](const Affine& i) {
        const Value x = builder.load(a, i, {.lanes = lanes});
        const Value y =
            by_broadcast ? builder.splat(builder.load(b, i), lanes) : builder.load(b, i, {.lanes = lanes});
        const Value z = builder.load(c, i, {.lanes = lanes});
        builder.store(c, i,
                      entry.operands.size() == 3 ? builder.instruction(entry, {z, x, y})
                                                 : builder.instruction(entry, {x, y}),
                      {.lanes = lanes});
    });
    const Mapped code(compile(passes::run_codegen_passes(builder.finish(), cpu), cpu));
    std::mt19937 random(5);
    for (const int kind : {0, 1}) {
        std::vector<std::uint32_t> x(values), y(values), z(values);
        for (auto* const all : {&x, &y, &z})
            for (std::uint32_t& bits : *all) bits = any_bits(random, kind);
        if (kind == 1 && sum == DataType::float32)
            for (std::uint32_t& bits : z)
                bits = 0x3f000000U | (static_cast<std::uint32_t>(random()) & 0x81ffffffU);
        const std::vector<std::uint32_t> before = z;
        void* const buffers[] = {x.data(), y.data(), z.data()};
        code.function()(buffers, nullptr);
        const auto word = [](std::uint32_t bits) {
            return static_cast<long double>(static_cast<std::int32_t>(bits));
        };
        const auto of_sum = [&](std::uint32_t bits) {
            return sum == DataType::float32 ? static_cast<long double>(std::bit_cast<float>(bits))
                                            : word(bits);
        };
        for (std::size_t i = 0; i < values; ++i) {
            const std::size_t from =
                by_broadcast ? i / static_cast<std::size_t>(lanes) * static_cast<std::size_t>(lanes) : i;
            std::vector<ir::Lanes> operands(entry.operands.size(), ir::Lanes(1));
            if (operands.size() == 3) operands[0][0] = of_sum(before[i]);
            operands[operands.size() - 2][0] = word(x[i]);
            operands[operands.size() - 1][0] = word(y[from]);
            const long double expected = entry.meaning(operands)[0], found = of_sum(z[i]);
            if (expected != expected)
                ASSERT_NE(found, found) << i;
            else
                ASSERT_TRUE(expected == found && std::signbit(expected) == std::signbit(found))
                    << entry.name << " of " << std::hex << before[i] << ", " << x[i] << ", " << y[from]
                    << ": " << static_cast<double>(found) << ", not " << static_cast<double>(expected);
        }
    }
}

TEST(DotProducts, OfInt16AreWhatTheTablesSay) {
    for (const target::Cpu* cpu : runnable_cpus())
        expect_meaning(target::x86::dot_product_of_int16(cpu->vector_bytes / 4), *cpu, false);
}

TEST(DotProducts, OfBytesAreWhatTheTablesSay) {
    if (!target::host_extensions().dot_products_of_bytes) GTEST_SKIP() << "no AVX-512 VNNI";
    for (const int lanes : {4, 8, 16})
        for (const bool by_broadcast : {false, true})
            expect_meaning(target::x86::dot_product_of_bytes(lanes), target::avx512_cpu(), by_broadcast);
}

TEST(DotProducts, OfBytesAreWhatTheTablesSayInAvx2) {
    if (!target::host_extensions().dot_products_of_bytes_in_avx2) GTEST_SKIP() << "no AVX-VNNI";
    for (const int lanes : {4, 8})
        for (const bool by_broadcast : {false, true})
            expect_meaning(target::x86::dot_product_of_bytes(lanes), target::avx2_cpu(), by_broadcast);
}

TEST(DotProducts, OfBfloat16AreWhatTheTablesSay) {
    if (!target::host_extensions().dot_products_of_bfloat16) GTEST_SKIP() << "no AVX-512 BF16";
    for (const int lanes : {4, 8, 16})
        for (const bool by_broadcast : {false, true})
            expect_meaning(target::x86::dot_product_of_bfloat16(lanes), target::avx512_cpu(), by_broadcast);
}

} // namespace short_integers_test
} // namespace swirl::jit::test
