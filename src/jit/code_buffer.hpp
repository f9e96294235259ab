#pragma once

#include "jit/x86_operation.hpp"

#include <asmjit/x86.h>

#include <string>
#include <vector>

namespace swirl::jit {

/// Instructions in final form, buffered until the frame size and the registers to save are known.
class CodeBuffer {
public:
    using Operand = asmjit::Operand;

    struct Item {
        enum class Kind : std::uint8_t { instruction, label, alignment, comment };
        Kind kind = Kind::instruction;
        std::uint8_t count = 0;
        std::uint8_t mask_register = 0; ///< k1…k7, 0: none
        bool zeroing = false;
        bool is_vex = false;  ///< use the VEX encoding of an instruction that also has an EVEX one
        InstructionId id = 0; ///< alignment: bytes; comment: index
        std::array<Operand, 4> operands;
    };

    template <class... Operands> Item& emit(InstructionId id, const Operands&... operands) {
        Item& item = items_.emplace_back();
        item.id = id;
        (void)std::initializer_list<int>{(append(item, operands), 0)...};
        ++instructions_;
        return item;
    }
    static void append(Item& item, const Operand& operand) { item.operands[item.count++] = operand; }

    void bind(const asmjit::Label& label) { control(Item::Kind::label).operands[0] = label; }
    void align(std::uint32_t bytes) { control(Item::Kind::alignment).id = bytes; }
    void comment(std::string text) {
        control(Item::Kind::comment).id = static_cast<InstructionId>(comments_.size());
        comments_.push_back(std::move(text));
    }

    /// The end of the buffer so far, for discard_from().
    struct Mark {
        std::size_t items, comments;
        int instructions;
    };
    Mark mark() const { return {items_.size(), comments_.size(), instructions_}; }
    void discard_from(const Mark& mark) {
        items_.resize(mark.items);
        comments_.resize(mark.comments);
        instructions_ = mark.instructions;
    }

    void reserve(std::size_t items) { items_.reserve(items); }
    int instructions() const { return instructions_; }

    /// Encodes everything; throws InternalError naming an instruction that cannot be encoded.
    void encode(asmjit::x86::Assembler& assembler) const;

private:
    Item& control(Item::Kind kind) {
        Item& item = items_.emplace_back();
        item.kind = kind;
        return item;
    }

    std::vector<Item> items_;
    std::vector<std::string> comments_;
    int instructions_ = 0;
};

/// Throws InternalError if an assembler call failed.
void ensure_encoded(asmjit::Error error, InstructionId id);

} // namespace swirl::jit
