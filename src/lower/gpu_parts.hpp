#pragma once

#include "lower/loop_program.hpp"

#include <vector>

/// Loop programs taken apart into kernels for a GPU.
namespace swirl::lower {

/// What one kernel does: steps one after the other, in loops whose iterations are independent of each other.
struct GpuPart {
    std::vector<Loop> around; ///< outermost first
    std::vector<Call> calls;
    bool over_all = false; ///< its steps, independent of each other, go over whole vectors in global memory
};

struct GpuParts {
    LoopProgram loops;          ///< arrays and extents; its body is in `parts`
    std::vector<GpuPart> parts; ///< in order
    std::vector<Loop> common;   ///< the loops around all of them
    /// Of each kernel that does parts together, one past the last of them: parts in one loop within those around all, or all parts
    /// where each has loops of its own.
    std::vector<std::size_t> ends_together;
    std::vector<int> carried; ///< temporaries by which one part hands something to another
    /// By array, the loops around all parts that touch it: of those carried in global memory each iteration has its own.
    std::vector<std::vector<Loop>> around_users;
};

/// Where lies what one part hands to another; `shared`: where one kernel does both together.
enum class Between : std::uint8_t { global, shared };

/// Each run of steps in the same loops is a part, and has the zeros that are due in these loops. Temporaries that carry something from one part to another lie where
/// `between` says; in global memory one for each iteration of the loops that the parts which touch it have in common, numbers
/// of adjacent pairs. The others are shared by a block's threads. Where `apart` is not 0, parts in no loops of their own that would
/// hand on more numbers from step to step come apart: see take_apart.
GpuParts gpu_parts(LoopProgram loops, Between between, Integer apart = 0);

/// Those of the parts that the kernel of that number does together.
GpuParts together(const GpuParts& parts, std::size_t kernel);

/// Places that codelets which compute reach through tables of indices.
Integer index_tables(const GpuParts& parts);

/// Whether each step but the last writes one shared vector and the next reads that one alone.
bool is_chain(const LoopProgram& loops, const GpuPart& part);

/// A codelet alone: its own loops, but for a few iterations of inner ones, become loops around it, which are blocks.
void open_loops_of(GpuPart& part);

bool is_shared(const LoopProgram& loops, const Memory& memory);

} // namespace swirl::lower
