#include "target/x86/tile_products.hpp"

#include "target/x86/mnemonic.hpp"

#include <cmath>
#include <limits>

namespace swirl::target::x86 {

namespace {

constexpr std::size_t rows = 16, columns = 16;

float without_subnormal(float x) {
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
}

float read(long double x) { return without_subnormal(static_cast<float>(x)); }

ir::Lanes product_of_bfloat16(std::span<const ir::Lanes> operands) {
    constexpr std::size_t groups = 16, depth = 2 * groups;
    const ir::Lanes& a = operands[1];
    const ir::Lanes& b = operands[2];
    ir::Lanes result = operands[0];
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
            float chains[2] = {0, 0};
            for (std::size_t group = 0; group < groups; ++group)
                for (std::size_t step = 0; step < 2; ++step)
                    chains[step] = without_subnormal(std::fma(read(a[row * depth + 2 * group + step]),
                                                              read(b[(group * columns + column) * 2 + step]),
                                                              chains[step]));
            long double& c = result[row * columns + column];
            const float sum = without_subnormal(chains[0] + chains[1]);
            c = static_cast<long double>(without_subnormal(read(c) + sum));
        }
    return result;
}

} // namespace

const ir::Instruction& tile_product_of_bfloat16() {
    using ir::Scalar;
    static const ir::Instruction& instruction = *new ir::Instruction{
        .name = "tdpbf16ps",
        .operands = {{Scalar::float32, 256}, {Scalar::bfloat16, 512}, {Scalar::bfloat16, 512}},
        .result = {Scalar::float32, 256},
        .meaning = product_of_bfloat16,
        .encoding = static_cast<std::uint32_t>(Mnemonic::tdpbf16ps),
        .text = "_tile_dpbf16ps",
        .ports = "5", // uops.info, Sapphire Rapids
        .latency = 52,
    };
    return instruction;
}

} // namespace swirl::target::x86
