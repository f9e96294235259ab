#include "plan/gemm/cpu/arrays.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::planning {

void report_missing(const MatrixProduct& product, const AuxiliaryArray& array) {
    const bool is_result =
        std::any_of(product.reductions.begin(), product.reductions.end(),
                    [&](const Reduction& reduction) { return reduction.name == array.name; });
    if (is_result)
        throw UserError("array {}, which a reduction writes, has not been given\n  use with(\"{}\", …)",
                        array.name, array.name);
    throw UserError("array {} of the epilogue \"{}\" has not been given\n  use with(\"{}\", …)", array.name,
                    product.epilogue.text(), array.name);
}

} // namespace swirl::planning
