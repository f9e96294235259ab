#include "cli/problems.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "problem/words.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

namespace swirl::cli {
namespace {

/// Larger values are taken for typing errors.
constexpr std::size_t max_sizes = 1 << 20;

[[noreturn]] void reject_sizes(const std::string& text) {
    throw UserError("--sizes is '{}'; use 1..64, 64..65536*2 (each twice the one before) or 64,1000,1155",
                    text);
}

Integer read_size(std::string_view& rest, const std::string& text) {
    Integer value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() || value < 1) reject_sizes(text);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
}

bool take(std::string_view& rest, std::string_view prefix) {
    if (!rest.starts_with(prefix)) return false;
    rest.remove_prefix(prefix.size());
    return true;
}

bool is_kind(const std::string& word) {
    return std::any_of(std::begin(kind_words), std::end(kind_words),
                       [&](const auto& kind) { return word == kind.text; });
}

std::vector<std::string> split_into_words(const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    for (const std::string& argument : arguments) {
        std::istringstream stream(argument);
        std::copy(std::istream_iterator<std::string>(stream), {}, std::back_inserter(words));
    }
    return words;
}

std::vector<std::vector<std::string>> split_into_problems(const std::vector<std::string>& arguments) {
    std::vector<std::vector<std::string>> problems;
    for (const std::string& word : split_into_words(arguments)) {
        if (problems.empty() || is_kind(word)) problems.emplace_back();
        problems.back().push_back(word);
    }
    return problems;
}

/// "16xnxn" with n = 8 is "16x8x8".
std::string with_size(const std::string& lengths, Integer size) {
    std::string result;
    std::size_t start = 0;
    do {
        const std::size_t end = std::min(lengths.find('x', start), lengths.size());
        const std::string length = lengths.substr(start, end - start);
        result += (start == 0 ? "" : "x") + (length == "n" ? std::to_string(size) : length);
        start = end + 1;
    } while (start <= lengths.size());
    return result;
}

Transform parse_valid(const std::vector<std::string>& words) {
    Transform problem = parse_transform(fmt::format("{}", fmt::join(words, " ")));
    validate(problem);
    return problem;
}

} // namespace

std::vector<Integer> parse_sizes(const std::string& text) {
    std::vector<Integer> sizes;
    std::string_view rest = text;
    do {
        const Integer first = read_size(rest, text);
        sizes.push_back(first);
        if (!take(rest, "..")) continue;
        const Integer last = read_size(rest, text);
        const Integer factor = take(rest, "*") ? read_size(rest, text) : 0;
        if (last < first || factor == 1) reject_sizes(text);
        for (Integer next = first;;) {
            const auto following = factor > 0 ? checked_multiply(next, factor) : checked_add(next, 1);
            if (!following || *following > last) break;
            if (sizes.size() >= max_sizes) throw UserError("--sizes '{}' are more than {}", text, max_sizes);
            sizes.push_back(next = *following);
        }
    } while (take(rest, ","));
    if (!rest.empty()) reject_sizes(text);
    return sizes;
}

std::vector<Transform> parse_problems(const std::vector<std::string>& words, const std::string& sizes) {
    auto problems = split_into_problems(words);
    if (sizes.empty()) {
        if (problems.empty())
            throw UserError("no problem is given; name one, for example 'dft 1024', or --sizes 1..64");
        std::vector<Transform> result;
        for (const auto& problem : problems) result.push_back(parse_valid(problem));
        return result;
    }
    if (problems.empty()) problems = {{"dft", "n"}};
    std::vector<Transform> result;
    for (const auto& problem : problems)
        for (const Integer size : parse_sizes(sizes)) {
            auto of_size = problem;
            if (of_size.size() < 2 || with_size(of_size[1], size) == of_size[1])
                throw UserError("with --sizes, write the letter n for a length of '{}', for example 'dft n'",
                                fmt::join(problem, " "));
            of_size[1] = with_size(of_size[1], size);
            result.push_back(parse_valid(of_size));
        }
    return result;
}

Transform parse_one_problem(const std::vector<std::string>& words) {
    const std::vector<Transform> problems = parse_problems(words);
    if (problems.size() != 1)
        throw UserError("{} problems are given; this command takes one", problems.size());
    return problems.front();
}

std::vector<std::string> problem_texts(const std::vector<std::string>& arguments) {
    std::vector<std::string> texts;
    bool is_open = false; // whether a word may follow
    for (const std::string& argument : arguments) {
        const bool is_whole = argument.find(' ') != std::string::npos;
        if (!is_open || is_whole || is_kind(argument) || names_product(argument))
            texts.push_back(argument);
        else
            texts.back() += " " + argument;
        is_open = !is_whole;
    }
    return texts;
}

bool is_common(const Transform& problem) {
    return bytes_of(problem.precision) >= 4 && problem.load.is_identity() && problem.store.is_identity() &&
           !is_convolution(problem) && !has_formula(problem);
}

} // namespace swirl::cli
