#pragma once

#include "formula/formula.hpp"

/// Matrices between a signal and its frames.
namespace swirl::api {

/// Samples of an extended signal.
struct ExtendedRange {
    Integer first;           ///< sample of the signal that is read first
    formula::Formula matrix; ///< from the samples that are read to the range
};
/// Samples begin … begin + count − 1 of a signal that is zero, or mirrored about its ends, beyond them. The range contains a
/// sample of the signal.
ExtendedRange extended_range(Integer samples, Integer begin, Integer count, bool mirrored);

struct Frames {
    Integer count;
    Integer length;
    Integer hop;
    Integer first_used, used; ///< samples of a frame that are added
};
/// The matrix that adds up frames, one after the other in memory, to samples `begin` … begin + samples − 1 of a signal whose first
/// frame begins at sample 0. Each is a sum over the frames that cover it, zero if none does. Runs of samples that the same frames
/// cover are one term; those that repeat from hop to hop are a loop.
formula::Formula overlap_add(const Frames& frames, Integer begin, Integer samples);

} // namespace swirl::api
