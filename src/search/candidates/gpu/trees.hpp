#pragma once

#include "formula/formula.hpp"
#include "rules/rule.hpp"

#include <optional>
#include <vector>

/// Breakdowns that the GPU kernels support.
namespace swirl::search {

/// Maximum points of a radix or codelet: its elements fit in a thread's registers in double precision too. Primes may
/// be larger.
constexpr Integer largest_gpu_radix = 16;
constexpr Integer largest_gpu_prime = 31;
/// Maximum reals that one thread transforms alone.
constexpr Integer largest_gpu_real_codelet = 64;

/// Whether one thread can compute this many points as one codelet.
bool is_gpu_radix(Integer n);

/// The fewest radices whose product is n, as equal as possible, largest first; empty if n has a larger prime factor.
std::vector<Integer> balanced_radices(Integer n);

/// A transform as passes over shared memory, or as one codelet. Nothing if no such breakdown exists yet.
std::optional<rules::BreakdownTree> gpu_tree(const formula::Formula& transform);

/// A formula that is a problem, or DFTs of several dimensions: each transform in it as passes or a codelet. Nothing if
/// one has no such breakdown.
std::optional<rules::BreakdownTree> gpu_formula_tree(const formula::Formula& given);

/// Passes in reverse order: the last forward pass and the first inverse pass cover the same columns.
rules::BreakdownTree reversed_passes(rules::BreakdownTree tree);

/// Whether a block of `entries` holds so few columns of a matrix of n points at once that two sweeps access narrow ranges of
/// memory.
bool are_sweeps_narrow(Integer n, Integer entries);

/// A DFT in three sweeps, as Stockham passes by radices that a block computes in its own passes: for lengths near the
/// square of a block's capacity and beyond. Nothing if a prime factor is large.
std::optional<rules::BreakdownTree> three_sweeps(Integer n);

/// A DFT of a composite number of points with prime factors above `largest_gpu_prime`: one sweep for each such prime,
/// whose columns are convolutions, and up to three more for the remaining factor. A block holds `entries`, and takes
/// convolutions of up to `largest` of them; longer ones take sweeps of their own. Nothing for primes and for products of
/// small primes.
std::optional<rules::BreakdownTree> sweeps_by_primes(Integer n, Integer entries, Integer largest);

/// The same for the limits worth rating: convolutions of which a block holds several, and of which it holds one.
std::vector<rules::BreakdownTree> sweeps_by_primes(Integer n, Integer entries);

/// A DFT that exceeds a block's shared memory and has a large prime factor: a convolution whose transforms take two or
/// three sweeps each. Nothing if it needs more than `most` entries.
std::optional<rules::BreakdownTree> swept_convolution(Integer n, int sweeps, Integer most);

/// Such convolutions worth rating, of a block that holds `entries`: two sweeps, and three where those leave so few columns
/// to a block that it accesses narrow segments of memory. Nothing where two sweeps do not reach.
std::vector<rules::BreakdownTree> swept_convolutions(Integer n, Integer most, Integer entries);

/// A DFT of two or three dimensions in two sweeps (rules/bands.cpp, rules/volume_bands.cpp) that need at most `entries`
/// per block. Few candidates, widest contiguous ranges first.
std::vector<rules::BreakdownTree> gpu_band_trees(const formula::Formula& transform, Integer entries);

/// The breakdowns worth rating of each transform in rule real-row-column (rules/real_row_column.cpp), in the order of its
/// children, `gpu_tree`'s first; empty if one has none. Radices up to `widest`.
std::vector<std::vector<rules::BreakdownTree>> gpu_real_row_column_breakdowns(
    const formula::Formula& transform, Integer widest);

/// The transform by that rule with these children, the contiguous dimension next to the real data.
rules::BreakdownTree gpu_real_row_column_tree(const formula::Formula& transform,
                                              std::vector<rules::BreakdownTree> children);

/// A real transform in two sweeps, `columns` first (rules/rdft_two_sweep.cpp), for powers of two; nothing if no such
/// breakdown exists.
std::optional<rules::BreakdownTree> real_two_sweep(Integer n, Integer columns, Direction direction);

/// The tree with Bluestein's convolutions in place of Rader's, whose entries need index tables; of those that are not
/// padded.
rules::BreakdownTree without_rader(rules::BreakdownTree tree);

/// Whether its nested transforms are calls of one kernel (see loops::LaunchConfiguration::fuse_nested).
bool stays_whole(const rules::BreakdownTree& tree);

/// The breakdowns worth rating, `gpu_tree`'s first if it exists: DFTs also by other radices, up to `widest`, in rising
/// and falling order.
std::vector<rules::BreakdownTree> gpu_trees(const formula::Formula& transform, Integer widest);

/// A DFT as falling passes by radices up to `widest`, if these take fewer passes than `gpu_tree`'s.
std::optional<rules::BreakdownTree> fewest_passes(Integer n, Integer widest);

/// The largest radix of its passes; 0 for a codelet.
Integer largest_radix_of(const rules::BreakdownTree& tree);

} // namespace swirl::search
