#pragma once

#include "bench/definition.hpp"
#include "plan/check/problem_data.hpp"

#include <swirl/plan.hpp>

#include <complex>
#include <vector>

namespace swirl::bench {

/// Random data of a transform in host memory, and its expected results.
class TransformData {
public:
    explicit TransformData(const Transform& problem);

    const Transform& problem() const { return problem_; }
    planning::ProblemData& memory() { return memory_; }
    planning::Arguments arguments() const { return memory_.arguments(); }
    /// Relative Euclidean distance of the sampled outputs in this memory from the definition.
    double distance() const;
    double tolerance() const;

private:
    Transform problem_;
    planning::ProblemData memory_;
    std::vector<OutputIndex> outputs_;
    std::vector<std::complex<long double>> expected_;
};

/// Executes swirl's plan of a transform on arrays of its layout.
void execute(const Plan& plan, const planning::Arguments& arguments, gpu::Stream stream = {},
             Workspace workspace = {});

} // namespace swirl::bench
