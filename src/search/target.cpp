#include "search/target.hpp"

#include "base/error.hpp"
#include "plan/schedule.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cuda/devices.hpp"

namespace swirl::search {

namespace {

const target::Cpu& cpu_of(const Options& options) {
    if (options.schedule.empty()) {
        if (!options.cpu.empty()) return target::cpu_named(options.cpu);
        return runtime::ExecutableCode::is_available() ? target::host_cpu() : target::portable_cpu();
    }
    const std::string_view named = planning::target_named_in(options.schedule);
    if (!options.cpu.empty() && options.cpu != named)
        throw UserError(
            "cpu is {}, but the schedule is for {}\n  schedule: {}\n  leave out one of them, or make them "
            "agree",
            options.cpu, named, options.schedule);
    if (planning::is_gpu(named))
        throw UserError("the schedule is for {}, but the device is a CPU\n  schedule: {}", named,
                        options.schedule);
    return target::cpu_named(named);
}

} // namespace

void require_runnable(const target::Cpu& cpu) {
    if (cpu.emitted_only)
        throw Unavailable(
            "cpu is {}, which this machine cannot run: swirl emits only C++ for it\n"
            "  'swirl emit PROBLEM --cpu {}' makes a file for a compiler; to run here use {}",
            cpu.name, cpu.name, target::host_cpu().name);
    if (!target::host_can_run(cpu))
        throw Unavailable("cpu is {}, but this machine lacks its instructions\n  use {}", cpu.name,
                          target::host_cpu().name);
}

Target target_of(const Options& options, Purpose purpose) {
    if (options.device.is_gpu()) return GpuTarget(runtime::device_numbered(options.device.ordinal()));
    const target::Cpu& cpu = cpu_of(options);
    if (purpose == Purpose::execute || options.effort != Effort::estimate) require_runnable(cpu);
    return &cpu;
}

} // namespace swirl::search
