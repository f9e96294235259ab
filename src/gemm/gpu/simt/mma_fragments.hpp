#pragma once

#include "gemm/gpu/simt/layout.hpp"
#include "target/nvidia/tensor_cores.hpp"

#include <vector>

namespace swirl::gemm {

/// The shape of the mma.sync instruction of a schedule, for this operand type.
target::MmaShape mma_shape_of(const SimtGemm& schedule, const target::Gpu& gpu, DataType operand_type);

/// A thread's operands and accumulators as fragments of mma.sync. The instruction's rows g and g + 8 are adjacent
/// rows of the tile: any assignment of rows works as long as A and C agree.
class MmaFragments {
public:
    MmaFragments(ir::Builder& builder, const SimtGemm& schedule, const SimtThreadLayout& threads,
                 DataType operand_type, const target::MmaShape& shape)
        : builder_(builder),
          schedule_(schedule),
          threads_(threads),
          operand_type_(operand_type),
          shape_(shape) {}

    /// Elements of A and of B that a thread holds for one instruction's K: by k indices, for each of these by rows, or
    /// by instructions along N.
    int count_of_a() const { return schedule_.thread_tile.m * k_per_thread(); }
    int count_of_b() const { return groups() * k_per_thread(); }

    /// From pipeline stage `stage` after the one at `offset`, starting at k index `k` in it.
    std::vector<ir::Value> load_a(const SmemTile& k_tile, ir::Buffer buffer, const Affine& offset,
                                  const Affine& k, ir::Value stage) const;
    std::vector<ir::Value> load_b(const SmemTile& k_tile, ir::Buffer buffer, const Affine& offset,
                                  const Affine& k, ir::Value stage) const;

    /// Accumulates into `accumulators`, in column order.
    void multiply(std::vector<ir::Value>& accumulators, const std::vector<ir::Value>& a,
                  const std::vector<ir::Value>& b) const;

private:
    static constexpr int lanes_along_k = 4; ///< threads that share a row's or column's k indices
    int k_per_thread() const { return schedule_.mma_k() / lanes_along_k; }
    template <class OffsetOf>
    std::vector<ir::Value> load(const SmemTile& k_tile, int extent, int vector_mn, OffsetOf&& offset_of,
                                ir::Buffer buffer, ir::Value stage) const;
    int groups() const { return schedule_.thread_tile.n / 2; }
    int row_groups() const { return shape_.rows / 8; } ///< of one instruction, per thread

    bool is_of_pairs() const { return operand_type_ != DataType::float64; }
    const ir::Instruction& instruction() const;
    ir::Value joined_a(const std::vector<ir::Value>& a, int row) const;
    ir::Value lane(ir::Value vector, int lane) const;

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    const SimtThreadLayout& threads_;
    DataType operand_type_;
    target::MmaShape shape_;
};

} // namespace swirl::gemm
