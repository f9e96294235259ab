#pragma once

#include "base/integer.hpp"

#include <cstdint>

namespace swirl::jit {

/// The location of an integer: a general register or a slot in the frame.
struct IntegerLocation {
    std::int8_t reg = -1; ///< general register, −1: in the frame
    Integer offset = 0;   ///< from the stack pointer
    bool in_register() const { return reg >= 0; }
};

/// The kernel's stack frame, aligned to 64 bytes. Offset 0 holds the caller's stack pointer.
class Frame {
public:
    /// The offset of a new slot of `bytes` bytes.
    Integer reserve(Integer bytes, Integer alignment) {
        size_ = (size_ + alignment - 1) / alignment * alignment;
        const Integer offset = size_;
        size_ += bytes;
        return offset;
    }
    bool is_needed() const { return size_ > first_free; }
    Integer size() const { return (size_ + 63) / 64 * 64; }

private:
    static constexpr Integer first_free = 8;
    Integer size_ = first_free;
};

/// Indices of general registers and their roles. rax and rcx are scratch between instructions.
namespace general {
constexpr std::int8_t rax = 0, rcx = 1, rdx = 2, rbx = 3, rsp = 4, rbp = 5, rsi = 6, rdi = 7, r8 = 8, r9 = 9,
                      r10 = 10, r11 = 11, r12 = 12, r13 = 13, r14 = 14, r15 = 15;
/// For induction variables and loop counters, in order of preference: caller-saved registers first.
constexpr std::int8_t for_inductions[] = {rdx, rsi, rdi, r8, r9, r10, r11, rbx, r14, r15, rbp, r13, r12};
/// For int64 values of straight-line blocks, in kernels that have any.
constexpr std::int8_t for_values[] = {r8, r9, r10};
/// For multiples of parameters, in kernels that have any.
constexpr std::int8_t for_parameters = r11;
/// Callee-saved registers (System V ABI for x86-64).
constexpr std::int8_t preserved[] = {rbx, rbp, r12, r13, r14, r15};
} // namespace general

} // namespace swirl::jit
