#include <swirl/threads.hpp>

#include "runtime/cpu/parallel_for.hpp"

namespace swirl {

void set_parallel_loop(ParallelLoop loop, void* data) { runtime::set_parallel_for({loop, data}); }

} // namespace swirl
