#include "target/x86/amx_products.hpp"

#include "ir/integers.hpp"
#include "ir/rounding.hpp"
#include "target/x86/mnemonic.hpp"
#include "target/x86/tile_registers.hpp"

#include <array>
#include <cmath>

namespace swirl::target::x86 {

namespace {

constexpr std::size_t rows = tile_rows, columns = tile_row_bytes / sizeof(float);

float read(long double x) { return ir::without_subnormal(static_cast<float>(x)); }

ir::Lanes product_of_bfloat16(std::span<const ir::Lanes> operands) {
    constexpr std::size_t groups = tile_rows, k = 2 * groups;
    const ir::Lanes& a = operands[1];
    const ir::Lanes& b = operands[2];
    ir::Lanes result = operands[0];
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
            float chains[2] = {0, 0};
            for (std::size_t group = 0; group < groups; ++group)
                for (std::size_t j = 0; j < 2; ++j)
                    chains[j] = ir::without_subnormal(std::fma(read(a[row * k + 2 * group + j]),
                                                               read(b[(group * columns + column) * 2 + j]),
                                                               chains[j]));
            long double& c = result[row * columns + column];
            const float sum = ir::without_subnormal(chains[0] + chains[1]);
            c = static_cast<long double>(ir::without_subnormal(read(c) + sum));
        }
    return result;
}

std::int64_t byte_in(long double group, std::size_t j, bool is_signed) {
    const std::uint8_t byte = ir::byte_of(static_cast<std::int64_t>(group), static_cast<int>(j));
    return is_signed ? static_cast<std::int8_t>(byte) : std::int64_t{byte};
}

ir::Lanes product_of_bytes(std::span<const ir::Lanes> operands, bool a_is_signed, bool b_is_signed) {
    constexpr std::size_t groups = tile_rows;
    ir::Lanes result = operands[0];
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
            long double& c = result[row * columns + column];
            auto sum = static_cast<std::int64_t>(c);
            for (std::size_t group = 0; group < groups; ++group)
                for (std::size_t j = 0; j < 4; ++j)
                    sum += byte_in(operands[1][row * groups + group], j, a_is_signed) *
                           byte_in(operands[2][group * columns + column], j, b_is_signed);
            c = static_cast<long double>(ir::wrapped(DataType::int32, sum));
        }
    return result;
}

ir::Instruction of_bytes(std::string_view name, std::string_view text, Mnemonic mnemonic, bool a_is_signed,
                         bool b_is_signed) {
    constexpr ir::Type tile{DataType::int32, 256};
    return {.name = name,
            .operands = {tile, tile, tile},
            .result = tile,
            .meaning =
                [=](std::span<const ir::Lanes> operands) {
                    return product_of_bytes(operands, a_is_signed, b_is_signed);
                },
            .encoding = static_cast<std::uint32_t>(mnemonic),
            .text = text,
            .ports = "5", // uops.info, Sapphire Rapids
            .latency = 52};
}

} // namespace

const ir::Instruction& amx_byte_product(bool a_is_signed, bool b_is_signed) {
    // Never destroyed, as programs refer to them.
    static const auto& all = *new std::array<ir::Instruction, 4>{
        of_bytes("tdpbuud", "_tile_dpbuud", Mnemonic::tdpbuud, false, false),
        of_bytes("tdpbusd", "_tile_dpbusd", Mnemonic::tdpbusd, false, true),
        of_bytes("tdpbsud", "_tile_dpbsud", Mnemonic::tdpbsud, true, false),
        of_bytes("tdpbssd", "_tile_dpbssd", Mnemonic::tdpbssd, true, true)};
    return all[(a_is_signed ? 2U : 0U) + (b_is_signed ? 1U : 0U)];
}

const ir::Instruction& amx_bfloat16_product() {
    static const ir::Instruction& instruction = *new ir::Instruction{
        .name = "tdpbf16ps",
        .operands = {{DataType::float32, 256}, {DataType::bfloat16, 512}, {DataType::bfloat16, 512}},
        .result = {DataType::float32, 256},
        .meaning = product_of_bfloat16,
        .encoding = static_cast<std::uint32_t>(Mnemonic::tdpbf16ps),
        .text = "_tile_dpbf16ps",
        .ports = "5", // uops.info, Sapphire Rapids
        .latency = 52,
    };
    return instruction;
}

} // namespace swirl::target::x86
