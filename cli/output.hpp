#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>

namespace swirl::cli {

/// Keeps the order in which members are added.
using Json = nlohmann::ordered_json;

/// Writes to standard output. Throws std::system_error when it cannot.
void print(std::string_view text);
void print_json(const Json& json);

/// Replaces the file by `text`, all or nothing: written beside it under another name and renamed. Throws
/// std::system_error naming the file.
void write_file(const std::filesystem::path& file, std::string_view text);

} // namespace swirl::cli
