#pragma once

#include <filesystem>
#include <optional>

namespace swirl {

/// Directory for files that swirl can regenerate, by the XDG base directory specification: $XDG_CACHE_HOME/swirl, else
/// ~/.cache/swirl; nothing without a home directory. Ignores a relative path in XDG_CACHE_HOME.
std::optional<std::filesystem::path> cache_directory();

} // namespace swirl
