/// Where plans run: the CPU, or a GPU of this machine.
#pragma once

#include <swirl/export.h>

#include <cstddef>
#include <string>

namespace swirl {

/// Default: the CPU. Naming a device neither loads a driver nor checks that the device exists.
class SWIRL_API Device {
public:
    constexpr Device() = default;
    static constexpr Device cpu() { return {}; }
    /// An NVIDIA GPU by its CUDA ordinal.
    static constexpr Device gpu(int ordinal = 0) { return Device(ordinal, true); }

    constexpr bool is_gpu() const { return is_gpu_; }
    constexpr int ordinal() const { return ordinal_; } ///< 0 for the CPU
    friend constexpr bool operator==(Device a, Device b) {
        return a.ordinal_ == b.ordinal_ && a.is_gpu_ == b.is_gpu_;
    }
    friend constexpr bool operator!=(Device a, Device b) { return !(a == b); }

    std::string text() const; ///< "cpu", "gpu", "gpu:1"
    /// "NVIDIA H100 80GB HBM3", or the best instruction set of this CPU, such as "avx512". Throws Unavailable.
    std::string name() const;
    /// All memory and free memory in bytes. Throws Unavailable.
    std::size_t memory_bytes() const;
    std::size_t free_memory_bytes() const;

private:
    constexpr Device(int ordinal, bool is_gpu) : ordinal_(ordinal), is_gpu_(is_gpu) {}
    int ordinal_ = 0;
    bool is_gpu_ = false;
};

/// GPUs of this machine; 0 if there is no driver. Never throws; the first call loads the driver.
SWIRL_API int gpu_count() noexcept;
/// Why gpu_count() is 0, in words; empty if it is not.
SWIRL_API std::string why_no_gpu();

} // namespace swirl
