#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

namespace swirl::loops {

/// Tags as unrolled the loops of calls with few operations in all iterations together.
void place_unroll_tags(LoopProgram& program, const Request& request);

/// Tags with smp the loops at the top of the program that threads may share: those of nests, those of the nests in them if
/// there is nothing else inside or if few iterations have many operations each, and those of calls in them unless
/// unrolled. They are independent by meaning, so results do not depend on the number of threads.
void place_smp_tags(LoopProgram& program, const Request& request);

} // namespace swirl::loops
