#include "gemm/gpu_piece_loop.hpp"

#include "gemm/tile.hpp"

#include <algorithm>

namespace swirl::gemm {

using ir::Value;

GpuPieceLoop::GpuPieceLoop(ir::Builder& builder, const GpuSchedule& schedule, const GpuOperands& operands)
    : builder_(builder),
      schedule_(schedule),
      operands_(operands),
      ring_(builder, schedule, operands.product(), operands.pieces()) {
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const GpuPiece& piece = operands.pieces()[operand];
        const bool has_room = GpuSliceSums::operand_of_room(schedule, operands.product()) == operand;
        const Integer least = has_room ? GpuSliceSums::scalars(schedule, operands.product()) : 0;
        if (schedule.is_bulk(operand)) {
            const GpuBulk::Memory memory = ring_.bulk().declare(operand, operands.matrix(operand), least);
            piece_buffers_[operand] = memory.multiplied;
            if (has_room) room_ = memory.brought;
            continue;
        }
        piece_buffers_[operand] =
            builder.shared(operand == 0 ? "a_pieces" : "b_pieces", scalar_of(piece.number),
                           std::max(least, schedule.matrices * schedule.stages * piece.scalars()));
        if (has_room) room_ = piece_buffers_[operand];
    }
}

void GpuPieceLoop::begin(const GpuThreads& threads) {
    threads_ = &threads;
    for (std::size_t operand = 0; operand < 2; ++operand)
        if (!schedule_.is_bulk(operand))
            fetches_[operand].emplace(builder_, operands_.pieces()[operand], schedule_, threads,
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
        if (!fetches_[operand]) continue;
        const GpuFetch& fetch = *fetches_[operand];
        const int from = std::clamp(first - before, 0, fetch.copies());
        const int to = std::clamp(end - before, 0, fetch.copies());
        fetch.fetch(sources_[operand], fetching.number * copies_of_piece(operand), fetching.target,
                    fetching.missing, fetching.split, fetching.split_steps, from, to);
        before += fetch.copies();
    }
}
void GpuPieceLoop::fetch(const Fetching& fetching) { fetch(fetching, 0, copies()); }

int GpuPieceLoop::copies() const {
    int result = 0;
    for (const std::optional<GpuFetch>& fetch : fetches_)
        if (fetch) result += fetch->copies();
    return result;
}

void GpuPieceLoop::begin_bulk(const GpuBulkRing::Pieces& pieces, const Starts& starts) {
    for (std::size_t operand = 0; operand < 2; ++operand) ring_.bulk().start_at(operand, starts[operand]);
    ring_.begin(pieces);
}

void GpuPieceLoop::wait_for_first(GpuSums& sums) {
    if (schedule_.has_bulk()) ring_.turn_first();
    if (has_copies()) builder_.wait_for_copies(schedule_.stages - 2);
    if (ring_.has_to_meet()) builder_.barrier();
    if (schedule_.has_bulk()) ring_.wait_for_first();
    sums.keep(sums.first_factors(factors(), {ir::no_value, ir::no_value}));
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
    GpuBulkRing::Going going{{stage, next}, {}, {}};
    if (schedule_.has_bulk()) going = ring_.going();
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
            if (has_copies()) builder_.wait_for_copies(static_cast<int>(stages) - 2);
            if (ring_.has_to_meet()) builder_.barrier();
            if (schedule_.has_bulk()) ring_.go_on(piece.number, going);
        }
        const GpuSums::Factors ahead =
            is_last ? sums.first_factors(source, going.numbers(schedule_, 1))
                    : sums.next_factors(source, going.numbers(schedule_, 0), step, factors);
        if (!is_last && !piece.is_last && schedule_.has_bulk()) ring_.turn(going, step, steps - 1);
        if (step < shares)
            fetch(fetching, copies_of_all * step / shares, copies_of_all * (step + 1) / shares);
        if (step + 1 == shares) commit();
        sums.multiply(values, factors, step);
        factors = ahead;
    }
    sums.keep(values);
    sums.keep(factors);
    builder_.store(counters_, stage_counter, next);
    if (schedule_.has_bulk()) ring_.keep(going);
}

void GpuPieceLoop::aim(std::size_t operand, Value start) {
    builder_.store(counters_, static_cast<Integer>(operand), start);
}

void GpuPieceLoop::take() {
    for (std::size_t operand = 0; operand < 2; ++operand)
        if (!schedule_.is_bulk(operand))
            sources_[operand].start = builder_.load(counters_, static_cast<Integer>(operand));
}

/// In the straight run that has taken them.
void GpuPieceLoop::advance(Value goes_on) {
    for (std::size_t operand = 0; operand < 2; ++operand) {
        if (schedule_.is_bulk(operand)) continue;
        const Value at = sources_[operand].start;
        const Value next = builder_.add(at, operands_.integer(copies_of_piece(operand)));
        aim(operand, goes_on == ir::no_value ? next : builder_.select(goes_on, next, at));
    }
}

} // namespace swirl::gemm
