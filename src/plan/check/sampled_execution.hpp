#pragma once

#include "plan/check/batch_sample.hpp"
#include "plan/check/problem_data.hpp"

#include <functional>
#include <string>

namespace swirl::planning {

/// Arrays of a whole batch on the host, on which a plan runs with the data of a sample. All else is `poison`.
class SampledExecution {
public:
    /// `plan` names the plan in messages. The sample must outlive this object.
    SampledExecution(const BatchSample& sample, std::string plan);

    /// Calls `execute` with the arrays of the batch, and copies its results to the sample's data. Throws InternalError if it
    /// wrote around the arrays, or into one that it only reads.
    void run(ProblemData& sampled, const std::function<void(ProblemData&)>& execute);

private:
    const BatchSample& sample_;
    std::string plan_;
    ProblemData batch_;
};

} // namespace swirl::planning
