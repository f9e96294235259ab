#include "runtime/cpu/copy_past_caches.hpp"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace swirl::runtime {

#if defined(__SSE2__)

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::size_t line = 64, shortest = 4 * line;
    if (bytes < shortest) {
        std::memcpy(to, from, bytes);
        return;
    }
    const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
    std::memcpy(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= line; bytes -= line, to += line, from += line) {
        const auto* const source = reinterpret_cast<const __m128i*>(from);
        auto* const target = reinterpret_cast<__m128i*>(to);
        const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1),
                      c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    std::memcpy(to, from, bytes);
}

void finish_copies_past_caches() { _mm_sfence(); }

#else

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

void finish_copies_past_caches() {}

#endif

} // namespace swirl::runtime
