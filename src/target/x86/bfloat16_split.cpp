#include "target/x86/bfloat16_split.hpp"

#include "target/x86/mnemonic.hpp"

#include <bit>
#include <cstdint>

namespace swirl::target::x86 {

namespace {

using ir::Lanes;

std::uint32_t float_bits(long double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }
long double value_of(std::uint32_t bits) { return static_cast<long double>(std::bit_cast<float>(bits)); }

constexpr std::uint32_t upper_half = 0xffff0000U, half_a_unit = 0x8000U;

} // namespace

const ir::Instruction& rounded_to_bfloat16() {
    static const ir::Instruction& instruction = *new ir::Instruction{
        .name = "rounded_to_bfloat16",
        .operands = {{DataType::float32, 16}},
        .result = {DataType::float32, 16},
        .meaning =
            [](std::span<const Lanes> operands) {
                Lanes result;
                for (const long double x : operands[0])
                    result.push_back(value_of((float_bits(x) + half_a_unit) & upper_half));
                return result;
            },
        .encoding = static_cast<std::uint32_t>(Mnemonic::rounded_to_bfloat16),
        .ports = "05", // uops.info, Sapphire Rapids: vpaddd and vpandd
        .latency = 2,
    };
    return instruction;
}

const ir::Instruction& pairs_of_bfloat16() {
    static const ir::Instruction& instruction = *new ir::Instruction{
        .name = "pairs_of_bfloat16",
        .operands = {{DataType::float32, 16}, {DataType::float32, 16}},
        .result = {DataType::bfloat16, 32},
        .meaning =
            [](std::span<const Lanes> operands) {
                Lanes result;
                for (std::size_t lane = 0; lane < operands[0].size(); ++lane)
                    for (const Lanes& operand : operands)
                        result.push_back(value_of(float_bits(operand[lane]) & upper_half));
                return result;
            },
        .encoding = static_cast<std::uint32_t>(Mnemonic::pairs_of_bfloat16),
        .ports = "05", // uops.info, Sapphire Rapids: vpsrld and vpblendmw
        .latency = 2,
    };
    return instruction;
}

} // namespace swirl::target::x86
