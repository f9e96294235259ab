#include "loops/gpu/regions.hpp"

#include <algorithm>

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

Integer index_tables(const Call& call) {
    Integer count = 0;
    for (const auto* locations : {&call.placement.sources, &call.placement.targets})
        count += std::count_if(locations->begin(), locations->end(),
                               [](const Location& location) { return location.table.has_value(); });
    return count;
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

std::string to_text(const KernelRegions& regions) {
    if (regions.regions.empty()) return to_text(regions.loops);
    std::string text;
    for (const KernelRegion& region : regions.regions) text += to_text(regions.loops, region);
    return text;
}

void retain_common_loops(std::vector<Loop>& loops, const std::vector<Loop>& others) {
    std::size_t same = 0;
    while (same < std::min(loops.size(), others.size()) && loops[same].variable == others[same].variable)
        ++same;
    loops.resize(same);
}

void split_into_regions(KernelRegions& kernels, const RegionRequest&) {
    std::vector<Loop> around;
    add_regions(kernels.loops.body, around, kernels.regions);
    kernels.loops.body.clear();
}

std::vector<Loop> loops_around_all(const std::vector<KernelRegion>& regions) {
    std::vector<Loop> common = regions.front().around;
    for (const KernelRegion& region : regions) retain_common_loops(common, region.around);
    return common;
}

Integer index_tables(const KernelRegions& regions) {
    Integer count = 0;
    for (const KernelRegion& region : regions.regions)
        for (const Call& call : region.calls)
            if (call.codelet.formula) count += index_tables(call);
    return count;
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
