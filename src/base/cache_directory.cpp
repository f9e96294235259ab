#include "base/cache_directory.hpp"

#include "base/environment.hpp"

namespace swirl {

std::optional<std::filesystem::path> cache_directory() {
    if (const char* cache = environment_variable("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
        return std::filesystem::path(cache) / "swirl";
    if (const char* home = environment_variable("HOME"); home != nullptr && *home != '\0')
        return std::filesystem::path(home) / ".cache" / "swirl";
    return std::nullopt;
}

} // namespace swirl
