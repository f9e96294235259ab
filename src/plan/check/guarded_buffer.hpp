#pragma once

#include "runtime/cpu/aligned_buffer.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace swirl::planning {

/// Fill value of bytes that must not be used: huge and finite in every data type, so that computing with it shows.
inline constexpr std::byte poison{0xF5};

/// Redzone size on either side of a buffer of this size: whole pages, enough for most wrong addresses.
std::size_t redzone_bytes(std::size_t bytes);

/// Offset of the first byte that is not `poison`.
std::optional<std::size_t> first_overwritten(std::span<const std::byte> bytes);

/// Memory between two redzones that nothing else uses, so that out-of-bounds writes do no harm and are detected.
class GuardedBuffer {
public:
    /// All bytes zero, 64-byte aligned. Throws std::bad_alloc.
    explicit GuardedBuffer(std::size_t bytes);

    void* data() const { return whole_.as<std::byte>() + redzone_; }
    std::size_t bytes() const { return whole_.bytes() - 2 * redzone_; }
    template <class T> T* as() const { return static_cast<T*>(data()); }
    template <class T> std::span<T> span_of() const { return {as<T>(), bytes() / sizeof(T)}; }

    std::span<std::byte> with_redzones() const { return whole_.span_of<std::byte>(); }
    /// Sets all bytes to `poison`, redzones included.
    void clear();
    /// Offset from `data` of the first byte that is not `poison`: in the redzones, or anywhere.
    std::optional<std::ptrdiff_t> written_in_redzones() const;
    std::optional<std::ptrdiff_t> written_anywhere() const;

private:
    std::size_t redzone_;
    runtime::AlignedBuffer whole_;
};

} // namespace swirl::planning
