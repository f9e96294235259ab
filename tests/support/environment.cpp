#include <cstdlib>

namespace swirl {
namespace {

/// Before main, so that no test's choices depend on the kind of machine that it runs on.
[[gnu::constructor]] void use_no_shipped_wisdom() { setenv("SWIRL_SHIPPED_WISDOM", "off", 0); }

} // namespace
} // namespace swirl
