#pragma once

#include "gemm/gpu_bulk_ring.hpp"
#include "gemm/gpu_operands.hpp"

#include <array>
#include <optional>

namespace swirl::gemm {

/// Pieces of A and B that a block multiplies one after the other: others are on their way to shared memory meanwhile, and the numbers
/// of the next step are loaded while those of this one are multiplied, at a piece's last step those of the next piece, after the
/// one meeting of the threads. (Gray, "SGEMM", a walkthrough of maxas.)
class GpuPieceLoop {
public:
    GpuPieceLoop(ir::Builder& builder, const GpuSchedule& schedule, const GpuOperands& operands);

    /// Memory of pieces that slices may exchange their sums by when all are multiplied, if there is such.
    std::optional<ir::Buffer> room() const { return room_; }

    using Sources = std::array<GpuSource, 2>;
    void begin(const GpuThreads& threads);
    void set_sources(const Sources& sources) { sources_ = sources; }

    /// Where copies come from and go to: those of the piece of that number, counted from the sources' starts.
    struct Fetching {
        Integer number = 0;
        GpuFetch::Target target = {};
        Integer missing = 0; ///< steps at its beginning that are not there where `split` is zero
        GpuNumber split = {};
        Integer split_steps = 0; ///< steps from the piece of a split to that of the next one
    };
    /// All copies of a piece. Before the first piece is multiplied `stages` − 1 are asked for and committed.
    void fetch(const Fetching& fetching);
    void commit() {
        if (has_copies()) builder_.commit_copies();
    }
    void wait_for_first(GpuSums& sums);
    /// At the end, for those that were asked for once more.
    void wait_for_all() {
        if (has_copies()) builder_.wait_for_copies(0);
    }

    /// All steps of a piece, while another one is asked for from where `take` says, so many stages further but one.
    struct Piece {
        bool fetches = true;
        bool is_last = false; ///< nothing is loaded after it
        Affine number = {};   ///< of those that the copy engine brings
    };
    void multiply(const Piece& piece, GpuSums& sums);

    /// What the copy engine brings, from such places on.
    using Starts = std::array<GpuBulk::Start, 2>;
    void begin_bulk(const GpuBulkRing::Pieces& pieces, const Starts& starts);

    /// Where the sources of the piece to be asked for begin, in registers.
    void aim(std::size_t operand, ir::Value start);
    void take();
    /// To the piece after that, where `goes_on`, a boolean (no_value: true).
    void advance(ir::Value goes_on);
    Integer copies_of_piece(std::size_t operand) const {
        return operands_.copies(operand, schedule_.piece_distance());
    }

private:
    GpuSums::Source factors() const;
    void fetch(const Fetching& fetching, int first, int end);
    bool has_copies() const { return !schedule_.is_bulk(0) || !schedule_.is_bulk(1); } ///< by threads
    int copies() const;

    static constexpr Integer stage_counter = 2;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuOperands& operands_;
    const GpuThreads* threads_ = nullptr;
    std::array<ir::Buffer, 2> piece_buffers_{};
    std::optional<ir::Buffer> room_;
    Sources sources_{};
    std::array<std::optional<GpuFetch>, 2> fetches_; ///< none of what the copy engine brings
    GpuBulkRing ring_;
    ir::Buffer counters_ = 0; ///< where the two sources begin, and the stage of the piece at hand
};

} // namespace swirl::gemm
