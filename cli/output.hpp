#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>

namespace swirl::cli {

/// Keeps the order in which members are added.
using Json = nlohmann::ordered_json;

/// Writes to standard output. Throws std::system_error on failure.
void print(std::string_view text);
void print_json(const Json& json);

/// Replaces the file by `text` atomically: writes a temporary file next to it and renames that. Throws
/// std::system_error naming the file.
void write_file(const std::filesystem::path& file, std::string_view text);

} // namespace swirl::cli
