#include "runtime/cpu/aligned_buffer.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace swirl::runtime {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

} // namespace

AlignedBuffer::AlignedBuffer(std::size_t bytes, const Options& options) : bytes_(bytes) {
    ensure(std::has_single_bit(options.alignment), "alignment {} is no power of two", options.alignment);
    const bool huge = options.huge_pages && bytes >= huge_page;
    const std::size_t alignment =
        std::max({options.alignment, huge ? huge_page : 0, alignof(std::max_align_t)});
    if (bytes > std::numeric_limits<std::size_t>::max() - options.offset - alignment) throw std::bad_alloc();
    // aligned_alloc requires a multiple of the alignment; an empty buffer still needs an address.
    const std::size_t wanted = std::max<std::size_t>(bytes + options.offset, 1);
    const std::size_t size = (wanted + alignment - 1) / alignment * alignment;
    block_ = std::aligned_alloc(alignment, size);
    if (block_ == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (huge) madvise(block_, size, MADV_HUGEPAGE); // before the first write, which decides the page size
#endif
    std::memset(block_, 0, size);
    data_ = static_cast<char*>(block_) + options.offset;
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

AlignedBuffer::~AlignedBuffer() { std::free(block_); }

} // namespace swirl::runtime
