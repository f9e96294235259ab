#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/planning.hpp"

#include <string>
#include <vector>

/// What commands do for products of matrices: `gemm 100x80x60 float32 …` in place of a transform.
namespace swirl::cli {

/// Whether a command's words are a product.
bool is_product(const std::vector<std::string>& words);

/// The product that they are, valid, and options of planning that products have no use for refused.
MatrixProduct parse_product(const std::vector<std::string>& words, const PlanningOptions& options);

void report_product(const MatrixProduct& product, const PlanningOptions& options, bool json);

/// Its kernels, at stage ir, machine-ir, c++ or asm.
void show_product(const MatrixProduct& product, const PlanningOptions& options, const std::string& stage,
                  bool full);

/// Its kernels as one C++ file; where there is one alone, a function with typed arguments of this name, if it is not empty.
struct ProductText {
    std::string source;
    std::string header; ///< empty where there are several kernels
};
ProductText product_as_cpp(const MatrixProduct& product, const PlanningOptions& options,
                           const std::string& function);

/// Compares results with the definition in long double.
void verify_product(const MatrixProduct& product, const PlanningOptions& options, std::uint32_t seed,
                    double tolerance, bool json);

struct ProductTiming {
    double seconds;
    std::string peers;
    std::uint32_t seed;
    bool json;
};
void bench_product(const MatrixProduct& product, const PlanningOptions& options, const ProductTiming& timing);

} // namespace swirl::cli
