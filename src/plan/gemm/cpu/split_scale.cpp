#include "plan/gemm/cpu/split_scale.hpp"

#include "base/fork_gate.hpp"
#include "base/integer.hpp"
#include "gemm/extremes.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace swirl::planning {

namespace {

constexpr std::uint32_t sign = 0x80000000U;

/// Bit patterns of magnitudes, which are ordered like the magnitudes. The least is kept as its pattern minus one, as
/// kernels return it, so that zeros wrap around and do not count.
struct Words {
    std::uint32_t largest = 0;
    std::uint32_t before_least = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());

    void take(std::uint32_t largest_word, std::uint32_t word_before_least) {
        largest = std::max(largest, largest_word);
        before_least = std::min(before_least, word_before_least);
    }
    void take(float value) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(value) & ~sign;
        take(word, word - 1U);
    }
};

runtime::KernelFunction extremes_kernel() {
    constexpr Integer most = Integer{1} << 36, max_columns = 1 << 20;
    static constinit LazyValue<runtime::ExecutableCode> code;
    return code
        .get([] {
            const target::Cpu& cpu = target::avx512_cpu();
            return runtime::ExecutableCode(
                jit::compile(passes::run_codegen_passes(gemm::extremes(max_columns, most, most), cpu), cpu));
        })
        .function();
}

Words words_of_columns(const float* first, Integer count, Integer length, Integer stride) {
    constexpr Integer at_once = 64;
    Words words;
    std::uint32_t found[2 * gemm::extremes_lanes];
    void* const buffers[] = {const_cast<float*>(first), found};
    const std::int64_t parameters[] = {count, length / at_once * at_once, length, stride};
    extremes_kernel()(buffers, parameters);
    for (int lane = 0; lane < gemm::extremes_lanes; ++lane)
        words.take(found[lane], found[gemm::extremes_lanes + lane]);
    return words;
}

/// Rows or columns that are too short for kernels, or no unit stride.
Words words_one_by_one(const float* first, Integer count, Integer length, const MatrixLayout& layout) {
    Words words;
    for (Integer j = 0; j < count; ++j)
        for (Integer i = 0; i < length; ++i)
            words.take(first[j * layout.column_stride + i * layout.row_stride]);
    return words;
}

int exponent(float magnitude) { return std::ilogb(magnitude); }

/// Exponent range of a matrix's elements: the third term of the least is a normal number, and the first term of the
/// largest does not round to infinity.
constexpr int least_exponent = -102, largest_exponent = 125;
/// For products: what the smallest products of terms lose is below half a unit in the last place of float32.
constexpr int least_product = -100, largest_sum = 125;

bool serves(const Magnitudes& a, const Magnitudes& b, Integer k_extent, SplitScale scale) {
    const int a_low = exponent(a.least) + scale.a, a_high = exponent(a.largest) + scale.a;
    const int b_low = exponent(b.least) + scale.b, b_high = exponent(b.largest) + scale.b;
    const int summands = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(k_extent)));
    return std::min(a_low, b_low) >= least_exponent && std::max(a_high, b_high) <= largest_exponent &&
           a_low + b_low >= least_product && a_high + b_high + 2 + summands <= largest_sum;
}

} // namespace

Magnitudes magnitudes_of(const float* matrix, const MatrixLayout& layout, Integer rows, Integer columns,
                         int threads) {
    const MatrixLayout column_layout = layout.row_stride == 1 ? layout : transposed(layout);
    const Integer length = layout.row_stride == 1 ? rows : columns;
    const Integer count = layout.row_stride == 1 ? columns : rows;
    const bool is_contiguous = column_layout.row_stride == 1 && length >= gemm::extremes_lanes;
    constexpr Integer min_parallel_work = 1 << 16;
    const int wanted = static_cast<int>(std::clamp<Integer>(count * length / min_parallel_work, 1, threads));
    std::vector<Words> found(static_cast<std::size_t>(wanted));
    runtime::run_team(wanted, [&](const runtime::TeamMember& member) {
        const auto [first, last] = runtime::partition_of(count, 1, member.index(), member.size());
        if (first >= last) return;
        const float* const from = matrix + first * column_layout.column_stride;
        found[static_cast<std::size_t>(member.index())] =
            is_contiguous ? words_of_columns(from, last - first, length, column_layout.column_stride)
                          : words_one_by_one(from, last - first, length, column_layout);
    });
    Words all;
    for (const Words& words : found) all.take(words.largest, words.before_least);
    if (all.largest == 0) return {};
    return {std::bit_cast<float>(all.largest), std::bit_cast<float>(all.before_least + 1U)};
}

std::optional<SplitScale> split_scale(const Magnitudes& a, const Magnitudes& b, Integer k_extent) {
    if (!std::isfinite(a.largest) || !std::isfinite(b.largest)) return std::nullopt;
    if (a.largest == 0 || b.largest == 0 || serves(a, b, k_extent, {})) return SplitScale{};
    // The middle of the magnitudes becomes one.
    constexpr int most = 126;
    const auto towards_one = [&](const Magnitudes& m) {
        return std::clamp(-(exponent(m.least) + exponent(m.largest)) / 2, -most, most);
    };
    const SplitScale scale{towards_one(a), towards_one(b)};
    if (!serves(a, b, k_extent, scale)) return std::nullopt;
    return scale;
}

} // namespace swirl::planning
