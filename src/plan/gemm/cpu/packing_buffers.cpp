#include "plan/gemm/cpu/packing_buffers.hpp"

#include "runtime/cpu/aligned_buffer.hpp"

#include <array>

namespace swirl::planning {

std::byte* packing_buffer(int number, std::size_t bytes) {
    // From half a huge page on, round up to huge pages: panels stream faster than the TLB maps small pages.
    constexpr std::size_t page = 4096, huge = 2 << 20;
    thread_local std::array<runtime::AlignedBuffer, 2> buffers;
    runtime::AlignedBuffer& buffer = buffers[static_cast<std::size_t>(number)];
    if (buffer.bytes() < bytes) {
        const bool is_huge = bytes >= huge / 2;
        const std::size_t rounded = is_huge ? (bytes + huge - 1) / huge * huge : bytes;
        buffer = {};
        buffer = runtime::AlignedBuffer(rounded, {.alignment = is_huge ? huge : page, .huge_pages = is_huge});
    }
    return static_cast<std::byte*>(buffer.data());
}

} // namespace swirl::planning
