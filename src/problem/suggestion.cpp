#include "problem/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace swirl {

namespace {

/// Levenshtein's distance: insertions, deletions and replacements of letters.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

} // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::span<const ForeignWord> foreign) {
    constexpr std::size_t longest = 40; // a longer word is no misspelling
    if (word.empty() || word.size() > longest) return "";
    std::string lower(word);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    std::string_view nearest;
    for (const ForeignWord& one : foreign)
        if (one.text == lower) nearest = one.meaning;
    const std::size_t most = word.size() <= 2 ? 1 : word.size() <= 5 ? 2 : 3;
    if (nearest.empty())
        for (std::size_t least = most + 1; const std::string_view one : known)
            if (const std::size_t changes = distance(lower, one); changes < least && changes < one.size()) {
                least = changes;
                nearest = one;
            }
    return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

} // namespace swirl
