#pragma once

#include <cstddef>
#include <span>

namespace swirl::runtime {

/// Aligned memory with every page written: pages never written all map to one shared zero page, and a benchmark would
/// time that instead of memory. Movable, not copyable.
class AlignedBuffer {
public:
    struct Options {
        std::size_t alignment = 64; ///< bytes, a power of two
        std::size_t offset = 0;     ///< bytes beyond that alignment, to measure misaligned data
        bool huge_pages = false;    ///< request huge pages; a hint that the system may ignore
    };

    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t bytes) : AlignedBuffer(bytes, Options{}) {}
    /// All bytes zero. Throws std::bad_alloc when out of memory.
    AlignedBuffer(std::size_t bytes, const Options& options);
    AlignedBuffer(AlignedBuffer&& other) noexcept;
    AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
    ~AlignedBuffer();

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    template <class T> T* as() const { return static_cast<T*>(data_); }
    template <class T> std::span<T> span_of() const { return {as<T>(), bytes_ / sizeof(T)}; }

private:
    void* block_ = nullptr; ///< the allocation
    void* data_ = nullptr;  ///< block_ + offset
    std::size_t bytes_ = 0;
};

} // namespace swirl::runtime
