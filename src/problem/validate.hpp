#pragma once

// `validate` is part of the public interface. After it, the other folders rely on everything it checks and do not check
// it again.
#include <swirl/transform.hpp>

namespace swirl {

/// `validate`, plus UserError for what CPUs do not compute: 16-bit types.
void validate_for_cpu(const Transform& problem);

} // namespace swirl
