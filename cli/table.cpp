#include "cli/table.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::cli {
namespace {

/// Characters, not bytes.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_numeric(const std::string& text) {
    return !text.empty() &&
           (std::isdigit(static_cast<unsigned char>(text[0])) != 0 ||
            (text.size() > 1 && text[0] == '-' && std::isdigit(static_cast<unsigned char>(text[1])) != 0));
}

/// Three significant digits without an exponent.
std::string three_digits(double value) {
    const double size = std::fabs(value);
    return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

std::string with_unit(double value, double factor, const std::vector<const char*>& units) {
    std::size_t unit = 0;
    for (; unit + 1 < units.size() && value >= 0.9995 * factor; ++unit) value /= factor;
    return three_digits(value) + " " + units[unit];
}

} // namespace

void Table::add(std::vector<std::string> row) {
    ensure(row.size() == header_.size(), "{} cells in a table of {} columns", row.size(), header_.size());
    rows_.push_back(std::move(row));
}

std::string Table::text() const {
    std::vector<std::size_t> widths;
    std::vector<bool> right;
    for (std::size_t column = 0; column < header_.size(); ++column) {
        std::size_t width = width_of(header_[column]);
        bool numeric = !rows_.empty();
        for (const auto& row : rows_) {
            width = std::max(width, width_of(row[column]));
            numeric = numeric && (row[column].empty() || row[column] == "-" || is_numeric(row[column]));
        }
        widths.push_back(width);
        right.push_back(numeric);
    }
    std::string text;
    const auto write = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string blanks(widths[column] - width_of(row[column]), ' ');
            if (column > 0) line += "  ";
            line += right[column] ? blanks + row[column] : row[column] + blanks;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    write(header_);
    for (const auto& row : rows_) write(row);
    return text;
}

std::string format_seconds(double seconds) { return with_unit(seconds * 1e9, 1000, {"ns", "µs", "ms", "s"}); }

std::string format_bytes(double bytes) {
    if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
    return with_unit(bytes / 1024, 1024, {"KiB", "MiB", "GiB", "TiB"});
}

std::string format_percent(double fraction) { return three_digits(100 * fraction) + "%"; }

} // namespace swirl::cli
