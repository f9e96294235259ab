#pragma once

#include "ir/program.hpp"
#include "jit/machine.hpp"
#include "target/cpu.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace swirl::jit {

/// Local buffers that live in vector or tile registers throughout the kernel: so a loop carries values from one iteration to the
/// next.
///
/// A buffer does if every access to it has a constant index and is of whole vectors, or of whole tiles, that either coincide or
/// lie apart, and if enough registers remain for everything else. Buffers are taken in the program's order; any other is in the frame.
class RegisterBuffers {
public:
    RegisterBuffers(const ir::Program& program, const target::Cpu& cpu);

    /// The machine register that holds what is accessed; −1: it is in memory.
    std::int8_t number_of(const ir::Address& address) const {
        const auto& places = places_[static_cast<std::size_t>(address.buffer)];
        return places.empty() ? std::int8_t{-1} : places[static_cast<std::size_t>(address.index.constant())];
    }
    bool holds(ir::Buffer buffer) const { return !places_[static_cast<std::size_t>(buffer)].empty(); }
    /// All of a class, as a bit set.
    std::uint32_t registers(Class kind) const { return registers_[static_cast<std::size_t>(kind)]; }

private:
    std::vector<std::vector<std::int8_t>>
        places_; ///< by buffer and index of the first lane; empty: in memory
    std::array<std::uint32_t, classes> registers_{};
};

} // namespace swirl::jit
