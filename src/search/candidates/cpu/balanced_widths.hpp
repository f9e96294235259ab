#pragma once

#include "plan/schedule.hpp"
#include "problem/problem.hpp"
#include "target/cpu.hpp"

namespace swirl::search {

/// The schedule with tiles and blocks of two-sweeps as narrow as `threads` need to share the loops over them about
/// equally, if fuller use of threads outweighs emptier vectors. The arithmetic, and with it all bits, stay.
planning::Schedule with_balanced_widths(const Transform& problem, planning::Schedule schedule,
                                        const target::Cpu& cpu, int threads);

} // namespace swirl::search
