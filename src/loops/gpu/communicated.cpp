#include "loops/gpu/communicated.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace swirl::loops {

namespace {

/// See KernelRegions.
std::vector<std::size_t> fused_ends(const std::vector<KernelRegion>& regions, std::size_t common) {
    const auto continues = [&](std::size_t k) {
        const std::vector<Loop>&loops = regions[k].around, &before = regions[k - 1].around;
        return loops.size() > common && before.size() > common &&
               loops[common].variable == before[common].variable;
    };
    std::vector<std::size_t> ends;
    for (std::size_t k = 1; k < regions.size(); ++k)
        if (!continues(k)) ends.push_back(k);
    if (ends.size() + 1 == regions.size()) ends.clear();
    ends.push_back(regions.size());
    return ends;
}

/// Says of each array which loops are around all regions that access it.
void find_loops_around_users(LoopProgram& loops, const std::vector<KernelRegion>& regions) {
    std::set<int> met;
    for (const KernelRegion& region : regions)
        for (const Call& call : region.calls)
            for (const int array : {call.input.array, call.output.array}) {
                std::vector<Loop>& around = loops.arrays[static_cast<std::size_t>(array)].users_in;
                if (met.insert(array).second)
                    around = region.around;
                else
                    retain_common_loops(around, region.around);
            }
}

/// Entries that a call writes in all its iterations.
Integer entries_written(const Call& call) {
    return static_cast<Integer>(call.placement.targets.size()) * iterations_of(call.loops);
}

/// Temporaries that a region reads before it writes them, or after it writes some of them where an earlier region
/// wrote the others.
std::set<int> communicated_between(const LoopProgram& loops, const std::vector<KernelRegion>& regions) {
    std::set<int> communicated, written_before;
    for (const KernelRegion& region : regions) {
        std::map<int, Integer> written;
        for (const Call& call : region.calls) {
            const int read = call.input.array;
            if (!call.placement.sources.empty()) {
                const auto own = written.find(read);
                const bool is_partly = own != written.end() && written_before.contains(read) &&
                                       own->second < loops.arrays[static_cast<std::size_t>(read)].elements;
                if (own == written.end() || is_partly) communicated.insert(read);
            }
            written[call.output.array] += entries_written(call);
        }
        for (const auto& [array, entries] : written) written_before.insert(array);
    }
    std::erase_if(communicated, [&](int array) {
        return loops.arrays[static_cast<std::size_t>(array)].role != Array::Role::temporary;
    });
    return communicated;
}

void make_interleaved(std::vector<Location>& locations) {
    for (Location& location : locations) {
        location.re *= 2;
        location.im = location.re + 1;
    }
}

/// Interleaves the components of a complex array.
void make_interleaved(LoopProgram& loops, std::vector<KernelRegion>& regions, int array) {
    Array& info = loops.arrays[static_cast<std::size_t>(array)];
    if (info.kind != Memory::Kind::planar) return;
    info.kind = Memory::Kind::interleaved;
    for (KernelRegion& region : regions)
        for (Call& call : region.calls) {
            if (call.input.array == array) {
                call.input.kind = info.kind;
                make_interleaved(call.placement.sources);
            }
            if (call.output.array == array) {
                call.output.kind = info.kind;
                make_interleaved(call.placement.targets);
            }
        }
}

/// Makes entry e + n/2 of an array of n reals the neighbour of entry e, if all accesses take these two as the
/// components of an element, or a single entry at a fixed location.
void make_neighbours(LoopProgram& loops, std::vector<KernelRegion>& regions, int array) {
    const Array& info = loops.arrays[static_cast<std::size_t>(array)];
    const Integer half = info.elements / 2;
    if (info.kind != Memory::Kind::real || info.elements % 2 != 0) return;
    std::vector<Location*> locations;
    for (KernelRegion& region : regions)
        for (Call& call : region.calls) {
            if (call.input.array == array)
                for (Location& location : call.placement.sources) locations.push_back(&location);
            if (call.output.array == array)
                for (Location& location : call.placement.targets) locations.push_back(&location);
        }
    const auto is_complex = [&](const Location* location) { return location->im == location->re + half; };
    const auto is_fixed = [](const Location* location) {
        return location->re.is_constant() && location->im == location->re;
    };
    if (!std::all_of(locations.begin(), locations.end(),
                     [&](const Location* location) { return is_complex(location) || is_fixed(location); }))
        return;
    for (Location* location : locations) {
        const bool complex = is_complex(location), second = !complex && location->re.constant() >= half;
        location->re = second ? Affine(2 * (location->re.constant() - half) + 1) : 2 * location->re;
        location->im = complex ? location->re + 1 : location->re;
    }
}

/// Whether all accesses to the array are in a single fused kernel.
bool stays_in_kernel(const KernelRegions& regions, int array) {
    std::set<std::size_t> kernels;
    for (std::size_t k = 0, kernel = 0; k < regions.regions.size(); ++k) {
        kernel += k == regions.fused_ends[kernel];
        for (const Call& call : regions.regions[k].calls)
            if (call.input.array == array || call.output.array == array) kernels.insert(kernel);
    }
    return kernels.size() == 1;
}

} // namespace

void place_communicated_arrays(KernelRegions& kernels, const RegionRequest& request) {
    LoopProgram& loops = kernels.loops;
    std::set<int> communicated = communicated_between(loops, kernels.regions);
    for (const int array : kernels.communicated)
        if (loops.arrays[static_cast<std::size_t>(array)].role == Array::Role::temporary)
            communicated.insert(array);
    kernels.communicated.assign(communicated.begin(), communicated.end());
    kernels.fused_ends = fused_ends(kernels.regions, kernels.common.size());
    for (const int array : communicated) {
        if (request.between == Between::shared && stays_in_kernel(kernels, array)) continue;
        loops.arrays[static_cast<std::size_t>(array)].residence = Array::Residence::global;
        make_interleaved(loops, kernels.regions, array);
        make_neighbours(loops, kernels.regions, array);
    }
    find_loops_around_users(loops, kernels.regions);
}

KernelRegions fused_regions(const KernelRegions& regions, std::size_t kernel) {
    KernelRegions result = regions;
    const auto location = [&](std::size_t k) {
        return regions.regions.begin() + static_cast<std::ptrdiff_t>(k);
    };
    const std::size_t first = kernel == 0 ? 0 : regions.fused_ends[kernel - 1];
    result.regions.assign(location(first), location(regions.fused_ends[kernel]));
    result.common = loops_around_all(result.regions);
    result.fused_ends = {result.regions.size()};
    result.communicated.clear();
    for (const int array : communicated_between(result.loops, result.regions))
        if (result.loops.arrays[static_cast<std::size_t>(array)].residence == Array::Residence::shared)
            result.communicated.push_back(array);
    return result;
}

} // namespace swirl::loops
