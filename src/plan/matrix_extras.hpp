#pragma once

#include "plan/matrix_epilogue.hpp"

namespace swirl::planning {

/// What few products have beside their operands.
struct MatrixExtras {
    EpilogueCall epilogue = {};
};

} // namespace swirl::planning
