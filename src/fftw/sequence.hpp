#pragma once

#include "fftw/guru_problem.hpp"
#include "problem/problem.hpp"

#include <array>
#include <cstddef>
#include <vector>

/// Transforms that compute a problem of FFTW one after the other: nearly always one.
namespace swirl::fftw {

/// Memory that steps read and write: the arrays of an execution, and memory that it takes for itself.
enum class Memory : std::uint8_t { input_real, input_imaginary, output_real, output_imaginary, scratch };
constexpr std::size_t memories = 5;

/// The element with index 0 of an array: in which memory, and how many bytes from its pointer.
struct Place {
    Memory memory = Memory::input_real;
    Integer offset = 0;
};

/// The components of one side. Interleaved and real data have the first place alone.
using Places = std::array<Place, 2>;

struct Step {
    Transform transform;
    Places from;
    Places to;
};

constexpr Integer scratch_alignment = 64; ///< bytes; scratch is a multiple of it

struct Sequence {
    std::vector<Step> steps;
    std::size_t scratch_bytes = 0;
};

} // namespace swirl::fftw
