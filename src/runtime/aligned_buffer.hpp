#pragma once

#include <cstddef>
#include <span>

namespace swirl::runtime {

/// Memory at a chosen alignment, every page of it written: pages never written all share one page of zeros, which
/// would be timed instead of memory. Movable, not copyable.
class AlignedBuffer {
public:
    struct Options {
        std::size_t alignment = 64; ///< bytes, a power of two
        std::size_t offset = 0;     ///< bytes behind that alignment, to measure misaligned data
        bool huge_pages = false;    ///< ask the system for large pages; a hint, it may not have any
    };

    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t bytes) : AlignedBuffer(bytes, Options{}) {}
    /// All bytes zero. std::bad_alloc when there is no memory.
    AlignedBuffer(std::size_t bytes, const Options& options);
    AlignedBuffer(AlignedBuffer&& other) noexcept;
    AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
    ~AlignedBuffer();

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    template <class T> T* as() const { return static_cast<T*>(data_); }
    template <class T> std::span<T> span_of() const { return {as<T>(), bytes_ / sizeof(T)}; }

private:
    void* block_ = nullptr; ///< what was allocated
    void* data_ = nullptr;  ///< block_ + offset
    std::size_t bytes_ = 0;
};

} // namespace swirl::runtime
