#include "bench/support/program.hpp"

#include "base/error.hpp"
#include "bench/support/setting.hpp"
#include "runtime/timer.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

namespace swirl::bench {
int main_of(const Program& program, int count, char** values) {
    CLI::App parser(program.description);
    program.add_options(parser);
    CLI11_PARSE(parser, count, values);
    try {
        return program.run(command_of(count, values));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", std::filesystem::path(values[0]).filename().c_str(), error.what());
        return 1;
    }
}

void JsonLines::add_to(CLI::App& program) {
    program.add_option("--json", path_, "Write results to this file, too, one JSON object a line");
}

void JsonLines::write(const cli::Json& line) {
    if (path_.empty()) return;
    if (!file_.is_open()) file_.open(path_);
    if (!(file_ << line.dump() << std::endl)) throw UserError("--json {}: the file cannot be written", path_);
}

std::vector<cli::Json> read_json_lines(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw UserError("cannot read '{}'", path);
    std::vector<cli::Json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(cli::Json::parse(line));
    return lines;
}

double median_of(std::vector<double> values) {
    ensure(!values.empty(), "the median of nothing");
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double milliseconds_of(const std::function<void()>& action, int runs) {
    std::vector<double> times;
    for (int k = 0; k < runs; ++k) {
        const double start = runtime::monotonic_seconds();
        action();
        times.push_back(1e3 * (runtime::monotonic_seconds() - start));
    }
    return median_of(std::move(times));
}

} // namespace swirl::bench
