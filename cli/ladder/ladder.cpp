#include "cli/ladder/ladder.hpp"

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/data.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/report/page.hpp"
#include "cli/run_record.hpp"
#include "cli/table.hpp"
#include "ir/count.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cpu/team.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/timer/cpu/timing.hpp"

#include <bit>
#include <cmath>
#include <optional>

namespace swirl::cli {

const target::Cpu& plainest_cpu() {
    for (const target::Cpu* cpu : target::cpus())
        if (cpu->set != target::InstructionSet::portable && target::host_can_run(*cpu)) return *cpu;
    return target::portable_cpu();
}

double Ladder::gigaflops(const MeasuredRung& rung) const {
    return search::pseudo_flops(problem) / rung.time.minimum * 1e-9;
}

namespace {

constexpr double largest_error = 3; ///< in units of Accuracy, as swirl verify has it

using PlanPointer = std::shared_ptr<const planning::Plan>;

/// A ladder under construction.
class Climb {
public:
    Climb(const Transform& problem, std::vector<LadderRung> steps, const std::function<bool()>& enough)
        : data_(problem), enough_(enough) {
        ladder_.problem = problem;
        for (LadderRung& step : steps) add(std::move(step));
    }

    Ladder run(double seconds) {
        verify();
        const double each = seconds / static_cast<double>(works_.size());
        std::vector<std::size_t> serial, shared;
        for (std::size_t i = 0; i < plans_.size(); ++i)
            if (ladder_.rungs[i].is_new) (plans_[i]->threads() > 1 ? shared : serial).push_back(i);
        {
            const runtime::PinnedThread pinned;
            measure(serial, each);
        }
        // Timed separately: threads started while one is pinned would be pinned, too.
        if (!shared.empty()) measure(with_rungs_before(shared), each);
        fill_in();
        return std::move(ladder_);
    }

private:
    void add(LadderRung step) {
        MeasuredRung rung;
        const PlanPointer plan =
            planning::Plan::build(ladder_.problem, step.schedule, {.threads = step.threads});
        if (!plans_.empty())
            rung.is_new = !(plans_.back()->schedule() == plan->schedule()) ||
                          plans_.back()->threads() != plan->threads();
        for (const planning::PassDescription& description : plan->describe()) {
            const ir::OperationCounts counts = ir::count_operations(description.lowered);
            rung.additions += counts.additions + counts.fused;
            rung.multiplications += counts.multiplications + counts.fused;
        }
        rung.step = std::move(step);
        ladder_.rungs.push_back(std::move(rung));
        plans_.push_back(plan);
        works_.push_back(
            data_.memory().timed([plan, arguments = data_.arguments()] { plan->execute(arguments); }));
    }

    void verify() {
        data_.fill(1);
        const auto expected = expected_output(ladder_.problem, data_.elements(Side::input));
        data_.memory().save();
        for (std::size_t i = 0; i < plans_.size(); ++i) {
            data_.memory().restore();
            plans_[i]->execute(data_.arguments());
            MeasuredRung& rung = ladder_.rungs[i];
            rung.error = accuracy(ladder_.problem, data_.elements(Side::output), expected);
            ensure(rung.error.units <= largest_error, "{} by schedule \"{}\" has an error of {} units",
                   to_text(ladder_.problem), planning::to_string(rung.step.schedule), rung.error.units);
        }
    }

    static std::vector<std::size_t> with_rungs_before(const std::vector<std::size_t>& which) {
        std::vector<std::size_t> result;
        for (const std::size_t i : which) {
            if (i > 0 && (result.empty() || result.back() != i - 1)) result.push_back(i - 1);
            result.push_back(i);
        }
        return result;
    }

    /// A repeated measurement keeps the faster time.
    void measure(const std::vector<std::size_t>& which, double seconds_each) {
        std::vector<runtime::TimedWork> works;
        for (const std::size_t i : which) works.push_back(works_[i]);
        const runtime::FlushDenormals flush;
        runtime::TimingOptions timing;
        timing.budget = seconds_each;
        const auto times = search::measure_interleaved(works, timing, {}, enough_);
        for (std::size_t k = 0; k < which.size(); ++k) {
            runtime::Measurement& time = ladder_.rungs[which[k]].time;
            if (time.samples == 0 || times[k].minimum < time.minimum) time = times[k];
        }
    }

    void fill_in() {
        for (std::size_t i = 1; i < ladder_.rungs.size(); ++i) {
            MeasuredRung &rung = ladder_.rungs[i], &before = ladder_.rungs[i - 1];
            if (!rung.is_new) rung.time = before.time;
            rung.gain = before.time.minimum / rung.time.minimum;
        }
    }

    Ladder ladder_;
    Data data_;
    const std::function<bool()>& enough_;
    std::vector<PlanPointer> plans_;
    std::vector<runtime::TimedWork> works_;
};

} // namespace

Json ladder_run(const CLI::App& command) {
    Json run = run_record(command);
    run["machine"] = machine_record(search::this_host());
    return run;
}

Ladder climb(const Transform& problem, std::vector<LadderRung> steps, double seconds,
             const std::function<bool()>& enough) {
    return Climb(problem, std::move(steps), enough).run(seconds);
}

namespace {

struct LadderOptions {
    std::vector<std::string> sizes;
    double seconds = 1;
    int threads = 0;
    bool json = false;
    std::string plot;
    Json run;
};

std::vector<Integer> sizes_of(const LadderOptions& options, const LadderRungs& steps) {
    std::vector<Integer> result;
    for (const std::string& text : options.sizes)
        for (const Integer n : parse_sizes(text)) {
            if (n < steps.min_size() || !std::has_single_bit(static_cast<std::uint64_t>(n)))
                throw UserError("size {} is not a power of two of at least {}", n, steps.min_size());
            result.push_back(n);
        }
    return result;
}

Json json_of(const Ladder& ladder) {
    Json json{{"n", ladder.problem.dimensions[0].length},
              {"problem", to_text(ladder.problem)},
              {"pseudo_flops", search::pseudo_flops(ladder.problem)},
              {"steps", Json::array()}};
    for (const MeasuredRung& rung : ladder.rungs)
        json["steps"].push_back(
            {{"name", rung.step.name},
             {"what", rung.step.what},
             {"schedule", planning::to_string(rung.step.schedule)},
             {"threads", rung.step.threads},
             {"is_new", rung.is_new},
             {"additions", rung.additions},
             {"multiplications", rung.multiplications},
             {"minimum_seconds", rung.time.minimum},
             {"median_seconds", rung.time.median},
             {"pseudo_gflops", ladder.gigaflops(rung)},
             {"gain", rung.gain},
             {"error", {{"relative_l2", rung.error.relative}, {"units", rung.error.units}}}});
    return json;
}

std::vector<std::string> header_of(const Ladder& ladder) {
    std::vector<std::string> header{"n"};
    for (const MeasuredRung& rung : ladder.rungs) header.push_back(rung.step.name);
    return header;
}

Table speeds(const std::vector<Ladder>& ladders) {
    Table table(header_of(ladders.front()));
    for (const Ladder& ladder : ladders) {
        std::vector<std::string> row{std::to_string(ladder.problem.dimensions[0].length)};
        for (const MeasuredRung& rung : ladder.rungs)
            row.push_back(!rung.is_new ? "="
                          : &rung == &ladder.rungs.front()
                              ? fmt::format("{:.2f}", ladder.gigaflops(rung))
                              : fmt::format("{:.2f} x{:.2f}", ladder.gigaflops(rung), rung.gain));
        table.add(std::move(row));
    }
    return table;
}

/// Exercise 1 of the tutorial's section 6.7: operation counts of the definition and of the derived programs.
Table counts(const std::vector<Ladder>& ladders) {
    std::vector<std::string> header = header_of(ladders.front());
    header.insert(header.begin() + 1, {"reuse", "n log2 n", "by definition"});
    Table table(header);
    for (const Ladder& ladder : ladders) {
        const Integer n = ladder.problem.dimensions[0].length;
        const Integer log = std::bit_width(static_cast<std::uint64_t>(n)) - 1;
        std::vector<std::string> row{std::to_string(n), std::to_string(log), std::to_string(n * log),
                                     std::to_string(n * (n - 1))};
        for (const MeasuredRung& rung : ladder.rungs)
            row.push_back(rung.multiplications == 0
                              ? std::to_string(rung.additions)
                              : fmt::format("{} + {} mul.", rung.additions, rung.multiplications));
        table.add(std::move(row));
    }
    return table;
}

std::string legend(const Ladder& ladder) {
    std::string text;
    for (const MeasuredRung& rung : ladder.rungs)
        text += fmt::format("  {:18} {}\n", rung.step.name, rung.step.what);
    return text;
}

LadderPlot plot_of(const std::vector<Ladder>& ladders) {
    LadderPlot plot{.unit = "pseudo-Gflop/s"};
    for (const MeasuredRung& rung : ladders.front().rungs) plot.steps.push_back(rung.step.name);
    for (const Ladder& ladder : ladders) {
        LadderPlot::Size& size = plot.sizes.emplace_back();
        size.n = ladder.problem.dimensions[0].length;
        for (const MeasuredRung& rung : ladder.rungs) size.speeds.push_back(ladder.gigaflops(rung));
    }
    return plot;
}

void run(LadderRungs& steps, const LadderOptions& options, bool with_counts) {
    if (!runtime::ExecutableCode::is_available())
        throw UserError("a ladder compares generated programs; this system runs none");
    std::vector<Ladder> ladders;
    const std::vector<Integer> sizes = sizes_of(options, steps);
    ListProgress progress("climbing", sizes.size());
    for (const Integer n : sizes) {
        const Transform problem = steps.problem(n);
        if (!progress.begin(to_text(problem))) break;
        std::vector<LadderRung> rungs = steps.steps(n);
        ladders.push_back(
            climb(problem, std::move(rungs), options.seconds, progress.enough_after(options.seconds)));
    }
    progress.clear();
    Json document{{"run", options.run}, {"results", Json::array()}};
    for (const Ladder& ladder : ladders) document["results"].push_back(json_of(ladder));
    if (is_page(options.plot))
        write_report_of(document, options.plot);
    else if (!options.plot.empty())
        draw_ladders(plot_of(ladders), options.plot);
    if (options.json) return print_json(document);
    std::string text =
        speeds(ladders).text() +
        "pseudo-Gflop/s by the fastest sample, and how many times the step before; =: the same program\n" +
        legend(ladders.front());
    if (with_counts)
        text +=
            "\nAdditions, as derived; no multiplications where none are shown. Reuse: additions by size.\n" +
            counts(ladders).text();
    print(text);
}

void add_options(CLI::App& command, LadderOptions& options, const char* sizes) {
    options.sizes = {sizes};
    command
        .add_option("N", options.sizes, "Powers of two: 1024, or 16..65536*2 for each twice the one before")
        ->type_name("")
        ->capture_default_str();
    command.add_option("--seconds", options.seconds, "Time to spend on each size, planning aside")
        ->type_name("SECONDS")
        ->capture_default_str();
    command.add_flag("--json", options.json, "Print JSON");
    command
        .add_option("--plot", options.plot,
                    "Draw the speeds: into FILE.html as swirl report does, else as SVG with gnuplot")
        ->type_name("FILE");
}

} // namespace

void add_ladder(CLI::App& program) {
    CLI::App& command = *program.add_subcommand(
        "ladder",
        "Climb from the textbook's algorithm to the fastest, one setting of the generator at a time");
    command.require_subcommand(1);
    command.footer(
        "For example:\n"
        "  swirl ladder dft 1024\n"
        "  swirl ladder gemm 200\n"
        "  swirl ladder wht 16..65536*2");
    {
        auto options = std::make_shared<LadderOptions>();
        CLI::App& dft =
            *command.add_subcommand("dft", "The complex DFT: what each step of optimisation gains");
        add_options(dft, *options, "16..262144*2");
        dft.add_option("--threads", options->threads, "Threads of the last step; 0 for all processors")
            ->type_name("NUMBER")
            ->capture_default_str();
        dft.footer(
            "For example:\n"
            "  swirl ladder dft 1024\n"
            "  swirl ladder dft 64..65536*4 --plot ladder.html");
        dft.callback([options, &dft] {
            options->run = ladder_run(dft);
            if (options->threads < 0) throw UserError("--threads is {}; use 0 or more", options->threads);
            run(*dft_ladder(options->threads == 0 ? runtime::processors() : options->threads), *options,
                false);
        });
    }
    add_gemm_ladder(command);
    auto options = std::make_shared<LadderOptions>();
    CLI::App& wht = *command.add_subcommand(
        "wht", "The Walsh-Hadamard transform: operations counted, trees timed and searched");
    add_options(wht, *options, "2..1048576*2");
    wht.footer("For example:\n  swirl ladder wht 1024\n  swirl ladder wht 16..65536*2 --json");
    wht.callback([options, &wht] {
        options->run = ladder_run(wht);
        run(*wht_ladder(), *options, true);
    });
}

} // namespace swirl::cli
