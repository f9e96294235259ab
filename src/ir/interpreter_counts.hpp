#pragma once

#include "ir/interpreter.hpp"

#include <array>
#include <vector>

/// Costs of a warp's memory access on a GPU. Internal to the interpreter.
namespace swirl::ir::interpreted {

constexpr int warp_size = 32;

/// Collects the byte addresses of one warp's access; every thread requests the same number of bytes.
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

    /// Global memory: distinct 32-byte sectors. The buffer's index 0 is at a sector boundary.
    void count_sectors(AccessCounts& counts);

    /// Shared memory: 32 banks of 4 bytes; each serves one 4-byte word per cycle to any number of threads. Accesses of
    /// 8 bytes are served per half-warp, of 16 bytes per quarter-warp; longer ones are split.
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
