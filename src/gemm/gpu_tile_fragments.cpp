#include "gemm/gpu_tile_fragments.hpp"

#include "base/error.hpp"

namespace swirl::gemm {

namespace {

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

std::vector<Value> GpuTileFragments::places_in(Value stage) const {
    const Value before = builder_.multiply(
        stage, builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(a_.scalars() / pair)));
    std::vector<Value> result;
    for (int part = 0; part < parts_; ++part)
        for (int half = 0; half < halves; ++half) {
            const Affine step = builder_.thread(0, 1, 4) + 4 * half;
            const Affine row = a_.layout.panel / pair * rows_.panel(part, true) + a_.row() / pair * step;
            const Value place = builder_.add(rows_.place_in_row(part, step), builder_.index(row));
            result.push_back(builder_.add(place, before));
        }
    return result;
}

void GpuTileFragments::load(int group, const std::vector<Value>& places) const {
    for (int step = 0; step < steps_of_group; ++step)
        for (int part = 0; part < parts_; ++part)
            for (int half = 0; half < halves; ++half) {
                const Integer first_step = Integer{group * steps_of_group + step} * entry_.depth;
                const Value numbers =
                    builder_.load(memory_.pieces, first_step * a_.row(),
                                  {.lanes = pair,
                                   .dynamic = places[static_cast<std::size_t>(part * halves + half)],
                                   .dynamic_scale = pair});
                builder_.store(memory_.fragments, first_register(group, step, part) + pair * half, numbers,
                               {.lanes = pair});
            }
}

} // namespace swirl::gemm
