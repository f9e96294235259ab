#include "plan/memory_need.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "runtime/memory_limit.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace swirl::planning {

namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

Integer longest(const Problem& problem) {
    Integer length = 1;
    for (const Dimension& dimension : problem.dimensions) length = std::max(length, dimension.length);
    return length;
}

/// Of a point: a complex number, or a real one where both sides are real.
Integer point_bytes(const Problem& problem) {
    const bool both_complex = is_complex(problem, Side::input) && is_complex(problem, Side::output);
    return real_bytes(problem.precision) * (both_complex ? 2 : 1);
}

} // namespace

Integer least_workspace(const Problem& problem) {
    constexpr Integer small = Integer{1} << 20; // points that some plans transform without any
    const Integer length = longest(problem);
    if (length <= small) return 0;
    return checked_multiply(length, point_bytes(problem)).value_or(std::numeric_limits<Integer>::max());
}

void require_memory(const Problem& problem) {
    const Integer need = least_workspace(problem);
    if (need == 0) return;
    const Integer limit = runtime::memory_limit();
    if (need <= limit) return;
    const auto most = std::bit_floor(static_cast<std::uint64_t>(limit / point_bytes(problem)));
    throw UserError(
        "length {} is too long: a plan needs at least {:.1f} GiB of workspace, and this process may have "
        "{:.1f} GiB\n  problem: {}\n  use lengths up to about {}, float32, or several dimensions",
        longest(problem), static_cast<double>(need) / gibibyte, static_cast<double>(limit) / gibibyte,
        to_text(problem), most);
}

} // namespace swirl::planning
