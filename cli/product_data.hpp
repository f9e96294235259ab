#pragma once

#include "plan/gemm/cpu/plan.hpp"
#include "runtime/cpu/aligned_buffer.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace swirl::cli {

/// Random operands of a GEMM, with its arrays, and the expected results by definition.
class ProductData {
public:
    /// Whether all operands have one data type that it supports.
    static bool supports(const MatrixProduct& product);
    /// α and β are real. Throws UserError for mixed data types.
    ProductData(const MatrixProduct& product, std::uint32_t seed, double alpha, double beta);

    void execute(const planning::MatrixPlan& plan) const;
    void restore_c() const; ///< to its state before the executions

    /// The matrices of a batch lie at the strides, even if the product uses pointer arrays.
    const MatrixProduct& product() const { return product_; }
    const void* a() const { return element(a_, extent_a_); }
    const void* b() const { return element(b_, extent_b_); }
    void* c() const { return element(c_, extent_c_); }

    const void* alpha() const { return factors_.data(); }
    const void* beta() const;

    /// The memory of one operand, over all matrices of the batch.
    struct HostMemory {
        void* data;
        std::size_t bytes;
        std::ptrdiff_t bytes_before_origin; ///< from element (0, 0) to the beginning, 0 or negative
    };
    HostMemory memory_of_a() const { return memory_of(a_, extent_a_); }
    HostMemory memory_of_b() const { return memory_of(b_, extent_b_); }
    HostMemory memory_of_c() const { return memory_of(c_, extent_c_); }
    std::vector<HostMemory> memories_of_arrays() const; ///< given_arrays_of the product

    /// The largest error over sampled elements, relative to the rounding bound from the sum of absolute values: 1 is ε
    /// times K.
    double error() const;

private:
    using Wide = std::complex<long double>;

    runtime::AlignedBuffer filled(const Extent& extent);
    void fill(runtime::AlignedBuffer& buffer);
    void* element(const runtime::AlignedBuffer& buffer, const Extent& extent) const;
    HostMemory memory_of(const runtime::AlignedBuffer& buffer, const Extent& extent) const;
    Wide stored_value(const void* origin, Integer index, bool is_complex) const;
    Wide array_element(const ExpressionNode& array, const std::vector<Integer>& indices) const;
    double error_at(Integer matrix, Integer row, Integer column) const;
    double error_of_reduction(std::size_t index, double most_terms) const;
    Wide type_of_c(Integer matrix, Integer row, Integer column) const;
    Wide value_of(const Expression& expression, const Wide& x, const std::vector<Integer>& indices) const;

    MatrixProduct product_;
    std::uint32_t state_;
    bool is_single_;
    Extent extent_a_, extent_b_, extent_c_;
    runtime::AlignedBuffer a_, b_, c_;
    std::vector<std::byte> before_;
    std::vector<runtime::AlignedBuffer> arrays_;
    std::vector<const void*> array_memories_;
    double alpha_, beta_;
    runtime::AlignedBuffer factors_; ///< α, β
};

} // namespace swirl::cli
