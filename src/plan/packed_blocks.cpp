#include "plan/packed_blocks.hpp"

#include "runtime/aligned_buffer.hpp"

#include <array>

namespace swirl::planning {

std::byte* packed_block(int number, std::size_t bytes) {
    constexpr std::size_t page = 4096, huge = 2 << 20;
    thread_local std::array<runtime::AlignedBuffer, 2> buffers;
    runtime::AlignedBuffer& buffer = buffers[static_cast<std::size_t>(number)];
    if (buffer.bytes() < bytes) {
        buffer = {};
        buffer = runtime::AlignedBuffer(bytes, {.alignment = page, .huge_pages = bytes >= huge});
    }
    return static_cast<std::byte*>(buffer.data());
}

} // namespace swirl::planning
