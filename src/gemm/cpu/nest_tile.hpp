#pragma once

#include "gemm/cpu/loop_nest.hpp"
#include "gemm/cpu/tile_writer.hpp"
#include "ir/builder.hpp"

#include <vector>

namespace swirl::gemm {

/// Appends the micro-MMMs of one tile of C; its accumulators stay in registers throughout.
class NestTile {
public:
    /// A tile of `rows` × `columns`. `accumulators` is a local buffer of a full tile.
    NestTile(ir::Builder& builder, const LoopNest& nest, int rows, int columns, ir::Buffer accumulators);

    /// C += A·B over k_extent. A's `stride` is from row to row; B's columns are contiguous or, without vectors,
    /// `stride` apart.
    void multiply(const TileOperand& a, const TileOperand& b, Integer k_extent);
    /// Loads the accumulators from C, whose columns are contiguous …
    void load(ir::Buffer c, const Affine& origin, Integer row_stride);
    /// … and stores them there.
    void store(ir::Buffer c, const Affine& origin, Integer row_stride);

private:
    using Value = ir::Value;

    /// One multiply-add of a micro-MMM.
    struct MultiplyAdd {
        int k, row, vector;
    };
    /// The next multiply-add to append, and its loads.
    struct StraightLineBlock;

    void add_k_range(const TileOperand& a, const TileOperand& b, const Affine& first, int k_count);
    int active(int vector) const;
    std::size_t at(int row, int vector) const { return static_cast<std::size_t>(row * vectors_ + vector); }
    template <class F> void for_each_accumulator(F&& f);

    ir::Builder& builder_;
    const LoopNest& nest_;
    ir::Type type_;
    int rows_;
    int columns_;
    int vectors_;
    ir::Buffer accumulators_;
};

} // namespace swirl::gemm
