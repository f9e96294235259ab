#pragma once

#include "emit/cpp_prelude.hpp"

#include <string_view>

/// What emitted C++ for AArch64 has above its kernels in place of the general helpers.
namespace swirl::emit {

extern const std::string_view neon_include_text;

/// The name that <arm_neon.h> has for a vector of 8 or 16 bytes; empty for others.
std::string_view neon_type(ir::Type type);

/// Fused multiplications and additions, loads and stores of half a register.
void write_neon_functions(SourceWriter& out, const PreludeNeeds& needs);

} // namespace swirl::emit
