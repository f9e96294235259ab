#include "blas/triangular_kernels.hpp"

#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>

namespace swirl::blas {
namespace {

/// Kernels of one CPU: number, task and three choices.
constexpr std::size_t kernels = std::size_t{4} * 2 * 8;

std::size_t place_of(const StripKernel& kernel) {
    std::size_t place = static_cast<std::size_t>(kernel.number);
    place = 2 * place + (kernel.task == TriangularTask::solve ? 1 : 0);
    for (const bool choice : {kernel.by_columns, kernel.reversed, kernel.scaled})
        place = 2 * place + (choice ? 1 : 0);
    return place;
}

struct Made {
    std::array<std::atomic<runtime::KernelFunction>, kernels> functions{};
    ForkSafeMutex making;
    std::deque<runtime::ExecutableCode> code;
};

Made& made() {
    static constinit MadeOnce<Made> all;
    return all.get([] { return Made(); });
}

bool can_run() {
    static constinit MadeOnce<bool> can;
    return can.get([] {
        return target::host_cpu().set != target::InstructionSet::portable &&
               runtime::ExecutableCode::is_available();
    });
}

} // namespace

const target::Cpu& kernel_cpu() {
    static constinit MadeOnce<const target::Cpu*> cpu;
    return *cpu.get([] { return &target::host_cpu(); });
}

runtime::KernelFunction compiled(const StripKernel& kernel) {
    if (!can_run()) return nullptr;
    std::atomic<runtime::KernelFunction>& place = made().functions[place_of(kernel)];
    if (const runtime::KernelFunction known = place.load(std::memory_order_acquire)) return known;
    const std::lock_guard lock(made().making);
    if (const runtime::KernelFunction known = place.load(std::memory_order_acquire)) return known;
    const target::Cpu& cpu = kernel_cpu();
    const runtime::ExecutableCode& code = made().code.emplace_back(jit::compile(
        passes::run_in_order(strip_program(kernel, cpu), cpu), cpu, {.arguments_may_overlap = true}));
    place.store(code.function(), std::memory_order_release);
    return code.function();
}

} // namespace swirl::blas
