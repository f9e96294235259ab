#pragma once

#include "gemm/gpu_layout.hpp"

#include <array>
#include <string>
#include <vector>

/// Pieces of A, of B, or of both, that the copy engine brings to threads which multiply. The block's first thread asks for a piece where
/// the threads have met after the last use of what was in its stage before; all of them wait for the stage's signal. The engine
/// has zeros for what lies outside of the operand.
///
/// Of an operand that is turned, the engine brings lines along the depth, and threads write them to shared memory once more, by steps,
/// while they multiply the piece before: it is asked for, and waited for, one piece earlier than another.
namespace swirl::gemm {

/// What the copy engine brings of an operand that is turned: whole lines, instead of the piece that threads load factors from.
GpuPiece lines_before_turn(const GpuPiece& piece);

class GpuBulk {
public:
    GpuBulk(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented,
            const std::array<GpuPiece, 2>& pieces);

    /// Where the engine brings pieces, and where factors are loaded from.
    struct Memory {
        ir::Buffer brought = 0, multiplied = 0;
    };
    /// For the pieces of an operand, whose matrix is in global memory; of so many scalars at least.
    Memory declare(std::size_t operand, ir::Buffer matrix, Integer least);
    /// The stages' signals; all threads meet.
    void begin();

    /// Where a block's pieces are in an operand: the tile's first row or column, and the number of the matrix.
    struct Start {
        ir::Value line = ir::no_value;
        ir::Value matrix = ir::no_value;
    };
    void start_at(std::size_t operand, const Start& start) { operands_[operand].start = start; }

    /// Operands that are asked for so many pieces before others: turned ones 1, others 0.
    bool has(int lead) const;
    /// The first thread, which calls it alone, asks for the pieces that begin at the step.
    struct Stage {
        Integer number = 0;
        ir::Value dynamic = ir::no_value; ///< added to the number
    };
    void load(int lead, const Affine& step, const Stage& stage) const;
    /// Until the pieces in the stage are there: as often as the parity says that stages have been gone around.
    void wait(int lead, ir::Value stage, ir::Value parity) const;

    /// A thread's part of turning, in so many rounds, of which the last ends with the others in hand: what it loads of the stage, and stores to
    /// one of two sides. Threads meet before they load factors of that side.
    int rounds() const;
    void turn(int first_round, int end_round, const Stage& from, const Stage& to_side) const;

    /// Shared memory that signals take, and what is lost to alignment; and that of an operand's pieces.
    static Integer bytes_beside_pieces(const GpuSchedule& schedule);
    static Integer bytes_of_pieces(const GpuSchedule& schedule, const GpuPiece& piece);

private:
    struct Operand {
        ir::Tensor tensor = 0;
        ir::Buffer brought = 0; ///< by the engine
        ir::Buffer turned = 0;
        GpuPiece piece; ///< that the engine brings
        Start start = {};
    };
    int lead(std::size_t operand) const { return schedule_.is_turned(operand) ? 1 : 0; }
    void load(const Operand& operand, const Affine& step, const Stage& stage, int lead) const;
    void turn_lines(std::size_t operand, int round, const Stage& from, const Stage& to_side) const;
    int rounds(std::size_t operand) const;
    ir::Value integer(Integer number) const;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const MatrixProduct& product_;
    const std::array<GpuPiece, 2>& pieces_;
    std::array<Operand, 2> operands_{};
    ir::Buffer signals_ = 0; ///< those of the stages for each lead
};

/// Steps before the first one at which the first piece begins, where pieces do not divide the depth: those that are missing. Rows
/// of a box along the depth begin at multiples of ir::tile_piece_bytes: where the copy engine brings both operands the first piece begins at such, and the
/// last one ends in steps that are not there.
Integer steps_before_first(const GpuSchedule& schedule, const MatrixProduct& oriented);

/// Why the copy engine cannot bring what a schedule asks it to, in words; empty where it can, or nothing is asked.
std::string objection_to_bulk(const GpuSchedule& schedule, const MatrixProduct& oriented,
                              const target::Gpu& gpu);

} // namespace swirl::gemm
