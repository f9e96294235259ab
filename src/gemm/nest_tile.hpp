#pragma once

#include "gemm/loop_nest.hpp"
#include "gemm/tile_writer.hpp"
#include "ir/builder.hpp"

#include <vector>

namespace swirl::gemm {

/// Appends the micro-MMMs of one tile of C: its sums are in registers while A's rows and B's columns pass by.
class NestTile {
public:
    /// Of so many rows and columns. `sums` is a local buffer of a whole tile.
    NestTile(ir::Builder& builder, const LoopNest& nest, int rows, int columns, ir::Buffer sums);

    /// C += A·B for so many steps. `stride` of A leads from one row to the next, B's columns are next to each other or, where
    /// there are no vectors, a stride apart.
    void multiply(const TileOperand& a, const TileOperand& b, Integer depth);
    /// The sums begin as what is in C, whose columns are next to each other …
    void load(ir::Buffer c, const Affine& origin, Integer row_stride);
    /// … and come back there.
    void store(ir::Buffer c, const Affine& origin, Integer row_stride);

private:
    using Value = ir::Value;

    /// A multiply-add of a micro-MMM.
    struct Step {
        int k, row, vector;
    };
    /// One that is to be appended, and what is loaded for it.
    struct Run;

    void add_steps(const TileOperand& a, const TileOperand& b, const Affine& first, int steps);
    int active(int vector) const;
    std::size_t at(int row, int vector) const { return static_cast<std::size_t>(row * vectors_ + vector); }
    template <class F> void each_sum(F&& f);

    ir::Builder& builder_;
    const LoopNest& nest_;
    ir::Type type_;
    int rows_;
    int columns_;
    int vectors_;
    ir::Buffer sums_;
};

} // namespace swirl::gemm
