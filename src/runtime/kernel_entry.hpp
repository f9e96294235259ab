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

/// What a stored kernel is, for people to read.
struct KernelLabel {
    std::string target; ///< such as "sm_90"
    std::string name;
    friend bool operator==(const KernelLabel&, const KernelLabel&) = default;
};

/// One kernel as a file or a part of a pack holds it, all numbers little-endian:
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
    std::span<const std::byte> code; ///< in the image that was decoded
};

/// Names longer than their field has room for are cut.
Bytes encode(const CacheKey& key, const KernelLabel& label, std::span<const std::byte> code);

/// Why bytes are no entry, in words.
struct Damage {
    std::string reason;
};

/// The entry that an image holds, all of it and nothing else.
std::variant<KernelEntry, Damage> decode(std::span<const std::byte> image);

/// How many bytes the entry at the beginning of these says that it has; the reason where there can be none.
std::variant<std::uint64_t, Damage> entry_bytes(std::span<const std::byte> bytes);

} // namespace swirl::runtime
