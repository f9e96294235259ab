#include "cli/report/results.hpp"

#include <swirl/problem.hpp>

#include "base/error.hpp"
#include "cli/mistake.hpp"
#include "cli/report/bench_document.hpp"
#include "problem/data_type.hpp"
#include "search/timer/cpu/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace swirl::cli {
namespace {

constexpr const char* right_files =
    "use files that 'bench --json FILE', 'swirl bench --json' or 'swirl ladder --json' wrote";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What charts and filters need of a problem.
struct Summary {
    std::string kind; ///< "dft, 1-D, batch", "gemm, square"
    DataType type;    ///< of the narrowest operand
    double n;         ///< points without the batch; of a product the cube root of m·n·k
    double bytes;     ///< compulsory traffic
};

/// Kinds are named as scripts/report names them.
Summary summary_of(const Transform& transform, const std::string& text) {
    std::string kind = text.substr(0, text.find(' '));
    if (transform.matrix.is_empty()) kind += fmt::format(", {}-D", transform.dimensions.size());
    if (text.find(" strides=") != std::string::npos || text.find(" in=") != std::string::npos) {
        kind += ", strided";
    } else if (!transform.batches.empty()) {
        kind += ", batch";
    } else if (transform.dimensions.size() == 1) {
        if (transform.direction == Direction::backward) kind += ", backward";
        if (transform.placement == Placement::in_place) kind += ", inplace";
    }
    double points = 1;
    for (const Dimension& dimension : transform.dimensions) points *= static_cast<double>(dimension.length);
    return {kind, transform.precision, points, search::compulsory_bytes(transform)};
}

Summary summary_of(const MatrixProduct& product, const std::string&) {
    constexpr Integer thin = 64;
    const auto [least, largest] = std::minmax({product.rows, product.columns, product.k});
    const char* const shape = product.batch > 1  ? "batch"
                              : least == largest ? "square"
                              : least <= thin    ? "one side to 64"
                                                 : "other shapes";
    const double volume = static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                          static_cast<double>(product.k);
    const bool is_narrow = bytes_of(product.type_of_a()) < bytes_of(product.data_type);
    return {fmt::format("gemm, {}", shape), is_narrow ? product.type_of_a() : product.data_type,
            std::cbrt(volume), search::compulsory_bytes(product)};
}

/// Reads one file.
class Reader {
public:
    Reader(std::string file, Age age, Results& results)
        : file_(std::move(file)), is_before_(age == Age::earlier), results_(results) {}

    void read(const std::string& text) {
        if (text.find_first_not_of(" \t\r\n") == std::string::npos)
            throw UserError("{} is empty; {}", file_, right_files);
        // A document begins with a line that is no object by itself.
        const std::string first = first_line(text);
        if (Json::accept(first) || text.find('\n') == std::string::npos || !is_cut_off(first))
            read_lines(text);
        else
            read_document(parse(text, 1));
    }

    void read_document(const Json& document) {
        line_ = 0;
        translated([&] {
            if (is_ladder_document(document))
                read_ladders(document);
            else if (is_bench_document(document))
                for (const Json& line : lines_of_bench(document)) read_line(line);
            else
                throw foreign();
        });
    }

private:
    [[nodiscard]] UserError error(const std::string& what) const {
        return line_ > 0 ? UserError("{}, line {}: {}", file_, line_, what)
                         : UserError("{}: {}", file_, what);
    }
    [[nodiscard]] UserError foreign() const {
        return error(fmt::format("neither a run nor a problem with its times; {}", right_files));
    }

    /// Wrong types and missing members become errors that name the line.
    template <class Read> void translated(const Read& read) const {
        try {
            read();
        } catch (const Json::exception& exception) {
            const std::string what = exception.what(); // "[json.exception.type_error.302] type must be …"
            throw error(fmt::format("{}; {}", what.substr(what.find(']') + 2), right_files));
        }
    }

    static bool is_cut_off(const std::string& text) {
        try {
            return Json::parse(text).empty();
        } catch (const Json::parse_error& error) {
            return error.byte > text.size();
        }
    }

    Json parse(const std::string& text, int first) {
        try {
            return Json::parse(text);
        } catch (const Json::parse_error& exception) {
            const auto end =
                text.begin() + static_cast<std::ptrdiff_t>(std::min(exception.byte, text.size()));
            line_ = first + static_cast<int>(std::count(text.begin(), end, '\n'));
            if (exception.byte > text.size())
                throw error(
                    "the file ends inside an object: it is cut off; write it anew, or remove this line");
            throw error(fmt::format("no JSON; {}", right_files));
        }
    }

    void read_lines(const std::string& text) {
        int number = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string line = text.substr(at, end - at);
            at = end + 1;
            line_ = ++number;
            if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
            const Json json = parse(line, number);
            if (number == 1 && json.is_object() && !json.contains("libraries") &&
                (json.contains("results") || json.contains("problem")))
                read_document(json); // on one line
            else
                translated([&] { read_line(json); });
        }
    }

    void read_line(const Json& line) {
        if (line.is_object() && line.contains("run"))
            start_run(line.at("run"));
        else if (line.is_object() && line.contains("problem") && line.contains("libraries"))
            read_row(line);
        else
            throw foreign();
    }

    void start_run(Json run) {
        run["file"] = file_;
        run["is_before"] = is_before_;
        if (!run.contains("machine")) run["machine"] = Json::object();
        results_.runs.push_back(std::move(run));
        has_run_ = true;
        made_by_.clear();
        absent_.clear();
    }

    void read_row(const Json& line) {
        if (!has_run_)
            throw error("times before the line of a run; it says on which machine they were taken");
        const std::string problem = line.at("problem").get<std::string>();
        const Summary summary = summary_of_text(problem);
        Json row{{"problem", problem},
                 {"run", results_.runs.size() - 1},
                 {"line", line_},
                 {"kind", summary.kind},
                 {"type", name_of(summary.type)},
                 {"n", summary.n},
                 {"flops", line.at("flops").get<double>()},
                 {"bytes", summary.bytes},
                 {"floors", line.value("floors", Json::object())},
                 {"libraries", Json::object()},
                 {"absent", Json::object()}};
        for (const auto& [name, entry] : line.at("libraries").items())
            row["libraries"][name] = library_of(name, entry);
        const Json absent = line.value("absent", Json::object());
        for (const auto& [name, reason] : absent.items()) absent_[name] = reason.get<std::string>();
        for (const auto& [name, reason] : absent_)
            if (!row["libraries"].contains(name)) row["absent"][name] = reason;
        results_.rows.push_back(std::move(row));
    }

    Summary summary_of_text(const std::string& text) const {
        try {
            const Problem problem = parse_problem(text);
            validate(problem);
            return std::visit([&](const auto& one) { return summary_of(one, text); }, problem);
        } catch (const Error& exception) {
            throw error(fmt::format("'{}': {}", text, on_one_line(first_line(exception.what()))));
        }
    }

    /// A peer's `made_by` is only in the first row for which it holds.
    Json library_of(const std::string& name, const Json& entry) {
        Json library = entry;
        if (!entry.value("wrong", false)) {
            const Json median = entry.value("median", Json());
            if (!median.is_number() || !(median.get<double>() > 0))
                throw error(fmt::format("the median of library '{}' is {}; it is a time in seconds, above 0",
                                        name, median.dump()));
        }
        if (entry.contains("made_by"))
            made_by_[name] = entry.at("made_by").get<std::string>();
        else if (made_by_.contains(name))
            library["made_by"] = made_by_.at(name);
        return library;
    }

    static bool is_ladder_document(const Json& document) {
        if (!document.is_object() || !document.contains("results")) return false;
        const Json& results = document.at("results");
        return results.is_array() && !results.empty() && results.at(0).is_object() &&
               results.at(0).contains("steps");
    }

    void read_ladders(const Json& document) {
        for (const Json& ladder : document.at("results")) {
            const Json& n = ladder.at("n");
            Json result{{"problem", ladder.contains("problem")
                                        ? ladder.at("problem")
                                        : Json(fmt::format("gemm {0}x{0}x{0} {1}", n.get<Integer>(),
                                                           ladder.at("data_type").get<std::string>()))},
                        {"n", n},
                        {"file", file_},
                        {"is_before", is_before_},
                        {"steps", Json::array()}};
            if (document.contains("run")) result["run"] = document.at("run");
            for (const Json& step : ladder.at("steps")) {
                const bool is_product = step.contains("gflops");
                result["steps"].push_back(
                    {{"name", step.at("name")},
                     {"what", step.at("what")},
                     {"made_by", step.at(is_product ? "program" : "schedule")},
                     {"threads", step.at("threads")},
                     {"is_new", step.at("is_new")},
                     {"gain", step.at("gain")},
                     {"minimum", step.at("minimum_seconds").get<double>()},
                     {"gflops", step.at(is_product ? "gflops" : "pseudo_gflops").get<double>()}});
            }
            results_.ladders.push_back(std::move(result));
        }
    }

    std::string file_;
    bool is_before_;
    Results& results_;
    int line_ = 1;
    bool has_run_ = false;
    std::map<std::string, std::string> made_by_, absent_; ///< by library
};

/// Rows with equal keys may be compared.
std::string key_of(const Results& results, const Json& row) {
    const Json& run = results.runs.at(row.at("run").get<std::size_t>());
    const auto text = [&](const char* member) { return run.value(member, Json()).dump(); };
    return fmt::format("{}\n{}\n{}\n{}\n{}", row.at("problem").get<std::string>(), text("device"),
                       text("threads"), text("accuracy"), text("label"));
}

} // namespace

void read_results(const std::string& file, Age age, Results& results) {
    if (std::filesystem::is_directory(file)) throw UserError("{} is a folder; {}", file, right_files);
    std::ifstream stream(file, std::ios::binary);
    if (!stream.is_open())
        throw UserError("{} cannot be read: {}; {}", file, std::strerror(errno), right_files);
    std::ostringstream text;
    text << stream.rdbuf();
    if (text.bad()) throw std::system_error(errno, std::generic_category(), "cannot read " + file);
    Reader(file, age, results).read(text.str());
}

void add_document(const Json& document, const std::string& file, Age age, Results& results) {
    Reader(file, age, results).read_document(document);
}

std::size_t pair_with_before(Results& results) {
    std::map<std::string, std::vector<std::size_t>> earlier;
    const auto is_before = [&](const Json& row) {
        return results.runs.at(row.at("run").get<std::size_t>()).at("is_before").get<bool>();
    };
    for (std::size_t k = results.rows.size(); k-- > 0;)
        if (is_before(results.rows[k])) earlier[key_of(results, results.rows[k])].push_back(k);
    std::size_t pairs = 0;
    for (Json& row : results.rows) {
        if (is_before(row)) continue;
        std::vector<std::size_t>& candidates = earlier[key_of(results, row)];
        if (candidates.empty()) continue;
        row["before"] = candidates.back();
        candidates.pop_back();
        ++pairs;
    }
    return pairs;
}

} // namespace swirl::cli
