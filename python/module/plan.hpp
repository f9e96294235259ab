#pragma once

#include "numpy.hpp"

#include <swirl/plan.hpp>

namespace swirl::python {

/// Adds the class Plan.
void define_plan(nb::module_& module);

/// The plan of a Python object; throws TypeError if it is none.
const Plan& plan_of(nb::handle object);

} // namespace swirl::python
