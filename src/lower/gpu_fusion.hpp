#pragma once

#include "lower/gpu_parts.hpp"

#include <optional>

/// Steps of GPU kernels that need no vector between them.
namespace swirl::lower {

/// A step of a list of parts.
struct StepPlace {
    std::size_t part = 0;
    std::size_t step = 0;
    auto operator<=>(const StepPlace&) const = default;
};
inline Call& call_at(std::vector<GpuPart>& parts, const StepPlace& place) {
    return parts[place.part].calls[place.step];
}

/// Of a vector, in order.
struct Users {
    std::vector<StepPlace> writers;
    std::vector<StepPlace> readers;
};
Users users_of(const std::vector<GpuPart>& parts, int array);

/// Whether a step reads an array.
bool reads(const Call& call, int array);
/// Whether a number is as it is in memory, its place a form of loop variables.
bool is_plain(const Location& place);
/// A temporary of complex numbers in shared memory.
bool is_vector_of_numbers(const LoopProgram& loops, int array);
/// Whether the loops around the outer part are around the inner one too.
bool is_within(const GpuPart& inner, const GpuPart& outer);

/// Of two steps of which each iteration of the second reads what one iteration of the first has written, and nobody else
/// does, one: its codelet does both. Steps of neighbouring parts may be such.
void fuse_steps(LoopProgram& loops, std::vector<GpuPart>& parts);

struct FusedSteps {
    std::vector<Integer>
        order; ///< by entry that the second one reads, its number among those that the first one writes
    Affine first_target; ///< where the first of these was, in the fused step's variables
};
/// One of these, at the place of its first step; nothing where they are not such.
std::optional<FusedSteps> fuse_two_steps(LoopProgram& loops, std::vector<GpuPart>& parts,
                                         const StepPlace& first, const StepPlace& second);

} // namespace swirl::lower
