#include "sass/loops.hpp"

#include "sass/opcodes.hpp"

#include <algorithm>

namespace swirl::sass {

namespace {

/// One tensor-core instruction outweighs all multiply-adds of a loop.
constexpr std::ptrdiff_t fmas_of_tensor_cores = 1 << 16;

std::ptrdiff_t fmas_of(const Instruction& instruction) {
    const Kind kind = kind_of(instruction);
    if (kind == Kind::tensor) return fmas_of_tensor_cores;
    return kind == Kind::multiply_add || kind == Kind::double_multiply_add ? 1 : 0;
}

} // namespace

std::vector<LoopSpan> loops(const Code& code) {
    std::vector<LoopSpan> result;
    for (std::size_t body_index = 0; body_index < code.size(); ++body_index) {
        const auto distance = distance_of(code[body_index]);
        if (!distance || *distance >= 0) continue;
        const std::int64_t target = static_cast<std::int64_t>(body_index) + 1 + *distance;
        if (target >= 0) result.push_back({static_cast<std::size_t>(target), body_index});
    }
    return result;
}

std::optional<LoopSpan> main_loop(const Code& code) {
    const std::vector<LoopSpan> all = loops(code);
    std::optional<LoopSpan> best;
    std::ptrdiff_t most = 0;
    const auto fmas_in = [&](const LoopSpan& loop) {
        std::ptrdiff_t products = 0;
        for (std::size_t body_index = loop.first; body_index <= loop.last; ++body_index)
            products += fmas_of(code[body_index]);
        return products;
    };
    for (const LoopSpan& loop : all) {
        const bool is_innermost = std::ranges::none_of(all, [&](const LoopSpan& other) {
            return other != loop && other.first >= loop.first && other.last <= loop.last &&
                   fmas_in(other) > 0;
        });
        const auto products = fmas_in(loop);
        if (!is_innermost || products <= most) continue;
        best = loop;
        most = products;
    }
    return best;
}

} // namespace swirl::sass
