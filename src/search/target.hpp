#pragma once

#include <swirl/options.hpp>

#include "runtime/cuda/device.hpp"
#include "search/wisdom/gpu_identity.hpp"
#include "target/cpu.hpp"

#include <cstdint>
#include <variant>

/// What a plan is for.
namespace swirl::search {

/// A GPU of this machine or, without a device, one whose schedules can only be looked at.
struct GpuTarget {
    GpuIdentity identity; ///< with an empty key: any GPU of this kind
    const runtime::GpuDevice* device = nullptr;

    explicit GpuTarget(const runtime::GpuDevice& at_hand)
        : identity(gpu_identity_of(at_hand)), device(&at_hand) {}
    explicit GpuTarget(GpuIdentity described) : identity(std::move(described)) {}
    explicit GpuTarget(const target::Gpu& kind) : identity{.key = {}, .gpu = kind} {}
};

using Target = std::variant<const target::Cpu*, GpuTarget>;

enum class Purpose : std::uint8_t {
    execute,
    inspect, ///< only looked at: it may be for a CPU other than the host's
};

/// The GPU that the options name, or the CPU that they or their schedule name; else the host's best, portable if no code
/// can run. Throws Unavailable for a CPU whose plans cannot run here, unless they are only inspected.
Target target_of(const Options& options, Purpose purpose = Purpose::execute);

/// Throws Unavailable for a CPU whose plans cannot run here.
void require_runnable(const target::Cpu& cpu);

} // namespace swirl::search
