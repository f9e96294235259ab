#pragma once

#include "ir/type.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace swirl::ir {

/// Lanes of one operand or result, in the interpreter's representation.
using Lanes = std::vector<long double>;

/// A target-specific instruction: operands, encodings and meaning. Entries live in target/ tables and are never
/// destroyed; `ir` refers to them by address, and the interpreter executes `meaning`.
struct Instruction {
    std::string_view name;      ///< unique, e.g. "interleave_low_f64x8"
    std::vector<Type> operands; ///< one to three
    Type result;
    std::function<Lanes(std::span<const Lanes> operands)> meaning = {};
    /// Threads that execute it together: neighbours in one block, starting at a multiple of this number. `meaning`
    /// sees the concatenated lanes of all these threads in each operand, and returns their concatenated results.
    int threads = 1;
    int flops = 0; ///< floating-point operations per thread
    /// For pure shuffles: the lane map; else empty.
    std::vector<std::int8_t> lane_map = {};
    std::uint32_t encoding =
        0; ///< instruction id of the encoder (target-specific); on GPUs the lowest compute capability, times 10
    int immediate = -1;          ///< trailing immediate byte; −1: none
    std::string_view text = {};  ///< spelling in emitted text: an intrinsic or PTX mnemonic
    std::string_view ports = {}; ///< execution ports, e.g. "5" (source named in the table)
    int latency = 1;             ///< cycles
};

} // namespace swirl::ir
