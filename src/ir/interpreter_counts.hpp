#pragma once

#include "ir/interpreter.hpp"

#include <array>
#include <vector>

/// What a warp's memory access costs on a GPU. Internal to the interpreter.
namespace swirl::ir::interpreted {

constexpr int warp_size = 32;

/// Collects the byte addresses one warp asks for in one operation; every thread asks for the same number of bytes.
class WarpAccess {
public:
    void start(int bytes_a_thread) {
        bytes_ = bytes_a_thread;
        active_ = 0;
    }
    void add(int lane, Integer address) {
        addresses_[static_cast<std::size_t>(lane)] = address;
        active_ |= 1U << lane;
    }
    bool empty() const { return active_ == 0; }

    void count_request(AccessCounts& counts) const;

    /// Global memory: distinct 32-byte sectors. The buffer's index 0 lies at a sector boundary.
    void count_sectors(AccessCounts& counts);

    /// Shared memory: 32 banks of 4 bytes, each serving one 4-byte word a cycle to any number of threads.
    /// Accesses of 8 bytes are served by half-warps, of 16 bytes by quarter-warps; longer ones are several.
    void count_banks(AccessCounts& counts);

private:
    int cycles(int first, int last, Integer offset, int bytes);

    void collect(int first, int last, Integer offset, int bytes, Integer unit);

    int bytes_ = 0;
    std::uint32_t active_ = 0; ///< bit set of lanes
    std::array<Integer, warp_size> addresses_{};
    std::vector<Integer> distinct_; ///< work space
};

} // namespace swirl::ir::interpreted
