#include "runtime/kernel_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace swirl::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "the layout of entries is that of the memory");

struct Header {
    char magic[8];
    std::uint32_t version;
    std::uint16_t target_bytes;
    std::uint16_t name_bytes;
    std::uint64_t key_high;
    std::uint64_t key_low;
    std::uint64_t code_bytes;
    std::uint64_t checksum;
};
static_assert(sizeof(Header) == 48);

constexpr char magic[8] = {'s', 'w', 'i', 'r', 'l', 'k', 'r', 'n'};
constexpr std::size_t longest_name = 0xffff;
constexpr std::uint64_t max_code_bytes = std::uint64_t{1} << 40; ///< so that sums of sizes cannot overflow

/// Checksum of the image with a zero checksum field.
std::uint64_t checksum_of_entry(Header header, std::span<const std::byte> image) {
    header.checksum = 0;
    const std::uint64_t fields[] = {checksum_of(std::as_bytes(std::span(&header, 1))),
                                    checksum_of(image.subspan(sizeof header))};
    return checksum_of(std::as_bytes(std::span(fields)));
}

Header header_of(std::span<const std::byte> bytes) {
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

} // namespace

Bytes encode(const CacheKey& key, const KernelLabel& label, std::span<const std::byte> code) {
    const auto target = std::string_view(label.target).substr(0, longest_name);
    const auto name = std::string_view(label.name).substr(0, longest_name);
    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.version = cache_version;
    header.target_bytes = static_cast<std::uint16_t>(target.size());
    header.name_bytes = static_cast<std::uint16_t>(name.size());
    header.key_high = key.high;
    header.key_low = key.low;
    header.code_bytes = code.size();

    Bytes image(sizeof header);
    const auto append = [&](std::span<const std::byte> bytes) {
        image.insert(image.end(), bytes.begin(), bytes.end());
    };
    image.reserve(sizeof header + target.size() + name.size() + code.size());
    append(std::as_bytes(std::span(target)));
    append(std::as_bytes(std::span(name)));
    append(code);
    header.checksum = checksum_of_entry(header, image);
    std::memcpy(image.data(), &header, sizeof header);
    return image;
}

std::variant<std::uint64_t, Damage> entry_bytes(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof(Header))
        return Damage{fmt::format("{} bytes are too few for a header of {}", bytes.size(), sizeof(Header))};
    const Header header = header_of(bytes);
    if (std::memcmp(header.magic, magic, sizeof magic) != 0) return Damage{"it does not begin like a kernel"};
    if (header.version != cache_version)
        return Damage{fmt::format("version {} of the format, this program knows version {}", header.version,
                                  cache_version)};
    if (header.code_bytes > max_code_bytes) return Damage{"more code than any kernel has"};
    return std::uint64_t{sizeof header} + header.target_bytes + header.name_bytes + header.code_bytes;
}

std::variant<KernelEntry, Damage> decode(std::span<const std::byte> image) {
    const auto size = entry_bytes(image);
    if (const auto* damage = std::get_if<Damage>(&size)) return *damage;
    if (std::get<std::uint64_t>(size) != image.size())
        return Damage{
            fmt::format("{} bytes, its header says {}", image.size(), std::get<std::uint64_t>(size))};
    const Header header = header_of(image);
    if (checksum_of_entry(header, image) != header.checksum) return Damage{"its checksum is wrong"};
    const char* const names = reinterpret_cast<const char*>(image.data()) + sizeof header;
    return KernelEntry{
        .key = {header.key_high, header.key_low},
        .label = {.target = std::string(names, header.target_bytes),
                  .name = std::string(names + header.target_bytes, header.name_bytes)},
        .code = image.subspan(sizeof header + header.target_bytes + header.name_bytes),
    };
}

} // namespace swirl::runtime
