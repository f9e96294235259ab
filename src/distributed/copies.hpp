#pragma once

#include "distributed/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace swirl::distributed {

/// A box of elements copied from one layout to another: loops, the last one innermost, with strides in elements.
struct BlockCopy {
    struct Loop {
        Integer count, from, to;
        bool operator==(const Loop&) const = default;
    };
    std::vector<Loop> loops;
    Integer from = 0; ///< of the first element
    Integer to = 0;
    bool operator==(const BlockCopy&) const = default;
};

/// The same elements in two layouts.
std::vector<BlockCopy> copies(const Layout& from, const Layout& to);
/// Whether every element is where it shall be.
bool move_nothing(const std::vector<BlockCopy>& copies);
enum class CopyStores : std::uint8_t {
    cached,
    past_caches, ///< of contiguous runs, and runtime::finish_copies_past_caches is called before others read them
};
void copy(const std::vector<BlockCopy>& copies, const std::byte* from, std::byte* to, Integer element_bytes,
          CopyStores stores = CopyStores::cached);

} // namespace swirl::distributed
