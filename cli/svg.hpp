#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace swirl::cli {

/// A picture of boxes and text, painted in order, in pixels from the upper left corner.
class Svg {
public:
    Svg(double width, double height);

    struct Box {
        double x, y, width, height;
    };
    void box(const Box& box, std::string_view fill, std::string_view line, double line_width);

    enum class Anchor : std::uint8_t { start, middle };
    /// Vertically centred at y.
    void words(double x, double y, std::string_view text, double size, Anchor anchor = Anchor::middle);

    std::string text() const { return text_ + "</svg>\n"; }

private:
    std::string text_;
};

/// "#rrggbb" of a rather pale colour of this hue (0 … 1, around the circle) and lightness (0 … 1).
std::string colour_of(double hue, double lightness);

} // namespace swirl::cli
