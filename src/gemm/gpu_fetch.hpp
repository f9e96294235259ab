#pragma once

#include "gemm/gpu_blocks.hpp"
#include "gemm/gpu_layout.hpp"

namespace swirl::gemm {

/// Where pieces of an operand come from.
struct GpuSource {
    ir::Buffer buffer = 0;
    Integer stride = 0;       ///< elements from one row of A to the next, or column of B
    Integer depth_stride = 0; ///< from one step to the next
    /// The place of the tile's first row, or column, at the first step of the piece at hand, in copies of `lanes` elements.
    ir::Value start = ir::no_value;
};

/// Copies pieces of A, or of B, from global to shared memory, all threads of a block together.
class GpuFetch {
public:
    /// `pieces` has those of the block's matrices one after the other.
    GpuFetch(ir::Builder& builder, const GpuPiece& piece, const GpuSchedule& schedule,
             const GpuThreads& threads, ir::Buffer pieces)
        : builder_(builder),
          piece_(piece),
          threads_(schedule.matrix_threads()),
          has_all_threads_(schedule.matrices == 1),
          first_(threads.matrix() * (schedule.stages * piece.scalars())),
          pieces_(pieces),
          parts_(all_parts()) {}

    /// Where copies go: piece `number` + `stage` of those in shared memory, no_value being 0.
    struct Target {
        Integer number = 0;
        ir::Value stage = ir::no_value;
    };
    int copies() const { return static_cast<int>(parts_.size()); } ///< that each thread makes of a piece
    /// The copies first … end − 1 of the piece that lies `further` copies from the source's start. The first `missing` steps are not
    /// there where `split` is zero: zeros take their place. Of others, each `split_steps` further, likewise, if so few are there before.
    void fetch(const GpuSource& source, Integer further, const Target& target, Integer missing,
               const GpuNumber& split, Integer split_steps, int first, int end) const;

private:
    struct Part {
        Affine line; ///< of those that the copy moves the first
        Affine step;
        std::vector<ir::Condition> conditions; ///< under which the thread has it
    };
    std::vector<Part> all_parts() const;
    /// The thread's places, and under which conditions it has them.
    struct Share {
        Affine inner, outer;
        std::vector<ir::Condition> conditions;
    };
    std::vector<Share> shares_of(Integer inner, Integer outer) const;

    ir::Builder& builder_;
    const GpuPiece& piece_;
    /// Of the number of a thread among those of its matrix, from such a divisor of their number on.
    Affine thread_from(Integer divisor) const {
        return thread_digit(builder_, divisor, has_all_threads_ ? 0 : threads_ / divisor);
    }

    Integer threads_;      ///< of a matrix
    bool has_all_threads_; ///< of the block
    Affine first_;         ///< of the matrix, in the buffer
    ir::Buffer pieces_;
    std::vector<Part> parts_;
};

} // namespace swirl::gemm
