#pragma once

#include "ir/builder.hpp"

namespace swirl::gemm {

/// Position in a circular pipeline: current stage, and the parity of completed rounds as the phase. Held in the
/// thread's registers.
class PipelineState {
public:
    PipelineState(ir::Builder& builder, ir::Buffer buffer, Integer first_counter, Integer stages)
        : builder_(builder), counters_(buffer), first_(first_counter), stages_(stages) {}
    static constexpr Integer count = 2; ///< counters used

    void start() const {
        builder_.store(counters_, first_, number(0));
        builder_.store(counters_, first_ + 1, number(0));
    }
    ir::Value stage() const { return builder_.load(counters_, first_); }
    ir::Value phase() const { return builder_.load(counters_, first_ + 1); }
    ir::Value other_phase() const { return builder_.subtract(number(1), phase()); }
    ir::Value stage_before() const { return before(stage()); }
    ir::Value before(ir::Value now) const {
        return builder_.select(builder_.less(now, number(1)), number(stages_ - 1),
                               builder_.subtract(now, number(1)));
    }
    /// The stage after advance().
    ir::Value stage_after() const {
        const ir::Value now = stage();
        return builder_.select(builder_.less(now, number(stages_ - 1)), builder_.add(now, number(1)),
                               number(0));
    }
    ir::Value phase_after() const {
        return builder_.select(builder_.less(stage(), number(stages_ - 1)), phase(), other_phase());
    }
    /// A stage and its phase, in values.
    struct Position {
        ir::Value stage = ir::no_value;
        ir::Value phase = ir::no_value;
    };
    Position position() const { return {stage(), phase()}; }
    Position after(const Position& now) const {
        const ir::Value stays = builder_.less(now.stage, number(stages_ - 1));
        const ir::Value stage = builder_.select(stays, builder_.add(now.stage, number(1)), number(0));
        return {stage, builder_.select(stays, now.phase, builder_.subtract(number(1), now.phase))};
    }
    void keep(const Position& now) const {
        builder_.store(counters_, first_, now.stage);
        builder_.store(counters_, first_ + 1, now.phase);
    }
    void advance() const {
        const ir::Value now = stage(), old = phase();
        const ir::Value stays = builder_.less(now, number(stages_ - 1));
        builder_.store(counters_, first_, builder_.select(stays, builder_.add(now, number(1)), number(0)));
        builder_.store(counters_, first_ + 1, builder_.select(stays, old, builder_.subtract(number(1), old)));
    }

private:
    ir::Value number(Integer value) const {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    }

    ir::Builder& builder_;
    ir::Buffer counters_;
    Integer first_, stages_;
};

} // namespace swirl::gemm
