#pragma once

#include "fftw/guru_problem.hpp"
#include "fftw/sequence.hpp"

namespace swirl::fftw {

/// The transforms that compute the problem; none if a loop has length 0. What a transform cannot do by itself (other
/// strides in place, input and output that overlap) goes into scratch memory and is copied.
Sequence compose(const GuruProblem& problem);

} // namespace swirl::fftw
