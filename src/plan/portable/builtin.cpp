#include "plan/portable/builtin.hpp"

#include "formula/print.hpp"
#include "formula/rewrite.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule.hpp"

#include <cstdint>

#define SWIRL_BUILTIN(FORMULA, SCALAR, FUNCTION, FLOPS) \
    extern "C" void FUNCTION(void* const* buffers, const std::int64_t* parameters);
#include <builtin_list.inc>
#undef SWIRL_BUILTIN

namespace swirl::planning {

using namespace formula;

namespace {

constexpr BuiltinEntry entries[] = {
#define SWIRL_BUILTIN(FORMULA, SCALAR, FUNCTION, FLOPS) {FORMULA, DataType::SCALAR, FUNCTION, FLOPS},
#include <builtin_list.inc>
#undef SWIRL_BUILTIN
};

/// The largest built-in radix that leaves a radix for the next pass; 0 for primes that are not built in.
Integer radix_of(Integer n, DataType scalar) {
    Integer best = 0;
    for (Integer r = 2; r <= n / 2; ++r) {
        if (n % r != 0 || !find_builtin(DFT(r), scalar)) continue;
        best = r;
        if (r * r >= n) break; // balanced
    }
    return best;
}

std::optional<Formula> broken_down(const Formula& f, DataType scalar) {
    if (!f.is<Dft>() || f.rows() == 1 || find_builtin(f, scalar)) return std::nullopt;
    const Integer radix = radix_of(f.rows(), scalar);
    if (radix == 0 && !rules::is_prime(f.rows())) {
        const Integer p = rules::largest_prime_factor(f.rows());
        return with_builtin_codelets(rules::expand(f, {"stockham", {p, f.rows() / p}, {}}), scalar);
    }
    const rules::BreakdownTree tree = radix == 0
                                          ? rules::BreakdownTree{"rader", {}, {}}
                                          : rules::BreakdownTree{"stockham", {f.rows() / radix, radix}, {}};
    return with_builtin_codelets(rules::expand(f, tree), scalar);
}

} // namespace

std::span<const BuiltinEntry> builtin_entries() { return entries; }

std::optional<BuiltinMatch> find_builtin(const Formula& formula, DataType scalar) {
    if (!is_nonterminal(formula)) return std::nullopt;
    const auto* dft = formula.get_if<Dft>();
    const bool backward = dft && dft->direction == Direction::backward;
    const std::string text = to_text(backward ? DFT(formula.rows()) : formula);
    for (const BuiltinEntry& entry : entries)
        if (entry.scalar == scalar && entry.formula == text) return BuiltinMatch{&entry, backward};
    return std::nullopt;
}

Formula with_builtin_codelets(const Formula& formula, DataType scalar) {
    return rewrite(formula, [&](const Formula& f) { return broken_down(f, scalar); });
}

} // namespace swirl::planning
