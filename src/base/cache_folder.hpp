#pragma once

#include <filesystem>
#include <optional>

namespace swirl {

/// Where swirl keeps files that can be made again, by the XDG base directory specification: $XDG_CACHE_HOME/swirl, else
/// ~/.cache/swirl; nothing where there is no home. A relative path in XDG_CACHE_HOME is ignored.
std::optional<std::filesystem::path> cache_folder();

} // namespace swirl
