#include "emit/identifiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swirl::emit {
namespace {

constexpr std::array keywords = {
    "alignas",      "alignof",
    "and",          "and_eq",
    "asm",          "atomic_cancel",
    "auto",         "bitand",
    "bitor",        "bool",
    "break",        "case",
    "catch",        "char",
    "char16_t",     "char32_t",
    "char8_t",      "class",
    "co_await",     "co_return",
    "co_yield",     "compl",
    "concept",      "const",
    "const_cast",   "consteval",
    "constexpr",    "constinit",
    "continue",     "decltype",
    "default",      "delete",
    "do",           "double",
    "dynamic_cast", "else",
    "enum",         "explicit",
    "export",       "extern",
    "false",        "float",
    "for",          "friend",
    "goto",         "if",
    "inline",       "int",
    "long",         "mutable",
    "namespace",    "new",
    "noexcept",     "not",
    "not_eq",       "nullptr",
    "operator",     "or",
    "or_eq",        "private",
    "protected",    "public",
    "register",     "reinterpret_cast",
    "requires",     "restrict",
    "return",       "short",
    "signed",       "sizeof",
    "static",       "static_assert",
    "static_cast",  "std",
    "struct",       "switch",
    "template",     "this",
    "thread_local", "throw",
    "true",         "try",
    "typedef",      "typeid",
    "typename",     "union",
    "unsigned",     "using",
    "virtual",      "void",
    "volatile",     "wchar_t",
    "while",        "xor",
    "xor_eq",
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string as_identifier(std::string_view preferred) {
    std::string name;
    for (const char c : preferred) {
        const bool fits = is_letter(c) || is_digit(c);
        // Consecutive underscores are reserved for the compiler.
        if (!fits || c == '_') {
            if (name.empty() || name.back() != '_') name += '_';
        } else {
            name += c;
        }
    }
    if (name.empty() || !is_letter(name.front()) || name.front() == '_') return fmt::format("x{}", name);
    return name;
}

} // namespace

bool is_plain_identifier(std::string_view name) {
    if (name.empty() || !is_letter(name.front())) return false;
    if (!std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); }))
        return false;
    return std::find(keywords.begin(), keywords.end(), name) == keywords.end();
}

std::string Identifiers::unique(std::string_view preferred) {
    const std::string stem = as_identifier(preferred);
    std::string name = stem;
    for (int suffix = 2; !is_plain_identifier(name) || used_.contains(name); ++suffix)
        name = fmt::format("{}_{}", stem.ends_with('_') ? stem.substr(0, stem.size() - 1) : stem, suffix);
    used_.insert(name);
    return name;
}

} // namespace swirl::emit
