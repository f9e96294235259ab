#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/epilogue.hpp"
#include "plan/matrix_kernels.hpp"
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

    const gemm::Epilogue& code() const { return code_; }
    std::size_t arrays() const { return arrays_; } ///< that the product's epilogue names

    /// Whether elements are finished in registers; else in memory, when all of the product is there: where the portable code
    /// runs, where C is scattered, and where a tile's operands lie too far apart.
    bool is_in_tiles() const { return kernels_ != nullptr; }
    MatrixKernels& kernels() const { return *kernels_; }

    /// Whether the product may go through tile registers, once make_sliced has been called.
    bool suits_slices() const { return suits_slices_; }
    void make_sliced(const SlicedKernels& plain);
    SlicedKernels& sliced() const { return *sliced_; }

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
    void add_nodes(const lower::Pointwise& code, bool is_turned);
    int operand(int array, bool is_complex, std::vector<Integer> strides, bool is_turned);
    int push(lower::Pointwise::Node node);
    int form(const lower::PlaceForm& form, bool is_turned);
    bool lies_near(const gemm::Tile& tile) const;

    gemm::Epilogue code_;
    std::vector<Source> sources_; ///< by operand
    std::size_t arrays_;
    std::size_t scalar_bytes_;
    std::vector<std::byte> numbers_; ///< 0, 1, 2, …
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
        return epilogue->place(number, arrays, matrix, row + in_row, column + in_column);
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
