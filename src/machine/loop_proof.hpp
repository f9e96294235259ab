#pragma once

#include "machine/loops.hpp"

#include <optional>
#include <string>

namespace swirl::machine {

/// Whether a kernel with another main loop, at the same place, does what the compiled one does: an iteration leaves the same terms in all
/// registers and predicates that matter to the next one or to what follows, and copies, waits and meets in the same order; what has to be
/// waited for is; results of fixed latency are not used too soon; no operand comes from the reuse cache that was overwritten; and the
/// model's cycles are no more. Says what does not hold; nothing where all does.
///
/// Loads of shared memory and copies into it change places between two meetings of the threads: if they touched the same bytes, threads
/// would race in the compiled kernel, too, as others' copies are in no order with a thread's loads there.
std::optional<std::string> objection_to_loop(const Code& compiled, const Code& written, const LoopSpan& span);

} // namespace swirl::machine
