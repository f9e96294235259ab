#include "search/probe.hpp"

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "search/wisdom.hpp"

#include <memory>

namespace swirl::cli {
namespace {

struct Options {
    bool json = false;
    bool again = false;
    double seconds = 2;
};

search::MachineProbe probe(const Options& options) {
    const search::ProbeOptions how{.budget = options.seconds, .memory_working_set = 0};
    search::Wisdom wisdom(search::Wisdom::default_file());
    return options.again ? search::new_probe(wisdom, how) : search::known_probe(wisdom, how);
}

} // namespace

void add_probe(CLI::App& program) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *program.add_subcommand(
        "probe",
        "Show what this machine can do: caches, cores, peak of multiply-adds, bandwidth of each level");
    command.add_flag("--json", options->json, "Print JSON");
    command.add_flag("--again", options->again, "Measure anew, even where wisdom knows");
    command.add_option("--seconds", options->seconds, "Time to measure for, roughly")
        ->type_name("SECONDS")
        ->capture_default_str();
    command.callback([options] {
        const search::MachineProbe result = probe(*options);
        print(options->json ? search::to_json(result) + "\n" : search::to_table(result));
    });
}

} // namespace swirl::cli
