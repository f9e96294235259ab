#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace swirl::fuzz {

/// `printed(text)` reads a text and prints what it read. What was printed must be read, and printed the same again; a text that
/// cannot be read is a UserError and nothing else.
template <class Printed> int check_fixpoint(const std::uint8_t* data, std::size_t size, Printed&& printed) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string once;
    try {
        once = printed(text);
    } catch (const UserError&) {
        return 0;
    }
    const std::string twice = printed(once);
    if (twice == once) return 0;
    std::fprintf(stderr, "printed: %s\nread and printed again: %s\n", once.c_str(), twice.c_str());
    std::abort();
}

} // namespace swirl::fuzz
