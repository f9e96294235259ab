#include "base/error.hpp"
#include "cli/ladder.hpp"
#include "problem/syntax.hpp"

#include <array>
#include <cstdio>

namespace swirl::cli {
namespace {

/// In single quotes, where gnuplot takes every character but the quote for itself.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

constexpr const char* style =
    "set terminal svg size 900,560 font 'Helvetica,13' background 'white'\n"
    "set border 3\nset tics nomirror\nset grid ytics lc rgb '#e0e0e0'\nset key outside right center\n"
    "set xlabel 'n'\nset ylabel 'pseudo-Gflop/s'\nset yrange [0:*]\nset logscale x 2\nset format x "
    "'2^{%L}'\n";

constexpr std::array colours = {"#888888", "#b8860b", "#e0a030", "#2e8b57", "#5aa0d8",
                                "#1f5fa8", "#6a3d9a", "#c22f1d", "#000000"};

/// Columns: the size, then one for each step.
std::string script(const std::vector<Ladder>& ladders, const std::string& file) {
    std::string text =
        style + fmt::format("set output {}\nset xrange [{}:{}]\n$speeds << END\n", quoted(file),
                            0.8 * static_cast<double>(ladders.front().problem.dimensions[0].length),
                            1.25 * static_cast<double>(ladders.back().problem.dimensions[0].length));
    for (const Ladder& ladder : ladders) {
        text += fmt::format("{}", ladder.problem.dimensions[0].length);
        for (const Rung& rung : ladder.rungs) text += fmt::format(" {:.4f}", ladder.gigaflops(rung));
        text += '\n';
    }
    text += "END\nplot";
    std::size_t column = 2;
    for (const Rung& rung : ladders.front().rungs) {
        text += fmt::format(
            "{} $speeds using 1:{} with linespoints pointtype 7 pointsize 0.4 linewidth 1.5 linecolor rgb "
            "'{}' title {}",
            column > 2 ? "," : "", column, colours[(column - 2) % colours.size()], quoted(rung.step.name));
        ++column;
    }
    return text + "\n";
}

} // namespace

void draw_ladders(const std::vector<Ladder>& ladders, const std::filesystem::path& file) {
    std::filesystem::path part = file;
    part += ".part";
    write_file(part, {}); // names the file where it cannot be written
    std::FILE* const gnuplot = popen("gnuplot", "w");
    const std::string text = script(ladders, part.string());
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
