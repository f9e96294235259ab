#pragma once

#include "problem/problem.hpp"
#include "target/gpu.hpp"

namespace swirl::planning {

/// Bytes of workspace that any plan for a CPU has at least: one copy of the longest transform, where that is no small one.
/// For a valid problem; it saturates.
Integer least_workspace(const Problem& problem);

/// UserError where that is more than this process may have, before anything is derived: tables alone would take it all.
void require_memory(const Problem& problem);

/// Of the card with the most: what is assumed where none is at hand.
constexpr Integer largest_gpu_memory = Integer{288} << 30;

/// Bytes of its memory that any plan for such a GPU has at least, beside the caller's arrays: where blocks hand on to others, a
/// copy of the longest transform; where its length has a large prime factor, a convolution and its tables. It saturates.
Integer least_gpu_memory(const Problem& problem, const target::Gpu& gpu);

/// Bytes of the elements that input and output have, of the whole batch; those of an array with gaps are counted without these. It
/// saturates.
Integer array_bytes(const Problem& problem);

/// UserError where a GPU with so much memory has not that much, before anything is derived, or where the arrays beside it would fit
/// on no GPU. (On the one at hand they may: managed memory is larger.)
void require_gpu_memory(const Problem& problem, const target::Gpu& gpu, Integer memory = largest_gpu_memory);

} // namespace swirl::planning
