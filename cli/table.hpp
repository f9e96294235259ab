#pragma once

#include <string>
#include <vector>

namespace swirl::cli {

/// Rows of text in columns of minimal width. Numeric columns are right-aligned, others left-aligned.
class Table {
public:
    explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
    /// As many cells as the header has.
    void add(std::vector<std::string> row);
    /// Header and rows, each line terminated.
    std::string text() const;

private:
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
};

/// Three significant digits and a unit: "1.23 µs", "45.6 MiB" for factors of 1024, "7.89 Gflop/s" for 1000.
std::string format_seconds(double seconds);
std::string format_bytes(double bytes);
std::string format_percent(double fraction);

} // namespace swirl::cli
