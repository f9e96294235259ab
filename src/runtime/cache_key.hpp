#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace swirl::runtime {

/// Of the format of entries. Part of every key, so that no version meets another's entries under a key of its own.
constexpr std::uint32_t cache_version = 1;

/// What stands for a kernel in the cache: 128 bits of a hash over all that its machine code follows from.
struct CacheKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    /// Of a sequence of texts; where one ends and the next begins counts.
    static CacheKey of(std::span<const std::string_view> parts);
    /// Of 32 hexadecimal digits; nothing where the text is none.
    static std::optional<CacheKey> parse(std::string_view text);
    std::string text() const;

    friend auto operator<=>(const CacheKey&, const CacheKey&) = default;
};

/// XXH3 in 64 bits, which notices any damage by accident.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

} // namespace swirl::runtime
