#include "gemm/bf16_split.hpp"

namespace swirl::gemm {

int Bf16Split::term_products() const {
    std::size_t count = 0;
    for (const auto& pass : passes) count += pass.size();
    return static_cast<int>(count);
}

Bf16Split bf16x1() { return {}; }

// Adjacent pairs in a pass share a term, which is loaded once.
Bf16Split bf16x2() { return {.terms = 2, .passes = {{{0, 1}, {0, 0}, {1, 0}}}}; }

Bf16Split bf16x3() { return {.terms = 3, .passes = {{{0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}}, {{0, 0}}}}; }

} // namespace swirl::gemm
