#pragma once

#include <swirl/matrix_product.hpp>

#include <string_view>
#include <vector>

namespace swirl::api {

/// Index of the array of this name in given_arrays_of the product; throws UserError if there is none.
std::size_t array_named(const MatrixProduct& product, std::string_view name);

struct GivenArray {
    std::string_view name;
    DataType data_type; ///< of its elements
    const void* data;
    bool is_writable;
};

/// The known arrays (null: none) plus this one. Throws UserError if its data type is not that of expressions, if a
/// reduction would write to a const array, and for null.
std::vector<const void*> arrays_with(const MatrixProduct& product, const GivenArray& given,
                                     const std::vector<const void*>* known);

} // namespace swirl::api
