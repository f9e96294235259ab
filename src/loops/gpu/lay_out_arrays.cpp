#include "loops/gpu/lay_out_arrays.hpp"

namespace swirl::loops {

namespace {

Integer copies_in_global_memory(const KernelLoops& kernel, const Array& array) {
    const LaunchConfiguration& first = kernel.configurations.front();
    const bool cooperative = kernel.is_cooperative();
    Integer copies = cooperative ? first.cooperative_groups * (first.pipelined ? 2 : 1) : 1;
    for (std::size_t k = cooperative ? kernel.regions.common.size() : 0; k < array.users_in.size(); ++k)
        copies *= array.users_in[k].count;
    return copies;
}

} // namespace

void lay_out_arrays(KernelLoops& kernel) {
    std::vector<Array>& arrays = kernel.regions.loops.arrays;
    for (Array& array : arrays) array.unused = true;
    for (std::size_t p = 0; p < kernel.regions.regions.size(); ++p)
        for (const Call& call : kernel.regions.regions[p].calls)
            for (const Memory& memory : memories_of(call)) {
                Array& array = arrays[static_cast<std::size_t>(memory.array)];
                array.unused = false;
                if (array.role != Array::Role::temporary) continue;
                const LaunchConfiguration& configuration = kernel.configurations[p];
                const bool shared = array.residence == Array::Residence::shared;
                array.copies = shared ? configuration.transforms : copies_in_global_memory(kernel, array);
                array.pitch = array.elements + (shared && !array.gapless ? configuration.smem_vector_pad : 0);
            }
}

} // namespace swirl::loops
