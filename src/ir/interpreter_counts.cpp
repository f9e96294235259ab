#include "ir/interpreter_counts.hpp"

#include <algorithm>
#include <bit>

namespace swirl::ir::interpreted {

namespace {

constexpr Integer sector_bytes = 32;
constexpr Integer word_bytes = 4;
constexpr Integer banks = 32;
constexpr int widest_access = 16;

} // namespace

/// Fills distinct_ with the indices of the aligned units that lanes first … last−1 touch with `bytes` bytes.
void WarpAccess::collect(int first, int last, Integer offset, int bytes, Integer unit) {
    distinct_.clear();
    for (int lane = first; lane < last; ++lane) {
        if ((active_ >> lane & 1U) == 0) continue;
        const Integer from = addresses_[static_cast<std::size_t>(lane)] + offset;
        const Integer end = floor_divide(from + bytes - 1, unit);
        for (Integer value = floor_divide(from, unit); value <= end; ++value) distinct_.push_back(value);
    }
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
}

void WarpAccess::count_request(AccessCounts& counts) const {
    if (empty()) return;
    ++counts.accesses;
    counts.bytes += static_cast<Integer>(std::popcount(active_)) * bytes_;
}

void WarpAccess::count_sectors(AccessCounts& counts) {
    if (empty()) return;
    count_request(counts);
    collect(0, warp_size, 0, bytes_, sector_bytes);
    counts.sectors += std::ssize(distinct_);
}

int WarpAccess::cycles(int first, int last, Integer offset, int bytes) {
    collect(first, last, offset, bytes, word_bytes);
    std::array<int, banks> load{};
    for (const Integer word : distinct_) ++load[static_cast<std::size_t>(modulo(word, banks))];
    return *std::max_element(load.begin(), load.end());
}

void WarpAccess::count_banks(AccessCounts& counts) {
    if (empty()) return;
    count_request(counts);
    Integer offset = 0;
    for (int left = bytes_; left > 0;) {
        const int bytes =
            std::min(widest_access, static_cast<int>(std::bit_floor(static_cast<unsigned>(left))));
        const int threads_at_once = warp_size / std::max(1, bytes / 4);
        for (int first = 0; first < warp_size; first += threads_at_once)
            counts.extra_cycles += std::max(0, cycles(first, first + threads_at_once, offset, bytes) - 1);
        offset += bytes;
        left -= bytes;
    }
}

} // namespace swirl::ir::interpreted
