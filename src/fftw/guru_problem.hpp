#pragma once

#include <swirl/data_type.hpp>
#include <swirl/kinds.hpp>

#include <cstdint>
#include <vector>

/// A problem as FFTW's most general interface, guru, states it: all others become one of these.
namespace swirl::fftw {

/// Pointers to the elements with index 0. The imaginary components of real data are null.
struct Arrays {
    void* input_real = nullptr;
    void* input_imaginary = nullptr;
    void* output_real = nullptr;
    void* output_imaginary = nullptr;
};

/// A dimension, or a loop around the transform. Strides count real numbers on both sides, also those of complex data,
/// whose components may lie next to each other or in two arrays.
struct GuruAxis {
    Integer length = 1;
    Integer input_stride = 0;
    Integer output_stride = 0;
};

enum class GuruKind : std::uint8_t { dft, r2c, c2r, r2r };

/// Complex transforms are forward: a backward one is forward with real and imaginary components exchanged on both sides.
struct GuruProblem {
    GuruKind kind = GuruKind::dft;
    DataType precision = DataType::float64;
    std::vector<GuruAxis> dimensions; ///< slowest first; r2c and c2r halve the last one's spectrum
    std::vector<GuruAxis> loops;
    std::vector<TransformKind> kinds = {}; ///< of r2r: one for each dimension
    Arrays arrays = {}; ///< compared, never read: they say what is in place and what is interleaved
};

} // namespace swirl::fftw
