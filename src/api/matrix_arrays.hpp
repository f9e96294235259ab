#pragma once

#include <swirl/matrix_product.hpp>

#include <span>
#include <string_view>

namespace swirl::api {

/// The number of the epilogue's array of this name among these, which are arrays_of the product; UserError where there is none.
std::size_t array_named(const MatrixProduct& product, std::span<const ProblemArray> arrays,
                        std::string_view name);

/// The same of one that is given in numbers of some kind; UserError where these are others than the epilogue's, and for null.
std::size_t array_given(const MatrixProduct& product, std::span<const ProblemArray> arrays,
                        std::string_view name, Number number, const void* array);

} // namespace swirl::api
