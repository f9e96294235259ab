#include "gemm/gpu_tile_fragments.hpp"

#include "base/error.hpp"
#include "gemm/gpu_product.hpp"

namespace swirl::gemm {

namespace {

using ir::CopyFence;
using ir::Value;

constexpr int pair = 2; ///< elements that a thread moves at once

} // namespace

Value GpuFragmentRows::place_in_row(int part, const Affine& line) const {
    const Affine bit2 = builder_.thread(0, 4, 2), bit3 = builder_.thread(0, 8, 2),
                 bit4 = builder_.thread(0, 16, 2);
    const Affine half = parts_ == 1 ? builder_.thread(0, 32, 2) : Affine(part % 2);
    const Value own = builder_.index(8 * bit3 + 4 * half + 2 * bit4 + bit2);
    const Value piece = builder_.bit_xor(own, builder_.index(2 * bit3));
    return builder_.bit_xor(piece, builder_.index(2 * line));
}

Affine GpuFragmentRows::panel(int part, bool of_block) const {
    ensure(parts_ == 1 || parts_ % 2 == 0, "a warpgroup of {} parts", parts_);
    const Integer first = of_block ? Integer{warpgroup_} * 2 * parts_ : 0;
    if (parts_ == 1) return first + builder_.thread(0, 64, 2);
    return first + parts_ / 2 * builder_.thread(0, 32, 4) + part / 2;
}

GpuTileFragments::Places GpuTileFragments::places_in(Value stage) const {
    const Value before = builder_.multiply(
        stage, builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(a_.scalars() / pair)));
    Places result;
    for (int part = 0; part < parts_; ++part)
        for (int half = 0; half < halves; ++half) {
            const Affine step = builder_.thread(0, 1, 4) + 4 * half;
            const Affine row = a_.layout.panel / pair * rows_.panel(part, true) + a_.row() / pair * step;
            const Value place = builder_.add(rows_.place_in_row(part, step), builder_.index(row));
            result.push_back(builder_.add(place, before));
        }
    return result;
}

void GpuTileFragments::load(const Places& places, int step) const {
    for (int part = 0; part < parts_; ++part)
        for (int half = 0; half < halves; ++half) {
            const Value numbers =
                builder_.load(pieces_.buffer(1), Integer{step} * entry_.depth * a_.row(),
                              {.lanes = pair,
                               .dynamic = places[static_cast<std::size_t>(part * halves + half)],
                               .dynamic_scale = pair});
            builder_.store(memory_.fragments, first_register(step, part) + pair * half, numbers,
                           {.lanes = pair});
        }
}

void GpuTileFragments::multiply_step(int step, Value stage) const {
    builder_.fence({CopyFence::Kind::begin, 0, CopyFence::What::tile_products});
    for (int part = 0; part < parts_; ++part)
        builder_.tile_product(entry_, memory_.sums, Integer{part} * entry_.registers(),
                              {{memory_.fragments, first_register(step, part)}, {}},
                              pieces_.factor(0, 0, Integer{step} * entry_.depth, stage));
    builder_.fence({CopyFence::Kind::commit, 0, CopyFence::What::tile_products});
    builder_.fence({CopyFence::Kind::wait, sets - ahead, CopyFence::What::tile_products});
}

/// When the first products have been started, those of the piece before are done; so all threads have loaded what they need of that.
void GpuTileFragments::multiply_piece(const GpuTileStages& stages, const Affine& number, bool is_last) const {
    const Value stage = stages.stage();
    const Value next = is_last ? ir::no_value : stages.stage_after();
    const Value next_parity = is_last ? ir::no_value : stages.parity_after();
    const int steps = static_cast<int>(a_.depth) / entry_.depth;
    Places places = places_in(stage);
    for (int step = 0; step < steps; ++step) {
        multiply_step(step, stage);
        if (step == sets - ahead - 1)
            builder_.if_then({{number - 1, ir::Condition::Relation::nonnegative}},
                             [&] { pieces_.release(stages.stage_before()); });
        const int loaded = step + ahead;
        if (loaded == steps && !is_last) {
            pieces_.wait(next, next_parity);
            places = places_in(next);
        }
        if (loaded < steps || !is_last) load(places, loaded % steps);
    }
    stages.advance();
}

void GpuTileFragments::multiply_run(const GpuTileStages& stages, const Affine& count) const {
    const auto if_any = [&](auto&& body) {
        builder_.if_then({{count - 1, ir::Condition::Relation::nonnegative}}, body);
    };
    if_any([&] {
        const Value stage = stages.stage();
        pieces_.wait(stage, stages.parity());
        const Places places = places_in(stage);
        for (int step = 0; step < ahead; ++step) load(places, step);
    });
    builder_.for_loop(std::string(gpu_piece_loop), count - 1,
                      [&](const Affine& number) { multiply_piece(stages, number, false); });
    if_any([&] { multiply_piece(stages, count - 1, true); });
    builder_.fence({CopyFence::Kind::wait, 0, CopyFence::What::tile_products});
    if_any([&] { pieces_.release(stages.stage_before()); });
}

} // namespace swirl::gemm
