#pragma once

#include "formula/roots_of_unity.hpp"
#include "lower/context.hpp"
#include "lower/tabled_copy.hpp"

#include <vector>

namespace swirl::lower {

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

/// Drops diagonals that are 1 for all values of the variables, and folds constant ones.
Twiddle twiddle_of(const std::vector<FoldedDiagonal>& diagonals, const Extents& extents);

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
/// Whether it is a root of unity to the power of a product of two digits that are affine in loop variables.
bool is_product_of_digits(const Twiddle& twiddle, const Extents& extents);
/// Factors of the twiddle with at most `most` values each, as far as sums in its exponents allow:
/// ω^{(x+y)·z} = ω^{x·z} · ω^{y·z}.
std::vector<Twiddle> twiddle_terms(const Twiddle& twiddle, const Extents& extents, Integer most);

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
/// ω^{x·z} = ω^{l·z} · ω^{h·z} with x = l + h, and for chirps ω^{(x+y)²/2} = ω^{x²/2} · ω^{x·y} · ω^{y²/2}.
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
    void add_chirp(const formula::ChirpFunction& chirp, const Affine& index, std::vector<Twiddle>& result);
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
/// ω^{c_e·g} for entry e, c_e constant and g a form of loop variables, as ω^{l·g} · ω^{h·g} with c_e = l + h, h a
/// multiple of a constant near the square root of the number of entries. Nothing as for `split_twiddles`.
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

/// The loop that becomes vector lanes: `lead` iterations as one short vector, after which most accesses are aligned,
/// then full vectors, then the remainder.
struct LaneLoop {
    Loop loop;
    Integer lanes;
    Integer lead = 0; ///< < lanes, ≤ loop.count
    Integer vectors() const { return (loop.count - lead) / lanes; }
    Integer rest() const { return (loop.count - lead) % lanes; }
    Integer all_vectors() const { return (lead > 0) + ceil_divide(loop.count - lead, lanes); }
    /// Vector and lane of iteration i.
    Integer vector_of(Integer i) const { return i < lead ? 0 : (lead > 0) + (i - lead) / lanes; }
    Integer lane_of(Integer i) const { return i < lead ? i : (i - lead) % lanes; }
};

/// Tables of the varying twiddles of a codelet's entries, one per set of variables. Layout: [loops the group depends
/// on, outermost first…][vector][entry][re, im][lane].
class TwiddleTables {
public:
    /// `complex`: entries are complex; otherwise tables hold only real components.
    TwiddleTables(Context& context, bool complex, std::vector<Twiddle> twiddles,
                  const std::vector<Loop>& loops, const std::optional<LaneLoop>& lane);

    /// entry · its twiddle. `vector` and `lane` are the lane loop's indices as program forms.
    Scaled apply(std::size_t entry, const Scaled& value, Arithmetic& arithmetic, const Affine& vector,
                 const Affine& lane);

private:
    struct TableAddress {
        Context::TableLocation table;
        Affine start;             ///< in lowering variables and symbols of digits, without the lane loop
        Integer vector_stride;    ///< 0: independent of the lane loop
        Integer component_stride; ///< from the real to the imaginary component
        /// Length of an even sequence of which the table holds the first half and `start` is an index into all of it;
        /// else 0.
        Integer whole = 0;
    };
    void add_lists();
    Context::TableLocation table_of_list(const Twiddle& twiddle);
    ir::Value offset_in_half(const TableAddress& location);
    void add_tables(const std::vector<Loop>& loops, const std::optional<LaneLoop>& lane);
    void add_group(const std::vector<std::size_t>& entries, const std::vector<Loop>& loops,
                   const std::optional<LaneLoop>& lane);
    void find_auxiliary(const std::vector<Loop>& loops);
    Scaled multiply_auxiliary(std::size_t location, const Scaled& value, Arithmetic& arithmetic);
    Scaled multiply(const std::vector<std::size_t>& group, const Scaled& value, Arithmetic& arithmetic,
                    const Affine& vector, const Affine& lane);
    Scaled load(const TableAddress& location, const Affine& vector, const Affine& lane);
    ir::Value digit_of_loop(const LoopDigit& digit);

    Context& context_;
    bool complex_;
    std::vector<LoopDigit> digits_;
    formula::DiagonalValues diagonal_values_;
    std::vector<Twiddle> twiddles_;
    std::vector<std::vector<std::vector<std::size_t>>> of_entry_; ///< see TwiddleGroups
    std::vector<std::optional<TableAddress>> locations_;          ///< by twiddle
    std::vector<long double> overflow_scale_; ///< by twiddle: separate multiplier of entries, 1 if none
    std::vector<Location> auxiliary_;         ///< in the caller's array, in scalars
    std::vector<std::vector<std::size_t>> auxiliary_of_; ///< by twiddle
    std::optional<IndexTables> auxiliary_tables_;
};

} // namespace swirl::lower
