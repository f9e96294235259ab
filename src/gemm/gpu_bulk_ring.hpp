#pragma once

#include "gemm/gpu_bulk.hpp"
#include "gemm/gpu_sums.hpp"

#include <array>

namespace swirl::gemm {

/// When which piece is asked of the copy engine, and when it is waited for: a block's pieces go around the stages. A piece's stage is filled
/// again where the threads have met after they have loaded its last factors.
class GpuBulkRing {
public:
    GpuBulkRing(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented,
                const std::array<GpuPiece, 2>& pieces)
        : builder_(builder), schedule_(schedule), bulk_(builder, schedule, oriented, pieces) {}

    GpuBulk& bulk() { return bulk_; }

    /// The block's pieces, so many, of which the first begins at the step, and those of other operands are copied by threads, too.
    struct Pieces {
        Integer count = 0;
        Affine first_step = {};
    };
    /// All pieces are asked for that there is room for.
    void begin(const Pieces& pieces);
    /// The first one is turned; then threads meet.
    void turn_first() const;
    void wait_for_first() const;

    /// Where a piece is, and those after it, and the parities of the turns around the stages in which these come there; of turned
    /// operands the sides that this and the next piece are on.
    struct Going {
        std::array<ir::Value, 3> stages{}, turns{};
        std::array<ir::Value, 2> sides{};
        GpuSums::Numbers numbers(const GpuSchedule& schedule, std::size_t piece) const {
            return {schedule.is_turned(0) ? sides[piece] : stages[piece],
                    schedule.is_turned(1) ? sides[piece] : stages[piece]};
        }
    };
    Going going() const;
    /// The share of turning the next piece that goes with a step, of so many.
    void turn(const Going& going, int step, int steps) const;
    /// Whether threads meet after a piece: as its stage is filled again, or they exchange what they have copied or turned.
    bool has_to_meet() const;
    /// After a piece of that number, when its last factors are in registers and threads have met if they have to.
    void go_on(const Affine& number, const Going& going) const;
    void keep(const Going& going) const;

private:
    /// Whether stages are filled again.
    bool has_refills() const { return pieces_.count > schedule_.stages; }
    Affine step_of(const Affine& piece) const {
        return pieces_.first_step + piece * schedule_.piece_distance();
    }
    void refill(const Affine& number, const Going& going) const;
    template <class Body> void if_there(int lead, const Affine& number, Body&& body) const;
    template <class Body> void alone(Body&& body) const;
    ir::Value integer(Integer number) const;

    static constexpr Integer stage = 0, turn_around = 1, side = 2;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    GpuBulk bulk_;
    Pieces pieces_;
    ir::Buffer counters_ = 0; ///< of the piece at hand
};

} // namespace swirl::gemm
