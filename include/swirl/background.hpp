/// Searches that Effort::background started: they go on while the program runs, one after the other, on one thread of
/// the lowest priority that receives no signals. A child of fork() has none. Searches end when the library is unloaded
/// and when the process exits, which wait for that.
#pragma once

#include <swirl/export.h>
#include <swirl/problem.hpp>

#include <limits>
#include <vector>

namespace swirl::background {

/// The problems whose searches have not ended: the one that is searched for now first, then those that wait.
SWIRL_API std::vector<Problem> pending();

/// Waits until no search is pending, but at most for so many seconds. Returns whether none is. In a function that a
/// search calls, such as Options::progress, it does not wait.
SWIRL_API bool wait(double seconds = std::numeric_limits<double>::infinity());

/// Ends all pending searches, and returns how many. What they have not found yet is lost, and their plans stay as they
/// are. When it returns, no function of their Options is running or will be called, unless such a function has called it.
SWIRL_API Integer stop();

} // namespace swirl::background
