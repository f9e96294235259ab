#pragma once

#include <swirl/options.hpp>

#include "plan/gemm/cpu/kernels.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/split_scale.hpp"

#include <string_view>

namespace swirl::planning {

/// Whether and how a product uses AMX: float32 as a bf16 split, or low-precision types directly.
struct AmxRoute {
    int term_products = 0; ///< bf16 products per element product; 0: no AMX
    SplitScale scale = {};
    explicit operator bool() const { return term_products != 0; }
};

/// The route that the required accuracy allows, if it is faster than tiles of the ordinary kernels. The first product of
/// such extents benchmarks both, unless they were benchmarked within the last second. C has row stride 1. `ordinary` may
/// be null for products that has_amx_types.
AmxRoute amx_route(const MatrixProduct& product, Accuracy accuracy, MatrixKernels* ordinary);

/// Products with more rows or columns than this are decided as if they had so many: the shares into which threads divide a
/// large product are computed alike, and the product as they are.
constexpr Integer decided_alike = 384;

/// Why tile registers cannot compute the product at a gain; empty if they can.
std::string_view amx_infeasibility(const MatrixProduct& product);
/// Whether tile registers take A's and B's elements without conversion.
bool has_amx_types(const MatrixProduct& product);
/// Products of bfloat16 terms that this accuracy needs for float32.
int term_products_for(Accuracy accuracy);

/// Adds a scale for the operands' elements, or returns no route if no scale suits them. One matrix.
AmxRoute with_scale(AmxRoute route, const MatrixProduct& product, const MatrixArguments& arguments,
                    int threads);

} // namespace swirl::planning
