#pragma once

#include "jit/code_buffer.hpp"
#include "jit/constant_pool.hpp"
#include "jit/streams.hpp"

namespace swirl::jit {

/// Memory operands. What a general register does not hold goes through rax or rcx, which keep their contents until
/// they are needed for something else.
class Addresses {
public:
    Addresses(const Streams& streams, std::array<asmjit::Label, ConstantPool::size_classes> pools,
              CodeBuffer& code)
        : streams_(streams), pools_(pools), code_(code) {}

    /// The operand for `bytes` bytes (0: the instruction knows) at `place`; `dynamic` is the general register of its
    /// dynamic index. May emit instructions that change rax or rcx.
    asmjit::x86::Mem operand(const MemoryPlace& place, int bytes, int dynamic = -1);

    /// The operand for a tile register at `place`: its rows are one behind the other. Changes rax or rcx.
    asmjit::x86::Mem tile_operand(const MemoryPlace& place);

    /// An integer that streams say: stream + displacement, in a general register or added there.
    void load_integer(std::int8_t target, const StreamAccess& access);

    /// rax and rcx hold nothing: at labels and after other uses of them.
    void forget();
    void forget(std::int8_t number) { held_[number == general::rax ? 0 : 1] = -1; }

private:
    std::int8_t scratch();
    std::int8_t register_of(int stream);
    std::int8_t tile_row_register();

    const Streams& streams_;
    std::array<asmjit::Label, ConstantPool::size_classes> pools_;
    CodeBuffer& code_;
    static constexpr int tile_rows = -2; ///< in place of a stream: the distance of a tile's rows
    std::array<int, 2> held_ = {-1, -1}; ///< streams in rax and rcx
    int last_ = 1;
};

inline asmjit::x86::Gp gp(int number) { return asmjit::x86::gpq(static_cast<std::uint32_t>(number)); }
inline asmjit::x86::Mem frame_operand(Integer offset, int bytes = 8) {
    return asmjit::x86::ptr(asmjit::x86::rsp, static_cast<std::int32_t>(offset),
                            static_cast<std::uint32_t>(bytes));
}
inline bool fits_in_32_bits(Integer value) { return value == static_cast<std::int32_t>(value); }

} // namespace swirl::jit
