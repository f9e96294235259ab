#include "gemm/gpu_bulk_ring.hpp"

#include <algorithm>

namespace swirl::gemm {

using ir::Value;
using Relation = ir::Condition::Relation;

Value GpuBulkRing::integer(Integer number) const {
    return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(number));
}

/// What the block's first thread does.
template <class Body> void GpuBulkRing::alone(Body&& body) const {
    builder_.if_then({{builder_.thread(0), Relation::zero}}, body);
}

/// Where there is a piece of that number, of operands with such a lead.
template <class Body> void GpuBulkRing::if_there(int lead, const Affine& number, Body&& body) const {
    if (bulk_.has(lead)) builder_.if_then({{number - pieces_.count, Relation::negative}}, body);
}

void GpuBulkRing::begin(const Pieces& pieces) {
    pieces_ = pieces;
    bulk_.begin();
    alone([&] {
        for (Integer first = 0; first < std::min<Integer>(schedule_.stages, pieces_.count); ++first)
            for (const int lead : {0, 1})
                if (bulk_.has(lead)) bulk_.load(lead, step_of(first), {first});
    });
    counters_ = builder_.local("bulk_counters", ir::Scalar::int64, 3);
    for (const Integer counter : {stage, turn_around, side}) builder_.store(counters_, counter, integer(0));
}

void GpuBulkRing::turn_first() const {
    if (!bulk_.has(1)) return;
    bulk_.wait(1, integer(0), integer(0));
    bulk_.turn(0, bulk_.rounds(), {}, {});
}

/// Of turned operands the second one, too; the first one's lines are of no use any more.
void GpuBulkRing::wait_for_first() const {
    if (bulk_.has(0)) bulk_.wait(0, integer(0), integer(0));
    if (!bulk_.has(1) || pieces_.count == 1) return;
    if (has_refills()) alone([&] { bulk_.load(1, step_of(schedule_.stages), {}); });
    bulk_.wait(1, integer(1), integer(0));
}

GpuBulkRing::Going GpuBulkRing::going() const {
    Going result;
    result.stages[0] = builder_.load(counters_, stage);
    result.turns[0] = builder_.load(counters_, turn_around);
    const Value last = integer(schedule_.stages - 1);
    for (std::size_t k = 1; k < result.stages.size(); ++k) {
        const Value stays = builder_.less(result.stages[k - 1], last);
        result.stages[k] = builder_.select(stays, builder_.add(result.stages[k - 1], integer(1)), integer(0));
        result.turns[k] =
            builder_.select(stays, result.turns[k - 1], builder_.subtract(integer(1), result.turns[k - 1]));
    }
    result.sides[0] = builder_.load(counters_, side);
    result.sides[1] = builder_.subtract(integer(1), result.sides[0]);
    return result;
}

void GpuBulkRing::keep(const Going& going) const {
    builder_.store(counters_, stage, going.stages[1]);
    builder_.store(counters_, turn_around, going.turns[1]);
    builder_.store(counters_, side, going.sides[1]);
}

void GpuBulkRing::turn(const Going& going, int step, int steps) const {
    bulk_.turn(bulk_.rounds() * step / steps, bulk_.rounds() * (step + 1) / steps,
               {.dynamic = going.stages[1]}, {.dynamic = going.sides[1]});
}

bool GpuBulkRing::has_to_meet() const {
    return has_refills() || bulk_.has(1) || !schedule_.is_bulk(0) || !schedule_.is_bulk(1);
}

void GpuBulkRing::go_on(const Affine& number, const Going& going) const {
    if (has_refills()) refill(number, going);
    for (const int lead : {0, 1}) {
        const auto at = static_cast<std::size_t>(lead + 1);
        if_there(lead, number + 1 + lead, [&] { bulk_.wait(lead, going.stages[at], going.turns[at]); });
    }
}

/// The piece's own stage; that of turned operands is the next one, as they are turned already.
void GpuBulkRing::refill(const Affine& number, const Going& going) const {
    alone([&] {
        for (const int lead : {0, 1}) {
            const Affine piece = number + schedule_.stages + lead;
            if_there(lead, piece, [&] {
                bulk_.load(lead, step_of(piece), {.dynamic = going.stages[static_cast<std::size_t>(lead)]});
            });
        }
    });
}

} // namespace swirl::gemm
