#pragma once

#include "fuzz/setting.hpp"
#include "fuzz/transform_data.hpp"

#include <swirl/plan.hpp>

#include <functional>

namespace swirl::fuzz {

bool is_valid(const Transform& problem);

/// Throws a Failure if bits differ.
void require_same(const Values& found, const Values& expected, const char* what);

/// Executes a plan on a problem's arrays.
void execute(const Plan& plan, const TransformData& data, Workspace workspace = {});

/// Random values for an input; half spectra belong to real data.
Values random_input(const TransformDefinition& transform, std::size_t transforms, Random& random);

/// Outputs in long double, and for each transform of the batch a norm, if larger than that of its outputs, to which
/// rounding errors are in proportion: where intermediate values cancel, the outputs are smaller than these.
struct Expected {
    Values outputs;
    std::vector<long double> norms = {};
};

/// Appends one transform's outputs for the input, multiplied by `scale`.
void append_outputs(Expected& expected, const TransformDefinition& transform, const Values& input,
                    long double scale, Random& random);

/// What the problem makes of its input.
Expected expected_output(const TransformData& data, Random& random);

/// Throws a Failure where one transform of the batch is further off than `tolerance` units of ε·√log₂n.
void require_close(const Transform& problem, const Values& found, const Expected& expected, double tolerance);

/// Plans the problem for the setting's CPU and runs it: results against the reference, guard zones, unchanged inputs, the
/// same bits by other ways of planning and executing, and the inverse transform of the results.
void run_transform(const Transform& problem, Random& random, const Setting& setting, Journal& journal);

} // namespace swirl::fuzz
