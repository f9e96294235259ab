#include "distributed/copies.hpp"

#include "base/error.hpp"
#include "runtime/cpu/copy_past_caches.hpp"

#include <algorithm>
#include <cstring>

namespace swirl::distributed {

namespace {

/// Strides of a contiguous block's axes.
std::vector<Integer> strides_within(const Block& block) {
    std::vector<Integer> strides(block.box.lower.size());
    const std::vector<int> order = order_of(block.box);
    Integer stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(order[i]);
        strides[axis] = stride;
        stride *= length(block.box, axis);
    }
    return strides;
}

/// The common elements of two blocks.
BlockCopy copy_of(const Box& common, const Block& from, const Block& to) {
    const std::vector<Integer> from_strides = strides_within(from), to_strides = strides_within(to);
    BlockCopy result{{}, from.offset, to.offset};
    for (const int number : order_of(to.box)) {
        const auto axis = static_cast<std::size_t>(number);
        result.from += (common.lower[axis] - from.box.lower[axis]) * from_strides[axis];
        result.to += (common.lower[axis] - to.box.lower[axis]) * to_strides[axis];
        if (length(common, axis) == 1) continue;
        BlockCopy::Loop loop{length(common, axis), from_strides[axis], to_strides[axis]};
        if (!result.loops.empty()) {
            BlockCopy::Loop& around = result.loops.back();
            if (around.from == loop.count * loop.from && around.to == loop.count * loop.to) {
                loop.count *= around.count;
                result.loops.pop_back();
            }
        }
        result.loops.push_back(loop);
    }
    return result;
}

/// Elements along the innermost loop. The compiler makes one move of each size that it knows.
template <std::size_t bytes>
void copy_elements(const std::byte* from, std::byte* to, const BlockCopy::Loop& loop) {
    const auto size = static_cast<Integer>(bytes);
    for (Integer i = 0; i < loop.count; ++i)
        std::memcpy(to + i * loop.to * size, from + i * loop.from * size, bytes);
}

void copy_innermost(const std::byte* from, std::byte* to, const BlockCopy::Loop& loop, Integer bytes,
                    CopyStores stores) {
    if (loop.from == 1 && loop.to == 1) {
        const auto size = static_cast<std::size_t>(loop.count * bytes);
        if (stores == CopyStores::past_caches)
            runtime::copy_past_caches(to, from, size);
        else
            std::memcpy(to, from, size);
        return;
    }
    switch (bytes) {
    case 2: return copy_elements<2>(from, to, loop);
    case 4: return copy_elements<4>(from, to, loop);
    case 8: return copy_elements<8>(from, to, loop);
    case 16: return copy_elements<16>(from, to, loop);
    default: throw InternalError("elements of {} bytes are not copied", bytes);
    }
}

void copy_loops(const std::vector<BlockCopy::Loop>& loops, std::size_t at, const std::byte* from,
                std::byte* to, Integer bytes, CopyStores stores) {
    if (at + 1 >= loops.size())
        return copy_innermost(from, to, loops.empty() ? BlockCopy::Loop{1, 1, 1} : loops[at], bytes, stores);
    for (Integer i = 0; i < loops[at].count; ++i)
        copy_loops(loops, at + 1, from + i * loops[at].from * bytes, to + i * loops[at].to * bytes, bytes,
                   stores);
}

} // namespace

std::vector<BlockCopy> copies(const Layout& from, const Layout& to) {
    std::vector<BlockCopy> result;
    for (const Block& target : to)
        for (const Block& source : from) {
            const Box common = intersection(source.box, target.box, {});
            if (!common.lower.empty()) result.push_back(copy_of(common, source, target));
        }
    return result;
}

bool move_nothing(const std::vector<BlockCopy>& copies) {
    return std::all_of(copies.begin(), copies.end(), [](const BlockCopy& copy) {
        return copy.from == copy.to &&
               std::all_of(copy.loops.begin(), copy.loops.end(),
                           [](const BlockCopy::Loop& loop) { return loop.from == loop.to; });
    });
}

void copy(const std::vector<BlockCopy>& copies, const std::byte* from, std::byte* to, Integer element_bytes,
          CopyStores stores) {
    for (const BlockCopy& block : copies)
        copy_loops(block.loops, 0, from + block.from * element_bytes, to + block.to * element_bytes,
                   element_bytes, stores);
}

} // namespace swirl::distributed
