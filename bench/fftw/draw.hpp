#pragma once

#include "bench/fftw/library.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace swirl::bench {

/// A problem of the guru interface. Strides count elements of their side.
struct GuruProblem {
    enum class Kind : std::uint8_t { dft, r2c, c2r, r2r };

    Kind kind = Kind::dft;
    bool in_place = false;
    int sign = FFTW_FORWARD;
    std::vector<fftw_iodim64> dimensions = {}, loops = {};
    std::vector<fftw_r2r_kind> kinds = {}; ///< of r2r, one for each dimension

    std::string text() const;
    /// Real numbers from the first to the last element of a side; all strides are positive.
    std::size_t reals(bool of_input) const;
};

/// Which layouts are drawn.
enum class Layouts : std::uint8_t {
    contiguous, ///< row-major, one transform after the other
    strided,    ///< dimensions and loops nested in any order, with gaps
};

/// Of one to three dimensions and 16 to `most` elements in all loops. Half of the lengths have no prime above 7, a fifth are
/// powers of two, the others anything.
GuruProblem draw(std::mt19937_64& random, GuruProblem::Kind kind, Layouts layouts, std::int64_t most);

} // namespace swirl::bench
