#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

namespace swirl::loops {

/// Holds temporaries in the array of results, so that fewer arrays compete for a core's caches.
///
/// A temporary that is no longer read when the first result is stored takes the place of results. One whose entries are
/// replaced by results at the same indices, in a few iterations at a time, becomes the array of results itself, or the array that
/// holds input and results. Without effect where all arrays fit into a core's caches, where stores bypass the caches, or where
/// results are converted to another data type: temporaries keep the precision and range of the arithmetic.
void reuse_output(LoopProgram& program, const Request& request);

} // namespace swirl::loops
