#include "base/cache_directory.hpp"

#include <cstdlib>

namespace swirl {

std::optional<std::filesystem::path> cache_directory() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
        return std::filesystem::path(cache) / "swirl";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
        return std::filesystem::path(home) / ".cache" / "swirl";
    return std::nullopt;
}

} // namespace swirl
