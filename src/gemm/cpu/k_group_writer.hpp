#pragma once

#include "gemm/cpu/pack.hpp"

namespace swirl::gemm {

/// Packs one panel by K groups: the program of gemm::pack for packings with k_group > 1.
ir::Program pack_k_groups(const Pack& pack);

} // namespace swirl::gemm
