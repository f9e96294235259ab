#include "fuzz/mutate.hpp"

#include <algorithm>
#include <string_view>

namespace swirl::fuzz {
namespace {

std::size_t place_in(const std::string& text, Random& random) {
    return static_cast<std::size_t>(random.integer(0, static_cast<Integer>(text.size())));
}

/// Where a character that `is_wanted` begins a row of such, at random; the end of the text where there is none.
template <class F>
std::pair<std::size_t, std::size_t> row_of(const std::string& text, Random& random, F is_wanted) {
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(place_in(text, random));
    const auto first = std::find_if(from, text.end(), is_wanted);
    const auto end = std::find_if_not(first, text.end(), is_wanted);
    return {static_cast<std::size_t>(first - text.begin()), static_cast<std::size_t>(end - first)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_'; }

std::string any_value(Random& random) {
    if (random.chance(10))
        return random.one_of({std::string("9223372036854775807"), std::string("9223372036854775808"),
                              std::string("-1"), std::string("1e400"), std::string("00")});
    return std::to_string(random.chance(70) ? random.integer(0, 9) : random.logarithmic(1, 100'000));
}

void change(std::string& text, Random& random) {
    constexpr std::string_view characters = " ()[]{},:;=<>^*/+-.x0123456789abfgmt\"\n\t\x01\xff";
    const std::size_t at = place_in(text, random);
    const auto length = static_cast<std::size_t>(random.integer(1, 8));
    switch (random.integer(0, 7)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, text.substr(place_in(text, random), length)); break;
    case 2:
        text.insert(at, 1,
                    characters[static_cast<std::size_t>(
                        random.integer(0, static_cast<Integer>(characters.size()) - 1))]);
        break;
    case 3: text.resize(at); break;
    case 4: { // a word doubled
        const auto [first, size] = row_of(text, random, is_of_word);
        text.insert(at, " " + text.substr(first, size));
        break;
    }
    case 5: { // a word left out
        const auto [first, size] = row_of(text, random, is_of_word);
        text.erase(first, size);
        break;
    }
    default: { // another value
        const auto [first, size] = row_of(text, random, is_digit);
        if (size > 0) text.replace(first, size, any_value(random));
    }
    }
}

} // namespace

std::string mutated(std::string text, Random& random) {
    for (Integer k = random.one_of({1, 1, 1, 2, 3}); k > 0; --k) change(text, random);
    return text;
}

} // namespace swirl::fuzz
