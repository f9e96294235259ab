#pragma once

#include "gemm/gpu/blocks.hpp"
#include "gemm/gpu/simt/layout.hpp"

namespace swirl::gemm {

/// Source of an operand's k-tiles in global memory.
struct OperandSource {
    ir::Buffer buffer = 0;
    Integer stride = 0;   ///< elements from one row of A, or column of B, to the next
    Integer k_stride = 0; ///< from one k index to the next
    /// Offset of the tile's first row or column at the k-tile's first k index, in copies of `lanes` elements.
    ir::Value start = ir::no_value;
};

/// Copies k-tiles of A or B from global to shared memory with cp.async, by all threads of a block.
class CpAsyncLoader {
public:
    /// `k_tiles` holds the pipeline stages of each of the block's matrices, matrix after matrix.
    CpAsyncLoader(ir::Builder& builder, const SmemTile& k_tile, const SimtGemm& schedule,
                  const SimtThreadLayout& threads, ir::Buffer k_tiles)
        : builder_(builder),
          k_tile_(k_tile),
          threads_(schedule.matrix_threads()),
          has_all_threads_(schedule.matrices() == 1),
          first_(threads.matrix() * (schedule.stages * k_tile.scalars())),
          k_tiles_(k_tiles),
          copies_(all_copies()) {}

    /// Destination: stage `index` + `dynamic` in shared memory; no_value counts as 0.
    struct Target {
        Integer index = 0;
        ir::Value dynamic = ir::no_value;
    };
    int copies() const { return static_cast<int>(copies_.size()); } ///< per thread and k-tile
    /// Issues copies first … end − 1 of the k-tile at `copy_offset` copies from the source's start. The first
    /// `padding` k indices do not exist where `split` is zero; they are zero-filled. Each further split begins
    /// split_k_stride k indices later, and is zero-filled likewise while still in the padding.
    void fetch(const OperandSource& source, Integer copy_offset, const Target& target, Integer padding,
               const IndexValue& split, Integer split_k_stride, int first, int end) const;

private:
    struct Copy {
        Affine mn; ///< first row or column of the copy
        Affine k;
        std::vector<ir::Condition> conditions; ///< under which this thread makes the copy
    };
    std::vector<Copy> all_copies() const;
    /// A thread's coordinates, and the conditions under which they are valid.
    struct ThreadRange {
        Affine inner, outer;
        std::vector<ir::Condition> conditions;
    };
    std::vector<ThreadRange> ranges_of(Integer inner, Integer outer) const;

    ir::Builder& builder_;
    const SmemTile& k_tile_;
    /// Digit of the thread's index among its matrix's threads, from `divisor` up.
    Affine thread_from(Integer divisor) const {
        return thread_digit(builder_, divisor, has_all_threads_ ? 0 : threads_ / divisor);
    }

    Integer threads_;      ///< of a matrix
    bool has_all_threads_; ///< of the block
    Affine first_;         ///< first scalar of the matrix in the buffer
    ir::Buffer k_tiles_;
    std::vector<Copy> copies_;
};

} // namespace swirl::gemm
