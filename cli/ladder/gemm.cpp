#include "cli/ladder/gemm.hpp"

#include "base/error.hpp"
#include "cli/ladder/ladder.hpp"
#include "cli/output.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/report/page.hpp"
#include "cli/table.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/cpu/team.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/timer/cpu/timing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace swirl::cli {

namespace {

constexpr Integer largest_size = 1 << 14;
/// In units of ε·n, for matrices with elements below 1: rounding errors are far below, wrong elements far above.
constexpr double largest_gemm_error = 1;

/// A step that was built, compared with the definition and timed.
struct MatrixRung {
    GemmRung step;
    std::string program; ///< its parameters, for display
    bool is_new = true;  ///< false: the same program as the step before
    runtime::Measurement time;
    double gain = 1;
    double error = 0; ///< maximum over all elements, in units of ε·n
    std::optional<CacheLineCounts> lines;
};

struct MatrixLadder {
    GemmLadderOptions setting;
    std::vector<MatrixRung> rungs;

    double flops() const {
        const auto n = static_cast<double>(setting.n);
        return 2 * n * n * n;
    }
    double gigaflops(const MatrixRung& rung) const { return flops() / rung.time.minimum * 1e-9; }
};

/// A·B by the definition, in long double.
std::vector<long double> product_of(const GemmLadderOptions& setting, const Matrices& matrices) {
    const auto n = static_cast<std::size_t>(setting.n);
    std::vector<long double> result(n * n, 0);
    const auto compute = [&](const auto* a, const auto* b) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k) {
                const long double factor = a[i * n + k];
                for (std::size_t j = 0; j < n; ++j) result[i * n + j] += factor * b[k * n + j];
            }
    };
    if (setting.data_type == DataType::float32)
        compute(matrices.a.as<float>(), matrices.b.as<float>());
    else
        compute(matrices.a.as<double>(), matrices.b.as<double>());
    return result;
}

double largest_error_of(const GemmLadderOptions& setting, const Matrices& matrices,
                        const std::vector<long double>& expected) {
    const bool is_single = setting.data_type == DataType::float32;
    long double largest = 0;
    for (std::size_t at = 0; at < expected.size(); ++at) {
        const long double value = is_single ? matrices.c.as<float>()[at] : matrices.c.as<double>()[at];
        const long double error = std::abs(value - expected[at]);
        if (!(error <= largest)) largest = error; // catches NaN, too
    }
    return static_cast<double>(largest /
                               ((is_single ? 0x1p-23L : 0x1p-52L) * static_cast<long double>(setting.n)));
}

/// A ladder under construction.
class MatrixClimb {
public:
    MatrixClimb(const GemmLadderOptions& setting, std::vector<GemmRung> steps,
                const std::function<bool()>& enough)
        : matrices_(setting, 1), enough_(enough) {
        ladder_.setting = setting;
        for (GemmRung& step : steps) {
            MatrixRung rung;
            const MatrixProgram& program =
                *programs_.emplace_back(std::make_unique<MatrixProgram>(setting, step));
            rung.program = program.description();
            if (!ladder_.rungs.empty()) {
                const MatrixRung& before = ladder_.rungs.back();
                rung.is_new = step.nest ? !(step.nest == before.step.nest && step.cpu == before.step.cpu)
                                        : before.step.nest || program.threads() > 1;
            }
            rung.step = std::move(step);
            ladder_.rungs.push_back(std::move(rung));
        }
    }

    MatrixLadder run(double seconds) {
        verify();
        std::vector<std::size_t> serial, shared;
        for (std::size_t at = 0; at < programs_.size(); ++at)
            if (ladder_.rungs[at].is_new) (programs_[at]->threads() > 1 ? shared : serial).push_back(at);
        const double each = seconds / static_cast<double>(programs_.size());
        {
            const runtime::PinnedThread pinned;
            measure(serial, each);
        }
        if (!shared.empty()) { // timed against the step before, not pinned
            if (shared.front() > 0) shared.insert(shared.begin(), shared.front() - 1);
            measure(shared, each);
        }
        for (std::size_t at = 1; at < ladder_.rungs.size(); ++at) {
            MatrixRung &rung = ladder_.rungs[at], &before = ladder_.rungs[at - 1];
            if (!rung.is_new) rung.time = before.time;
            rung.gain = before.time.minimum / rung.time.minimum;
        }
        return std::move(ladder_);
    }

private:
    void verify() {
        const std::vector<long double> expected = product_of(ladder_.setting, matrices_);
        for (std::size_t at = 0; at < programs_.size(); ++at) {
            MatrixRung& rung = ladder_.rungs[at];
            matrices_.clear_c();
            programs_[at]->execute(matrices_);
            rung.error = largest_error_of(ladder_.setting, matrices_, expected);
            ensure(rung.error <= largest_gemm_error, "the product of size {} by {} has an error of {} units",
                   ladder_.setting.n, rung.program, rung.error);
        }
    }

    /// A repeated measurement keeps the faster time.
    void measure(const std::vector<std::size_t>& which, double seconds_each) {
        std::vector<runtime::TimedWork> works;
        for (const std::size_t at : which)
            works.push_back({[this, at] { programs_[at]->execute(matrices_); }, {}, 0});
        runtime::TimingOptions timing;
        timing.budget = seconds_each;
        timing.min_samples = 3;
        const auto times = search::measure_interleaved(works, timing, {}, enough_);
        for (std::size_t at = 0; at < which.size(); ++at) {
            runtime::Measurement& time = ladder_.rungs[which[at]].time;
            if (time.samples == 0 || times[at].minimum < time.minimum) time = times[at];
        }
    }

    Matrices matrices_;
    MatrixLadder ladder_;
    std::vector<std::unique_ptr<MatrixProgram>> programs_;
    const std::function<bool()>& enough_;
};

// ---- the command

struct GemmCommandOptions {
    std::vector<std::string> sizes{"64..1024*2"};
    std::vector<std::string> steps;
    double seconds = 2;
    int threads = 0;
    bool is_single = false;
    bool json = false;
    bool lines = false;
    bool cachegrind = false;
    std::string cache, plot;
    Json run;
    int times = -1; ///< executions of each step; negative: as many as timing takes
};

/// Parses "49152" or "49152,12".
void read_cache(const std::string& text, GemmLadderOptions& setting) {
    const char *at = text.data(), *const end = at + text.size();
    const auto read = [&](Integer& value) {
        const auto [behind, error] = std::from_chars(at, end, value);
        at = behind;
        return error == std::errc();
    };
    bool is_good = read(setting.cache_bytes);
    if (is_good && at != end) is_good = *at++ == ',' && read(setting.cache_ways) && at == end;
    const Integer lines = setting.cache_bytes / target::line_bytes;
    const bool is_cache = is_good && lines >= 8 && lines * target::line_bytes == setting.cache_bytes &&
                          setting.cache_bytes <= 1 << 30 && setting.cache_ways >= 1 &&
                          lines % setting.cache_ways == 0;
    if (!is_cache)
        throw UserError(
            "--cache is '{}'; use bytes and ways, such as 32768,8: 64 times the ways times a whole number",
            text);
}

GemmLadderOptions setting_of(const GemmCommandOptions& options) {
    GemmLadderOptions setting;
    setting.data_type = options.is_single ? DataType::float32 : DataType::float64;
    setting.threads = options.threads == 0 ? runtime::processors() : options.threads;
    setting.cache_bytes = 32 << 10;
    setting.cache_ways = 8;
    for (const search::CacheLevel& cache : search::this_host().caches)
        if (cache.level == 1 && cache.bytes > 0) {
            setting.cache_bytes = cache.bytes;
            if (cache.ways > 0) setting.cache_ways = cache.ways;
        }
    if (!options.cache.empty()) read_cache(options.cache, setting);
    return setting;
}

std::vector<Integer> sizes_of(const GemmCommandOptions& options) {
    std::vector<Integer> sizes;
    for (const std::string& text : options.sizes)
        for (const Integer n : parse_sizes(text)) {
            if (n > largest_size) throw UserError("size {} is more than {}", n, largest_size);
            sizes.push_back(n);
        }
    return sizes;
}

/// The selected steps, in order; all if none is selected.
std::vector<GemmRung> steps_of(const GemmCommandOptions& options, const GemmLadderOptions& setting) {
    std::vector<GemmRung> steps = gemm_rungs(setting);
    std::string names;
    for (const GemmRung& step : steps) names += (names.empty() ? "" : ", ") + step.name;
    for (const std::string& wanted : options.steps)
        if (std::none_of(steps.begin(), steps.end(), [&](const auto& step) { return step.name == wanted; }))
            throw UserError("unknown --step '{}'; use one of {}", wanted, names);
    if (!options.steps.empty())
        std::erase_if(steps, [&](const GemmRung& step) {
            return std::find(options.steps.begin(), options.steps.end(), step.name) == options.steps.end();
        });
    return steps;
}

/// What --cachegrind runs under valgrind: executions only.
void execute(GemmLadderOptions setting, const GemmCommandOptions& options) {
    for (const Integer n : sizes_of(options)) {
        setting.n = n;
        for (const GemmRung& step : steps_of(options, setting)) {
            const Matrices matrices(setting, 1);
            const MatrixProgram program(setting, step);
            for (int time = 0; time < options.times; ++time) program.execute(matrices);
        }
    }
}

Json json_of(const MatrixRung& rung, const CacheLineCounts& lines) {
    Json json{{"accesses", lines.fully_associative.accesses},
              {"predicted", rung.step.predicted_cache_lines},
              {"any_place", lines.fully_associative.lines},
              {"in_sets", lines.set_associative.lines}};
    if (lines.by_cachegrind) json["cachegrind"] = *lines.by_cachegrind;
    return json;
}

Json json_of(const MatrixLadder& ladder) {
    Json json{{"n", ladder.setting.n},
              {"data_type", ladder.setting.data_type == DataType::float32 ? "float32" : "float64"},
              {"flops", ladder.flops()},
              {"cache_bytes", ladder.setting.cache_bytes},
              {"cache_ways", ladder.setting.cache_ways},
              {"steps", Json::array()}};
    for (const MatrixRung& rung : ladder.rungs) {
        Json step{{"name", rung.step.name},
                  {"what", rung.step.what},
                  {"program", rung.program},
                  {"threads", rung.step.threads},
                  {"is_new", rung.is_new},
                  {"minimum_seconds", rung.time.minimum},
                  {"median_seconds", rung.time.median},
                  {"gflops", ladder.gigaflops(rung)},
                  {"gain", rung.gain},
                  {"error_units", rung.error}};
        if (rung.lines) step["lines"] = json_of(rung, *rung.lines);
        json["steps"].push_back(std::move(step));
    }
    return json;
}

std::string speeds(const std::vector<MatrixLadder>& ladders) {
    std::vector<std::string> header{"n"};
    for (const MatrixRung& rung : ladders.front().rungs) header.push_back(rung.step.name);
    Table table(header);
    for (const MatrixLadder& ladder : ladders) {
        std::vector<std::string> row{std::to_string(ladder.setting.n)};
        for (const MatrixRung& rung : ladder.rungs) {
            const bool is_first = &rung == &ladder.rungs.front();
            const double speed = ladder.gigaflops(rung);
            row.push_back(!rung.is_new ? "="
                          : is_first   ? fmt::format("{:.2f}", speed)
                                       : fmt::format("{:.2f} x{:.2f}", speed, rung.gain));
        }
        table.add(std::move(row));
    }
    std::string text =
        table.text() +
        "Gflop/s by the fastest sample, and how many times the step before; =: the same program\n";
    for (const MatrixRung& rung : ladders.back().rungs)
        text += fmt::format("  {:10} {}\n  {:10} {}\n", rung.step.name, rung.step.what, "", rung.program);
    return text;
}

std::string lines(const std::vector<MatrixLadder>& ladders) {
    const GemmLadderOptions& setting = ladders.front().setting;
    Table table({"n", "step", "accesses", "predicted", "any place",
                 fmt::format("{} ways", setting.cache_ways), "cachegrind"});
    for (const MatrixLadder& ladder : ladders)
        for (const MatrixRung& rung : ladder.rungs) {
            if (!rung.lines) continue;
            const CacheLineCounts& counts = *rung.lines;
            const double predicted = rung.step.predicted_cache_lines;
            table.add({std::to_string(ladder.setting.n), rung.step.name,
                       std::to_string(counts.fully_associative.accesses),
                       predicted > 0 ? fmt::format("{:.0f}", predicted) : "-",
                       std::to_string(counts.fully_associative.lines),
                       std::to_string(counts.set_associative.lines),
                       counts.by_cachegrind ? std::to_string(*counts.by_cachegrind) : "-"});
        }
    const double line = static_cast<double>(setting.elements_per_cache_line());
    return fmt::format(
        "\nLines of {} bytes loaded into a cache of {} bytes.\n{}"
        "predicted: for n beyond the cache, {:g} n^3 by three loops, n^3/({:g} N_B) in blocks; any place, "
        "ways: counted\n"
        "access by access where a line may be anywhere in the cache, or in its set; cachegrind: by valgrind, "
        "scalar steps\n",
        target::line_bytes, setting.cache_bytes, table.text(), 1 + 1 / line, line / 2);
}

void run(const GemmCommandOptions& options) {
    if (!runtime::ExecutableCode::is_available())
        throw UserError("a ladder compares generated programs; this system runs none");
    GemmLadderOptions setting = setting_of(options);
    if (options.times >= 0) return execute(setting, options);
    if (options.cachegrind) require_cachegrind();
    std::vector<MatrixLadder> ladders;
    const std::vector<Integer> sizes = sizes_of(options);
    ListProgress progress("climbing", sizes.size());
    for (const Integer n : sizes) {
        if (!progress.begin(fmt::format("gemm {0}x{0}x{0}", n))) break;
        setting.n = n;
        const std::function<bool()> enough = progress.enough_after(options.seconds);
        MatrixLadder& ladder = ladders.emplace_back(
            MatrixClimb(setting, steps_of(options, setting), enough).run(options.seconds));
        if (options.lines || options.cachegrind)
            for (MatrixRung& rung : ladder.rungs)
                if (rung.is_new && rung.step.nest)
                    rung.lines = count_cache_lines(setting, rung.step, options.cachegrind);
    }
    progress.clear();
    Json document{{"run", options.run}, {"results", Json::array()}};
    for (const MatrixLadder& ladder : ladders) document["results"].push_back(json_of(ladder));
    if (is_page(options.plot)) {
        write_report_of(document, options.plot);
    } else if (!options.plot.empty()) {
        LadderPlot plot{.unit = "Gflop/s", .powers_of_two = false};
        for (const MatrixRung& rung : ladders.front().rungs) plot.steps.push_back(rung.step.name);
        for (const MatrixLadder& ladder : ladders) {
            LadderPlot::Size& size = plot.sizes.emplace_back();
            size.n = ladder.setting.n;
            for (const MatrixRung& rung : ladder.rungs) size.speeds.push_back(ladder.gigaflops(rung));
        }
        draw_ladders(plot, options.plot);
    }
    if (options.json) return print_json(document);
    print(speeds(ladders) + (options.lines || options.cachegrind ? lines(ladders) : ""));
}

} // namespace

void add_gemm_ladder(CLI::App& ladder) {
    auto options = std::make_shared<GemmCommandOptions>();
    CLI::App& command = *ladder.add_subcommand(
        "gemm", "Multiplication of square matrices: what each step of optimisation gains; cache misses");
    command.add_option("N", options->sizes, "Rows: 1000, or 64..1024*2 for each twice the one before")
        ->type_name("")
        ->capture_default_str();
    command.add_option("--seconds", options->seconds, "Time to spend on each size, checks aside")
        ->type_name("SECONDS")
        ->capture_default_str();
    command.add_option("--threads", options->threads, "Threads of the last step; 0 for all processors")
        ->type_name("NUMBER")
        ->capture_default_str();
    command.add_option("--step", options->steps, "Only this step; may be given several times")
        ->type_name("NAME");
    command.add_flag("--float", options->is_single, "float32 in place of float64");
    command.add_flag("--lines", options->lines,
                     "Count by models the cache lines that each step loads into L1");
    command.add_flag("--cachegrind", options->cachegrind,
                     "Count them by valgrind's cachegrind too; needs valgrind");
    command.add_option("--cache", options->cache, "Bytes and ways of L1; by default this machine's")
        ->type_name("BYTES,WAYS");
    command.add_flag("--json", options->json, "Print JSON");
    command
        .add_option("--plot", options->plot,
                    "Draw the speeds: into FILE.html as swirl report does, else as SVG with gnuplot")
        ->type_name("FILE");
    command.add_option("--times", options->times, "Only execute each step, so often")->group("");
    command.footer(
        "For example:\n"
        "  swirl ladder gemm 200\n"
        "  swirl ladder gemm 100 --step naive --step blocked --cachegrind");
    command.callback([options, &command] {
        options->run = ladder_run(command);
        if (options->threads < 0) throw UserError("--threads is {}; use 0 or more", options->threads);
        run(*options);
    });
}

} // namespace swirl::cli
