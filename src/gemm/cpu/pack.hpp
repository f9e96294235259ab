#pragma once

#include "gemm/cpu/tile.hpp"
#include "gemm/operand_types.hpp"
#include "ir/program.hpp"

#include <optional>

namespace swirl::gemm {

enum class Operand : std::uint8_t { a, b };

/// A panel of A or B as micro-kernels read it: for each k, `width` adjacent elements of A's rows or B's columns; for
/// complex data all real components, then all imaginary ones. With K groups, each entry is the K group of a row or
/// column; zeros pad the last group.
struct Pack {
    /// The direction in which the source is contiguous.
    enum class Source : std::uint8_t { across_panel, along_k, neither };
    DataType data_type = DataType::float64;
    int lanes = 1; ///< of the CPU's vectors
    int width = 1; ///< of the panel
    int count = 1; ///< valid rows or columns, up to `width`; zeros replace the others
    Source source = Source::across_panel;
    bool conjugated = false;
    Integer max_k = 1;
    Integer max_stride = 1;                   ///< from one k index, row or column to the next
    std::optional<DataType> source_type = {}; ///< the source's data type, if narrower
    KPacking k_packing = {};                  ///< of the panel
    Operand operand = Operand::a; ///< a panel of B is followed by its column sums, if a correction needs them
    int rest = 0;                 ///< k indices beyond the last full group
    bool has_masks = false;       ///< the CPU has masked loads of a vector's first lanes
    bool operator==(const Pack&) const = default;

    bool is_widened() const { return source_type && k_packing.is_plain(); }
};

/// The program. Buffers: `from` and `to`. Parameters, in this order:
///   k_main        K in full K groups, rounded down to a multiple of k_per_iteration
///   k             K in full K groups, ≤ max_k
///   k_stride      in elements; 1 where the source is contiguous along K
///   stride        across the panel, in elements; 1 where the source is contiguous across it
ir::Program pack(const Pack& pack);

/// Vector lanes that divide the panel's width.
int panel_lanes(const Pack& pack);

/// K groups packed per iteration.
int k_per_iteration(const Pack& pack);

} // namespace swirl::gemm
