#pragma once

#include "cufft/request.hpp"
#include "plan/transform/gpu/plan.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string>

namespace swirl::cufft {

/// The transforms that executions of one plan may ask for: in both directions where the data are complex, out of place and in
/// place. All are ready before the first execution, which then neither allocates nor waits.
class Variants {
public:
    /// Throws what planning out of place throws; without a plan in place if its layout cannot be.
    Variants(const Request& request, int ordinal);
    /// Waits for the GPU, which may still run the kernels.
    ~Variants();
    Variants(const Variants&) = delete;
    Variants& operator=(const Variants&) = delete;

    /// Null if there is none.
    const planning::GpuPlan* find(Direction direction, Placement placement) const {
        return plans_[position(direction, placement)].get();
    }
    std::size_t workspace_bytes() const; ///< for any of them
    Integer table_bytes() const;
    std::string text() const; ///< a line for each

private:
    static std::size_t position(Direction direction, Placement placement) {
        return 2 * static_cast<std::size_t>(direction) + static_cast<std::size_t>(placement);
    }

    std::array<std::shared_ptr<const planning::GpuPlan>, 4> plans_;
};

} // namespace swirl::cufft
