#pragma once

#include "ir/type.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace swirl::ir {

/// Lanes of one operand or result, as the interpreter holds them.
using Lanes = std::vector<long double>;

/// A machine's special instruction: operands, encodings and what it means. Entries live in target/ tables and are
/// never destroyed; `ir` refers to them by address, the interpreter runs `meaning`.
struct Instruction {
    std::string_view name;      ///< unique, e.g. "interleave_low_f64x8"
    std::vector<Type> operands; ///< one to three
    Type result;
    std::function<Lanes(std::span<const Lanes> operands)> meaning = {};
    /// Threads that execute it together, neighbours of one block from a multiple of this on. To the meaning an operand is the
    /// lanes of all of them, one thread after the other, and so is the result.
    int threads = 1;
    int flops = 0; ///< floating-point operations of each of them
    /// For pure shuffles: the meaning as a shuffle's lane map; else empty.
    std::vector<std::int8_t> lane_map = {};
    std::uint32_t encoding =
        0; ///< the encoder's instruction id (target-specific); of GPUs the first compute capability, times 10
    int immediate = -1;          ///< trailing immediate byte, −1: none
    std::string_view text = {};  ///< spelling in emitted text: an intrinsic or PTX mnemonic
    std::string_view ports = {}; ///< execution ports, e.g. "5" (source named in the table)
    int latency = 1;             ///< cycles
};

} // namespace swirl::ir
