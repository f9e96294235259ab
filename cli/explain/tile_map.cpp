#include <swirl/matrix_product.hpp>
#include "cli/explain/wgmma.hpp"
#include "cli/svg.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "ir/tile.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::cli {
namespace {

constexpr double tile_margin = 48, tile_heading = 74, gap = 40;
constexpr double largest_tile_map = 640; ///< longer side of the tile's picture
constexpr double cell = 44;              ///< of the two detail pictures
constexpr double tile_legend = 60;
constexpr int rows_of_warp = 16; ///< of a wgmma instruction
constexpr int group = 8;
constexpr int chunks_of_row = static_cast<int>(ir::swizzle_row_bytes / ir::swizzle_chunk_bytes);

class TileMap {
public:
    explicit TileMap(const WgmmaExplanation& explanation)
        : explanation_(explanation),
          schedule_(explanation.schedule),
          element_(largest_tile_map / std::max(schedule_.cta_tile.m, schedule_.cta_tile.n)),
          details_(tile_heading + tile_margin + schedule_.cta_tile.m * element_ + gap),
          height_(details_ + 20 + group * cell + tile_legend),
          svg_(std::max(2 * tile_margin + schedule_.cta_tile.n * element_,
                        2 * tile_margin + 2 * 8 * cell + gap),
               height_) {}

    std::string draw() {
        svg_.words(tile_margin, 22,
                   to_text(explanation_.product) + " on " + std::string(explanation_.gpu.name), 18,
                   Svg::Anchor::start);
        svg_.words(
            tile_margin, 48,
            fmt::format("A block's tile of C, {} × {}: warps of {} warpgroups, by {}", schedule_.cta_tile.m,
                        schedule_.cta_tile.n, schedule_.warpgroups, explanation_.balance.instruction->name),
            14, Svg::Anchor::start);
        draw_warps();
        draw_accumulators();
        draw_chunks();
        return svg_.text();
    }

private:
    /// A wgmma row is a row of C if A comes from registers, else a column of C.
    bool has_rows() const { return explanation_.balance.a.from_registers; }

    void draw_warps() {
        const int extent = has_rows() ? schedule_.cta_tile.m : schedule_.cta_tile.n;
        const int own = extent / schedule_.warpgroups;
        for (int row = 0; row < extent; row += rows_of_warp) {
            const int warpgroup = row / own, warp = row % gemm::rows_of_wgmma / rows_of_warp;
            const double at = row * element_, length = rows_of_warp * element_;
            const Svg::Box box = has_rows() ? Svg::Box{tile_margin, tile_heading + tile_margin + at,
                                                       schedule_.cta_tile.n * element_, length}
                                            : Svg::Box{tile_margin + at, tile_heading + tile_margin, length,
                                                       schedule_.cta_tile.m * element_};
            const double hue = static_cast<double>(warpgroup) / schedule_.warpgroups;
            svg_.box(box, colour_of(hue, 0.9 - 0.05 * warp), "#606060", 0.8);
            svg_.words(box.x + box.width / 2, box.y + box.height / 2, fmt::format("{}.{}", warpgroup, warp),
                       std::min({14.0, 0.45 * box.width, 0.7 * box.height}));
        }
    }

    /// Eight rows of a warp with eight accumulators each: the owning thread and its register.
    void draw_accumulators() {
        svg_.words(tile_margin, details_, "Threads of a warp, and registers: 8 × 8 of a warp's accumulators",
                   12, Svg::Anchor::start);
        for (int thread = 0; thread < 32; ++thread)
            for (int r = 0; r < 2; ++r) {
                const Svg::Box box{tile_margin + ir::column_of_accumulator(thread, r) * cell,
                                   details_ + 20 + ir::row_of_accumulator(thread, r) * cell, cell, cell};
                svg_.box(box, colour_of(thread % 4 / 4.0, 0.82), "white", 0.5);
                svg_.words(box.x + cell / 2, box.y + cell / 2, fmt::format("{}.r{}", thread, r), 12);
            }
        svg_.words(
            tile_margin, height_ - tile_legend + 30,
            fmt::format(
                "A warp's name: warpgroup.warp; C's {} go to the right in the picture of accumulators.",
                has_rows() ? "columns" : "rows"),
            12, Svg::Anchor::start);
    }

    /// Locations of the 16-byte chunks of eight rows of shared memory.
    void draw_chunks() {
        const double left = tile_margin + group * cell + gap;
        svg_.words(left, details_, "Rows of shared memory: which 16-byte chunk is at each position", 12,
                   Svg::Anchor::start);
        for (Integer row = 0; row < 8; ++row)
            for (Integer chunk = 0; chunk < chunks_of_row; ++chunk) {
                const Integer index = row * ir::swizzle_row_bytes + chunk * ir::swizzle_chunk_bytes;
                const Integer position =
                    ir::swizzled(index, 1) % ir::swizzle_row_bytes / ir::swizzle_chunk_bytes;
                const Svg::Box box{left + static_cast<double>(position) * cell,
                                   details_ + 20 + static_cast<double>(row) * cell, cell, cell};
                svg_.box(box, colour_of(static_cast<double>(chunk) / chunks_of_row, 0.82), "white", 0.5);
                svg_.words(box.x + cell / 2, box.y + cell / 2, std::to_string(chunk), 13);
            }
    }

    const WgmmaExplanation& explanation_;
    const gemm::WgmmaGemm& schedule_;
    double element_, details_, height_;
    Svg svg_;
};

} // namespace

std::string tile_map_of(const WgmmaExplanation& explanation) { return TileMap(explanation).draw(); }

} // namespace swirl::cli
