#pragma once

#include "emit/cpp/prelude.hpp"

#include <string_view>

/// The prelude of emitted C++ for AArch64, which replaces the general helpers.
namespace swirl::emit {

extern const std::string_view neon_include_text;

/// The type in <arm_neon.h> of a vector of 8 or 16 bytes; empty for others.
std::string_view neon_type(ir::Type type);

/// Fused multiply-adds, loads and stores of half a register.
void write_neon_functions(SourceWriter& out, const PreludeNeeds& needs);

} // namespace swirl::emit
