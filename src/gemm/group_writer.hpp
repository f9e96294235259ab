#pragma once

#include "gemm/pack.hpp"

namespace swirl::gemm {

/// What packs one panel of groups of steps: the program of gemm::pack where steps are taken in groups.
ir::Program pack_groups(const Pack& pack);

} // namespace swirl::gemm
