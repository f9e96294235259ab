#pragma once

// `validate` is part of the public interface: past that call the other folders rely on all that it checks, and check
// nothing of it again.
#include <swirl/problem.hpp>

namespace swirl {

/// `validate`, and UserError for what CPUs do not compute: numbers of 16 bits.
void validate_for_cpu(const Problem& problem);

} // namespace swirl
