#pragma once

#include "support/run_program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Documents with parts that tests write: text between `<!-- generated: NAME -->` and `<!-- end -->`, each on a line
/// of its own.
namespace swirl::docs {

inline const std::filesystem::path source_folder = SWIRL_SOURCE_DIR;

/// Whether generated sections are to be written, not compared.
inline bool updates_documents() {
    const char* value = std::getenv("SWIRL_UPDATE_DOCS");
    return value != nullptr && *value != '\0' && std::string(value) != "0";
}

inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + file.string());
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Whole or not at all.
inline void write(const std::filesystem::path& file, const std::string& text) {
    const std::filesystem::path next = file.string() + ".new";
    std::ofstream stream(next, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + next.string());
    std::filesystem::rename(next, file);
}

struct Section {
    std::string name;
    std::string text; ///< ends with a line feed
};

inline const std::string section_start = "<!-- generated: ";
inline const std::string section_end = "<!-- end -->\n";

struct SectionPlace {
    std::size_t begin; ///< of the text between the markers
    std::size_t end;
};

inline std::optional<SectionPlace> section_range(const std::string& document, const std::string& name) {
    const std::string marker = section_start + name + " -->\n";
    const std::size_t at = document.find(marker);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t end = document.find(section_end, at);
    if (end == std::string::npos) return std::nullopt;
    return SectionPlace{at + marker.size(), end};
}

inline std::optional<std::string> section_of(const std::string& document, const std::string& name) {
    const auto range = section_range(document, name);
    if (!range) return std::nullopt;
    return document.substr(range->begin, range->end - range->begin);
}

inline std::string with_section(std::string document, const Section& section) {
    if (const auto range = section_range(document, section.name))
        document.replace(range->begin, range->end - range->begin, section.text);
    return document;
}

/// In order of appearance.
inline std::vector<std::string> section_names(const std::string& document) {
    std::vector<std::string> names;
    for (std::size_t at = document.find(section_start); at != std::string::npos;
         at = document.find(section_start, at + 1)) {
        const std::size_t begin = at + section_start.size();
        names.push_back(document.substr(begin, document.find(" -->", begin) - begin));
    }
    return names;
}

/// Runs a line `$ swirl … # comment` of a document in a folder, with wisdom and a kernel cache of its own.
inline support::Outcome run_console_line(const TemporaryFolder& folder, const std::string& line) {
    return support::run_command("cd " + support::quoted(folder.path().string()) +
                                " && PATH=" + support::quoted(SWIRL_BINARY_DIR "/bin") +
                                ":$PATH SWIRL_WISDOM=wisdom.sqlite SWIRL_KERNEL_CACHE=kernels " +
                                line.substr(2, line.find("  #") - 2));
}

} // namespace swirl::docs
