#pragma once

#include <swirl/distributed/box.hpp>
#include <swirl/kinds.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// FFTW's ways to divide arrays among ranks.
namespace swirl::fftw_mpi {

constexpr Integer default_block = 0; ///< FFTW_MPI_DEFAULT_BLOCK

/// A range of indices that a rank has of an axis which is divided.
struct Range {
    Integer begin = 0;
    Integer count = 0; ///< of a rank without data 0, and `begin` is 0
};

/// The size of blocks that was asked for, by default ⌈n/ranks⌉; none if the blocks would be more than the ranks.
std::optional<Integer> block_of(Integer n, Integer asked, int ranks);
/// Rank r has block r.
Range range_of(Integer n, Integer block, int rank);

/// How one side of a problem is stored: `howmany` interleaved arrays, of which one axis is divided.
struct Storage {
    std::vector<Integer> lengths; ///< of the dimensions, in elements of this side
    Integer howmany = 1;
    bool is_transposed = false; ///< the first two axes are exchanged in memory, and the second is divided
    Integer block = 1;

    std::size_t divided() const { return is_transposed ? 1 : 0; }
    /// Of a problem whose axes are the loop over `howmany`, then the dimensions.
    distributed::Box box(int rank) const;
};

} // namespace swirl::fftw_mpi
