#include "machine/loops.hpp"

#include "machine/opcodes.hpp"

#include <algorithm>

namespace swirl::machine {

namespace {

/// One instruction of tensor cores multiplies more than all others of a loop.
constexpr std::ptrdiff_t products_of_tensor_cores = 1 << 16;

std::ptrdiff_t products_of(const Instruction& instruction) {
    const Kind kind = kind_of(instruction);
    if (kind == Kind::tensor) return products_of_tensor_cores;
    return kind == Kind::multiply_add || kind == Kind::double_multiply_add ? 1 : 0;
}

} // namespace

std::vector<LoopSpan> loops(const Code& code) {
    std::vector<LoopSpan> result;
    for (std::size_t place = 0; place < code.size(); ++place) {
        const auto distance = distance_of(code[place]);
        if (!distance || *distance >= 0) continue;
        const std::int64_t target = static_cast<std::int64_t>(place) + 1 + *distance;
        if (target >= 0) result.push_back({static_cast<std::size_t>(target), place});
    }
    return result;
}

std::optional<LoopSpan> main_loop(const Code& code) {
    const std::vector<LoopSpan> all = loops(code);
    std::optional<LoopSpan> best;
    std::ptrdiff_t most = 0;
    const auto products_in = [&](const LoopSpan& loop) {
        std::ptrdiff_t products = 0;
        for (std::size_t place = loop.first; place <= loop.last; ++place)
            products += products_of(code[place]);
        return products;
    };
    for (const LoopSpan& loop : all) {
        const bool is_innermost = std::ranges::none_of(all, [&](const LoopSpan& other) {
            return other != loop && other.first >= loop.first && other.last <= loop.last &&
                   products_in(other) > 0;
        });
        const auto products = products_in(loop);
        if (!is_innermost || products <= most) continue;
        best = loop;
        most = products;
    }
    return best;
}

} // namespace swirl::machine
