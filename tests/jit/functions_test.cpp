#include "lower/pointwise_arithmetic.hpp"
#include "run.hpp"

namespace swirl::jit::test {
namespace functions_test {

using Op = loops::Pointwise::Op;

/// Numbers for which functions take all their ways, then random bits.
std::vector<double> arguments_of_functions(DataType scalar, std::size_t count) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> values = {0,   -0.0, 1,   -1,   infinity, -infinity, std::nan(""), 0.55, -0.55, 1e-30,
                                  -10, -104, -88, 88.8, 89,       709,       710,          -744, -746,  22};
    std::mt19937_64 random(3);
    while (values.size() < count) {
        const auto bits = random();
        values.push_back(scalar == DataType::float64
                             ? std::bit_cast<double>(bits)
                             : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
        values.push_back(
            static_cast<double>(static_cast<float>(static_cast<double>(bits % 60000) / 1000 - 30)));
    }
    values.resize(count);
    for (double& value : values)
        if (scalar == DataType::float32) value = static_cast<double>(static_cast<float>(value));
    return values;
}

template <class T> void expect_same_functions(const target::Cpu& cpu, DataType scalar) {
    constexpr std::size_t count = 512;
    constexpr std::array functions = {Op::exponential, Op::tangent, Op::sigmoid, Op::gelu, Op::square_root};
    const int lanes = target::lanes(cpu, scalar);
    for (const Op op : functions) {
        ir::Builder builder("function");
        const ir::Buffer in = builder.input("input", scalar, count),
                         out = builder.output("output", scalar, count);
        builder.for_loop("i", 0, Integer{count}, lanes, ir::For::Kind::serial, [&](const Affine& i) {
            const ir::Value x = builder.load(in, i, {.lanes = lanes});
            lower::PointwiseArithmetic arithmetic(builder, {scalar, lanes});
            const auto result =
                arithmetic.evaluate({{.op = Op::x}, {.op = op, .operands = {0}}}, {x, ir::no_value}, nullptr);
            builder.store(out, i, result.re, {.lanes = lanes});
        });
        const ir::Program program = builder.finish();
        const std::vector<double> values = arguments_of_functions(scalar, count);
        ir::Arguments arguments(program);
        std::vector<T> x(count), y(count);
        for (std::size_t k = 0; k < count; ++k) {
            x[k] = static_cast<T>(values[k]);
            arguments["input"].set(static_cast<Integer>(k), values[k]);
        }
        void* buffers[] = {x.data(), y.data()};
        const Mapped mapped(compile(program, cpu));
        mapped.function()(buffers, nullptr);
        ir::interpret(program, arguments);
        for (std::size_t k = 0; k < count; ++k) {
            const auto expected = static_cast<double>(arguments["output"][static_cast<Integer>(k)]);
            const auto found = static_cast<double>(y[k]);
            const bool is_same = std::isnan(expected) ? std::isnan(found)
                                                      : std::bit_cast<std::uint64_t>(found) ==
                                                            std::bit_cast<std::uint64_t>(expected);
            EXPECT_TRUE(is_same) << cpu.name << " " << static_cast<int>(op) << " of " << x[k] << ": " << found
                                 << ", not " << expected;
        }
    }
}

TEST(Functions, HaveTheInterpretersBitsWithFma) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        if (!cpu->has_fma) continue;
        expect_same_functions<float>(*cpu, DataType::float32);
        expect_same_functions<double>(*cpu, DataType::float64);
    }
}

} // namespace functions_test
} // namespace swirl::jit::test
