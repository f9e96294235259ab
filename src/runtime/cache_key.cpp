#include "runtime/cache_key.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <charconv>

namespace swirl::runtime {
namespace {

constexpr std::size_t digits = 16; ///< hexadecimal digits of 64 bits

std::optional<std::uint64_t> parse_half(std::string_view text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

} // namespace

CacheKey CacheKey::of(std::span<const std::string_view> fields) {
    std::string all = fmt::format("swirl kernel cache {}\n", cache_version);
    for (const std::string_view field : fields) all += fmt::format("{}:{}", field.size(), field);
    const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
    return {hash.high64, hash.low64};
}

std::optional<CacheKey> CacheKey::parse(std::string_view text) {
    if (text.size() != 2 * digits) return std::nullopt;
    const auto high = parse_half(text.substr(0, digits));
    const auto low = parse_half(text.substr(digits));
    if (!high || !low) return std::nullopt;
    const CacheKey key{*high, *low};
    if (key.text() != text) return std::nullopt; // upper-case digits name no entry
    return key;
}

std::string CacheKey::text() const { return fmt::format("{:016x}{:016x}", high, low); }

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace swirl::runtime
