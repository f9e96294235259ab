#include "gemm/gpu/wgmma/register_a.hpp"

#include "base/error.hpp"
#include "gemm/gpu/gemm_kernels.hpp"

namespace swirl::gemm {

namespace {

using ir::AsyncFence;
using ir::Value;

constexpr int moved_pair = 2; ///< elements that a thread moves at once

} // namespace

Value FragmentRows::offset_in_row(int wgmma, const Affine& mn) const {
    const Affine bit2 = builder_.thread(0, 4, 2), bit3 = builder_.thread(0, 8, 2),
                 bit4 = builder_.thread(0, 16, 2);
    const Affine half = wgmmas_ == 1 ? builder_.thread(0, 32, 2) : Affine(wgmma % 2);
    const Value own = builder_.index(8 * bit3 + 4 * half + 2 * bit4 + bit2);
    const Value k_tile = builder_.bit_xor(own, builder_.index(2 * bit3));
    return builder_.bit_xor(k_tile, builder_.index(2 * mn));
}

Affine FragmentRows::panel(int wgmma, bool of_block) const {
    ensure(wgmmas_ == 1 || wgmmas_ % 2 == 0, "a warpgroup with {} wgmmas along M", wgmmas_);
    const Integer first = of_block ? Integer{warpgroup_} * 2 * wgmmas_ : 0;
    if (wgmmas_ == 1) return first + builder_.thread(0, 64, 2);
    return first + wgmmas_ / 2 * builder_.thread(0, 32, 4) + wgmma / 2;
}

WgmmaRegisterA::RowOffsets WgmmaRegisterA::row_offsets_in(Value stage) const {
    const Value before = builder_.multiply(
        stage, builder_.constant({DataType::int64, 1}, static_cast<long double>(a_.scalars() / moved_pair)));
    RowOffsets result;
    for (int wgmma = 0; wgmma < wgmmas_; ++wgmma)
        for (int half = 0; half < halves; ++half) {
            const Affine k_step = builder_.thread(0, 1, 4) + 4 * half;
            const Affine row =
                a_.layout.panel / moved_pair * rows_.panel(wgmma, true) + a_.row() / moved_pair * k_step;
            const Value offset = builder_.add(rows_.offset_in_row(wgmma, k_step), builder_.index(row));
            result.push_back(builder_.add(offset, before));
        }
    return result;
}

void WgmmaRegisterA::load(const RowOffsets& offsets, int k_step) const {
    for (int wgmma = 0; wgmma < wgmmas_; ++wgmma)
        for (int half = 0; half < halves; ++half) {
            const Value values =
                builder_.load(k_tiles_.buffer(1), Integer{k_step} * entry_.k * a_.row(),
                              {.lanes = moved_pair,
                               .dynamic = offsets[static_cast<std::size_t>(wgmma * halves + half)],
                               .dynamic_scale = moved_pair});
            builder_.store(memory_.fragments, first_register(k_step, wgmma) + moved_pair * half, values,
                           {.lanes = moved_pair});
        }
}

void WgmmaRegisterA::multiply_step(int k_step, Value stage) const {
    builder_.fence({AsyncFence::Kind::begin, 0, AsyncFence::What::wgmmas});
    for (int wgmma = 0; wgmma < wgmmas_; ++wgmma)
        builder_.wgmma(entry_, memory_.accumulators, Integer{wgmma} * entry_.registers(),
                       {{memory_.fragments, first_register(k_step, wgmma)}, {}},
                       k_tiles_.operand(0, 0, Integer{k_step} * entry_.k, stage));
    builder_.fence({AsyncFence::Kind::commit, 0, AsyncFence::What::wgmmas});
    builder_.fence({AsyncFence::Kind::wait, sets - prefetch_distance, AsyncFence::What::wgmmas});
}

/// Once the first wgmmas have started, those of the previous k-tile are complete, and so are all threads' loads from
/// it.
void WgmmaRegisterA::multiply_k_tile(const PipelineState& stages, const Affine& k_tile, bool is_last) const {
    const PipelineState::Position now = stages.position();
    const PipelineState::Position next = is_last ? PipelineState::Position{} : stages.after(now);
    const int k_steps = static_cast<int>(a_.k) / entry_.k;
    RowOffsets offsets = row_offsets_in(now.stage);
    for (int k_step = 0; k_step < k_steps; ++k_step) {
        multiply_step(k_step, now.stage);
        if (k_step == sets - prefetch_distance - 1)
            builder_.if_then({{k_tile - 1, ir::Condition::Relation::nonnegative}},
                             [&] { k_tiles_.release(stages.stage_before()); });
        const int loaded = k_step + prefetch_distance;
        if (loaded == k_steps && !is_last) {
            k_tiles_.wait(next.stage, next.phase);
            offsets = row_offsets_in(next.stage);
        }
        if (loaded < k_steps || !is_last) load(offsets, loaded % k_steps);
    }
    stages.advance();
}

void WgmmaRegisterA::multiply_interval(const PipelineState& stages, const Affine& count) const {
    const auto if_any = [&](auto&& body) {
        builder_.if_then({{count - 1, ir::Condition::Relation::nonnegative}}, body);
    };
    if_any([&] {
        const Value stage = stages.stage();
        k_tiles_.wait(stage, stages.phase());
        const RowOffsets offsets = row_offsets_in(stage);
        for (int k_step = 0; k_step < prefetch_distance; ++k_step) load(offsets, k_step);
    });
    builder_.for_loop(std::string(k_tile_loop), count - 1,
                      [&](const Affine& k_tile) { multiply_k_tile(stages, k_tile, false); });
    if_any([&] { multiply_k_tile(stages, count - 1, true); });
    builder_.fence({AsyncFence::Kind::wait, 0, AsyncFence::What::wgmmas});
    if_any([&] { k_tiles_.release(stages.stage_before()); });
}

} // namespace swirl::gemm
