#pragma once

#include "gemm/numbers.hpp"
#include "gemm/tile.hpp"
#include "ir/program.hpp"

#include <optional>

namespace swirl::gemm {

enum class Operand : std::uint8_t { a, b };

/// A panel of A or B as micro-kernels read it: for each step along the depth `width` numbers of A's rows or B's columns next
/// to each other; of complex numbers first their real parts, then their imaginary parts. Of groups of steps each number is the
/// group of a row or column; zeros fill the last one up.
struct Pack {
    /// In which direction the numbers are next to each other in memory.
    enum class Source : std::uint8_t { across_panel, along_depth, neither };
    Number number = Number::float64;
    int lanes = 1; ///< of the CPU's vectors
    int width = 1; ///< of the panel
    int count = 1; ///< rows or columns that there are, up to `width`; zeros in place of the others
    Source source = Source::across_panel;
    bool conjugated = false;
    Integer most_depth = 1;
    Integer most_stride = 1;           ///< from one step or row or column to the next
    std::optional<Number> narrow = {}; ///< what the source's numbers are, if they are narrower
    Grouping grouping = {};            ///< of the panel
    Operand operand = Operand::a;      ///< behind a panel of B are its sums, if they are to correct something
    int rest = 0;                      ///< steps beyond the last whole group
    bool has_masks = false;            ///< the CPU loads some first lanes of any vector
    bool operator==(const Pack&) const = default;

    bool is_widened() const { return narrow && grouping.is_plain(); }
};

/// The program, with buffers `from` and `to` and, in this order, the parameters
///   steps         the depth in whole groups of steps, rounded down to a multiple of steps_together
///   depth         in whole groups, ≤ most_depth
///   depth_stride  in numbers; 1 where the source is along the depth
///   stride        across the panel, in numbers; 1 where the source is across it
ir::Program pack(const Pack& pack);

/// Lanes that divide the panel's width into whole vectors.
int panel_lanes(const Pack& pack);

/// Groups of steps along the depth that are packed at once.
int steps_together(const Pack& pack);

} // namespace swirl::gemm
