#pragma once

#include "emit/source_writer.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace swirl::emit {

/// Register classes. Predicates are booleans; the others are bits of that size, named by their most frequent use.
enum class PtxRegister : std::uint8_t { predicate, bits16, int32, int64, float32, float64 };

/// The instructions of one PTX function, and the registers that they use. Every result gets a fresh register; register
/// allocation is left to ptxas.
class PtxAssembly {
public:
    std::string fresh(PtxRegister kind);

    /// `opcode operand, operand, …;`
    void emit(std::string_view opcode, std::initializer_list<std::string_view> operands);
    /// Emits the instruction with a fresh result register before the operands, and returns that register.
    std::string result(PtxRegister kind, std::string_view opcode,
                       std::initializer_list<std::string_view> operands);

    /// A label not yet placed; `stem` is for human readers.
    std::string fresh_label(std::string_view stem);
    void bind_label(std::string_view label) { code_.line("{}:", label); }
    void jump(std::string_view label) { code_.line("bra {};", label); }
    void jump_if(std::string_view predicate, std::string_view label) {
        code_.line("@{} bra {};", predicate, label);
    }

    SourceWriter& code() { return code_; }
    /// Declarations of the registers, then the instructions.
    void write_to(SourceWriter& out) const;

private:
    std::array<int, 6> registers_{};
    int labels_ = 0;
    SourceWriter code_;
};

} // namespace swirl::emit
