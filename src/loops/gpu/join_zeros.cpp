#include "loops/gpu/join_zeros.hpp"

#include "loops/gpu/fusion.hpp"

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

/// Moves each region that only zeros the caller's memory into the latest earlier one that suits, and calls
/// adapt(zero, its region, the other region) for its calls.
template <class Suits, class Adapt>
void move_zeros(KernelRegions& kernels, const Suits& suits, const Adapt& adapt) {
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
            if (!suits(regions[k], regions[earlier])) continue;
            for (Call& zero : zeros) adapt(zero, regions[k], regions[earlier]);
            std::move(zeros.begin(), zeros.end(), std::back_inserter(regions[earlier].calls));
            regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(k));
            break;
        }
    }
}

} // namespace

void join_zeros(KernelRegions& kernels, const RegionRequest&) {
    move_zeros(
        kernels,
        [](const KernelRegion& zeros, const KernelRegion& other) {
            return same_loops(other.around, zeros.around);
        },
        [](Call&, const KernelRegion&, const KernelRegion&) {});
}

void join_few_zeros(KernelRegions& kernels, const RegionRequest& request) {
    constexpr Integer few = 4;
    if (request.between != Between::global) return;
    move_zeros(
        kernels,
        [](const KernelRegion& zeros, const KernelRegion& other) {
            return is_within(other, zeros) &&
                   std::all_of(zeros.calls.begin(), zeros.calls.end(), [](const Call& call) {
                       return !call.limit && iterations_of(call.loops) <= few;
                   });
        },
        [](Call& zero, const KernelRegion& own, const KernelRegion& other) {
            Affine iteration = 0;
            for (std::size_t k = own.around.size(); k < other.around.size(); ++k)
                iteration += Affine::of(other.around[k].variable);
            if (iteration != Affine(0)) zero.limit = iteration - 1;
        });
}

} // namespace swirl::loops
