#include "plan/transform/gpu/loaded_kernel.hpp"

#include "base/error.hpp"

namespace swirl::planning {

namespace {

runtime::GpuExtent gpu_extent(const std::array<Integer, 3>& extent) {
    return {static_cast<unsigned>(extent[0]), static_cast<unsigned>(extent[1]),
            static_cast<unsigned>(extent[2])};
}

} // namespace

void LoadedKernel::load(const runtime::GpuModule& module, const runtime::GpuDevice& device) {
    code_.assign(1, module.kernel(entry_));
    const runtime::GpuKernel& code = code_.front();
    const auto dynamic = static_cast<int>(info_.dynamic_shared_bytes);
    if (dynamic > 0) code.allow_shared_bytes(dynamic);
    if (info_.launch.cluster > 1) code.allow_any_cluster();
    const auto& threads = info_.launch.threads;
    info_.registers = code.attributes().registers;
    info_.spilled_bytes = code.attributes().local_bytes;
    info_.resident_blocks = code.resident_blocks(static_cast<int>(threads[0] * threads[1] * threads[2]),
                                                 static_cast<std::size_t>(dynamic));
    if (info_.launch.cooperative_group > 1) require_cooperative(device);
}

void LoadedKernel::require_cooperative(const runtime::GpuDevice& device) const {
    const int multiprocessors = device.attribute(runtime::cuda::DeviceAttribute::multiprocessors);
    const Integer most = Integer{info_.resident_blocks} * multiprocessors,
                  group = info_.launch.cooperative_group;
    if (info_.launch.blocks[0] <= most) return;
    throw UserError(
        "{} blocks of kernel '{}' wait for each other in groups of {}; {} runs {} of them at once, {} on "
        "each of {} multiprocessors\n  {}",
        info_.launch.blocks[0], info_.name, group, device.description(), most, info_.resident_blocks,
        multiprocessors,
        most < group ? "use a smaller group" : fmt::format("use 'cooperative_groups {}'", most / group));
}

void LoadedKernel::launch(std::span<void* const> parameters, const runtime::GpuStream& stream) const {
    const runtime::LaunchShape shape{.grid = gpu_extent(info_.launch.blocks),
                                     .block = gpu_extent(info_.launch.threads),
                                     .shared_bytes = static_cast<unsigned>(info_.dynamic_shared_bytes),
                                     .cluster = {static_cast<unsigned>(info_.launch.cluster)},
                                     .cooperative = info_.launch.cooperative_group > 1,
                                     .starts_early = starts_early_};
    code_.front().launch_with(shape, stream, parameters);
}

} // namespace swirl::planning
