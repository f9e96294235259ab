#include "cli/explain/thread_map.hpp"

#include <swirl/matrix_product.hpp>
#include "cli/svg.hpp"
#include "gemm/gpu/simt/thread_map.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::cli {
namespace {

using Fragments = std::vector<gemm::ThreadFragment>;

constexpr double margin = 48;   ///< around the tile, including the strips of A and B
constexpr double strip = 18;    ///< width of a strip
constexpr double heading = 74;  ///< height
constexpr double legend = 76;   ///< height
constexpr double largest = 960; ///< longer side of a tile's picture, unless its text needs more
constexpr double min_fragment = 18;
constexpr double most_of_element = 40;
constexpr double narrowest = 760; ///< for the text

class Map {
public:
    explicit Map(const GemmExplanation& explanation)
        : explanation_(explanation),
          schedule_(explanation.schedule),
          warps_(schedule_.k_slice_threads() / schedule_.lanes()),
          first_(fragments_of_warp(0)),
          element_(size_of_element()),
          height_(heading + margin + schedule_.cta_tile.m * element_ + legend),
          svg_(std::max(narrowest, 2 * margin + schedule_.cta_tile.n * element_), height_) {}

    std::string draw() {
        draw_heading();
        draw_warps();
        draw_lanes();
        draw_strips();
        draw_legend();
        return svg_.text();
    }

private:
    Fragments fragments_of_warp(int warp) const {
        return gemm::thread_fragments(schedule_, explanation_.product.data_type, warp * schedule_.lanes(),
                                      schedule_.lanes());
    }

    double size_of_element() const {
        const double longer = std::max(schedule_.cta_tile.m, schedule_.cta_tile.n);
        const double shorter_of_fragment = std::min(first_.front().rows, first_.front().columns);
        return std::min(std::max(largest / longer, min_fragment / shorter_of_fragment), most_of_element);
    }

    Svg::Box box_of(Integer row, Integer column, Integer rows, Integer columns) const {
        return {margin + element_ * static_cast<double>(column),
                heading + margin + element_ * static_cast<double>(row),
                element_ * static_cast<double>(columns), element_ * static_cast<double>(rows)};
    }

    void label(const Svg::Box& box, std::string_view text, double most) {
        const double size =
            std::min({most, 0.6 * box.height,
                      1.5 * box.width / static_cast<double>(std::max<std::size_t>(2, text.size()))});
        svg_.words(box.x + box.width / 2, box.y + box.height / 2, text, size);
    }

    void draw_heading() {
        svg_.words(margin, 22, to_text(explanation_.product) + " on " + std::string(explanation_.gpu.name),
                   18, Svg::Anchor::start);
        svg_.words(
            margin, 48,
            fmt::format("A block's tile of C{}, {} × {}: {} warps{}, and the lanes of warp 0",
                        gemm::canonical_for_gpu(explanation_.product).is_swapped ? " transposed" : "",
                        schedule_.cta_tile.m, schedule_.cta_tile.n, warps_,
                        schedule_.sliced_k > 1 ? fmt::format(" in each of {} slices", schedule_.sliced_k)
                                               : std::string()),
            14, Svg::Anchor::start);
    }

    void draw_warps() {
        for (int warp = 0; warp < warps_; ++warp) {
            const Fragments fragments = warp == 0 ? first_ : fragments_of_warp(warp);
            const gemm::ThreadFragment& corner = fragments.front();
            const Svg::Box box =
                box_of(corner.row, corner.column, schedule_.warp_lanes().m * schedule_.thread_tile.m,
                       schedule_.warp_lanes().n * schedule_.thread_tile.n);
            svg_.box(box, "#f4f4f4", "#606060", 1.5);
            if (warp > 0) label(box, fmt::format("warp {}", warp), 16);
        }
    }

    void draw_lanes() {
        for (const gemm::ThreadFragment& fragment : first_) {
            // Consecutive threads also differ in lightness.
            const std::string colour = colour_of(fragment.thread / static_cast<double>(schedule_.lanes()),
                                                 fragment.thread % 2 == 0 ? 0.82 : 0.7);
            const Svg::Box box = box_of(fragment.row, fragment.column, fragment.rows, fragment.columns);
            svg_.box(box, colour, "white", 0.5);
            label(box, std::to_string(fragment.thread), 13);
        }
        for (const gemm::ThreadFragment& fragment : first_)
            if (fragment.thread == 0)
                svg_.box(box_of(fragment.row, fragment.column, fragment.rows, fragment.columns), "none",
                         "black", 1.5);
    }

    /// A warp's operands of one k index: vectors of A on the left, of B above.
    void draw_strips() {
        const gemm::ThreadFragment& fragment = first_.front();
        for (Integer row = 0; row < schedule_.warp_lanes().m * schedule_.thread_tile.m;
             row += fragment.rows) {
            Svg::Box box = box_of(row, 0, fragment.rows, 1);
            box.x = margin - strip - 6;
            box.width = strip;
            svg_.box(box, "#e8eef6", "#8090a0", 0.5);
            label(box, std::to_string(row), 10);
        }
        for (Integer column = 0; column < schedule_.warp_lanes().n * schedule_.thread_tile.n;
             column += fragment.columns) {
            Svg::Box box = box_of(0, column, 1, fragment.columns);
            box.y -= strip + 6;
            box.height = strip;
            svg_.box(box, "#f6eee8", "#a09080", 0.5);
            label(box, std::to_string(column), 10);
        }
        svg_.words(margin - strip / 2 - 6, heading + margin - strip / 2 - 6, "A \\ B", 9);
    }

    void draw_legend() {
        const gemm::ThreadFragment& fragment = first_.front();
        const double top = height_ - legend + 18;
        svg_.words(
            margin, top,
            fmt::format("Each box: {} × {} elements of the lane with that index, {} × {} in all; lane 0's "
                        "have a black line.",
                        fragment.rows, fragment.columns, schedule_.thread_tile.m, schedule_.thread_tile.n),
            12, Svg::Anchor::start);
        svg_.words(margin, top + 18,
                   "On the left the rows of A, above the columns of B that the warp reads from shared memory "
                   "for each k index, a vector per box.",
                   12, Svg::Anchor::start);
        svg_.words(margin, top + 36,
                   fmt::format("{} × {} lanes{}", schedule_.warp_lanes().m, schedule_.warp_lanes().n,
                               schedule_.zigzag() ? ", neighbours alternate between two columns" : ""),
                   12, Svg::Anchor::start);
    }

    const GemmExplanation& explanation_;
    const gemm::SimtGemm& schedule_;
    int warps_; ///< per sliced-K slice
    Fragments first_;
    double element_;
    double height_;
    Svg svg_;
};

} // namespace

std::string thread_map_of(const GemmExplanation& explanation) { return Map(explanation).draw(); }

} // namespace swirl::cli
