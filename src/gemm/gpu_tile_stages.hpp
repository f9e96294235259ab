#pragma once

#include "ir/builder.hpp"

namespace swirl::gemm {

/// Which of a ring of stages a thread is at, and how often it has been around, as a parity; in registers of its own.
class GpuTileStages {
public:
    GpuTileStages(ir::Builder& builder, ir::Buffer buffer, Integer first_counter, Integer stages)
        : builder_(builder), counters_(buffer), first_(first_counter), stages_(stages) {}
    static constexpr Integer count = 2; ///< of counters that it has

    void start() const {
        builder_.store(counters_, first_, number(0));
        builder_.store(counters_, first_ + 1, number(0));
    }
    ir::Value stage() const { return builder_.load(counters_, first_); }
    ir::Value parity() const { return builder_.load(counters_, first_ + 1); }
    ir::Value other_parity() const { return builder_.subtract(number(1), parity()); }
    ir::Value stage_before() const {
        const ir::Value now = stage();
        return builder_.select(builder_.less(now, number(1)), number(stages_ - 1),
                               builder_.subtract(now, number(1)));
    }
    /// Where it is after advance().
    ir::Value stage_after() const {
        const ir::Value now = stage();
        return builder_.select(builder_.less(now, number(stages_ - 1)), builder_.add(now, number(1)),
                               number(0));
    }
    ir::Value parity_after() const {
        return builder_.select(builder_.less(stage(), number(stages_ - 1)), parity(), other_parity());
    }
    void advance() const {
        const ir::Value now = stage(), old = parity();
        const ir::Value stays = builder_.less(now, number(stages_ - 1));
        builder_.store(counters_, first_, builder_.select(stays, builder_.add(now, number(1)), number(0)));
        builder_.store(counters_, first_ + 1, builder_.select(stays, old, builder_.subtract(number(1), old)));
    }

private:
    ir::Value number(Integer value) const {
        return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(value));
    }

    ir::Builder& builder_;
    ir::Buffer counters_;
    Integer first_, stages_;
};

} // namespace swirl::gemm
