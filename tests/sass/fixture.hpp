#pragma once

#include "sass/cubin.hpp"
#include "support/run_program.hpp"

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace swirl::sass {

inline std::string fixture_text(const std::string& name) {
    return support::content_of(SWIRL_SOURCE_DIR "/tests/sass/fixtures/" + name);
}

inline Bytes bytes_of_text(const std::string& text) {
    Bytes result(text.size());
    std::memcpy(result.data(), text.data(), text.size());
    return result;
}

/// A line of nvdisasm.
struct Disassembled {
    Word word;
    std::string text;
};
inline std::vector<Disassembled> disassembled(const std::string& listing) {
    std::vector<Disassembled> result;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        Disassembled each;
        std::size_t offset = 0;
        words >> offset >> std::hex >> each.word.low >> each.word.high >> std::ws;
        std::getline(words, each.text);
        result.push_back(each);
    }
    return result;
}

} // namespace swirl::sass
