#pragma once

#include "base/integer.hpp"
#include "fftw/guru_problem.hpp"
#include "fftw/plan.hpp"

#include <optional>
#include <vector>

/// FFTW's interfaces as guru problems, the same for both precisions.
namespace swirl::fftw {

/// Dimensions and loops; none for arguments that FFTW answers with a null plan.
struct Loops {
    std::vector<GuruAxis> dimensions;
    std::vector<GuruAxis> loops;
};
using MaybeLoops = std::optional<Loops>;

/// How many real numbers one element has: the unit of strides.
enum class Element : std::uint8_t { real = 1, complex = 2 };

/// One side of the advanced interface. A null pointer in place of the lengths of the array that holds the data stands for
/// the lengths of the data.
struct ManySide {
    Element element = Element::complex;
    const int* embedding = nullptr;
    int stride = 1;
    int distance = 1;
};

/// Of the advanced interface; with one loop of length 1, of the basic one. `is_half`: of r2c and c2r, whose complex rows
/// have n/2+1 elements; in place the rows of real data have room for these.
MaybeLoops many_loops(int rank, const int* lengths, int count, const ManySide& input, const ManySide& output,
                      bool is_half = false, bool is_in_place = false);

/// Of the guru interfaces, whose axes are `Axis`: members n, is and os.
template <class Axis>
MaybeLoops guru_loops(int rank, const Axis* dimensions, int loops_rank, const Axis* loops, Element input,
                      Element output) {
    if (rank < 0 || loops_rank < 0) return std::nullopt;
    Loops result;
    const auto append = [&](std::vector<GuruAxis>& axes, const Axis& axis, Integer least) {
        const auto input_stride = checked_multiply(axis.is, static_cast<Integer>(input)),
                   output_stride = checked_multiply(axis.os, static_cast<Integer>(output));
        if (axis.n < least || !input_stride || !output_stride) return false;
        axes.push_back({axis.n, *input_stride, *output_stride});
        return true;
    };
    for (int i = 0; i < rank; ++i)
        if (!append(result.dimensions, dimensions[i], 1)) return std::nullopt;
    for (int i = 0; i < loops_rank; ++i)
        if (!append(result.loops, loops[i], 0)) return std::nullopt;
    return result;
}

/// The same of numbers in arrays, as Fortran has them.
MaybeLoops guru_loops(int rank, const int* lengths, const int* input_strides, const int* output_strides,
                      int loops_rank, const int* loop_lengths, const int* loop_input_strides,
                      const int* loop_output_strides, Element input, Element output);

/// Components of interleaved data, exchanged for backward transforms.
Arrays complex_arrays(void* input, void* output, DataType precision, bool is_backward);
Arrays real_to_complex_arrays(void* input, void* output, DataType precision);
Arrays complex_to_real_arrays(void* input, void* output, DataType precision);

/// Whether the exponent of this sign is that of a backward transform.
constexpr bool is_backward(int sign) { return sign != -1; }

/// The plan, which the caller owns; null if there is none. `kinds` has one value for each dimension of an r2r.
const Plan* request(GuruKind kind, DataType precision, MaybeLoops loops, const Arrays& arrays, unsigned flags,
                    bool is_backward = false);
const Plan* request_r2r(DataType precision, MaybeLoops loops, const Arrays& arrays,
                        const std::vector<int>& kinds, unsigned flags);

} // namespace swirl::fftw
