#pragma once

#include "jit/code_buffer.hpp"
#include "jit/frame.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace swirl::jit {

/// Constant lane masks of AVX-512 instructions. The first six occupy k1…k6 throughout the kernel; others, and
/// comparisons, use k7 on demand.
class Masks {
public:
    static constexpr std::uint8_t scratch = 7;

    /// The mask's index, from 1.
    std::uint16_t register_index_of(std::uint32_t bits) {
        const auto at = std::find(bits_.begin(), bits_.end(), bits);
        const auto index = at - bits_.begin();
        if (at == bits_.end()) bits_.push_back(bits);
        ensure(index < 65535, "a kernel with more than 65535 different lane masks");
        return static_cast<std::uint16_t>(index + 1);
    }
    bool is_resident(std::uint16_t index) const { return index < scratch; }
    std::uint8_t register_of(std::uint16_t index) const {
        return is_resident(index) ? static_cast<std::uint8_t>(index) : scratch;
    }
    std::uint32_t bits(std::uint16_t index) const { return bits_[index - 1U]; }
    int resident_count() const { return static_cast<int>(std::min<std::size_t>(bits_.size(), scratch - 1)); }

private:
    std::vector<std::uint32_t> bits_;
};

} // namespace swirl::jit
