#include "cli/ranks.hpp"

#include "base/error.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

#include <swirl/distributed/plan.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <vector>

namespace swirl::cli {

namespace {

using distributed::Box;
using distributed::Machine;

/// Ranks in all, and of a node.
struct Ranks {
    int all;
    int of_node;
};

Ranks parse_ranks(const std::string& text) {
    constexpr int most = 1 << 16;
    const auto number = [&](const std::string& part) {
        const bool is_number =
            !part.empty() && part.size() < 7 && part.find_first_not_of("0123456789") == part.npos;
        const int value = is_number ? std::stoi(part) : 0;
        if (value < 1 || value > most)
            throw UserError(
                "--ranks is '{}'\n  use ranks of one node, such as 4, or nodes and ranks of a node, such as "
                "8x8",
                text);
        return value;
    };
    const std::size_t times = text.find('x');
    const int first = number(text.substr(0, times));
    if (times == std::string::npos) return {first, first};
    const int of_node = number(text.substr(times + 1));
    if (first > most / of_node) throw UserError("--ranks is '{}'\n  there are at most {} ranks", text, most);
    return {first * of_node, of_node};
}

Machine read_machine(const std::string& path) {
    Machine machine;
    std::ifstream file(path);
    if (!file) throw UserError("--machine: cannot read '{}'", path);
    Json json;
    try {
        json = Json::parse(file);
        for (const auto& [key, value] : json.items()) {
            const auto number = value.get<double>();
            if (key == "node_latency")
                machine.node_latency = number;
            else if (key == "node_bandwidth")
                machine.node_bandwidth = number;
            else if (key == "network_latency")
                machine.network_latency = number;
            else if (key == "network_bandwidth")
                machine.network_bandwidth = number;
            else if (key == "memory_bandwidth")
                machine.memory_bandwidth = number;
            else if (key == "flops")
                machine.flops = number;
            else
                throw UserError(
                    "--machine: '{}' has an unknown member '{}'\n  there are node_latency, network_latency "
                    "(seconds), node_bandwidth, network_bandwidth, memory_bandwidth (bytes per second and "
                    "rank), flops (per second and rank)",
                    path, key);
        }
    } catch (const Json::exception& error) {
        throw UserError("--machine: '{}' is no JSON object of numbers: {}", path, error.what());
    }
    return machine;
}

std::optional<std::vector<Box>> boxes_named(const std::string& name, const std::vector<Integer>& lengths,
                                            int ranks) {
    if (name == "slabs") return distributed::slabs(lengths, ranks);
    if (name == "pencils")
        return lengths.size() == 1 ? distributed::slabs(lengths, ranks)
                                   : distributed::pencils(lengths, ranks, lengths.size() - 1);
    if (name == "bricks") return distributed::bricks(lengths, ranks);
    return std::nullopt; // free
}

std::string text_of(const Transform& problem, const distributed::PlanPreview& preview, const Ranks& ranks) {
    const auto most = [](const std::vector<Integer>& values) {
        return *std::max_element(values.begin(), values.end());
    };
    std::string text = fmt::format("problem    {}\nranks      {}, {} of a node\nschedule   {}\n",
                                   to_text(problem), ranks.all, ranks.of_node, preview.schedule);
    text += fmt::format("exchanges  {}; a rank sends at most {} in {} messages{}\n", preview.exchanges,
                        format_bytes(static_cast<double>(most(preview.bytes))), most(preview.messages),
                        preview.ranks.size() < preview.output.size()
                            ? fmt::format(" (of {} ranks looked at)", preview.ranks.size())
                            : "");
    text += fmt::format("estimate   {:.3g} ms\noutput     {} of rank 0\n\nsteps of rank 0\n{}",
                        1e3 * preview.seconds, distributed::to_text(preview.output.front()), preview.steps);
    return text;
}

} // namespace

void RankOptions::add_to(CLI::App& command) {
    const std::vector<std::string> kinds{"slabs", "pencils", "bricks"},
        output_kinds{"slabs", "pencils", "bricks", "free"};
    CLI::Option* const given = command
                                   .add_option("--ranks", ranks,
                                               "Plan a transform whose data is divided among ranks: of one "
                                               "node (4), or nodes and ranks of a "
                                               "node (8x8); they need not be there")
                                   ->type_name("RANKS");
    command
        .add_option("--machine", machine,
                    "JSON file with latencies, bandwidths and flops of a rank, for --ranks")
        ->type_name("FILE")
        ->needs(given);
    command.add_option("--input", input, "How the input is divided among ranks: slabs, pencils or bricks")
        ->type_name("BOXES")
        ->capture_default_str()
        ->check(CLI::IsMember(kinds))
        ->needs(given);
    command
        .add_option("--output", output,
                    "How the output is divided: slabs, pencils, bricks, or free to choose")
        ->type_name("BOXES")
        ->capture_default_str()
        ->check(CLI::IsMember(output_kinds))
        ->needs(given);
}

void report_ranks(const Transform& problem, const RankOptions& options, const std::string& schedule,
                  bool as_json, bool derivation) {
    const Ranks ranks = parse_ranks(options.ranks);
    distributed::DistributedOptions plan_options;
    if (!options.machine.empty()) plan_options.machine = read_machine(options.machine);
    plan_options.machine.ranks_per_node = ranks.of_node;
    plan_options.schedule = schedule;
    const distributed::PlanPreview preview = distributed::preview(
        problem, *boxes_named(options.input, distributed::input_lengths(problem), ranks.all),
        boxes_named(options.output, distributed::output_lengths(problem), ranks.all), plan_options);
    if (derivation && preview.derivation.empty())
        throw UserError("--ranks is '{}'\n  derivations are printed for at most 16 ranks", options.ranks);
    if (as_json) {
        Json json{{"problem", to_text(problem)},     {"ranks", ranks.all},
                  {"ranks_per_node", ranks.of_node}, {"schedule", preview.schedule},
                  {"exchanges", preview.exchanges},  {"counted_ranks", preview.ranks},
                  {"bytes", preview.bytes},          {"messages", preview.messages},
                  {"seconds", preview.seconds},      {"steps", preview.steps}};
        if (derivation) json["derivation"] = preview.derivation;
        print_json(json);
        return;
    }
    print(text_of(problem, preview, ranks) + (derivation ? "\nderivation\n" + preview.derivation : ""));
}

} // namespace swirl::cli
