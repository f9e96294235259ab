#pragma once

#include "gemm/scalar.hpp"

/// GEMM as programs: C = α·A·B + β·C in register tiles of C, over a panel of A and one of B (Püschel, Franchetti and
/// Chellappa, section 5.2; Goto and van de Geijn 2008).
namespace swirl::gemm {

/// The register tile of C that a micro-kernel computes: the tutorial's M_U × N_U. Its rows lie in vector lanes.
struct Tile {
    int lanes = 1;   ///< of a vector
    int vectors = 1; ///< vectors of rows in a column
    int columns = 1;
    int rows() const { return lanes * vectors; }
    bool operator==(const Tile&) const = default;
};

} // namespace swirl::gemm
