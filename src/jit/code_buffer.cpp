#include "jit/code_buffer.hpp"

#include "base/error.hpp"

namespace swirl::jit {

void ensure_encoded(asmjit::Error error, InstructionId id) {
    if (error == asmjit::kErrorOk) return;
    asmjit::String name;
    asmjit::InstAPI::instIdToString(asmjit::Arch::kX64, id, name);
    throw InternalError("the encoder rejects '{}': {}", name.data(),
                        asmjit::DebugUtils::errorAsString(error));
}

void CodeBuffer::encode(asmjit::x86::Assembler& assembler) const {
    using asmjit::InstOptions;
    for (const Item& item : items_) {
        switch (item.kind) {
        case Item::Kind::instruction:
            if (item.mask_register != 0) assembler.setExtraReg(asmjit::x86::KReg(item.mask_register));
            if (item.is_vex) assembler.addInstOptions(InstOptions::kX86_Vex);
            if (item.zeroing) assembler.addInstOptions(InstOptions::kX86_ZMask);
            ensure_encoded(assembler.emitOpArray(item.id, item.operands.data(), item.count), item.id);
            break;
        case Item::Kind::label:
            ensure_encoded(assembler.bind(item.operands[0].as<asmjit::Label>()), 0);
            break;
        case Item::Kind::alignment:
            ensure_encoded(assembler.align(asmjit::AlignMode::kCode, item.id), 0);
            break;
        case Item::Kind::comment: assembler.comment(comments_[item.id].c_str()); break;
        }
    }
}

} // namespace swirl::jit
