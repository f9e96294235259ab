#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/epilogue.hpp"
#include "problem/expression_scope.hpp"

#include <cstddef>
#include <vector>

namespace swirl::planning {

/// An expression of a product's elements on a CPU, in the orientation in which the product is computed: straight-line code of operands, which
/// lie at places with strides along rows and columns. Indices are such, too: of the numbers 0, 1, 2, ….
class PlacedExpression {
public:
    /// Of a valid product, whose epilogue or part of a reduction it is; the identity is x.
    PlacedExpression(const MatrixProduct& product, const ExpressionScope& scope, const Expression& of);

    const gemm::Epilogue& code() const { return code_; }

    /// Where the operand's numbers for element (row, column) of a matrix of the batch begin, given the arrays.
    const void* place(std::size_t operand, const void* const* arrays, Integer matrix, Integer row,
                      Integer column) const;

private:
    /// Where an operand's numbers come from.
    struct Source {
        int array; ///< −1: the numbers 0, 1, 2, … themselves
        Integer batch_stride;
        std::size_t bytes; ///< of a number
    };
    int operand(int array, bool is_complex, std::vector<Integer> strides, bool is_turned);
    int push(lower::Pointwise::Node node);
    int form(const lower::PlaceForm& form, bool is_turned);

    gemm::Epilogue code_;
    std::vector<Source> sources_; ///< by operand
    std::size_t scalar_bytes_;
    std::vector<std::byte> numbers_; ///< 0, 1, 2, …
};

} // namespace swirl::planning
