#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

#include <optional>
#include <vector>

namespace swirl::loops {

/// Where vectors may hold complex elements as pairs of neighbouring lanes, and the program is small enough to be
/// straight-line code apart from loops around everything, has no loops that fill vectors anyway, and accesses memory as
/// vectors of complex elements: sets LoopProgram::pairs, and tags all loops of calls as unrolled, one with vec(ν). Real
/// temporaries between complex calls, such as those of a real transform by one of half the size, become interleaved; calls
/// of a few reals are left as they are.
void place_pair_tags(LoopProgram& program, const Request& request);

/// Arrangement in memory of one side of a call, along its lanes.
enum class MemoryArrangement : std::uint8_t {
    side_by_side, ///< neighbouring lanes are contiguous for each entry, in either direction
    rows,         ///< the entries of one lane are contiguous
    scattered,
};
MemoryArrangement arrangement_of(const LoopProgram& program, const Memory& memory,
                                 const std::vector<Location>& locations, const std::optional<Loop>& lane);

/// Whether the element of the next lane lies before that of this one.
bool is_reversed(const LoopProgram& program, const Memory& memory, const Location& location,
                 const Loop& lane);

/// Scalar address of a complex element, in a program in pairs: temporaries are interleaved.
Affine pair_address(const LoopProgram& program, const Memory& memory, const Location& location);

} // namespace swirl::loops
