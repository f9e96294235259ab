#pragma once

#include "loops/twiddle.hpp"
#include "loops/vector_loop.hpp"
#include "lower/context.hpp"
#include "lower/tabled_copy.hpp"

#include <memory>
#include <vector>

namespace swirl::lower {

class ChirpSpectrumFactors;

/// Tables of the varying twiddles of a codelet's entries, one per set of variables. Layout: [loops the group depends
/// on, outermost first…][vector][entry][re, im][lane].
class TwiddleTables {
public:
    /// `complex`: entries are complex; otherwise tables hold only real components.
    TwiddleTables(Context& context, bool complex, std::vector<Twiddle> twiddles,
                  const std::vector<Loop>& loops, const std::optional<VectorLoop>& lane);

    /// entry · its twiddle. `vector` and `lane` are the lane loop's indices as program forms.
    Scaled apply(std::size_t entry, const Scaled& value, Arithmetic& arithmetic, const Affine& vector,
                 const Affine& lane);
    /// The twiddle itself.
    Scaled factor(std::size_t entry, Arithmetic& arithmetic, const Affine& vector, const Affine& lane);

    ~TwiddleTables();
    TwiddleTables(TwiddleTables&&) noexcept;

private:
    struct TableAddress {
        Context::TableLocation table;
        Affine start;             ///< in lowering variables and symbols of digits, without the lane loop
        Integer vector_stride;    ///< 0: independent of the lane loop
        Integer component_stride; ///< from the real to the imaginary component
        /// Length of an even sequence; the table holds its first half, and `start` is an index into the whole sequence;
        /// else 0.
        Integer whole = 0;
    };
    void add_lists();
    Context::TableLocation table_of_list(const Twiddle& twiddle);
    ir::Value offset_in_half(const TableAddress& location);
    void add_tables(const std::vector<Loop>& loops, const std::optional<VectorLoop>& lane);
    /// Nothing if values depend on more than the loops.
    std::optional<TwiddleTableContents> contents_of(const std::vector<std::size_t>& entries,
                                                    const std::vector<Loop>& loops,
                                                    const std::optional<VectorLoop>& lane) const;
    void add_group(const std::vector<std::size_t>& entries, const std::vector<Loop>& loops,
                   const std::optional<VectorLoop>& lane);
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
    std::unique_ptr<ChirpSpectrumFactors> spectrum_;
};

} // namespace swirl::lower
