#include "runtime/cpu/large_bytes.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace swirl::runtime {

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

} // namespace

void FreeBytes::operator()(std::byte* bytes) const { std::free(bytes); }

LargeBytes make_large_bytes(std::size_t bytes) {
    const bool is_large = bytes >= large_page;
    const std::size_t alignment = is_large ? large_page : alignof(std::max_align_t);
    const std::size_t size = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    auto* const data = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
    if (data == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (is_large) madvise(data, size, MADV_HUGEPAGE); // before the first touch, which decides the page size
#endif
    return LargeBytes(data);
}

} // namespace swirl::runtime
