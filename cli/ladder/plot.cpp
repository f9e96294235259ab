#include "base/error.hpp"
#include "cli/ladder/ladder.hpp"
#include "problem/syntax.hpp"

#include <array>
#include <cstdio>

namespace swirl::cli {
namespace {

/// Single-quoted: gnuplot takes every character but the quote literally.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

constexpr const char* style =
    "set terminal svg size 900,560 font 'Helvetica,13' background 'white'\n"
    "set border 3\nset tics nomirror\nset grid ytics lc rgb '#e0e0e0'\nset key outside right center\n"
    "set xlabel 'n'\nset yrange [0:*]\nset logscale x 2\n";

constexpr std::array colours = {"#888888", "#b8860b", "#e0a030", "#2e8b57", "#5aa0d8",
                                "#1f5fa8", "#6a3d9a", "#c22f1d", "#000000", "#d86fb0"};

/// Columns: the size, then one per step.
std::string script(const LadderPlot& plot, const std::string& file) {
    std::string text = style + fmt::format("set output {}\nset ylabel {}\nset xrange [{}:{}]\n", quoted(file),
                                           quoted(plot.unit), 0.8 * static_cast<double>(plot.sizes.front().n),
                                           1.25 * static_cast<double>(plot.sizes.back().n));
    if (plot.powers_of_two) text += "set format x '2^{%L}'\n";
    text += "$speeds << END\n";
    for (const LadderPlot::Size& size : plot.sizes) {
        text += fmt::format("{}", size.n);
        for (const double speed : size.speeds) text += fmt::format(" {:.4f}", speed);
        text += '\n';
    }
    text += "END\nplot";
    std::size_t column = 2;
    for (const std::string& step : plot.steps) {
        text += fmt::format(
            "{} $speeds using 1:{} with linespoints pointtype 7 pointsize 0.4 linewidth 1.5 linecolor rgb "
            "'{}' title {}",
            column > 2 ? "," : "", column, colours[(column - 2) % colours.size()], quoted(step));
        ++column;
    }
    return text + "\n";
}

} // namespace

void draw_ladders(const LadderPlot& plot, const std::filesystem::path& file) {
    std::filesystem::path part = file;
    part += ".part";
    write_file(part, {}); // reports the file name if it cannot be written
    std::FILE* const gnuplot = popen("gnuplot", "w");
    const std::string text = script(plot, part.string());
    const bool is_written =
        gnuplot != nullptr && std::fwrite(text.data(), 1, text.size(), gnuplot) == text.size();
    const bool is_drawn = gnuplot != nullptr && pclose(gnuplot) == 0 && is_written;
    if (is_drawn)
        std::filesystem::rename(part, file);
    else
        std::filesystem::remove(part);
    if (!is_drawn)
        throw UserError("--plot {}: gnuplot is not installed or could not draw; --json gives the figures",
                        file.string());
}

} // namespace swirl::cli
