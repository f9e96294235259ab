#include <swirl/background.hpp>

#include "search/background.hpp"

namespace swirl::background {

std::vector<Problem> pending() { return search::pending_searches(); }
bool wait(double seconds) { return search::wait_for_searches(seconds); }
Integer stop() { return search::stop_searches(); }

} // namespace swirl::background
