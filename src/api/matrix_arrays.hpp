#pragma once

#include <swirl/matrix_product.hpp>

#include <string_view>
#include <vector>

namespace swirl::api {

/// The number of the array of this name among given_arrays_of the product; UserError where there is none.
std::size_t array_named(const MatrixProduct& product, std::string_view name);

struct GivenArray {
    std::string_view name;
    Number number; ///< that it holds
    const void* data;
    bool is_writable;
};

/// Arrays that are known already (null: none), and this one. UserError where its numbers are others than expressions', where a reduction
/// writes to what is not writable, and for null.
std::vector<const void*> arrays_with(const MatrixProduct& product, const GivenArray& given,
                                     const std::vector<const void*>* known);

} // namespace swirl::api
