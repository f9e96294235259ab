#pragma once

// `validate` is part of the public interface: past that call the other folders rely on all that it checks, and check
// nothing of it again.
#include <swirl/problem.hpp>
