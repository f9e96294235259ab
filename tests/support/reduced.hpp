#pragma once

#include "ir/memory.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <vector>

/// Expected results of reductions, by definition.
namespace swirl::support {

/// An element in a buffer of scalars, by element index from 0.
inline std::complex<long double> element_at(const ir::Memory& memory, DataType data_type, Integer index) {
    if (!is_complex(data_type)) return memory[index];
    return {memory[2 * index], memory[2 * index + 1]};
}

/// Value of a GEMM's expression at (matrix, row, column); `element(name, k)` is a real of an array.
inline std::complex<double> value_of(const ExpressionTree& tree, const MatrixProduct& product,
                                     const std::complex<double>& x, const std::array<Integer, 3>& indices,
                                     const std::function<double(const std::string&, Integer)>& element) {
    const ExpressionScope scope = scope_of(product);
    const auto index = [&](const std::string& name) { return indices[*scope.axis_of(name)]; };
    const auto array = [&](const ExpressionNode& node) -> std::complex<double> {
        Integer element_index = 0;
        for (const std::string& name : node.indices)
            element_index = element_index * scope.lengths[*scope.axis_of(name)] + index(name);
        if (!node.is_complex) return element(node.name, element_index);
        return {element(node.name, 2 * element_index), element(node.name, 2 * element_index + 1)};
    };
    return evaluate(tree.value, {x, index, array});
}

struct Reduced {
    long double value = 0;
    long double magnitude = 0; ///< of the summands, or of the result
};

/// Reduces elements `value_of(matrix, i, j)`, in the storage order of the results.
inline std::vector<Reduced> reduced_by_definition(
    const MatrixProduct& product, const Reduction& reduction,
    const std::function<long double(Integer, Integer, Integer)>& value_of) {
    constexpr long double infinity = std::numeric_limits<long double>::infinity();
    const Integer of_matrix = results_of_matrix(product, reduction.over);
    const long double neutral = reduction.operation == Reduce::sum       ? 0
                                : reduction.operation == Reduce::maximum ? -infinity
                                                                         : infinity;
    std::vector<Reduced> results(static_cast<std::size_t>(product.batch * of_matrix), {neutral, 0});
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                const Integer kept = reduction.over == Over::columns ? i
                                     : reduction.over == Over::rows  ? j
                                                                     : 0;
                Reduced& result = results[static_cast<std::size_t>(matrix * of_matrix + kept)];
                const long double value = value_of(matrix, i, j);
                switch (reduction.operation) {
                case Reduce::sum: result.value += value; break;
                case Reduce::maximum: result.value = std::max(result.value, value); break;
                case Reduce::minimum: result.value = std::min(result.value, value); break;
                }
                result.magnitude = reduction.operation == Reduce::sum
                                       ? result.magnitude + std::abs(value)
                                       : std::max(result.magnitude, std::abs(value));
            }
    return results;
}

} // namespace swirl::support
