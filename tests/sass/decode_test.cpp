// What the decoder says of compiled kernels against what nvdisasm says.
#include "sass/fixture.hpp"
#include "sass/registers.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace swirl::sass {
namespace decode_test {

std::set<int> indices_in(const std::string& text, const std::string& pattern) {
    std::set<int> result;
    const std::regex expression(pattern);
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
        result.insert(std::stoi((*match)[1]));
    return result;
}

std::set<int> indices_of(std::uint64_t mask) {
    std::set<int> result;
    for (int k = 0; k < 64; ++k)
        if ((mask >> k & 1U) != 0) result.insert(k);
    return result;
}

class DecodedProduct : public testing::Test {
protected:
    Cubin cubin{bytes_of_text(fixture_text("product.cubin"))};
    Code code = cubin.code(cubin.kernel("gemm"));
    std::vector<Disassembled> lines = disassembled(fixture_text("product.txt"));
};

TEST_F(DecodedProduct, HasTheWordsOfTheFile) {
    ASSERT_EQ(code.size(), lines.size());
    for (std::size_t k = 0; k < code.size(); ++k) EXPECT_EQ(encode(code[k]), lines[k].word) << lines[k].text;
    EXPECT_EQ(cubin.with_code(cubin.kernel("gemm"), code), bytes_of_text(fixture_text("product.cubin")));
}

TEST_F(DecodedProduct, HasTheNamesOfTheDisassembler) {
    for (std::size_t k = 0; k < code.size(); ++k) {
        std::string name = std::regex_replace(lines[k].text, std::regex("^@\\S+ +"), "");
        name = name.substr(0, name.find(' ')) + ".";
        if (const Opcode* opcode = opcode_of(code[k])) {
            EXPECT_TRUE(name.starts_with(std::string(opcode->name) + ".")) << lines[k].text;
        }
    }
}

TEST_F(DecodedProduct, HasTheRegistersAndPredicatesOfTheDisassembler) {
    for (std::size_t k = 0; k < code.size(); ++k) {
        const Instruction& instruction = code[k];
        if (!has_known_registers(instruction) || instruction.is_never()) continue;
        std::set<int> registers, kept;
        for (const RegisterRange& range : registers_written(instruction)) registers.insert(range.first);
        for (const RegisterRange& range : registers_read(instruction)) {
            registers.insert(range.first);
            if (range.slot < slot_d && (instruction.control.reuse >> range.slot & 1U) != 0)
                kept.insert(range.first);
        }
        EXPECT_EQ(registers, indices_in(lines[k].text, "\\bR(\\d+)")) << lines[k].text;
        EXPECT_EQ(kept, indices_in(lines[k].text, "\\bR(\\d+)\\.reuse")) << lines[k].text;
        EXPECT_EQ(indices_of(predicates_read(instruction) | predicates_written(instruction)),
                  indices_in(lines[k].text, "\\bP(\\d+)"))
            << lines[k].text;
    }
}

/// Descriptors are pairs, of which the disassembler names the first.
TEST_F(DecodedProduct, HasTheUniformRegistersOfTheDisassembler) {
    int uniform = 0;
    for (std::size_t k = 0; k < code.size(); ++k) {
        const Instruction& instruction = code[k];
        if (!has_known_registers(instruction) || instruction.is_never()) continue;
        const UniformSet read = uniform_read(instruction), written = uniform_written(instruction);
        std::uint64_t registers = read.registers | written.registers, named = 0;
        for (const int reg : indices_in(lines[k].text, "\\bUR(\\d+)")) named |= std::uint64_t{1} << reg;
        for (const int reg : indices_in(lines[k].text, "desc\\[UR(\\d+)\\]"))
            named |= std::uint64_t{2} << reg;
        if (kind_of(instruction) == Kind::global_load || kind_of(instruction) == Kind::global_store)
            registers &= named; // more may be read than is
        EXPECT_EQ(indices_of(registers), indices_of(named)) << lines[k].text;
        EXPECT_EQ(indices_of(read.predicates | written.predicates), indices_in(lines[k].text, "\\bUP(\\d+)"))
            << lines[k].text;
        uniform += kind_of(instruction) == Kind::uniform ? 1 : 0;
    }
    EXPECT_GT(uniform, 20);
}

TEST_F(DecodedProduct, KnowsMostInstructions) {
    std::set<std::string> unknown;
    for (std::size_t k = 0; k < code.size(); ++k)
        if (kind_of(code[k]) == Kind::other) unknown.insert(name_of(code[k]) + ": " + lines[k].text);
    EXPECT_TRUE(unknown.empty()) << *unknown.begin();
}

TEST_F(DecodedProduct, KnowsOffsetsAndDistances) {
    for (std::size_t k = 0; k < code.size(); ++k) {
        std::smatch match;
        if (kind_of(code[k]) == Kind::shared_load &&
            std::regex_search(lines[k].text, match, std::regex("\\[R\\d+\\+0x([0-9a-f]+)\\]"))) {
            EXPECT_EQ(offset_of(code[k]), std::stoll(match[1], nullptr, 16)) << lines[k].text;
        }
        const auto distance = distance_of(code[k]);
        if (!distance) continue;
        Instruction branch = code[k];
        for (const std::int64_t other : {std::int64_t{5}, std::int64_t{-70000}, *distance}) {
            set_distance(branch, other);
            EXPECT_EQ(distance_of(branch), other);
        }
        EXPECT_EQ(branch, code[k]);
    }
}

TEST(Words, HaveBitsInBothHalves) {
    Word word{0x0123456789abcdef, 0xfedcba9876543210};
    EXPECT_EQ(word.bits(0, 64), word.low);
    EXPECT_EQ(word.bits(64, 64), word.high);
    EXPECT_EQ(word.bits(8, 8), 0xcdU);
    EXPECT_EQ(word.bits(68, 4), 1U);
    word.set_bits(68, 4, 0xf);
    EXPECT_EQ(word.high, 0xfedcba98765432f0);
    word.set_bits(0, 12, 0xfffff);
    EXPECT_EQ(word.low, 0x0123456789abcfff);
}

TEST(CompiledKernels, ThatAreNoneAreRefused) {
    EXPECT_NE(error_of([] {
                  const Cubin cubin(bytes_of_text("nothing of the kind"));
              }).find("have no ELF64 header"),
              std::string::npos);
    const std::string whole = fixture_text("product.cubin");
    for (const std::size_t bytes : {std::size_t{64}, whole.size() / 4, whole.size() / 2})
        EXPECT_NE(
            error_of([&] { const Cubin cubin(bytes_of_text(whole.substr(0, bytes))); }).find("cut short"),
            std::string::npos)
            << bytes;
    const Cubin cubin(bytes_of_text(whole));
    EXPECT_NE(error_of([&] { static_cast<void>(cubin.kernel("other")); }).find("gemm"), std::string::npos);
}

TEST(Opcodes, ThatAreNotKnownAreOthers) {
    Instruction instruction;
    instruction.opcode = 0x1ff;
    EXPECT_EQ(kind_of(instruction), Kind::other);
    EXPECT_EQ(name_of(instruction), "opcode 0x1ff");
    EXPECT_FALSE(has_known_registers(instruction));
    EXPECT_TRUE(registers_read(instruction).empty());
    EXPECT_EQ(distance_of(instruction), std::nullopt);
    EXPECT_THROW(set_distance(instruction, 1), InternalError);
}

} // namespace decode_test
} // namespace swirl::sass
