#pragma once

#include "gemm/gpu_layout.hpp"
#include "target/gpu_tensor_cores.hpp"

#include <vector>

namespace swirl::gemm {

/// The product that a warp's instruction computes, where a schedule has warps multiply numbers of such a type.
target::WarpProduct warp_product_of(const GpuSchedule& schedule, const target::Gpu& gpu, ir::Scalar factor);

/// A thread's factors and sums as fragments of products that its warp computes. The instruction's rows g and g + 8 are a thread's
/// neighbouring rows of the tile: which rows these are is free, as long as A and C agree.
class GpuFragments {
public:
    GpuFragments(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                 ir::Scalar factor, const target::WarpProduct& shape)
        : builder_(builder), schedule_(schedule), threads_(threads), factor_(factor), shape_(shape) {}

    /// Numbers that a thread has of A, and of B, for one step of the schedule's: four steps of the depth after four, in these by
    /// rows, or by groups of eight columns.
    int count_of_a() const { return schedule_.thread_rows * fours(); }
    int count_of_b() const { return groups() * fours(); }

    /// Of the piece that begins at `place` plus `number` pieces, from step `step` on.
    std::vector<ir::Value> load_a(const GpuPiece& piece, ir::Buffer buffer, const Affine& place,
                                  const Affine& step, ir::Value number) const;
    std::vector<ir::Value> load_b(const GpuPiece& piece, ir::Buffer buffer, const Affine& place,
                                  const Affine& step, ir::Value number) const;

    /// Adds products to sums, which are by columns.
    void multiply(std::vector<ir::Value>& sums, const std::vector<ir::Value>& a,
                  const std::vector<ir::Value>& b) const;

private:
    static constexpr int steps_of_a_warp = 4; ///< in which neighbouring threads have factors
    int fours() const { return schedule_.warp_depth / steps_of_a_warp; }
    int groups() const { return schedule_.thread_columns / 2; }
    int row_parts() const { return shape_.rows / 8; } ///< of one product, that a thread has

    bool is_of_pairs() const { return factor_ != ir::Scalar::float64; }
    const ir::Instruction& instruction() const;
    ir::Value joined_a(const std::vector<ir::Value>& a, int row) const;
    ir::Value lane(ir::Value vector, int lane) const;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuThreads& threads_;
    ir::Scalar factor_;
    target::WarpProduct shape_;
};

} // namespace swirl::gemm
