#pragma once

#include "runtime/cache_key.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace swirl::runtime {

using Bytes = std::vector<std::byte>;

/// Description of a stored kernel, for display.
struct KernelLabel {
    std::string target; ///< such as "sm_90"
    std::string name;
    friend bool operator==(const KernelLabel&, const KernelLabel&) = default;
};

/// One kernel as stored in a file or a pack; all integers little-endian:
///
///   offset  bytes
///        0      8   "swirlkrn"
///        8      4   version of the format: cache_version
///       12      2   bytes of the target's name
///       14      2   bytes of the kernel's name
///       16     16   key: high, then low half
///       32      8   bytes of code
///       40      8   checksum of all other bytes of the entry
///       48          target's name, kernel's name, code
struct KernelEntry {
    CacheKey key;
    KernelLabel label;
    std::span<const std::byte> code; ///< points into the decoded image
};

/// Truncates names that exceed their length field.
Bytes encode(const CacheKey& key, const KernelLabel& label, std::span<const std::byte> code);

/// Why bytes are not a valid entry, in words.
struct Damage {
    std::string reason;
};

/// Decodes an image that consists of exactly one entry.
std::variant<KernelEntry, Damage> decode(std::span<const std::byte> image);

/// The size in bytes that the entry at the beginning of `bytes` declares; the reason if there is no valid entry.
std::variant<std::uint64_t, Damage> entry_bytes(std::span<const std::byte> bytes);

} // namespace swirl::runtime
