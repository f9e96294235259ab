#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

namespace swirl::loops {

/// Tags with vec(ν) the loop of each call that takes the fewest operations as vector lanes; none where scalar code is
/// no slower. Later passes see that the lanes of a program in pairs are placed already.
void place_vector_tags(LoopProgram& program, const Request& request);

} // namespace swirl::loops
