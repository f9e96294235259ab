#include "cli/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::cli {
namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else
            result += c;
    }
    return result;
}

constexpr double saturation = 0.65;

} // namespace

Svg::Svg(double width, double height)
    : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
                        "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"Helvetica,Arial,sans-serif\">\n"
                        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"white\"/>\n",
                        width, height)) {}

void Svg::box(const Box& box, std::string_view fill, std::string_view line, double line_width) {
    text_ += fmt::format(
        "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"{}\" stroke=\"{}\" "
        "stroke-width=\"{:g}\"/>\n",
        box.x, box.y, box.width, box.height, fill, line, line_width);
}

void Svg::words(double x, double y, std::string_view text, double size, Anchor anchor) {
    text_ += fmt::format("<text x=\"{:g}\" y=\"{:g}\" font-size=\"{:g}\" text-anchor=\"{}\">{}</text>\n", x,
                         y + 0.35 * size, size, anchor == Anchor::middle ? "middle" : "start", escaped(text));
}

std::string colour_of(double hue, double lightness) {
    const double chroma = saturation * std::min(lightness, 1 - lightness);
    const auto channel = [&](double offset) { // the standard HSL formula
        const double k = std::fmod(offset + 12 * hue, 12);
        return static_cast<int>(
            std::lround(255 * (lightness - chroma * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0))));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

} // namespace swirl::cli
