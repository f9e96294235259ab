#include "gemm/gpu/simt/cp_async_loader.hpp"

#include <algorithm>
#include <span>

namespace swirl::gemm {

namespace {

/// The shortest cp.async copy; shorter copies are a load and a store.
constexpr int min_cp_async_bytes = 4;

} // namespace

/// Distributes an inner and an outer extent over the threads; if the inner extent is shorter than the number of
/// threads, several outer coordinates at once.
std::vector<CpAsyncLoader::ThreadRange> CpAsyncLoader::ranges_of(Integer inner, Integer outer) const {
    using Relation = ir::Condition::Relation;
    std::vector<ThreadRange> result;
    const auto below = [](const Affine& position, Integer end) {
        return ir::Condition{position - end, Relation::negative};
    };
    if (inner >= threads_) {
        for (Integer o = 0; o < outer; ++o)
            for (Integer first = 0; first < inner; first += threads_) {
                const Affine position = thread_from(1) + first;
                result.push_back({position, o, {}});
                if (first + threads_ > inner) result.back().conditions.push_back(below(position, inner));
            }
        return result;
    }
    const Integer at_once = std::min(threads_ / inner, outer);
    for (Integer first = 0; first < outer; first += at_once) {
        const Affine position = thread_from(inner) + first;
        ThreadRange share{thread_digit(builder_, 1, inner), position, {}};
        const bool is_short = first + at_once > outer;
        if (at_once * inner < threads_ || is_short)
            share.conditions.push_back(below(position, std::min(first + at_once, outer)));
        result.push_back(std::move(share));
    }
    return result;
}

std::vector<CpAsyncLoader::Copy> CpAsyncLoader::all_copies() const {
    std::vector<Copy> result;
    if (k_tile_.is_smem_k_major()) {
        for (const ThreadRange& share : ranges_of(k_tile_.k / k_tile_.vector_k, k_tile_.extent))
            result.push_back({share.outer, share.inner * k_tile_.vector_k, share.conditions});
        return result;
    }
    if (!k_tile_.k_major) {
        for (const ThreadRange& share : ranges_of(k_tile_.extent / k_tile_.vector_mn, k_tile_.k))
            result.push_back({share.inner * k_tile_.vector_mn, share.outer, share.conditions});
        return result;
    }
    const Integer copy_width = k_tile_.copy_k;
    for (Integer first = 0; first < k_tile_.k; first += copy_width)
        for (const ThreadRange& share : ranges_of(copy_width, k_tile_.extent))
            result.push_back({share.outer, share.inner + first, share.conditions});
    return result;
}

void CpAsyncLoader::fetch(const OperandSource& source, Integer copy_offset, const Target& target,
                          Integer padding, const IndexValue& split, Integer split_k_stride, int first,
                          int end) const {
    using Relation = ir::Condition::Relation;
    const int lanes = k_tile_.elements_of_copy(), components = k_tile_.components;
    const ir::Type type{builder_.program().buffers[static_cast<std::size_t>(k_tiles_)].element,
                        lanes * components};
    ir::Value others = ir::no_value;
    if (padding > 0 && split.value != ir::no_value)
        others = builder_.multiply(
            split.value, builder_.constant({DataType::int64, 1}, static_cast<long double>(split_k_stride)));
    for (const Copy& element :
         std::span(copies_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first))) {
        const Affine to =
            first_ + k_tile_.offset_of(element.mn, element.k) + target.index * k_tile_.scalars();
        const ir::Access in_k_tile{.dynamic = target.dynamic, .dynamic_scale = k_tile_.scalars()};
        const auto copy = [&] {
            const Affine from =
                (element.mn * source.stride + element.k * source.k_stride + copy_offset * lanes) * components;
            const ir::Value loaded =
                builder_.load(source.buffer, from,
                              {.lanes = type.lanes, .dynamic = source.start, .dynamic_scale = type.lanes});
            ir::Access access = in_k_tile;
            access.asynchronous = type.lanes * bytes_of(type.scalar) >= min_cp_async_bytes;
            builder_.store(k_tiles_, to, loaded, access);
        };
        const auto copy_or_clear = [&] {
            if (padding == 0) return copy();
            // Padding precedes the first k index.
            const Affine position = element.k + split.form * split_k_stride - padding;
            builder_.if_then({{position, Relation::nonnegative, others}}, copy,
                             [&] { builder_.store(k_tiles_, to, builder_.constant(type, 0), in_k_tile); });
        };
        if (element.conditions.empty())
            copy_or_clear();
        else
            builder_.if_then(element.conditions, copy_or_clear);
    }
}

} // namespace swirl::gemm
