#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/epilogue.hpp"
#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/elementwise_kernels.hpp"
#include "plan/gemm/cpu/kernels.hpp"
#include "plan/gemm/cpu/lowered_expression.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace swirl::planning {

/// Maximum number of operands of an epilogue in tiles; an epilogue with more is applied in memory.
constexpr std::size_t most_operands = 24;

/// Whether accumulators are converted to a narrower type: they then need a buffer besides C.
inline bool needs_conversion_buffer(const MatrixProduct& product) {
    return bytes_of(product.type_of_c()) < bytes_of(product.data_type);
}

/// Whether the elements of C's columns are apart, in the canonical orientation: each column is then stored one by one.
inline bool has_scattered_columns(const MatrixProduct& canonical) {
    return canonical.c.row_stride != 1 && canonical.rows > 1;
}

/// A product's epilogue in the canonical orientation, and the tile kernels that apply it.
class MatrixEpilogue {
public:
    /// For a valid product with an epilogue, or with int32 accumulators converted to another type.
    explicit MatrixEpilogue(const MatrixProduct& product);

    const gemm::Epilogue& code() const { return expression_.code(); }
    const LoweredExpression& expression() const { return expression_; }

    /// Whether tiles of this shape can apply the epilogue in registers. Otherwise it is applied in memory after the whole
    /// product: also with portable code, for a C with no unit stride, and for operands too far apart for a tile.
    bool suits(const gemm::Tile& tile) const;

    /// The kernels that apply it in memory; null on CPUs without generated code.
    void generate_for(const target::Cpu& cpu, KernelCheck check);
    ElementwiseKernels* in_memory() const { return in_memory_.get(); }
    /// The kernels that apply it as they store accumulators in a C without unit stride.
    const ScatteredStores& scattered() const { return scattered_; }

    /// Makes these tiles apply the epilogue, which must suit them.
    void use(const MatrixKernels& plain);
    void use(const AmxKernels& plain);
    bool is_in_tiles() const { return kernels_ != nullptr || amx_ != nullptr; }
    MatrixKernels& kernels() const { return *kernels_; }
    AmxKernels& amx() const { return *amx_; }

private:
    LoweredExpression expression_;
    gemm::ElementwiseKernel elementwise_;
    Integer rows_, columns_;
    bool is_scattered_; ///< C has no unit stride
    std::shared_ptr<ElementwiseKernels> in_memory_;
    ScatteredStores scattered_;
    std::shared_ptr<MatrixKernels> kernels_;
    std::shared_ptr<AmxKernels> amx_;
};

/// The epilogue in one execution.
struct EpilogueCall {
    const MatrixEpilogue* epilogue = nullptr; ///< null: there is none
    const void* const* arrays = nullptr;      ///< in the order of arrays_of
    Integer matrix = 0;                       ///< of the batch
    Integer row = 0;                          ///< first row and column of the current region of C
    Integer column = 0;

    explicit operator bool() const { return epilogue != nullptr; }
    const void* operand(std::size_t index, Integer in_row, Integer in_column) const {
        return epilogue->expression().operand_address(index, arrays, matrix, row + in_row,
                                                      column + in_column);
    }
    /// Writes the addresses of all operands to a kernel's buffers.
    void put_operands(void** buffers, Integer in_row, Integer in_column) const {
        for (std::size_t index = 0; index < epilogue->code().operands.size(); ++index)
            buffers[index] = const_cast<void*>(operand(index, in_row, in_column));
    }
};

/// Applies the epilogue to all elements of C, one matrix with the product's extents and layout. int32 accumulators become
/// float32 in place. Where no code can be generated, the expression is evaluated on the host.
void apply_epilogue(const MatrixProduct& product, const EpilogueCall& call, void* c);

} // namespace swirl::planning
