#pragma once

#include "fuzz/random.hpp"

#include <swirl/kinds.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace swirl::fuzz {

/// An array between two guard zones, filled with a pattern that is huge in every floating-point type, so
/// that reading what nobody has set shows in results, and writing outside shows in the pattern.
///
/// Instead of one of the zones there may be a page that cannot be touched, right before or right behind the array, so that
/// reading there crashes.
class GuardedMemory {
public:
    enum class Fence : std::uint8_t { none, before, behind };

    /// From `lowest` to before `end`, in bytes from the element of index 0, which is `offset` bytes behind a multiple of 64;
    /// with a fence it lies where that wants it.
    GuardedMemory(std::string name, Integer lowest, Integer end, Integer offset = 0,
                  Fence fence = Fence::none);
    GuardedMemory(GuardedMemory&&) noexcept = default;
    GuardedMemory& operator=(GuardedMemory&&) noexcept = default;

    const std::string& name() const { return name_; }
    std::byte* origin() const { return origin_; }
    Fence fence() const { return fence_; }
    Integer lowest() const { return lowest_; }
    Integer end() const { return end_; }

    /// Remembers all bytes as they are.
    void save();
    /// So many bytes at this offset may have changed.
    void allow(Integer offset, Integer bytes);
    /// Throws a Failure where other bytes have: "guard zone" or "written outside".
    void require_unharmed() const;

    /// All bytes, with the zones.
    std::byte* data() const { return data_; }
    Integer bytes() const { return bytes_; }

private:
    std::string name_;
    Fence fence_;
    Integer lowest_, end_;
    Integer before_; ///< bytes of the zone before the array
    Integer bytes_;
    std::shared_ptr<std::byte> memory_;
    std::byte* data_;
    std::byte* origin_;
    std::vector<std::byte> saved_;
};

/// Mostly none.
GuardedMemory::Fence draw_fence(Random& random);

} // namespace swirl::fuzz
