#include "base/cache_directory.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "runtime/kernel_cache.hpp"

#include <charconv>
#include <memory>
#include <string_view>

namespace swirl::runtime {
namespace {

std::string_view variable(const char* name) {
    const char* value = environment_variable(name);
    return value == nullptr ? std::string_view() : value;
}

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

std::uint64_t limit_of_user() {
    const std::string_view text = variable("SWIRL_KERNEL_CACHE_MIB");
    if (text.empty()) return KernelCache::default_bytes;
    std::uint32_t size = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, size);
    if (error != std::errc() || stop != end)
        throw UserError(
            "SWIRL_KERNEL_CACHE_MIB is '{}', not a size of the kernel cache; use an integer "
            "of MiB, such as {}, and 0 switches the cache off",
            text, KernelCache::default_bytes / mebibyte);
    return size * mebibyte;
}

std::filesystem::path folder_of_user() {
    const std::string_view named = variable("SWIRL_KERNEL_CACHE");
    if (named == "off") return {};
    if (!named.empty()) return named;
    const auto folder = cache_directory();
    return folder ? *folder / "kernels" : std::filesystem::path();
}

std::unique_ptr<KernelCache> cache_of_user() {
    std::filesystem::path folder = folder_of_user();
    const std::uint64_t limit = limit_of_user();
    if (folder.empty() || limit == 0) return nullptr;
    return std::make_unique<KernelCache>(std::move(folder), limit);
}

} // namespace

KernelCache* KernelCache::of_user() {
    static KernelCache* const cache = cache_of_user().release(); // outlives all users
    return cache;
}

} // namespace swirl::runtime
