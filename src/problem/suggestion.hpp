#pragma once

#include <span>
#include <string>
#include <string_view>

namespace swirl {

/// A word of other libraries or of everyday use, in lower case, and what swirl calls it.
struct ForeignWord {
    std::string_view text, meaning;
};

/// "; did you mean 'forward'?" for the foreign word's meaning, else for the known word that takes the fewest changes of
/// letters; empty if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::span<const ForeignWord> foreign = {});

} // namespace swirl
