#include "api/matrix_arrays.hpp"

#include "base/error.hpp"
#include "gemm/epilogue.hpp"

#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace swirl::api {

std::size_t array_named(const MatrixProduct& product, std::span<const ProblemArray> arrays,
                        std::string_view name) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
        if (arrays[k].name == name) return k;
        names.push_back(arrays[k].name);
    }
    throw UserError(
        "the epilogue \"{}\" has no array \"{}\"\n  {}", product.epilogue.text(), name,
        names.empty() ? std::string("it has none") : fmt::format("it has: {}", fmt::join(names, ", ")));
}

std::size_t array_given(const MatrixProduct& product, std::span<const ProblemArray> arrays,
                        std::string_view name, Number number, const void* array) {
    const std::size_t at = array_named(product, arrays, name);
    const ir::Scalar wanted = gemm::epilogue_scalar(product.number);
    const bool is_single = wanted == ir::Scalar::float32;
    if (is_complex(number) != arrays[at].is_complex || gemm::scalar_of(number) != wanted)
        throw UserError("array {} is given as one of other numbers than the epilogue's: it takes {}", name,
                        arrays[at].is_complex ? (is_single ? "std::complex<float>" : "std::complex<double>")
                        : is_single           ? "float"
                                              : "double");
    if (array == nullptr) throw UserError("array {} is null; it must point at the element of index 0", name);
    return at;
}

} // namespace swirl::api
