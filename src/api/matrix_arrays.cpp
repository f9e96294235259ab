#include "api/matrix_arrays.hpp"

#include "base/error.hpp"

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

} // namespace swirl::api
