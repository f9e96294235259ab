#include "plan/gemm/cpu/packing_buffers.hpp"

#include "runtime/cpu/aligned_buffer.hpp"

#include <array>

namespace swirl::planning {

namespace {

// From half a huge page on, round up to huge pages: panels stream faster than the TLB maps small pages.
constexpr std::size_t page = 4096, huge = 2 << 20;
constexpr bool is_huge(std::size_t bytes) { return bytes >= huge / 2; }

} // namespace

std::size_t packing_buffer_bytes(std::size_t bytes) {
    return is_huge(bytes) ? (bytes + huge - 1) / huge * huge : bytes;
}

std::byte* packing_buffer(int index, std::size_t bytes) {
    thread_local std::array<runtime::AlignedBuffer, 2> buffers;
    runtime::AlignedBuffer& buffer = buffers[static_cast<std::size_t>(index)];
    if (buffer.bytes() < bytes) {
        buffer = {};
        buffer =
            runtime::AlignedBuffer(packing_buffer_bytes(bytes),
                                   {.alignment = is_huge(bytes) ? huge : page, .huge_pages = is_huge(bytes)});
    }
    return static_cast<std::byte*>(buffer.data());
}

} // namespace swirl::planning
