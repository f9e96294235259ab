#pragma once

#include "plan/problem_data.hpp"
#include "runtime/cuda_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace swirl::planning {

/// A GPU's copy of a problem's data, laid out like that on the host.
class GpuProblemData {
public:
    /// Whether there are zones around arrays, too.
    enum class Zones : std::uint8_t { absent, copied };
    GpuProblemData(const runtime::GpuDevice& device, const ProblemData& host, Zones zones = Zones::absent);

    Arguments arguments() const { return arguments_; }
    void copy_from(const ProblemData& host); ///< returns when it is there
    void copy_to(ProblemData& host) const;   ///< waits for all that runs on the GPU

private:
    std::span<std::byte> copied(const GuardedBuffer& buffer) const; ///< what is there of an array of the host

    runtime::GpuDevice device_;
    Zones zones_;
    std::vector<runtime::GpuBuffer> buffers_;
    Arguments arguments_;
    std::vector<ArrayArgument> beside_;
};

} // namespace swirl::planning
