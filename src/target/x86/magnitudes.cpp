#include "target/x86/magnitudes.hpp"

#include "target/x86/mnemonic.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace swirl::target::x86 {

namespace {

using ir::Lanes;

std::uint32_t word_of(long double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }
std::uint32_t magnitude_of(long double x) { return word_of(x) & 0x7fffffffU; }

template <class Word> Lanes on_words(std::span<const Lanes> operands, Word&& word) {
    Lanes result;
    for (std::size_t lane = 0; lane < operands[0].size(); ++lane)
        result.push_back(
            static_cast<long double>(std::bit_cast<float>(word(operands[0][lane], operands[1][lane]))));
    return result;
}

ir::Instruction on_pairs(std::string_view name, Mnemonic mnemonic) {
    constexpr ir::Type vector{DataType::float32, 16};
    return {.name = name,
            .operands = {vector, vector},
            .result = vector,
            .encoding = static_cast<std::uint32_t>(mnemonic),
            .ports = "05", // uops.info, Sapphire Rapids: vpandd, vpaddd, vpmaxud, vpminud
            .latency = 2};
}

} // namespace

const ir::Instruction& largest_magnitude() {
    static const ir::Instruction& instruction = *[] {
        auto* made = new ir::Instruction(on_pairs("largest_magnitude", Mnemonic::largest_magnitude));
        made->meaning = [](std::span<const Lanes> operands) {
            return on_words(
                operands, [](long double a, long double b) { return std::max(word_of(a), magnitude_of(b)); });
        };
        return made;
    }();
    return instruction;
}

const ir::Instruction& least_magnitude() {
    static const ir::Instruction& instruction = *[] {
        auto* made = new ir::Instruction(on_pairs("least_magnitude", Mnemonic::least_magnitude));
        made->meaning = [](std::span<const Lanes> operands) {
            return on_words(operands, [](long double a, long double b) {
                return std::min(word_of(a), magnitude_of(b) - 1U);
            });
        };
        return made;
    }();
    return instruction;
}

} // namespace swirl::target::x86
