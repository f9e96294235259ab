#pragma once

#include "formula/roots_of_unity.hpp"
#include "lower/context.hpp"
#include "lower/tabled_copy.hpp"

#include <vector>

namespace swirl::lower {

/// What one entry is multiplied by: a constant, or a product of diagonals that varies with loop variables, and entries of the
/// caller's array.
struct Factor {
    formula::Complex constant = 1;
    std::vector<Variable> variables; ///< empty: only the constant counts
    std::vector<MetDiagonal> varying;
    std::vector<Location> beside = {}; ///< where in the caller's array, in entries
    std::optional<Affine> limit =
        {}; ///< no factor is needed, and there may be none, where it is not negative

    bool is_one() const { return variables.empty() && beside.empty() && constant == formula::Complex(1); }
};

/// The digit of an affine index, when it is affine.
std::optional<Affine> digit_of(const formula::Digit& digit, const Affine& index, const Extents& extents);

/// Drops diagonals that are 1 for every value of the variables, folds the constant ones.
Factor factor_of(const std::vector<MetDiagonal>& diagonals, const Extents& extents);

/// The factor for the values of its variables that `lookup` gives.
/// What the factor is of is zero, and it is not read in the caller's array, but where the form is negative.
void limit_to(Factor& factor, const Affine& limit);

formula::Complex value_of(const Factor& factor, const IndexTable::Lookup& lookup,
                          formula::DiagonalValues& values);

/// Entries of a table of factors above which the factors become products of entries of smaller tables, where they can be: of one of as many
/// as a codelet reads; on GPUs as if it were alone.
Integer largest_factor_table(std::size_t tables);

/// How many values the factor's variables have.
Integer combinations(const Factor& factor, const Extents& extents);
/// Whether it is a root of unity to the power of a product of two digits that are affine in loop variables.
bool is_product_of_digits(const Factor& factor, const Extents& extents);
/// Factors whose product it is, each of so many values at most, as far as sums in its exponents allow: ω^{(x+y)·z} =
/// ω^{x·z} · ω^{y·z}.
std::vector<Factor> factor_terms(const Factor& factor, const Extents& extents, Integer most);

/// A digit of a loop's variable, in numbers of which each divides the next: (variable / divisor) mod count, or the quotient
/// itself, which is below the count. Factors name it by a symbol.
struct LoopDigit {
    Variable symbol;
    Variable variable;
    Integer divisor; ///< a power of two, as is the count of one that is not the highest
    Integer count;
    bool is_highest;
};

/// Factors whose product it is, also where exponents are no sums: loop variables are taken apart into digits,
/// ω^{x·z} = ω^{l·z} · ω^{h·z} with x = l + h, and for chirps ω^{(x+y)²/2} = ω^{x²/2} · ω^{x·y} · ω^{y²/2}.
class DigitTerms {
public:
    /// Of so many values each.
    DigitTerms(const Extents& extents, Integer most) : extents_(extents), most_(most) {}

    std::vector<Factor> terms_of(const Factor& factor);
    const std::vector<LoopDigit>& digits() const { return digits_; }
    const Extents& extents() const { return extents_; } ///< those of the digits too

    /// Of a sum of forms that are never negative the digits of its longest variable in place of that; whether there is one.
    bool divide(std::vector<Affine*> forms, std::optional<Variable> whole);

private:
    void add_chirp(const formula::ChirpFunction& chirp, const Affine& index, std::vector<Factor>& result);
    Variable digit(Variable variable, Integer divisor, Integer count, bool is_highest);

    Extents extents_;
    Integer most_;
    std::vector<LoopDigit> digits_;
};

/// ω^{(c_e + f)·g} for entry e, c_e constant, f and g forms of loop variables, as ω^{c_e·g} · ω^{f·g}: two small tables
/// where one would hold every combination, and the second is the same for all entries.
struct SplitFactors {
    std::vector<Factor> own;
    Factor common;
};
/// Nothing where the factors are not such twiddles or where one table is to be loaded: by its size a small one.
std::optional<SplitFactors> split_factors(const std::vector<Factor>& factors, const Extents& extents,
                                          Roots roots);

/// Each entry's factor as a product of some of a few.
struct FactorProducts {
    std::vector<Factor> factors;
    std::vector<std::vector<std::size_t>> of_entry; ///< numbers of factors, ascending
};
/// ω^{c_e·g} for entry e, c_e constant and g a form of loop variables, as ω^{l·g} · ω^{h·g} with c_e = l + h, h a multiple of a
/// number about as large as the root of the entries. Nothing as for `split_factors`.
std::optional<FactorProducts> factor_products(const std::vector<Factor>& factors, const Extents& extents,
                                              Roots roots);

/// Each entry's factor as a product of groups of a few; a group is a product that entries share, formed first.
struct FactorGroups {
    std::vector<Factor> factors;
    std::vector<std::vector<std::vector<std::size_t>>> of_entry; ///< numbers of factors
    std::vector<LoopDigit> digits;                               ///< that factors vary with, on GPUs
};
/// One factor an entry, or, where tables of these would be large, split_factors, on GPUs else factor_products, and factor_terms of
/// them. Reals stay whole.
FactorGroups factor_groups(std::vector<Factor> factors, bool complex, bool for_gpu, const Extents& extents,
                           Roots roots);

/// The loop that becomes vector lanes: `lead` iterations after which most accesses are aligned, as one short vector,
/// then full vectors, then the ragged rest.
struct LaneLoop {
    Loop loop;
    Integer lanes;
    Integer lead = 0; ///< < lanes, ≤ loop.count
    Integer vectors() const { return (loop.count - lead) / lanes; }
    Integer rest() const { return (loop.count - lead) % lanes; }
    Integer all_vectors() const { return (lead > 0) + ceil_divide(loop.count - lead, lanes); }
    /// Of iteration i.
    Integer vector_of(Integer i) const { return i < lead ? 0 : (lead > 0) + (i - lead) / lanes; }
    Integer lane_of(Integer i) const { return i < lead ? i : (i - lead) % lanes; }
};

/// Tables that hold the varying factors of a codelet's entries, one for each set of variables. Layout:
/// [loops the group varies with, outermost first…][vector][entry][re, im][lane].
class FactorTables {
public:
    /// `complex`: entries are complex; else tables hold real parts alone.
    FactorTables(Context& context, bool complex, std::vector<Factor> factors, const std::vector<Loop>& loops,
                 const std::optional<LaneLoop>& lane);

    /// entry · its factor. `vector` and `lane` are the lane loop's two parts as program forms.
    Scaled apply(std::size_t entry, const Scaled& value, Arithmetic& arithmetic, const Affine& vector,
                 const Affine& lane);

private:
    struct Place {
        Context::TablePlace table;
        Affine start;          ///< in lowering variables and symbols of digits, without the lane loop
        Integer vector_stride; ///< 0: does not vary with the lane loop
        Integer part_stride;   ///< from the real to the imaginary part
        /// Of an even sequence of so many entries, of which the table has the first half and `start` is a place in all; else 0.
        Integer whole = 0;
    };
    void add_lists();
    Context::TablePlace table_of_list(const Factor& factor);
    ir::Value place_in_half(const Place& place);
    void add_tables(const std::vector<Loop>& loops, const std::optional<LaneLoop>& lane);
    void add_group(const std::vector<std::size_t>& entries, const std::vector<Loop>& loops,
                   const std::optional<LaneLoop>& lane);
    void find_beside(const std::vector<Loop>& loops);
    Scaled multiply_beside(std::size_t place, const Scaled& value, Arithmetic& arithmetic);
    Scaled multiply(const std::vector<std::size_t>& group, const Scaled& value, Arithmetic& arithmetic,
                    const Affine& vector, const Affine& lane);
    Scaled load(const Place& place, const Affine& vector, const Affine& lane);
    ir::Value digit_of_loop(const LoopDigit& digit);

    Context& context_;
    bool complex_;
    std::vector<LoopDigit> digits_;
    formula::DiagonalValues diagonal_values_;
    std::vector<Factor> factors_;
    std::vector<std::vector<std::vector<std::size_t>>> of_entry_; ///< see FactorGroups
    std::vector<std::optional<Place>> places_;                    ///< by factor
    std::vector<long double> left_out_; ///< by factor: what entries are multiplied by besides, else 1
    std::vector<Location> beside_;      ///< places in the caller's array, in scalars
    std::vector<std::vector<std::size_t>> beside_of_; ///< by factor
    std::optional<IndexTables> beside_tables_;
};

} // namespace swirl::lower
