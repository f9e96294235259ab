#include "blas/scratch.hpp"

#include "runtime/cpu/aligned_buffer.hpp"

#include <array>

namespace swirl::blas {

void* scratch_bytes(Scratch kind, std::size_t bytes) {
    constexpr std::size_t kinds = static_cast<std::size_t>(Scratch::workspace) + 1;
    thread_local std::array<runtime::AlignedBuffer, kinds> buffers;
    runtime::AlignedBuffer& buffer = buffers[static_cast<std::size_t>(kind)];
    if (buffer.bytes() < bytes) {
        buffer = {}; // freed first, so that both never exist at once
        buffer = runtime::AlignedBuffer(bytes + bytes / 4);
    }
    return buffer.data();
}

} // namespace swirl::blas
