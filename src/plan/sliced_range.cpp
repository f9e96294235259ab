#include "plan/sliced_range.hpp"

#include "base/fork_gate.hpp"
#include "base/integer.hpp"
#include "gemm/extremes.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "runtime/executable_memory.hpp"
#include "runtime/team.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace swirl::planning {

namespace {

constexpr std::uint32_t sign = 0x80000000U;

/// Words of magnitudes, which are ordered as these are; of the least the word before, as kernels give it.
struct Words {
    std::uint32_t largest = 0;
    std::uint32_t before_least = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());

    void take(std::uint32_t largest_word, std::uint32_t word_before_least) {
        largest = std::max(largest, largest_word);
        before_least = std::min(before_least, word_before_least);
    }
    void take(float number) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(number) & ~sign;
        take(word, word - 1U);
    }
};

runtime::KernelFunction extremes_kernel() {
    constexpr Integer most = Integer{1} << 36, most_lines = 1 << 20;
    static constinit MadeOnce<runtime::ExecutableCode> code;
    return code
        .get([] {
            const target::Cpu& cpu = target::avx512_cpu();
            return runtime::ExecutableCode(
                jit::compile(passes::run_in_order(gemm::extremes(most_lines, most, most), cpu), cpu));
        })
        .function();
}

Words words_of_lines(const float* first, Integer lines, Integer length, Integer stride) {
    constexpr Integer at_once = 64;
    Words words;
    std::uint32_t found[2 * gemm::extremes_lanes];
    void* const buffers[] = {const_cast<float*>(first), found};
    const std::int64_t parameters[] = {lines, length / at_once * at_once, length, stride};
    extremes_kernel()(buffers, parameters);
    for (int lane = 0; lane < gemm::extremes_lanes; ++lane)
        words.take(found[lane], found[gemm::extremes_lanes + lane]);
    return words;
}

/// Lines that are too short for kernels, or no lines at all.
Words words_one_by_one(const float* first, Integer lines, Integer length, const MatrixLayout& layout) {
    Words words;
    for (Integer line = 0; line < lines; ++line)
        for (Integer i = 0; i < length; ++i)
            words.take(first[line * layout.column_stride + i * layout.row_stride]);
    return words;
}

int exponent(float magnitude) { return std::ilogb(magnitude); }

/// What a matrix's numbers may be, as exponents: the third slice of the least is a normal number, the first of the largest is not
/// rounded to infinity.
constexpr int least_exponent = -102, largest_exponent = 125;
/// Products: what is lost of the smallest products of slices is below half a unit of float32.
constexpr int least_product = -100, largest_sum = 125;

bool serves(const Magnitudes& a, const Magnitudes& b, Integer depth, SlicedScale scale) {
    const int a_low = exponent(a.least) + scale.a, a_high = exponent(a.largest) + scale.a;
    const int b_low = exponent(b.least) + scale.b, b_high = exponent(b.largest) + scale.b;
    const int summands = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(depth)));
    return std::min(a_low, b_low) >= least_exponent && std::max(a_high, b_high) <= largest_exponent &&
           a_low + b_low >= least_product && a_high + b_high + 2 + summands <= largest_sum;
}

} // namespace

Magnitudes magnitudes_of(const float* matrix, const MatrixLayout& layout, Integer rows, Integer columns,
                         int threads) {
    const MatrixLayout lines_of = layout.row_stride == 1 ? layout : turned(layout);
    const Integer length = layout.row_stride == 1 ? rows : columns;
    const Integer lines = layout.row_stride == 1 ? columns : rows;
    const bool has_lines = lines_of.row_stride == 1 && length >= gemm::extremes_lanes;
    constexpr Integer least_share = 1 << 16;
    const int wanted = static_cast<int>(std::clamp<Integer>(lines * length / least_share, 1, threads));
    std::vector<Words> found(static_cast<std::size_t>(wanted));
    runtime::run_team(wanted, [&](const runtime::TeamMember& member) {
        const auto [first, last] = runtime::share_of(lines, 1, member.number(), member.size());
        if (first >= last) return;
        const float* const from = matrix + first * lines_of.column_stride;
        found[static_cast<std::size_t>(member.number())] =
            has_lines ? words_of_lines(from, last - first, length, lines_of.column_stride)
                      : words_one_by_one(from, last - first, length, lines_of);
    });
    Words all;
    for (const Words& words : found) all.take(words.largest, words.before_least);
    if (all.largest == 0) return {};
    return {std::bit_cast<float>(all.largest), std::bit_cast<float>(all.before_least + 1U)};
}

std::optional<SlicedScale> sliced_scale(const Magnitudes& a, const Magnitudes& b, Integer depth) {
    if (!std::isfinite(a.largest) || !std::isfinite(b.largest)) return std::nullopt;
    if (a.largest == 0 || b.largest == 0 || serves(a, b, depth, {})) return SlicedScale{};
    // The middle of the magnitudes becomes one.
    constexpr int most = 126;
    const auto towards_one = [&](const Magnitudes& m) {
        return std::clamp(-(exponent(m.least) + exponent(m.largest)) / 2, -most, most);
    };
    const SlicedScale scale{towards_one(a), towards_one(b)};
    if (!serves(a, b, depth, scale)) return std::nullopt;
    return scale;
}

} // namespace swirl::planning
