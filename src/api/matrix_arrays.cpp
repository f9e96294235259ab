#include "api/matrix_arrays.hpp"

#include "base/error.hpp"
#include "gemm/epilogue.hpp"
#include "problem/matrix_product.hpp"

#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace swirl::api {

std::size_t array_named(const MatrixProduct& product, std::string_view name) {
    std::vector<std::string> names;
    for (const AuxiliaryArray& array : given_arrays_of(product)) {
        if (array.name == name) return names.size();
        names.push_back(array.name);
    }
    const std::string known =
        names.empty() ? std::string("it has none") : fmt::format("it has: {}", fmt::join(names, ", "));
    if (product.reductions.empty())
        throw UserError("the epilogue \"{}\" has no array \"{}\"\n  {}", product.epilogue.text(), name,
                        known);
    throw UserError("the product has no array \"{}\"\n  {}", name, known);
}

std::vector<const void*> arrays_with(const MatrixProduct& product, const GivenArray& given,
                                     const std::vector<const void*>* known) {
    const std::size_t at = array_named(product, given.name);
    const std::vector<AuxiliaryArray> arrays = given_arrays_of(product);
    const AuxiliaryArray& array = arrays[at];
    const DataType wanted = gemm::epilogue_scalar(product.data_type);
    const bool is_single = wanted == DataType::float32;
    if (is_complex(given.data_type) != array.is_complex || gemm::scalar_of(given.data_type) != wanted)
        throw UserError("array {} has another data type than the epilogue's: it takes {}", given.name,
                        array.is_complex ? (is_single ? "std::complex<float>" : "std::complex<double>")
                        : is_single      ? "float"
                                         : "double");
    if (given.data == nullptr)
        throw UserError("array {} is null; it must point at the element of index 0", given.name);
    if (at >= arrays.size() - product.reductions.size() && !given.is_writable)
        throw UserError("array {} is written by a reduction, but points at constant data", given.name);
    std::vector<const void*> result = known != nullptr ? *known : std::vector<const void*>(arrays.size());
    result[at] = given.data;
    return result;
}

} // namespace swirl::api
