#include "loops/gpu/regions.hpp"

#include "loops/gpu/data_movement.hpp"
#include "loops/gpu/fusion.hpp"
#include "loops/gpu/liveness.hpp"
#include "loops/gpu/rader_edges.hpp"
#include "loops/gpu/split_regions.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace swirl::loops {

namespace {

bool is_call(const Node& node) { return std::holds_alternative<Call>(node.node); }

void add_regions(const Nodes& nodes, std::vector<Loop>& around, std::vector<KernelRegion>& regions) {
    bool continues = false;
    for (const Node& node : nodes) {
        if (is_call(node)) {
            if (!continues) regions.push_back({around, {}});
            regions.back().calls.push_back(std::get<Call>(node.node));
            continues = true;
            continue;
        }
        const Nest& nest = std::get<Nest>(node.node);
        around.push_back(nest.loop);
        add_regions(nest.body, around, regions);
        around.pop_back();
        continues = false;
    }
}

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

/// Moves regions that only zero the caller's memory into an earlier region in the same loops, provided no region in
/// between reads there.
void join_zeros(const LoopProgram& loops, std::vector<KernelRegion>& regions) {
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

/// Truncates `loops` to the outermost loops that `others` starts with.
void retain_common_loops(std::vector<Loop>& loops, const std::vector<Loop>& others) {
    std::size_t same = 0;
    while (same < std::min(loops.size(), others.size()) && loops[same].variable == others[same].variable)
        ++same;
    loops.resize(same);
}

std::vector<Loop> loops_around_all(const std::vector<KernelRegion>& regions) {
    std::vector<Loop> common = regions.front().around;
    for (const KernelRegion& region : regions) retain_common_loops(common, region.around);
    return common;
}

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

std::vector<std::vector<Loop>> loops_around_users(const std::vector<KernelRegion>& regions,
                                                  std::size_t arrays) {
    std::vector<std::vector<Loop>> around(arrays);
    std::set<int> met;
    for (const KernelRegion& region : regions)
        for (const Call& call : region.calls)
            for (const int array : {call.input.array, call.output.array}) {
                std::vector<Loop>& loops = around[static_cast<std::size_t>(array)];
                if (met.insert(array).second)
                    loops = region.around;
                else
                    retain_common_loops(loops, region.around);
            }
    return around;
}

/// Entries that a call writes in all its iterations.
Integer entries_written(const Call& call) {
    auto entries = static_cast<Integer>(call.placement.targets.size());
    for (const Loop& loop : call.loops) entries *= loop.count;
    return entries;
}

/// Temporaries that a region reads before it writes them, or after it writes a part of them of which an earlier region
/// writes another.
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
    const auto is_number = [&](const Location* location) { return location->im == location->re + half; };
    const auto is_fixed = [](const Location* location) {
        return location->re.is_constant() && location->im == location->re;
    };
    if (!std::all_of(locations.begin(), locations.end(),
                     [&](const Location* location) { return is_number(location) || is_fixed(location); }))
        return;
    for (Location* location : locations) {
        const bool number = is_number(location), second = !number && location->re.constant() >= half;
        location->re = second ? Affine(2 * (location->re.constant() - half) + 1) : 2 * location->re;
        location->im = number ? location->re + 1 : location->re;
    }
}

Integer index_tables(const Call& call) {
    Integer count = 0;
    for (const auto* locations : {&call.placement.sources, &call.placement.targets})
        count += std::count_if(locations->begin(), locations->end(),
                               [](const Location& location) { return location.table.has_value(); });
    return count;
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

std::string to_text(const LoopProgram& loops, const KernelRegion& region) {
    LoopProgram program = loops;
    program.body.clear();
    for (const Call& call : region.calls) program.body.push_back({call});
    for (auto loop = region.around.rbegin(); loop != region.around.rend(); ++loop)
        program.body = {Node{Nest{*loop, std::move(program.body)}}};
    return to_text(program);
}

KernelRegions kernel_regions(LoopProgram program, Between between, Integer separate_above) {
    KernelRegions result;
    std::vector<Loop> around;
    add_regions(program.body, around, result.regions);
    program.body.clear();
    result.loops = std::move(program);
    LoopProgram& loops = result.loops;
    join_zeros(loops, result.regions);
    fold_moves(loops, result.regions);
    fuse_calls(loops, result.regions);
    result.common = loops_around_all(result.regions);
    for (Array& array : loops.arrays) array.residence = Array::Residence::shared;
    make_in_place(loops, result.regions, result.common.size());
    fuse_edges(loops, result.regions);
    std::set<int> handed_on;
    if (separate_above > 0 && between == Between::global)
        handed_on = split_regions(loops, result.regions, result.common.size(), separate_above);
    std::set<int> communicated = communicated_between(loops, result.regions);
    for (const int array : handed_on)
        if (loops.arrays[static_cast<std::size_t>(array)].role == Array::Role::temporary)
            communicated.insert(array);
    result.communicated.assign(communicated.begin(), communicated.end());
    result.fused_ends = fused_ends(result.regions, result.common.size());
    for (const int array : communicated) {
        if (between == Between::shared && stays_in_kernel(result, array)) continue;
        loops.arrays[static_cast<std::size_t>(array)].residence = Array::Residence::global;
        make_interleaved(loops, result.regions, array);
        make_neighbours(loops, result.regions, array);
    }
    result.around_users = loops_around_users(result.regions, loops.arrays.size());
    return result;
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

Integer index_tables(const KernelRegions& regions) {
    Integer count = 0;
    for (const KernelRegion& region : regions.regions)
        for (const Call& call : region.calls)
            if (call.codelet.formula) count += index_tables(call);
    return count;
}

void open_loops_of(KernelRegion& region) {
    constexpr Integer most_inside = 64; // iterations
    if (!region.around.empty() || region.calls.size() != 1 || region.calls[0].loops.empty()) return;
    std::vector<Loop>& own = region.calls[0].loops;
    std::size_t outside = own.size();
    for (Integer inside = 1; outside > 1 && inside * own[outside - 1].count <= most_inside; --outside)
        inside *= own[outside - 1].count;
    const auto first_inside = own.begin() + static_cast<std::ptrdiff_t>(outside);
    region.around.assign(own.begin(), first_inside);
    own.erase(own.begin(), first_inside);
}

bool is_chain(const LoopProgram& loops, const KernelRegion& region) {
    for (std::size_t k = 0; k < region.calls.size(); ++k) {
        const bool last = k + 1 == region.calls.size();
        if (is_shared(loops, region.calls[k].output) == last) return false;
        if (is_shared(loops, region.calls[k].input) != (k > 0)) return false;
        if (!last && region.calls[k].output.array != region.calls[k + 1].input.array) return false;
    }
    return true;
}

} // namespace swirl::loops
