#pragma once

#include "runtime/cpu/aligned_buffer.hpp"

#include <swirl/matrix_product.hpp>
#include <swirl/options.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace swirl::bench {

/// Random operands of a product in host memory, and its results by definition, with α = 1 and β = 0.
class ProductData {
public:
    /// Throws UserError for products with epilogues, reductions, pointer arrays or negative strides.
    explicit ProductData(const MatrixProduct& product);

    const MatrixProduct& product() const { return product_; }
    /// A, B and C, from element (0, 0) of the first matrix on.
    std::array<std::span<std::byte>, 3> arrays() const;
    double flops() const;

    /// Sets C to bytes that are NaN in floating-point types.
    void erase_result() const;
    /// The largest error of sampled elements of C in this memory, corners among them, relative to the sum of magnitudes
    /// of the products that form the element.
    double distance() const;
    /// The largest that rounding explains: a missing product shows as an error of about 1/K or more.
    double tolerance(Accuracy accuracy) const;

private:
    double tolerance_of_sums(Accuracy accuracy) const; ///< before they are rounded to the type of C
    using Wide = std::complex<long double>;
    Wide element(std::size_t matrix, Integer batch, Integer row, Integer column) const;
    double error_at(Integer batch, Integer row, Integer column) const;

    MatrixProduct product_;
    std::array<runtime::AlignedBuffer, 3> memory_; ///< of A, B and C
};

} // namespace swirl::bench
