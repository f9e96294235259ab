#include "plan/gemm/cpu/split_scale.hpp"

#include "base/fork_gate.hpp"
#include "base/integer.hpp"
#include "gemm/extremes.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace swirl::planning {

namespace {

/// Bit patterns of magnitudes, which are ordered like the magnitudes. The least is kept as its pattern minus one, as
/// kernels return it, so that zeros wrap around and do not count.
struct Words {
    std::uint32_t largest = 0;
    std::uint32_t before_least = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());

    void take(std::uint32_t largest_word, std::uint32_t word_before_least) {
        largest = std::max(largest, largest_word);
        before_least = std::min(before_least, word_before_least);
    }
};

constexpr Integer most_elements = Integer{1} << 36, most_lines = 1 << 20;

runtime::ExecutableCode compiled(const ir::Program& program) {
    const target::Cpu& cpu = target::avx512_cpu();
    return runtime::ExecutableCode(jit::compile(passes::run_codegen_passes(program, cpu), cpu));
}

runtime::KernelFunction extremes_kernel() {
    static constinit LazyValue<runtime::ExecutableCode> code;
    return code.get([] { return compiled(gemm::extremes(most_lines, most_elements, most_elements)); })
        .function();
}
runtime::KernelFunction extremes_one_by_one_kernel() {
    static constinit LazyValue<runtime::ExecutableCode> code;
    return code.get([] { return compiled(gemm::extremes_one_by_one(most_lines, most_lines, most_elements)); })
        .function();
}

Words words_of(runtime::KernelFunction kernel, const float* first,
               const std::array<std::int64_t, 4>& parameters) {
    Words words;
    std::uint32_t found[2 * gemm::extremes_lanes];
    void* const buffers[] = {const_cast<float*>(first), found};
    kernel(buffers, parameters.data());
    for (int lane = 0; lane < gemm::extremes_lanes; ++lane)
        words.take(found[lane], found[gemm::extremes_lanes + lane]);
    return words;
}

Words words_of_columns(const float* first, Integer count, Integer length, const MatrixLayout& layout) {
    constexpr Integer at_once = 64;
    const bool is_contiguous = layout.row_stride == 1 && length >= gemm::extremes_lanes;
    return is_contiguous ? words_of(extremes_kernel(), first,
                                    {count, length / at_once * at_once, length, layout.column_stride})
                         : words_of(extremes_one_by_one_kernel(), first,
                                    {count, length, layout.row_stride, layout.column_stride});
}

int exponent(float magnitude) { return std::ilogb(magnitude); }

/// Exponent range of a matrix's elements: the third term of the least is a normal number, and the first term of the
/// largest does not round to infinity.
constexpr int lowest_exponent = -102, highest_exponent = 125;
/// For products: what the smallest products of terms lose is below half a unit in the last place of float32.
constexpr int least_product = -100, largest_sum = 125;

bool serves(const Magnitudes& a, const Magnitudes& b, Integer k_extent, SplitScale scale) {
    const int a_low = exponent(a.least) + scale.a, a_high = exponent(a.largest) + scale.a;
    const int b_low = exponent(b.least) + scale.b, b_high = exponent(b.largest) + scale.b;
    const int summands = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(k_extent)));
    return std::min(a_low, b_low) >= lowest_exponent && std::max(a_high, b_high) <= highest_exponent &&
           a_low + b_low >= least_product && a_high + b_high + 2 + summands <= largest_sum;
}

} // namespace

Magnitudes magnitudes_of(const float* matrix, const MatrixLayout& layout, Integer rows, Integer columns,
                         int threads) {
    const MatrixLayout column_layout = layout.row_stride == 1 ? layout : transposed(layout);
    const Integer length = layout.row_stride == 1 ? rows : columns;
    const Integer count = layout.row_stride == 1 ? columns : rows;
    constexpr Integer min_parallel_work = 1 << 16;
    const int wanted = static_cast<int>(std::clamp<Integer>(count * length / min_parallel_work, 1, threads));
    std::vector<Words> found(static_cast<std::size_t>(wanted));
    runtime::run_team(wanted, [&](const runtime::TeamMember& member) {
        const auto [first, last] = runtime::partition_of(count, 1, member.index(), member.size());
        if (first >= last) return;
        const float* const from = matrix + first * column_layout.column_stride;
        found[static_cast<std::size_t>(member.index())] =
            words_of_columns(from, last - first, length, column_layout);
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
