#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/epilogue.hpp"
#include "problem/expression_scope.hpp"

#include <cstddef>
#include <vector>

namespace swirl::planning {

/// An expression on a product's elements on a CPU, in the canonical orientation: straight-line code on operands, which
/// have strides along rows and columns. Index variables are operands too: the constant arrays 0, 1, 2, ….
class LoweredExpression {
public:
    /// `of` is the epilogue or a reduction's expression of a valid product; the identity is x.
    LoweredExpression(const MatrixProduct& product, const ExpressionScope& scope, const Expression& of);

    const gemm::Epilogue& code() const { return code_; }

    /// Address of the operand's values for element (row, column) of a matrix of the batch, given the arrays.
    const void* operand_address(std::size_t operand, const void* const* arrays, Integer matrix, Integer row,
                                Integer column) const;

private:
    /// Source of an operand's values.
    struct Source {
        int array; ///< −1: the constants 0, 1, 2, …
        Integer batch_stride;
        std::size_t bytes; ///< of an element
    };
    int operand(int array, bool is_complex, std::vector<Integer> strides, bool is_transposed);
    int push(loops::Pointwise::Node node);
    int form(const loops::LayoutForm& form, bool is_transposed);

    gemm::Epilogue code_;
    std::vector<Source> sources_; ///< by operand
    std::size_t scalar_bytes_;
    std::vector<std::byte> iota_; ///< 0, 1, 2, …
};

} // namespace swirl::planning
