#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/epilogue.hpp"
#include "plan/matrix_kernels.hpp"
#include "plan/placed_expression.hpp"
#include "plan/sliced_kernels.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace swirl::planning {

/// Operands of an epilogue at most; one with more is applied in memory.
constexpr std::size_t most_operands = 24;

/// Whether sums become C's elements by a conversion that makes them shorter: they are computed in another place.
inline bool is_stored_apart(const MatrixProduct& product) {
    return bytes_of(product.number_of_c()) < bytes_of(product.number);
}

/// A product's epilogue in the orientation in which the product is computed, and the tiles that end with it.
class MatrixEpilogue {
public:
    /// Of a valid product with an epilogue, or with int32 sums that become other numbers.
    explicit MatrixEpilogue(const MatrixProduct& product);

    const gemm::Epilogue& code() const { return expression_.code(); }
    const PlacedExpression& expression() const { return expression_; }

    /// Whether elements are finished in registers; else in memory, when all of the product is there: where the portable code
    /// runs, where C is scattered, and where a tile's operands lie too far apart.
    bool is_in_tiles() const { return kernels_ != nullptr; }
    MatrixKernels& kernels() const { return *kernels_; }

    /// Whether the product may go through tile registers, once make_sliced has been called.
    bool suits_slices() const { return suits_slices_; }
    void make_sliced(const SlicedKernels& plain);
    SlicedKernels& sliced() const { return *sliced_; }

private:
    bool lies_near(const gemm::Tile& tile) const;

    PlacedExpression expression_;
    std::shared_ptr<MatrixKernels> kernels_;
    bool suits_slices_ = false;
    std::shared_ptr<SlicedKernels> sliced_;
};

/// The epilogue in an execution.
struct EpilogueCall {
    const MatrixEpilogue* epilogue = nullptr; ///< null: there is none
    const void* const* arrays = nullptr;      ///< in the order of arrays_of
    Integer matrix = 0;                       ///< of the batch
    Integer row = 0; ///< the first one of the part of C at hand, and its first column
    Integer column = 0;

    explicit operator bool() const { return epilogue != nullptr; }
    const void* operand(std::size_t number, Integer in_row, Integer in_column) const {
        return epilogue->expression().place(number, arrays, matrix, row + in_row, column + in_column);
    }
    /// All of them, as buffers of a kernel.
    void put_operands(void** buffers, Integer in_row, Integer in_column) const {
        for (std::size_t number = 0; number < epilogue->code().operands.size(); ++number)
            buffers[number] = const_cast<void*>(operand(number, in_row, in_column));
    }
};

/// Finishes all elements of a C of the product's extents and layout, one matrix, without machine code; int32 sums become
/// float32 in their place.
void apply_epilogue(const MatrixProduct& product, const EpilogueCall& call, void* c);

} // namespace swirl::planning
