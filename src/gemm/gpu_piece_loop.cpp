#include "gemm/gpu_piece_loop.hpp"

#include "gemm/tile.hpp"

#include <algorithm>

namespace swirl::gemm {

using ir::Value;

GpuPieceLoop::GpuPieceLoop(ir::Builder& builder, const GpuSchedule& schedule, const GpuOperands& operands)
    : builder_(builder), schedule_(schedule), operands_(operands) {
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const GpuPiece& piece = operands.pieces()[operand];
        piece_buffers_[operand] =
            builder.shared(operand == 0 ? "a_pieces" : "b_pieces", scalar_of(piece.number),
                           schedule.matrices * schedule.stages * piece.scalars());
    }
}

void GpuPieceLoop::begin(const GpuThreads& threads) {
    threads_ = &threads;
    for (std::size_t operand = 0; operand < 2; ++operand)
        fetches_.emplace_back(builder_, operands_.pieces()[operand], schedule_, threads,
                              piece_buffers_[operand]);
    counters_ = builder_.local("counters", ir::Scalar::int64, 3);
}

GpuSums::Source GpuPieceLoop::factors() const {
    return {operands_.pieces(), piece_buffers_,
            threads_->slice() * (schedule_.block_depth / schedule_.slices)};
}

/// A thread's copies first … end − 1, those of A first.
void GpuPieceLoop::fetch(const Fetching& fetching, int first, int end) {
    int before = 0;
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const GpuFetch& fetch = fetches_[operand];
        const int from = std::clamp(first - before, 0, fetch.copies());
        const int to = std::clamp(end - before, 0, fetch.copies());
        fetch.fetch(sources_[operand], fetching.number * copies_of_piece(operand), fetching.target,
                    fetching.missing, fetching.split, from, to);
        before += fetch.copies();
    }
}
void GpuPieceLoop::fetch(const Fetching& fetching) { fetch(fetching, 0, copies()); }

void GpuPieceLoop::wait_for_first(GpuSums& sums) {
    builder_.wait_for_copies(schedule_.stages - 2);
    builder_.barrier();
    sums.keep(sums.first_factors(factors(), ir::no_value));
    builder_.store(counters_, stage_counter, operands_.integer(0));
}

void GpuPieceLoop::multiply(const Piece& piece, GpuSums& sums) {
    const Integer stages = schedule_.stages;
    const int steps = schedule_.block_depth / schedule_.slices / schedule_.step_depth();
    const GpuSums::Source source = factors();
    std::vector<Value> values = sums.values();
    GpuSums::Factors factors = sums.factors();
    const Value stage = builder_.load(counters_, stage_counter);
    const Value following = builder_.add(stage, operands_.integer(1));
    const Value next =
        builder_.select(builder_.less(following, operands_.integer(stages)), following, operands_.integer(0));
    const Value free =
        builder_.select(builder_.less(stage, operands_.integer(1)), operands_.integer(stages - 1),
                        builder_.subtract(stage, operands_.integer(1)));
    take();
    // Steps are missing in pieces only that are under way before the first is multiplied.
    const Fetching fetching{0, {.stage = free}};
    const int shares = schedule_.spread != 0 ? steps - 1 : 1, copies_of_all = piece.fetches ? copies() : 0;
    for (int step = 0; step < steps; ++step) {
        const bool is_last = step + 1 == steps;
        if (is_last && piece.is_last) {
            sums.multiply(values, factors, step);
            return sums.keep(values);
        }
        if (is_last) {
            builder_.wait_for_copies(static_cast<int>(stages) - 2);
            builder_.barrier();
        }
        const GpuSums::Factors ahead =
            is_last ? sums.first_factors(source, next) : sums.next_factors(source, stage, step, factors);
        if (step < shares)
            fetch(fetching, copies_of_all * step / shares, copies_of_all * (step + 1) / shares);
        if (step + 1 == shares) commit();
        sums.multiply(values, factors, step);
        factors = ahead;
    }
    sums.keep(values);
    sums.keep(factors);
    builder_.store(counters_, stage_counter, next);
}

void GpuPieceLoop::aim(std::size_t operand, Value start) {
    builder_.store(counters_, static_cast<Integer>(operand), start);
}

void GpuPieceLoop::take() {
    for (std::size_t operand = 0; operand < 2; ++operand)
        sources_[operand].start = builder_.load(counters_, static_cast<Integer>(operand));
}

/// In the straight run that has taken them.
void GpuPieceLoop::advance(Value goes_on) {
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const Value at = sources_[operand].start;
        const Value next = builder_.add(at, operands_.integer(copies_of_piece(operand)));
        aim(operand, goes_on == ir::no_value ? next : builder_.select(goes_on, next, at));
    }
}

} // namespace swirl::gemm
