#include "search/cost/probe/probe.hpp"

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "runtime/cuda/device.hpp"
#include "search/wisdom/wisdom.hpp"

#include <nlohmann/json.hpp>

#include <memory>

namespace swirl::cli {
namespace {

struct ProbeOptions {
    bool json = false;
    bool again = false;
    double seconds = 2;
};

search::HostProbe probe(const ProbeOptions& options) {
    const search::ProbeOptions how{
        .budget = options.seconds, .memory_working_set = 0, .progress = probe_progress()};
    search::Wisdom wisdom(search::Wisdom::default_file());
    return options.again ? search::new_probe(wisdom, how) : search::known_probe(wisdom, how);
}

/// Empty if there is none, for whatever reason.
nlohmann::ordered_json gpus() {
    auto result = nlohmann::ordered_json::array();
    try {
        for (const runtime::GpuProperties& gpu : runtime::all_gpus())
            result.push_back(
                {{"name", gpu.name},
                 {"compute_capability", fmt::format("{}.{}", gpu.capability_major, gpu.capability_minor)},
                 {"memory_bytes", gpu.memory_bytes}});
    } catch (const Error&) {}
    return result;
}

std::string json_of(const search::HostProbe& result) {
    auto json = nlohmann::ordered_json::parse(search::to_json(result));
    json["gpus"] = gpus();
    return json.dump(2) + "\n";
}

} // namespace

void add_probe(CLI::App& program) {
    auto options = std::make_shared<ProbeOptions>();
    CLI::App& command = *program.add_subcommand(
        "probe",
        "Show what this machine can do: caches, cores, peak of multiply-adds, bandwidth of each level, GPUs");
    command.add_flag("--json", options->json, "Print JSON");
    command.add_flag("--again", options->again, "Measure anew, even where wisdom knows");
    command.add_option("--seconds", options->seconds, "Time to measure for, roughly")
        ->type_name("SECONDS")
        ->capture_default_str();
    command.footer(
        "For example:\n"
        "  swirl probe                    as wisdom knows it, else measured now\n"
        "  swirl probe --again --json     measured anew, for scripts");
    command.callback([options] {
        const search::HostProbe result = probe(*options);
        print(options->json ? json_of(result) : search::to_table(result) + "\n" + runtime::describe_gpus());
    });
}

} // namespace swirl::cli
