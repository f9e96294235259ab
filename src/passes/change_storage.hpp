#pragma once

#include "ir/program.hpp"

#include <string_view>

namespace swirl::passes {

/// Keeps the argument `name` in another floating type: what is loaded from it is converted to the type that it had, what
/// is stored there is converted from that, rounded once. Its alignment is that of as many elements as before.
///
/// Before: loads and stores only, no atomic additions.
ir::Program change_storage(ir::Program program, std::string_view name, ir::Scalar storage);

} // namespace swirl::passes
