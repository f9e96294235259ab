#include "cli/problem_list.hpp"

#include "base/error.hpp"
#include "cli/draw.hpp"
#include "cli/problems.hpp"
#include "problem/data_type.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "search/record.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace swirl::cli {
namespace {

/// The lines that name problems: not empty, no comments. Of what a program printed with SWIRL_VERBOSE=1 these are marked.
std::vector<std::string> lines_of(const std::string& file) {
    std::ifstream opened;
    if (file != "-") opened.open(file);
    std::istream& stream = file == "-" ? std::cin : opened;
    if (!stream) throw UserError("--problems {}: the file cannot be read", file);
    std::vector<std::string> lines, marked;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with(search::planned_mark))
            marked.push_back(line.substr(search::planned_mark.size()));
        else if (line.find_first_not_of(" \t\r") != std::string::npos && line.front() != '#')
            lines.push_back(line);
    }
    return marked.empty() ? lines : marked;
}

} // namespace

ListedProblem parse_listed(const std::string& line) {
    const std::size_t tab = line.find('\t');
    ListedProblem listed{parse_problem(line.substr(0, tab))};
    validate(listed.problem);
    std::istringstream settings(tab == std::string::npos ? "" : line.substr(tab + 1));
    for (std::string setting; settings >> setting;) {
        const std::string value = setting.substr(std::min(setting.find('=') + 1, setting.size()));
        if (setting.starts_with("device=")) {
            listed.device = value;
        } else if (setting.starts_with("threads=")) {
            const auto [end, error] =
                std::from_chars(value.data(), value.data() + value.size(), listed.threads);
            if (error != std::errc() || end != value.data() + value.size() || listed.threads < 1)
                throw UserError("'{}' is no number of threads, in the line '{}'", value, line);
        } else {
            throw UserError("'{}' is no setting of a logged problem; use device=NAME or threads=NUMBER\n  {}",
                            setting, line);
        }
    }
    return listed;
}

void ProblemOptions::add_to(CLI::App& program) {
    program.add_option("PROBLEM", given, "Problems, quoted or as words: 'dft 1024 batch=10'")->type_name("");
    program.add_option("--problems", file, "Problems, one a line of this file; -: standard input")
        ->type_name("FILE");
    program
        .add_option(
            "--draw", draw,
            "Problems drawn at random: transforms, products or signals (convolutions, wavelets, frames …)")
        ->check(CLI::IsMember({"transforms", "products", "signals"}))
        ->type_name("KIND");
    program.add_option("--seed", seed, "Of the draw; the same seed draws the same problems")
        ->type_name("NUMBER")
        ->capture_default_str();
    program.add_option("--count", count, "Problems to draw")->type_name("NUMBER")->capture_default_str();
    program.add_option("--types", types, "Data types to draw, such as float32,float64")->type_name("TYPES");
    program
        .add_option("--largest", largest,
                    "Most points of a transform, or the longest side of a matrix, to draw")
        ->type_name("NUMBER");
}

std::vector<DataType> ProblemOptions::data_types() const {
    std::vector<DataType> result;
    for (const std::string& word : words_of(types)) {
        const auto type = data_type_named(word);
        if (!type) throw UserError("--types has '{}'; use data types such as float32,float64", word);
        result.push_back(*type);
    }
    return result;
}

std::vector<ListedProblem> ProblemOptions::all(bool on_gpu) const {
    std::vector<ListedProblem> all;
    for (const std::string& text : problem_texts(given)) {
        all.push_back({parse_problem(text)});
        validate(all.back().problem);
    }
    if (!file.empty())
        for (const std::string& line : lines_of(file)) all.push_back(parse_listed(line));
    if (!draw.empty())
        for (Problem& drawn : cli::draw({.kind = draw == "products"  ? ProblemKind::products
                                                 : draw == "signals" ? ProblemKind::signals
                                                                     : ProblemKind::transforms,
                              .on_gpu = on_gpu,
                              .seed = seed,
                              .count = count,
                              .types = data_types(),
                              .largest = largest}))
            all.push_back({std::move(drawn)});
    return all;
}

std::vector<ListedProblem> ProblemOptions::listed(bool on_gpu) const {
    std::vector<ListedProblem> result;
    std::set<std::string> known;
    for (ListedProblem& one : all(on_gpu))
        if (known.insert(fmt::format("{}\t{} {}", to_text(one.problem), one.device, one.threads)).second)
            result.push_back(std::move(one));
    return result;
}

std::vector<Problem> ProblemOptions::problems(bool on_gpu) const {
    std::vector<Problem> problems;
    for (ListedProblem& one : all(on_gpu)) problems.push_back(std::move(one.problem));
    if (problems.empty())
        throw UserError("no problem: name some, or use --problems FILE or --draw transforms");
    return problems;
}

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

} // namespace swirl::cli
