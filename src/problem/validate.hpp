#pragma once

// `validate` belongs to the public interface. After it, the other folders rely on everything it checks and do not check
// it again.
#include <swirl/transform.hpp>

namespace swirl {

/// `validate`, plus Unsupported for conversions between memory and arithmetic that CPUs do not compute.
void validate_for_cpu(const Transform& problem);

} // namespace swirl
