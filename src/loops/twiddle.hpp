#pragma once

#include "formula/roots_of_unity.hpp"
#include "loops/loop_program.hpp"

#include <optional>
#include <vector>

/// Diagonals folded into the ends of codelets: what multiplies each entry, as products of factors with small tables.
namespace swirl::loops {

/// Whether twiddle factors are loaded from one table, or are products of entries of two small tables.
enum class Roots : std::uint8_t { by_size, loaded, multiplied };

/// Multiplier of one entry: a constant, or a product of diagonals that vary with loop variables, and elements of the
/// caller's array.
struct Twiddle {
    formula::Complex constant = 1;
    std::vector<Variable> variables; ///< empty: the twiddle is the constant
    std::vector<FoldedDiagonal> varying;
    std::vector<Location> auxiliary = {}; ///< offsets in the caller's array, in entries
    std::optional<Affine> limit =
        {}; ///< where this is not negative, no twiddle is needed, and there may be none

    bool is_one() const { return variables.empty() && auxiliary.empty() && constant == formula::Complex(1); }
};

/// The digit of an affine index, if it is affine.
std::optional<Affine> digit_of(const formula::Digit& digit, const Affine& index, const Extents& extents);

/// Drops diagonals equal to 1 for all values of the variables, folds constant ones, and multiplies chirps of one index.
Twiddle twiddle_of(const std::vector<FoldedDiagonal>& diagonals, const Extents& extents);

/// Whether the twiddle's diagonals depend on all variables of the form.
bool varies_with(const Twiddle& twiddle, const Affine& form);

/// Restricts the twiddle to where `limit` is negative: elsewhere its entry is zero, and the caller's array is not
/// read.
void limit_to(Twiddle& twiddle, const Affine& limit);

/// The twiddle for the values of its variables that `lookup` gives.
formula::Complex value_of(const Twiddle& twiddle, const IndexTable::Lookup& lookup,
                          formula::DiagonalValues& values);

/// Table size above which twiddles become products of entries of smaller tables, if possible, given the number of
/// tables that a codelet reads; on GPUs as for a single one.
Integer max_twiddle_table(std::size_t tables);

/// Number of values of the twiddle's variables.
Integer combinations(const Twiddle& twiddle, const Extents& extents);
/// The index into a diagonal of this function, if it is a form of loop variables that is never negative.
template <class Function> std::optional<Affine> index_of(const FoldedDiagonal& met, const Extents& extents) {
    if (!std::holds_alternative<Function>(met.diagonal.function) || met.table) return std::nullopt;
    const auto index = evaluate(met.diagonal.index, met.index, extents);
    return index && bounds(*index, extents).first >= 0 ? index : std::nullopt;
}
/// Whether it is a root of unity to the power of a product of two digits that are affine in loop variables.
bool is_product_of_digits(const Twiddle& twiddle, const Extents& extents);
/// Bound on the entries of a chirp's tables that are loaded directly: for GPUs, of all tables of a codelet.
constexpr Integer largest_chirp_table = Integer{1} << 20;
/// Whether it is a chirp beyond that bound, at a form of loop variables.
bool is_long_chirp(const Twiddle& twiddle, const Extents& extents);
/// Factors of the twiddle with at most `most` values each, as far as sums in its exponents allow:
/// ω^{(x+y)·z} = ω^{x·z} · ω^{y·z}, and for long chirps ω^{(x+y)²/2} = ω^{x²/2} · ω^{x·y} · ω^{y²/2}.
std::vector<Twiddle> twiddle_terms(Twiddle twiddle, const Extents& extents, Integer most);

/// A digit of a loop variable, in a mixed radix where each divisor divides the next: (variable / divisor) mod count,
/// or the quotient itself, which is below the count. Twiddles name it by a symbol.
struct LoopDigit {
    Variable symbol;
    Variable variable;
    Integer divisor; ///< a power of two, like the count of all but the highest digit
    Integer count;
    bool is_highest;
};

/// Factors of a twiddle, also if exponents are no sums: loop variables are split into digits,
/// ω^{x·z} = ω^{l·z} · ω^{h·z} with x = l + h, and so for all chirps.
class DigitTerms {
public:
    /// With at most `most` values per factor.
    DigitTerms(const Extents& extents, Integer most) : extents_(extents), most_(most) {}

    std::vector<Twiddle> terms_of(const Twiddle& twiddle);
    const std::vector<LoopDigit>& digits() const { return digits_; }
    const Extents& extents() const { return extents_; } ///< including those of the digits

    /// Splits the longest variable of a sum of non-negative forms into digits, in place; false if there is none.
    bool divide(std::vector<Affine*> forms, std::optional<Variable> whole);

private:
    Variable digit(Variable variable, Integer divisor, Integer count, bool is_highest);

    Extents extents_;
    Integer most_;
    std::vector<LoopDigit> digits_;
};

/// ω^{(c_e + f)·g} for entry e, c_e constant, f and g forms of loop variables, as ω^{c_e·g} · ω^{f·g}: two small tables
/// instead of one with every combination; the second is the same for all entries.
struct SplitTwiddles {
    std::vector<Twiddle> own;
    Twiddle common;
};
/// Nothing for other twiddles, or if one table is to be loaded directly; by size, small tables are.
std::optional<SplitTwiddles> split_twiddles(const std::vector<Twiddle>& twiddles, const Extents& extents,
                                            Roots roots);

/// Each entry's twiddle as a product of some of these twiddles.
struct TwiddleProducts {
    std::vector<Twiddle> twiddles;
    std::vector<std::vector<std::size_t>> of_entry; ///< indices of twiddles, ascending
};
/// ω^{c_e·g} for entry e, c_e constant and g a form of loop variables, as ω^{l·g} · ω^{h·g} with c_e = l + h, where h is
/// a multiple of a constant: the greatest common divisor of all c_e times a number near the square root of that of the
/// entries. Nothing as for `split_twiddles`.
std::optional<TwiddleProducts> twiddle_products(const std::vector<Twiddle>& twiddles, const Extents& extents,
                                                Roots roots);

/// Each entry's twiddle as a product of groups; a group is a product shared by entries and computed first.
struct TwiddleGroups {
    std::vector<Twiddle> twiddles;
    std::vector<std::vector<std::vector<std::size_t>>> of_entry; ///< indices of twiddles
    std::vector<LoopDigit> digits;                               ///< on which twiddles depend, on GPUs
};
/// One twiddle per entry, or, if their tables would be large, split_twiddles (on GPUs otherwise twiddle_products),
/// each split by twiddle_terms. Real twiddles are never split.
TwiddleGroups twiddle_groups(std::vector<Twiddle> twiddles, bool complex, bool for_gpu,
                             const Extents& extents, Roots roots);

} // namespace swirl::loops
