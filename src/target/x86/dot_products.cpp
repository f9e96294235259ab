#include "target/x86/dot_products.hpp"

#include "base/error.hpp"
#include "ir/integers.hpp"
#include "ir/rounding.hpp"
#include "target/x86/mnemonic.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <string>

namespace swirl::target::x86 {

namespace {

using ir::Lanes;

std::uint32_t word_in(long double lane) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(lane));
}

/// One of the two bfloat16 in a lane.
float half_of(long double lane, int which) {
    const std::uint32_t bits = word_in(lane);
    return ir::without_subnormal(std::bit_cast<float>(which == 1 ? bits & 0xffff0000U : bits << 16));
}

Lanes add_bfloat16(std::span<const Lanes> operands) {
    Lanes result = operands[0];
    for (std::size_t lane = 0; lane < result.size(); ++lane) {
        float sum = ir::without_subnormal(static_cast<float>(result[lane]));
        for (const int which : {1, 0})
            sum = ir::without_subnormal(
                std::fma(half_of(operands[1][lane], which), half_of(operands[2][lane], which), sum));
        result[lane] = static_cast<long double>(sum);
    }
    return result;
}

long double wrapped(std::int64_t sum) { return static_cast<long double>(ir::wrapped(DataType::int32, sum)); }

Lanes add_bytes(std::span<const Lanes> operands) {
    Lanes result = operands[0];
    for (std::size_t lane = 0; lane < result.size(); ++lane) {
        auto sum = static_cast<std::int64_t>(result[lane]);
        for (int byte = 0; byte < 4; ++byte)
            sum += std::int64_t{ir::byte_of(word_in(operands[1][lane]), byte)} *
                   static_cast<std::int8_t>(ir::byte_of(word_in(operands[2][lane]), byte));
        result[lane] = wrapped(sum);
    }
    return result;
}

Lanes multiply_int16(std::span<const Lanes> operands) {
    Lanes result = operands[0];
    const auto element = [](long double lane, int which) {
        return std::int64_t{static_cast<std::int16_t>(word_in(lane) >> (16 * which))};
    };
    for (std::size_t lane = 0; lane < result.size(); ++lane) {
        const long double a = operands[0][lane], b = operands[1][lane];
        result[lane] = wrapped(element(a, 0) * element(b, 0) + element(a, 1) * element(b, 1));
    }
    return result;
}

struct Description {
    const char* name;
    Mnemonic mnemonic;
    DataType sum;
    bool adds; ///< accumulates into its first operand
    Lanes (*meaning)(std::span<const Lanes> operands);
    const char* ports; ///< uops.info, Sapphire Rapids
    int latency;
};

/// For 4, 8 and 16 lanes; never destroyed.
std::array<const ir::Instruction*, 3> by_lanes(const Description& description) {
    std::array<const ir::Instruction*, 3> all{};
    for (int lanes = 4, at = 0; lanes <= 16; lanes *= 2, ++at) {
        const ir::Type words{DataType::int32, lanes}, sums{description.sum, lanes};
        auto* const instruction = new ir::Instruction{
            .name = *new std::string(fmt::format("{}_{}", description.name, lanes)),
            .operands = {words, words},
            .result = sums,
            .meaning = description.meaning,
            .encoding = static_cast<std::uint32_t>(description.mnemonic),
            .ports = description.ports,
            .latency = description.latency,
        };
        if (description.adds) instruction->operands = {sums, words, words};
        all[static_cast<std::size_t>(at)] = instruction;
    }
    return all;
}

const ir::Instruction& of_lanes(const std::array<const ir::Instruction*, 3>& all, int lanes) {
    ensure(lanes == 4 || lanes == 8 || lanes == 16, "dot products in {} lanes", lanes);
    return *all[static_cast<std::size_t>(lanes / 8)];
}

} // namespace

const ir::Instruction& dot_product_of_bfloat16(int lanes) {
    static const auto all =
        by_lanes({"vdpbf16ps", Mnemonic::dpbf16ps, DataType::float32, true, add_bfloat16, "0", 6});
    return of_lanes(all, lanes);
}

const ir::Instruction& dot_product_of_bytes(int lanes) {
    static const auto all =
        by_lanes({"vpdpbusd", Mnemonic::dpbusd, DataType::int32, true, add_bytes, "05", 5});
    return of_lanes(all, lanes);
}

const ir::Instruction& dot_product_of_int16(int lanes) {
    static const auto all =
        by_lanes({"vpmaddwd", Mnemonic::pmaddwd, DataType::int32, false, multiply_int16, "05", 5});
    return of_lanes(all, lanes);
}

} // namespace swirl::target::x86
