#include <swirl/device.hpp>
#include <swirl/plan.hpp>
#include <swirl/version.hpp>
#include <swirl/wisdom.hpp>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/data.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "peers/peer.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/cpu/cpu_quota.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/kernel_cache.hpp"
#include "runtime/timer.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/wisdom/gpu_identity.hpp"
#include "search/wisdom/shipped_wisdom.hpp"
#include "target/cpu.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace swirl::cli {
namespace {

/// One thing that swirl needs or can use.
struct Finding {
    std::string what;
    bool works;
    std::string state;
    std::string remedy = {}; ///< what to do where it does not work
};

Finding processors() {
    const std::size_t allowed = runtime::allowed_processors().size();
    const int quota = runtime::cpu_quota();
    std::string state = fmt::format("{} of {} processors", allowed == 0 ? 1 : allowed,
                                    std::max(1U, std::thread::hardware_concurrency()));
    if (quota > 0) state += fmt::format(", time of {} (control group)", quota);
    return {"threads", true, state};
}

Finding cpu() { return {"CPU", true, std::string(target::host_cpu().name)}; }

/// Times are differences of two readings, so a slow clock makes small transforms look slow.
Finding clock() {
    constexpr double slow = 2e-7;
    const double overhead = runtime::clock_overhead();
    std::string source;
    std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
    const std::string state =
        fmt::format("a reading takes {}{}", format_seconds(overhead), source.empty() ? "" : ", by " + source);
    if (overhead < slow) return {"clock", true, state};
    return {
        "clock", false, state,
        "measurements of small problems are coarse; boot Linux with clocksource=tsc where the CPU allows it"};
}

Finding machine_code() {
    if (runtime::ExecutableCode::is_available()) return {"machine code", true, "generated code runs here"};
    return {"machine code", false, "not on this system; plans run on built-in kernels, which are slower",
            "on x86-64 allow executable memory (SELinux: execmem) and unset SWIRL_NO_JIT"};
}

/// The default call of most programs, with its check.
Finding first_plan() {
    try {
        Options options;
        options.use_wisdom = false;
        const Plan made = plan("dft 1000", options);
        return {"a transform", true, fmt::format("dft 1000, checked: {}", made.schedule())};
    } catch (const Error& error) {
        return {"a transform", false, error.what(), "report this"};
    }
}

/// A file or folder that is made on first use.
Finding stored(const std::string& what, const std::filesystem::path& path, const std::string& variable) {
    if (path.empty() || path == ":memory:")
        return {what, false, "switched off, or there is no home folder",
                fmt::format("let {} name a place that you may write to", variable)};
    std::filesystem::path existing = path;
    std::error_code error;
    while (!existing.empty() && !std::filesystem::exists(existing, error) && existing.has_parent_path() &&
           existing != existing.parent_path())
        existing = existing.parent_path();
    const bool is_writable = ::access(existing.c_str(), W_OK) == 0;
    return {what, is_writable,
            path.string() + (is_writable ? existing == path ? "" : ", not yet there" : ", not writable"),
            is_writable ? "" : fmt::format("let {} name a place that you may write to", variable)};
}

void add_gpus(std::vector<Finding>& findings) {
    const int count = gpu_count();
    if (count == 0)
        findings.push_back(
            {"GPU", false, why_no_gpu(), "for an NVIDIA GPU install its driver; no toolkit is needed"});
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        const Device device = Device::gpu(ordinal);
        try {
            findings.push_back({"GPU", true,
                                fmt::format("{}: {}, {} of {} free", device.text(), device.name(),
                                            format_bytes(static_cast<double>(device.free_memory_bytes())),
                                            format_bytes(static_cast<double>(device.memory_bytes())))});
        } catch (const Error& error) {
            findings.push_back({"GPU", false, fmt::format("{}: {}", device.text(), error.what()),
                                "compare with what nvidia-smi says"});
        }
    }
}

/// What the library ships for a device of this machine, by its key in wisdom.
Finding shipped(const std::string& device, const std::string& key) {
    const std::string kind = search::device_kind(key);
    for (const search::ShippedWisdom& each : search::shipped_wisdom())
        if (each.device() == kind)
            return {"shipped wisdom", true,
                    fmt::format("{}: {} schedules for {}", device, each.entries().size(), kind)};
    return {"shipped wisdom", false, fmt::format("{}: none, the model decides", device),
            "swirl tune makes wisdom of your own"};
}

void add_shipped(std::vector<Finding>& findings) {
    findings.push_back(shipped("cpu", search::cpu_key(target::host_cpu())));
    for (int ordinal = 0; ordinal < gpu_count(); ++ordinal) {
        try {
            const runtime::GpuDevice& device = runtime::device_numbered(ordinal);
            findings.push_back(shipped(Device::gpu(ordinal).text(), search::gpu_identity_of(device).key));
        } catch (const Error&) { // said already of the GPU itself
        }
    }
}

/// Libraries to compare with, by planning a small transform with each.
void add_peers(std::vector<Finding>& findings) {
    const Transform problem = parse_transform("dft 64");
    Data data(problem);
    for (const peers::Peer* peer :
         {&peers::fftw_estimate, &peers::fftw_avx512, &peers::mkl, &peers::kfr, &peers::pocketfft}) {
        const peers::PeerPlan planned = peer->plan(problem, data.arguments(), {.seconds = 0.1});
        if (planned.run)
            findings.push_back({"to compare with", true,
                                planned.made_by.empty() ? std::string(peer->title) : planned.made_by});
        else
            findings.push_back({"to compare with", false,
                                fmt::format("{}: {}", peer->title, planned.absent_because),
                                "scripts/peers of swirl's sources installs it"});
    }
}

std::vector<Finding> examine() {
    std::vector<Finding> findings = {cpu(), clock(), processors(), machine_code(), first_plan()};
    add_gpus(findings);
    findings.push_back(stored("wisdom", wisdom::path(), "SWIRL_WISDOM"));
    add_shipped(findings);
    const runtime::KernelCache* const cache = runtime::KernelCache::of_user();
    findings.push_back(stored("kernel cache", cache == nullptr ? "" : cache->folder(), "SWIRL_KERNEL_CACHE"));
    add_peers(findings);
    return findings;
}

void run(bool json) {
    const std::vector<Finding> findings = examine();
    if (json) {
        Json list = Json::array();
        for (const Finding& one : findings)
            list.push_back(
                {{"what", one.what}, {"works", one.works}, {"state", one.state}, {"remedy", one.remedy}});
        return print_json({{"version", std::string(version())}, {"findings", list}});
    }
    std::string text = fmt::format("swirl {}\n", version());
    for (const Finding& one : findings) {
        text += fmt::format("{:<4} {:<16} {}\n", one.works ? "ok" : "no", one.what, one.state);
        if (!one.works && !one.remedy.empty()) text += fmt::format("{:22}{}\n", "", one.remedy);
    }
    print(text);
}

} // namespace

void add_doctor(CLI::App& program) {
    const auto json = std::make_shared<bool>(false);
    CLI::App& command = *program.add_subcommand(
        "doctor", "Say what works on this machine: CPU, machine code, GPUs, wisdom, caches, other libraries");
    command.add_flag("--json", *json, "Print JSON");
    command.footer(
        "For example:\n"
        "  swirl doctor                   one line for each, and what to do where something does not work\n"
        "  swirl doctor --json            for scripts\n"
        "  SWIRL_NO_JIT=1 swirl doctor    with this variable set, as the program at hand would run");
    command.callback([json] { run(*json); });
}

} // namespace swirl::cli
