#pragma once

#include "formula/formula.hpp"
#include "rules/rule.hpp"

#include <optional>
#include <vector>

/// Breakdowns that GPUs have kernels for.
namespace swirl::search {

/// The most points of a radix or codelet, whose numbers a thread keeps in registers in double precision too; primes may be
/// larger.
constexpr Integer largest_gpu_radix = 16;
constexpr Integer largest_gpu_prime = 31;
/// The most reals that one thread transforms alone.
constexpr Integer largest_gpu_real_codelet = 64;

/// Whether one codelet of this many points is right for a thread.
bool is_gpu_radix(Integer n);

/// The fewest radices whose product is n, as equal as can be, the largest first; none where n has a larger prime factor.
std::vector<Integer> balanced_radices(Integer n);

/// A transform in passes over shared memory, or as one codelet. Nothing where there is no such breakdown (yet).
std::optional<rules::BreakdownTree> gpu_tree(const formula::Formula& transform);

/// Passes in reverse order: the last one there and the first one back are over the same columns.
rules::BreakdownTree reversed_passes(rules::BreakdownTree tree);

/// A DFT in three sweeps, as Stockham's passes by radices that blocks do in passes of their own: for lengths beyond the square
/// of what a block holds. Nothing where a prime factor is large.
std::optional<rules::BreakdownTree> three_sweeps(Integer n);

/// A DFT of a composite number of points with prime factors above `largest_gpu_prime`: a sweep for each of these, whose columns are
/// convolutions, and passes over what is left in up to three more. A block holds `entries`. Nothing for primes and for products of
/// small primes.
std::optional<rules::BreakdownTree> sweeps_by_primes(Integer n, Integer entries);

/// A DFT beyond a block's shared memory whose number of points has a large prime factor: as a convolution, its transforms in
/// two or three sweeps each. Nothing where it would have more than `most` entries.
std::optional<rules::BreakdownTree> swept_convolution(Integer n, int sweeps, Integer most);

/// A DFT of two or three dimensions in two sweeps (rules/bands.cpp, rules/volume_bands.cpp) of which no block needs more than
/// `entries`: few, those of the widest pieces first.
std::vector<rules::BreakdownTree> gpu_band_trees(const formula::Formula& transform, Integer entries);

/// A real transform in two sweeps with `columns` first (rules/rdft_two_sweep.cpp) of powers of two, where there is such a breakdown.
std::optional<rules::BreakdownTree> real_two_sweep(Integer n, Integer columns, Direction direction);

/// The tree with Bluestein's convolutions in place of Rader's, which reach their entries by tables of indices.
rules::BreakdownTree without_rader(rules::BreakdownTree tree);

/// Whether the transforms within it are steps of one kernel (see lower::GpuMapping::whole).
bool stays_whole(const rules::BreakdownTree& tree);

/// The breakdowns worth rating, `gpu_tree`'s first where there is one: of DFTs by other radices too, up to `widest`, in
/// rising and falling order.
std::vector<rules::BreakdownTree> gpu_trees(const formula::Formula& transform, Integer widest);

/// The largest radix of its passes; 0 for a codelet.
Integer largest_radix_of(const rules::BreakdownTree& tree);

} // namespace swirl::search
