#pragma once

#include "gemm/cpu/schedule.hpp"
#include "gemm/cpu/tile_writer.hpp"

#include <array>
#include <vector>

namespace swirl::gemm {

/// A or B as vectors along K; distances are in scalars. Complex numbers are interleaved.
struct DotOperand {
    ir::Buffer buffer = 0;
    Affine origin = {};        ///< the first vector of the first row or column
    Integer vector_stride = 0; ///< from one vector along K to the next
    Integer stride = 0;        ///< from one row of A or column of B to the next
    bool is_padded = false;    ///< the last vector is whole, with zeros beyond K
    bool conjugated = false;
};

/// Appends the code of one tile of C whose lanes lie along K. Of complex numbers a and b, accumulators hold the products of
/// components that add up to the real component of a·b, and in others those of the imaginary one.
class DotWriter {
public:
    /// A tile of `rows` × `columns`. `accumulators` is a local buffer of at least accumulator_scalars() scalars.
    DotWriter(ir::Builder& builder, DataType data_type, const DotGemm& schedule, int rows, int columns,
              ir::Buffer accumulators);

    static Integer accumulator_scalars(DataType data_type, const DotGemm& schedule) {
        return Integer{scalars_in(data_type)} * schedule.rows * schedule.columns * schedule.chains *
               schedule.lanes;
    }

    void multiply(const DotOperand& a, const DotOperand& b, Integer k_extent);
    /// With `is_contiguous`, the tile's columns of C follow each other without gaps, and there is no epilogue.
    void update(const TileResult& c, Update update, bool is_contiguous);

private:
    using Value = ir::Value;

    Value& accumulator(int chain, int component, int row, int column);
    Affine offset(std::size_t accumulator) const {
        return static_cast<Integer>(accumulator) * schedule_.lanes;
    }
    void load_accumulators();
    void store_accumulators();
    Value vector(const DotOperand& operand, int line, const Affine& at, int active);
    void multiply_vector(const DotOperand& a, const DotOperand& b, const Affine& at, int chain, int active);
    void join_chains();
    Components sums(std::span<const std::array<int, 2>> elements);

    ir::Builder& builder_;
    DataType data_type_;
    const DotGemm& schedule_;
    int components_;
    int rows_;
    int columns_;
    int used_chains_ = 1;
    bool conjugates_a_ = false, conjugates_b_ = false;
    ir::Buffer in_registers_;
    std::vector<Value> accumulators_;
};

} // namespace swirl::gemm
