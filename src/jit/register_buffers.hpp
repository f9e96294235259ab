#pragma once

#include "ir/program.hpp"
#include "jit/x86_operation.hpp"
#include "target/cpu.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace swirl::jit {

/// Local buffers that stay in vector or tile registers throughout the kernel, so that loops carry values from one
/// iteration to the next.
///
/// A buffer qualifies if every access has a constant index and covers full vectors or full tiles that either coincide
/// or are disjoint, and if enough registers remain for everything else. Buffers are taken in program order; all others
/// lie in the frame.
class RegisterBuffers {
public:
    RegisterBuffers(const ir::Program& program, const target::Cpu& cpu);

    /// The machine register that holds the accessed elements; −1: they are in memory.
    std::int8_t register_index_of(const ir::Address& address) const {
        const auto& registers_by_lane = registers_by_lane_[static_cast<std::size_t>(address.buffer)];
        return registers_by_lane.empty()
                   ? std::int8_t{-1}
                   : registers_by_lane[static_cast<std::size_t>(address.index.constant())];
    }
    bool holds(ir::Buffer buffer) const {
        return !registers_by_lane_[static_cast<std::size_t>(buffer)].empty();
    }
    /// Those of one class, as a bit set.
    std::uint32_t registers(Class kind) const { return registers_[static_cast<std::size_t>(kind)]; }

private:
    std::vector<std::vector<std::int8_t>>
        registers_by_lane_; ///< by buffer and index of the first lane; empty: in memory
    std::array<std::uint32_t, classes> registers_{};
};

} // namespace swirl::jit
