#include "loops/gpu/join_zeros.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

bool same_loops(const std::vector<Loop>& a, const std::vector<Loop>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Loop& x, const Loop& y) { return x.variable == y.variable; });
}

/// Whether none of the regions first … end − 1 reads the array.
bool only_write(const std::vector<KernelRegion>& regions, std::size_t first, std::size_t end, int array) {
    for (std::size_t k = first; k < end; ++k)
        for (const Call& call : regions[k].calls)
            if (call.input.array == array && !call.placement.sources.empty()) return false;
    return true;
}

} // namespace

void join_zeros(KernelRegions& kernels, const RegionRequest&) {
    const LoopProgram& loops = kernels.loops;
    std::vector<KernelRegion>& regions = kernels.regions;
    const auto is_zero = [&](const Call& call) {
        return call.placement.sources.empty() &&
               loops.arrays[static_cast<std::size_t>(call.output.array)].role != Array::Role::temporary;
    };
    for (std::size_t k = regions.size(); k-- > 1;) {
        std::vector<Call>& zeros = regions[k].calls;
        if (!std::all_of(zeros.begin(), zeros.end(), is_zero)) continue;
        for (std::size_t earlier = k; earlier-- > 0;) {
            const bool reads = std::any_of(zeros.begin(), zeros.end(), [&](const Call& call) {
                return !only_write(regions, earlier, k, call.output.array);
            });
            if (reads) break;
            if (!same_loops(regions[earlier].around, regions[k].around)) continue;
            std::move(zeros.begin(), zeros.end(), std::back_inserter(regions[earlier].calls));
            regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(k));
            break;
        }
    }
}

} // namespace swirl::loops
