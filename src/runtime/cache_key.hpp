#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace swirl::runtime {

/// Version of the entry format. Every key includes it, so versions never read each other's entries.
constexpr std::uint32_t cache_version = 1;

/// Identifies a kernel in the cache: a 128-bit hash of everything that determines its machine code.
struct CacheKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    /// Key of a sequence of texts; the boundaries between them count.
    static CacheKey of(std::span<const std::string_view> fields);
    /// Parses 32 hexadecimal digits; nothing if the text is not a key.
    static std::optional<CacheKey> parse(std::string_view text);
    std::string text() const;

    friend auto operator<=>(const CacheKey&, const CacheKey&) = default;
};

/// 64-bit XXH3, which detects accidental damage.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

} // namespace swirl::runtime
