#pragma once

#include "sass/loops.hpp"

#include <optional>
#include <string>

namespace swirl::sass {

/// Checks that a kernel with a rewritten main loop at the same location is equivalent to the compiled one. An
/// iteration leaves the same terms in all registers and predicates that are live, and copies, waits and barriers keep
/// their order. Scoreboard waits suffice; results of fixed latency are not used too early; no operand comes from a
/// stale reuse-cache entry; and the model's cycles do not increase. Returns the violation; nothing if the check
/// passes.
///
/// Loads from shared memory may change places with copies into it between two barriers. If they touched the same
/// bytes, the compiled kernel would have a race as well: other threads' copies are not ordered with a thread's loads
/// there.
std::optional<std::string> loop_mismatch(const Code& compiled, const Code& written, const LoopSpan& span);

} // namespace swirl::sass
