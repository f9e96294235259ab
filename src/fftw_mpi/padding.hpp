#pragma once

#include <swirl/kinds.hpp>

#include <cstddef>

namespace swirl::fftw_mpi {

/// Rows of reals, which FFTW's arrays of r2c and c2r keep 2(n/2+1) elements apart; distributed plans have them one after
/// the other.
struct PaddedRows {
    Integer count = 0;
    Integer row_bytes = 0;    ///< of elements
    Integer padded_bytes = 0; ///< from one row to the next

    std::size_t packed_bytes() const { return static_cast<std::size_t>(count * row_bytes); }
    /// From padded to contiguous rows, in another array, or to the beginning of the same one.
    void pack(const void* padded, void* packed) const;
    /// From the array's beginning to padded rows in the same array. Padding keeps any values.
    void unpack(void* rows) const;
};

} // namespace swirl::fftw_mpi
