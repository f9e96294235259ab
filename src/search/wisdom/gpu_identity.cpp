#include "search/wisdom/gpu_identity.hpp"

#include <fmt/format.h>

namespace swirl::search {

namespace {

constexpr int driver_version_unit = 1000; ///< 13020 is 13.2

} // namespace

std::string gpu_key(const std::string& name, int capability_major, int capability_minor, int multiprocessors,
                    int driver_version) {
    return fmt::format("{}, compute {}.{}, {} multiprocessors, CUDA {}", name, capability_major,
                       capability_minor, multiprocessors, driver_version / driver_version_unit);
}

GpuIdentity gpu_identity_of(const runtime::GpuDevice& device) {
    const runtime::GpuProperties& properties = device.properties();
    const target::Gpu& best = device.target();
    return {
        gpu_key(properties.name, properties.capability_major, properties.capability_minor,
                device.attribute(runtime::cuda::DeviceAttribute::multiprocessors), device.driver().version()),
        device.driver().version() >= best.driver_version ? best : target::gpu_named("generic")};
}

} // namespace swirl::search
