#pragma once

#include "fuzz/random.hpp"
#include "fuzz/setting.hpp"

#include <swirl/swirl.hpp>

namespace swirl::fuzz {

/// Plans the problem and runs it on the first GPU: results against the reference, guard zones and unchanged inputs.
void run_gpu_transform(const Transform& problem, const Options& options, Random& random,
                       const Setting& setting, Journal& journal);

} // namespace swirl::fuzz
