#pragma once

#include "cli/definition.hpp"

/// Transforms by their definitions, as `swirl verify` has them.
namespace swirl::fuzz {

using cli::Complex;
using cli::TransformDefinition;
using cli::Values;

} // namespace swirl::fuzz
