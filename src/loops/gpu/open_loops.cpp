#include "loops/gpu/open_loops.hpp"

namespace swirl::loops {

namespace {

constexpr Integer most_inside = 64; ///< iterations

} // namespace

void open_loops(LoopProgram&, KernelRegion& region, const LaunchConfiguration&) {
    if (!region.around.empty() || region.calls.size() != 1 || region.calls[0].loops.empty()) return;
    std::vector<Loop>& own = region.calls[0].loops;
    std::size_t outside = own.size();
    for (Integer inside = 1; outside > 1 && inside * own[outside - 1].count <= most_inside; --outside)
        inside *= own[outside - 1].count;
    const auto first_inside = own.begin() + static_cast<std::ptrdiff_t>(outside);
    region.around.assign(own.begin(), first_inside);
    own.erase(own.begin(), first_inside);
}

} // namespace swirl::loops
