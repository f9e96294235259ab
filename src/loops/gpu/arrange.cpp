#include "loops/gpu/arrange.hpp"

#include "loops/gpu/distribute.hpp"
#include "loops/gpu/liveness.hpp"
#include "loops/gpu/staging.hpp"

namespace swirl::loops {

void open_region(LoopProgram& loops, KernelRegion& region) {
    if (region.over_all) distribute_over_blocks(loops, region);
    open_loops_of(region);
    if (!region.over_all) distribute_over_blocks(loops, region);
}

void arrange_region(LoopProgram& loops, KernelRegion& region, SmemStaging staged, bool held) {
    if (staged != SmemStaging::none)
        stage(loops, region, stages(staged, SmemStaging::in), stages(staged, SmemStaging::out));
    simplify(loops, region);
    share_arrays(loops, region, held);
}

void lay_out_arrays(LoopProgram& loops, const LaunchConfiguration& configuration,
                    const std::vector<std::vector<Loop>>& around_users) {
    for (std::size_t k = 0; k < loops.arrays.size(); ++k) {
        Array& array = loops.arrays[k];
        if (array.role != Array::Role::temporary) continue;
        const bool shared = array.residence == Array::Residence::shared;
        array.copies = shared ? configuration.transforms : 1;
        if (!shared && k < around_users.size())
            for (const Loop& loop : around_users[k]) array.copies *= loop.count;
        array.pitch = array.elements + (shared && !array.gapless ? configuration.smem_vector_pad : 0);
    }
}

} // namespace swirl::loops
