#pragma once

#include "runtime/aligned_buffer.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace swirl::planning {

/// What bytes hold that nobody is to write: huge and finite as a number of any type, so that whoever computes with one shows.
inline constexpr std::byte untouched{0xF5};

/// Bytes of the zone on either side of so many: far enough for most wrong addresses, in whole pages.
std::size_t zone_bytes(std::size_t bytes);

/// Offset of the first byte that is not `untouched`.
std::optional<std::size_t> first_touched(std::span<const std::byte> bytes);

/// Memory between two zones that belong to nobody else, so that what writes beside it does no harm and is found.
class GuardedBuffer {
public:
    /// All bytes zero, 64-byte aligned. std::bad_alloc when there is no memory.
    explicit GuardedBuffer(std::size_t bytes);

    void* data() const { return whole_.as<std::byte>() + zone_; }
    std::size_t bytes() const { return whole_.bytes() - 2 * zone_; }
    template <class T> T* as() const { return static_cast<T*>(data()); }
    template <class T> std::span<T> span_of() const { return {as<T>(), bytes() / sizeof(T)}; }

    std::span<std::byte> with_zones() const { return whole_.span_of<std::byte>(); }
    /// Makes all bytes `untouched`, those of the zones too.
    void clear();
    /// Of the first byte that is not: in the zones, or anywhere. Bytes from `data`.
    std::optional<std::ptrdiff_t> touched_in_zones() const;
    std::optional<std::ptrdiff_t> touched_anywhere() const;

private:
    std::size_t zone_;
    runtime::AlignedBuffer whole_;
};

} // namespace swirl::planning
