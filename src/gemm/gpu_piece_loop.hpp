#pragma once

#include "gemm/gpu_operands.hpp"

#include <array>
#include <vector>

namespace swirl::gemm {

/// Pieces of A and B that a block multiplies one after the other: others are on their way to shared memory meanwhile, and the numbers
/// of the next step are loaded while those of this one are multiplied, at a piece's last step those of the next piece, after the
/// one meeting of the threads. (Gray, "SGEMM", a walkthrough of maxas.)
class GpuPieceLoop {
public:
    GpuPieceLoop(ir::Builder& builder, const GpuSchedule& schedule, const GpuOperands& operands);

    using Sources = std::array<GpuSource, 2>;
    void begin(const GpuThreads& threads);
    void set_sources(const Sources& sources) { sources_ = sources; }

    /// Where copies come from and go to: those of the piece of that number, counted from the sources' starts.
    struct Fetching {
        Integer number = 0;
        GpuFetch::Target target = {};
        Integer missing = 0; ///< steps at its beginning that are not there where `split` is zero
        GpuNumber split = {};
    };
    /// All copies of a piece. Before the first piece is multiplied `stages` − 1 are asked for and committed.
    void fetch(const Fetching& fetching);
    void commit() { builder_.commit_copies(); }
    void wait_for_first(GpuSums& sums);

    /// All steps of a piece, while another one is asked for from where `take` says, so many stages further but one.
    struct Piece {
        bool fetches = true;
        bool is_last = false; ///< nothing is loaded after it
    };
    void multiply(const Piece& piece, GpuSums& sums);

    /// Where the sources of the piece to be asked for begin, in registers.
    void aim(std::size_t operand, ir::Value start);
    void take();
    /// To the piece after that, where `goes_on`, a boolean (no_value: true).
    void advance(ir::Value goes_on);
    Integer copies_of_piece(std::size_t operand) const {
        return operands_.copies(operand, schedule_.block_depth);
    }

private:
    GpuSums::Source factors() const;
    void fetch(const Fetching& fetching, int first, int end);
    int copies() const { return fetches_[0].copies() + fetches_[1].copies(); }

    static constexpr Integer stage_counter = 2;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuOperands& operands_;
    const GpuThreads* threads_ = nullptr;
    std::array<ir::Buffer, 2> piece_buffers_{};
    Sources sources_{};
    std::vector<GpuFetch> fetches_;
    ir::Buffer counters_ = 0; ///< where the two sources begin, and the stage of the piece at hand
};

} // namespace swirl::gemm
