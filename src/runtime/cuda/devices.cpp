#include "runtime/cuda/devices.hpp"

#include "base/fork_gate.hpp"

#include <map>
#include <mutex>

namespace swirl::runtime {

const GpuDevice& device_numbered(int ordinal) {
    const ForkSection section;
    static constinit ForkSafeMutex mutex;
    static auto& devices = *new std::map<int, GpuDevice>; // never destroyed: may be in use at exit
    const std::lock_guard lock(mutex);
    if (const auto known = devices.find(ordinal); known != devices.end()) return known->second;
    return devices.emplace(ordinal, GpuDevice(ordinal)).first->second;
}

} // namespace swirl::runtime
