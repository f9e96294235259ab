#include "bench/support/program.hpp"

#include "base/error.hpp"
#include "bench/support/draw.hpp"
#include "bench/support/setting.hpp"
#include "problem/data_type.hpp"
#include "problem/syntax.hpp"
#include "runtime/timer.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace swirl::bench {
namespace {

/// The lines that name problems: not empty, no comments.
std::vector<std::string> lines_of(const std::string& file) {
    std::ifstream opened;
    if (file != "-") opened.open(file);
    std::istream& stream = file == "-" ? std::cin : opened;
    if (!stream) throw UserError("--problems {}: the file cannot be read", file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty() && line.front() != '#') lines.push_back(line);
    return lines;
}

std::vector<DataType> parse_types(const std::string& list) {
    std::vector<DataType> types;
    for (const std::string& word : words_of(list)) {
        const auto type = data_type_named(word);
        if (!type) throw UserError("--types has '{}'; use data types such as float32,float64", word);
        types.push_back(*type);
    }
    return types;
}

} // namespace

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

void ProblemOptions::add_to(CLI::App& program) {
    program.add_option("PROBLEM", given, "Problems to measure, each as one word: 'dft 1024 batch=10'");
    program.add_option("--problems", file, "Problems to measure, one a line of this file; -: standard input");
    program.add_option("--draw", draw, "Problems to measure, drawn at random")
        ->check(CLI::IsMember({"transforms", "products"}));
    program.add_option("--seed", seed, "Of the draw; the same seed draws the same problems")
        ->capture_default_str();
    program.add_option("--count", count, "Problems to draw")->capture_default_str();
    program.add_option("--types", types, "Data types to draw, such as float32,float64");
    program.add_option("--largest", largest,
                       "Most points of a transform, or the longest side of a matrix, to draw");
}

std::vector<Problem> ProblemOptions::problems(bool on_gpu) const {
    std::vector<Problem> problems;
    for (const std::string& text : given) problems.push_back(parse_problem(text));
    if (!file.empty())
        for (const std::string& text : lines_of(file)) problems.push_back(parse_problem(text));
    if (!draw.empty())
        for (const Problem& drawn :
             bench::draw({.kind = draw == "products" ? ProblemKind::products : ProblemKind::transforms,
             .on_gpu = on_gpu,
             .seed = seed,
             .count = count,
             .types = parse_types(types),
             .largest = largest}))
            problems.push_back(drawn);
    if (problems.empty())
        throw UserError("no problem: name some, or use --problems FILE or --draw transforms");
    return problems;
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

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
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
