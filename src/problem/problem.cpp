#include <swirl/problem.hpp>

#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"
#include "problem/words.hpp"

#include <algorithm>
#include <iterator>

namespace swirl {

namespace {

/// The first word of a text.
std::string_view first_word(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    std::size_t start = 0;
    while (start < text.size() && is_blank(text[start])) ++start;
    std::size_t end = start;
    while (end < text.size() && !is_blank(text[end])) ++end;
    return text.substr(start, end - start);
}

} // namespace

bool names_product(std::string_view text) {
    const std::string_view kind = first_word(text);
    return std::any_of(std::begin(gemm_words), std::end(gemm_words),
                       [&](const GemmWord& word) { return word.text == kind; });
}

Problem parse_problem(std::string_view text) {
    if (names_product(text)) return parse_matrix_product(text);
    return parse_transform(text);
}

std::string to_text(const Problem& problem) {
    return std::visit([](const auto& one) { return to_text(one); }, problem);
}

void validate(const Problem& problem) {
    std::visit([](const auto& one) { validate(one); }, problem);
}

std::vector<AuxiliaryArray> arrays_of(const Problem& problem) {
    if (const auto* const product = std::get_if<MatrixProduct>(&problem)) return given_arrays_of(*product);
    return arrays_of(std::get<Transform>(problem));
}

} // namespace swirl
