#pragma once

#include "base/fork_gate.hpp"
#include "cufft/request.hpp"
#include "cufft/variants.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>

namespace swirl::cufft {

/// What a handle stands for. Functions throw Refusal, or what planning throws; safe to use from any number of threads.
class Plan {
public:
    /// Plans for the calling thread's GPU, and takes a work area unless that was switched off. Returns its bytes.
    std::size_t make(const Request& request);
    std::size_t work_area_bytes() const; ///< of a plan that is made

    void set_stream(runtime::cuda::Stream stream);
    void set_auto_allocation(bool allocates);
    /// From now on executions use this memory, and the plan's own is freed.
    void set_work_area(void* area);
    void set_work_area_policy(WorkAreaPolicy policy, std::size_t* bytes);
    void set_gpu(int ordinal); ///< for the plan to be made

    void set_property(PlanProperty property, Long value);
    Long property(PlanProperty property) const;
    void reset_property(PlanProperty property);

    /// Enqueues the transform. `asked` unless any kind will do: what the plan must be of.
    void execute(std::optional<Kind> asked, const void* input, void* output, int sign) const;

    /// Memory for one side, or for both in place.
    std::size_t bytes_of(SubFormat format) const;
    const runtime::GpuDevice& device() const; ///< of a plan that is made

private:
    struct Made {
        Request request;
        int ordinal;
        std::shared_ptr<const Variants> variants;
    };
    const Made& made() const;

    mutable ForkSafeMutex mutex_;
    std::optional<Made> made_;
    runtime::cuda::Stream stream_ = nullptr;
    bool allocates_ = true;
    std::optional<int> ordinal_;
    std::optional<runtime::GpuBuffer> own_area_;
    void* area_ = nullptr;
    std::map<PlanProperty, Long> properties_;
};

/// The GPU that is current in the calling thread; the first if none is.
int current_gpu();

/// Bytes of the work area for such a plan on the calling thread's GPU.
std::size_t work_area_bytes(const Request& request);

} // namespace swirl::cufft
