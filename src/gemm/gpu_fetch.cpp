#include "gemm/gpu_fetch.hpp"

#include <algorithm>
#include <span>

namespace swirl::gemm {

namespace {

/// Of a copy that no register takes part in; shorter ones are loaded and stored.
constexpr int least_asynchronous_bytes = 4;

} // namespace

/// An inner and an outer extent shared by the threads: where the inner one is shorter than they are many, several outer places at
/// once.
std::vector<GpuFetch::Share> GpuFetch::shares_of(Integer inner, Integer outer) const {
    using Relation = ir::Condition::Relation;
    std::vector<Share> result;
    const auto below = [](const Affine& place, Integer end) {
        return ir::Condition{place - end, Relation::negative};
    };
    if (inner >= threads_) {
        for (Integer o = 0; o < outer; ++o)
            for (Integer first = 0; first < inner; first += threads_) {
                const Affine place = thread_from(1) + first;
                result.push_back({place, o, {}});
                if (first + threads_ > inner) result.back().conditions.push_back(below(place, inner));
            }
        return result;
    }
    const Integer at_once = std::min(threads_ / inner, outer);
    for (Integer first = 0; first < outer; first += at_once) {
        const Affine place = thread_from(inner) + first;
        Share share{thread_digit(builder_, 1, inner), place, {}};
        const bool is_short = first + at_once > outer;
        if (at_once * inner < threads_ || is_short)
            share.conditions.push_back(below(place, std::min(first + at_once, outer)));
        result.push_back(std::move(share));
    }
    return result;
}

std::vector<GpuFetch::Part> GpuFetch::all_parts() const {
    std::vector<Part> result;
    if (piece_.is_by_lines()) {
        for (const Share& share : shares_of(piece_.depth / piece_.steps, piece_.extent))
            result.push_back({share.outer, share.inner * piece_.steps, share.conditions});
        return result;
    }
    if (!piece_.along_depth) {
        for (const Share& share : shares_of(piece_.extent / piece_.lanes, piece_.depth))
            result.push_back({share.inner * piece_.lanes, share.outer, share.conditions});
        return result;
    }
    const Integer run = piece_.depth_run;
    for (Integer first = 0; first < piece_.depth; first += run)
        for (const Share& share : shares_of(run, piece_.extent))
            result.push_back({share.outer, share.inner + first, share.conditions});
    return result;
}

void GpuFetch::fetch(const GpuSource& source, Integer further, const Target& target, Integer missing,
                     const GpuNumber& split, Integer split_steps, int first, int end) const {
    using Relation = ir::Condition::Relation;
    const int lanes = piece_.elements_of_copy(), parts = piece_.parts;
    const ir::Type type{builder_.program().buffers[static_cast<std::size_t>(pieces_)].element, lanes * parts};
    ir::Value others = ir::no_value;
    if (missing > 0 && split.value != ir::no_value)
        others = builder_.multiply(
            split.value, builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(split_steps)));
    for (const Part& part :
         std::span(parts_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first))) {
        const Affine to = first_ + piece_.place(part.line, part.step) + target.number * piece_.scalars();
        const ir::Access in_piece{.dynamic = target.stage, .dynamic_scale = piece_.scalars()};
        const auto copy = [&] {
            const Affine from =
                (part.line * source.stride + part.step * source.depth_stride + further * lanes) * parts;
            const ir::Value loaded =
                builder_.load(source.buffer, from,
                              {.lanes = type.lanes, .dynamic = source.start, .dynamic_scale = type.lanes});
            ir::Access access = in_piece;
            access.asynchronous = type.lanes * ir::size_in_bytes(type.scalar) >= least_asynchronous_bytes;
            builder_.store(pieces_, to, loaded, access);
        };
        const auto copy_or_clear = [&] {
            if (missing == 0) return copy();
            // What is missing lies before all steps.
            const Affine place = part.step + split.form * split_steps - missing;
            builder_.if_then({{place, Relation::nonnegative, others}}, copy,
                             [&] { builder_.store(pieces_, to, builder_.constant(type, 0), in_piece); });
        };
        if (part.conditions.empty())
            copy_or_clear();
        else
            builder_.if_then(part.conditions, copy_or_clear);
    }
}

} // namespace swirl::gemm
