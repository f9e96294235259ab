#pragma once

#include "plan/check/problem_data.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace swirl::planning {

/// A device copy of a problem's data, in the same layout as on the host.
class GpuProblemData {
public:
    /// Whether the redzones around arrays are copied too.
    enum class Redzones : std::uint8_t { absent, copied };
    GpuProblemData(const runtime::GpuDevice& device, const ProblemData& host,
                   Redzones redzones = Redzones::absent);

    Arguments arguments() const { return given_.get(); }
    void copy_from(const ProblemData& host); ///< returns after the copy has completed
    void copy_to(ProblemData& host) const;   ///< waits for all work on the GPU

private:
    std::span<std::byte> copied(const GuardedBuffer& buffer) const; ///< the copied bytes of an array

    runtime::GpuDevice device_;
    Redzones redzones_;
    std::vector<runtime::GpuBuffer> buffers_;
    ProblemArguments given_;
};

} // namespace swirl::planning
