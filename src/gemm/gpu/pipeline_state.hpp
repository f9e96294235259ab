#pragma once

#include "ir/builder.hpp"

namespace swirl::gemm {

/// Position in a circular pipeline of k-tiles in shared memory: the current stage and, where mbarriers hand stages
/// over, the parity of completed rounds as the phase. Held in the thread's registers.
class PipelineState {
public:
    enum class Phase : std::uint8_t {
        none, ///< stages filled by cp.async: the thread's groups of copies and the block's barrier hand them over
        parity ///< of an mbarrier per stage
    };

    PipelineState(ir::Builder& builder, ir::Buffer buffer, Integer first_counter, Integer stages,
                  Phase phase = Phase::parity)
        : builder_(builder), counters_(buffer), first_(first_counter), stages_(stages), phase_(phase) {}
    static constexpr Integer count = 2; ///< counters used; one without a phase

    void start() const {
        builder_.store(counters_, first_, integer(0));
        if (has_phase()) builder_.store(counters_, first_ + 1, integer(0));
    }
    ir::Value stage() const { return builder_.load(counters_, first_); }
    ir::Value phase() const { return builder_.load(counters_, first_ + 1); }
    ir::Value other_phase() const { return builder_.subtract(integer(1), phase()); }
    ir::Value stage_before() const { return before(stage()); }
    ir::Value before(ir::Value now) const {
        return builder_.select(builder_.less(now, integer(1)), integer(stages_ - 1),
                               builder_.subtract(now, integer(1)));
    }

    /// A stage and its phase, in values; no_value without a phase.
    struct Position {
        ir::Value stage = ir::no_value;
        ir::Value phase = ir::no_value;
    };
    Position position() const { return {stage(), has_phase() ? phase() : ir::no_value}; }
    Position after(const Position& now) const {
        if (!has_phase()) {
            const ir::Value following = builder_.add(now.stage, integer(1));
            return {builder_.select(builder_.less(following, integer(stages_)), following, integer(0))};
        }
        const ir::Value stays = builder_.less(now.stage, integer(stages_ - 1)); // decides both
        const ir::Value stage = builder_.select(stays, builder_.add(now.stage, integer(1)), integer(0));
        return {stage, builder_.select(stays, now.phase, builder_.subtract(integer(1), now.phase))};
    }
    void keep(const Position& now) const {
        builder_.store(counters_, first_, now.stage);
        if (has_phase()) builder_.store(counters_, first_ + 1, now.phase);
    }
    void advance() const { keep(after(position())); }

private:
    bool has_phase() const { return phase_ == Phase::parity; }
    ir::Value integer(Integer value) const {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    }

    ir::Builder& builder_;
    ir::Buffer counters_;
    Integer first_, stages_;
    Phase phase_;
};

} // namespace swirl::gemm
