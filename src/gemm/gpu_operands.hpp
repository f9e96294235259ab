#pragma once

#include "gemm/gpu_blocks.hpp"
#include "gemm/gpu_bulk.hpp"
#include "gemm/gpu_fetch.hpp"
#include "gemm/gpu_update.hpp"

#include <array>
#include <optional>

namespace swirl::gemm {

/// What a kernel of threads is handed over: A, B, C, an epilogue's arrays, factors and parameters; and where tiles begin in them.
class GpuOperands {
public:
    enum class Has : std::uint8_t { all, result_alone };

    /// Adds arguments to the program. `side`: of kernels of which one or the other multiplies.
    GpuOperands(ir::Builder& builder, const GpuOrientation& orientation, const GpuSchedule& schedule,
                const GpuEpilogue& epilogue, Has has = Has::all, std::optional<GpuRangeSide> side = {});

    const Affine& steps() const { return steps_; } ///< 1; 0 where A and B are not to be read
    const std::array<GpuPiece, 2>& pieces() const { return pieces_; }
    const MatrixProduct& product() const { return product_; } ///< as it is oriented
    ir::Buffer matrix(std::size_t operand) const { return factors_of_product_[operand].buffer; }

    /// Where A (0) or B (1) begins for a tile, and the step of that number, in copies.
    GpuSource source(std::size_t operand, const GpuTilePlace& place, const GpuNumber& first) const;
    /// Where its pieces for a tile begin, as the copy engine has it.
    GpuBulk::Start bulk_start(std::size_t operand, const GpuTilePlace& place) const;
    /// Copies that so many steps are apart.
    Integer copies(std::size_t operand, Integer steps) const;
    /// C of a tile; the epilogue begins there.
    GpuResult result(const GpuTilePlace& place);
    /// Reductions of the block's one tile begin, if there are such.
    void reduce(GpuResult& c, const BlockPlace& place, const GpuThreads& threads);

    ir::Value integer(Integer number) const;
    /// A number, times a constant.
    ir::Value value_of(const GpuNumber& number, Integer times = 1) const;

private:
    /// A matrix's buffer, and that of the list which says where those of a batch lie, if there is one.
    struct Matrix {
        ir::Buffer buffer = 0;
        ir::Buffer list = 0;
        Integer bytes = 0; ///< of an element
    };
    Matrix add(const char* name, Number number, const MatrixLayout& layout, Integer rows, Integer columns,
               int lanes, bool written);
    void add_factors();
    int lanes_of_copy(std::size_t operand) const;
    ir::Value tile_start(const GpuNumber& block, Integer tile, Integer extent, Integer stride,
                         Integer lanes) const;
    ir::Value matrix_number(const GpuTilePlace& place, Integer times) const;
    ir::Value matrix_start(const GpuTilePlace& place, const Matrix& matrix, const MatrixLayout& layout,
                           Integer lanes) const;

    ir::Builder& builder_;
    const GpuOrientation& orientation_;
    const MatrixProduct& product_;
    const GpuSchedule& schedule_;
    std::array<GpuPiece, 2> pieces_;
    std::array<Matrix, 2> factors_of_product_; ///< A, B
    Matrix c_;
    ir::Buffer factors_ = 0;
    Affine steps_, reads_c_;
    std::optional<GpuEpilogueWriter> epilogue_;
    std::optional<GpuBlockReductions> reductions_;
};

} // namespace swirl::gemm
