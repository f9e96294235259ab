#include "runtime/kernel_pack.hpp"

#include "base/error.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

namespace swirl::runtime {
namespace {

struct PackHeader {
    char magic[8];
    std::uint64_t kernels;
    std::uint64_t checksum;
};
static_assert(sizeof(PackHeader) == 24);

constexpr char pack_magic[8] = {'s', 'w', 'i', 'r', 'l', 'p', 'c', 'k'};

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Removes and returns the next entry's bytes.
std::span<const std::byte> take_entry(std::span<const std::byte>& rest, const auto& fail) {
    const auto size = entry_bytes(rest);
    if (const auto* damage = std::get_if<Damage>(&size)) fail(damage->reason);
    const std::uint64_t bytes = std::get<std::uint64_t>(size);
    if (bytes > rest.size()) fail(fmt::format("{} bytes, of which {} are there", bytes, rest.size()));
    const auto entry = rest.first(static_cast<std::size_t>(bytes));
    rest = rest.subspan(entry.size());
    return entry;
}

} // namespace

KernelPack pack(const KernelCache& cache) {
    std::map<CacheKey, Bytes> images;
    cache.visit([&](const KernelCache::Stored& entry, std::span<const std::byte> image) {
        if (entry.damage.empty()) images.emplace(entry.key, Bytes(image.begin(), image.end()));
    });
    PackHeader header{};
    std::memcpy(header.magic, pack_magic, sizeof pack_magic);
    header.kernels = images.size();
    std::string text(sizeof header, '\0');
    for (const auto& [key, image] : images)
        text.append(reinterpret_cast<const char*>(image.data()), image.size());
    header.checksum = checksum_of(bytes_of(text).subspan(sizeof header));
    std::memcpy(text.data(), &header, sizeof header);
    return {std::move(text), images.size()};
}

std::vector<PackedKernel> unpack(std::string_view pack, std::string_view name) {
    PackHeader header{};
    if (pack.size() < sizeof header)
        throw UserError(
            "{} is no pack of kernels: its {} bytes do not hold a header; 'swirl cache export' "
            "writes one",
            name, pack.size());
    std::memcpy(&header, pack.data(), sizeof header);
    if (std::memcmp(header.magic, pack_magic, sizeof pack_magic) != 0)
        throw UserError("{} is no pack of kernels; 'swirl cache export' writes one", name);
    std::vector<PackedKernel> kernels;
    std::span<const std::byte> rest = bytes_of(pack).subspan(sizeof header);
    const bool is_whole = checksum_of(rest) == header.checksum;
    const auto fail = [&](const std::string& reason) {
        throw UserError("{} is damaged at kernel {} of {}, byte {}: {}; export it anew", name,
                        kernels.size() + 1, header.kernels, pack.size() - rest.size(), reason);
    };
    while (kernels.size() < header.kernels) {
        const auto before = rest;
        const auto image = take_entry(rest, fail);
        const auto decoded = decode(image);
        if (const auto* damage = std::get_if<Damage>(&decoded)) {
            rest = before;
            fail(damage->reason);
        }
        const auto& entry = std::get<KernelEntry>(decoded);
        kernels.push_back({entry.key, entry.label, Bytes(entry.code.begin(), entry.code.end())});
    }
    if (!rest.empty() || !is_whole)
        throw UserError("{} is damaged: {}; export it anew", name,
                        rest.empty() ? "its checksum is wrong"
                                     : fmt::format("{} bytes follow its last kernel", rest.size()));
    return kernels;
}

} // namespace swirl::runtime
