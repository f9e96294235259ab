#include "gemm/sliced_product.hpp"

namespace swirl::gemm {

int SlicedProduct::products() const {
    std::size_t count = 0;
    for (const auto& pass : passes) count += pass.size();
    return static_cast<int>(count);
}

SlicedProduct single_product() { return {}; }

// Neighbours in a list share a slice, which is loaded once.
SlicedProduct triple_product() { return {.slices = 2, .passes = {{{0, 1}, {0, 0}, {1, 0}}}}; }

SlicedProduct sixfold_product() {
    return {.slices = 3, .passes = {{{0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}}, {{0, 0}}}};
}

} // namespace swirl::gemm
