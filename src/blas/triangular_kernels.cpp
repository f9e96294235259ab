#include "blas/triangular_kernels.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "blas/triangular_check.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "problem/data_type.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <utility>

namespace swirl::blas {
namespace {

/// Number of kernels of one CPU: data types, tasks, and three flags.
constexpr std::size_t kernels = std::size_t{4} * 2 * 8;

std::size_t slot_of(DataType data_type) {
    switch (data_type) {
    case DataType::float32: return 0;
    case DataType::float64: return 1;
    case DataType::complex64: return 2;
    case DataType::complex128: return 3;
    default: throw InternalError("triangular matrices of {}", name_of(data_type));
    }
}

std::size_t slot_of(const StripKernel& kernel) {
    std::size_t slot = slot_of(kernel.data_type);
    slot = 2 * slot + (kernel.task == TriangularTask::solve ? 1 : 0);
    for (const bool choice : {kernel.column_major, kernel.reversed, kernel.scaled})
        slot = 2 * slot + (choice ? 1 : 0);
    return slot;
}

struct Made {
    std::array<std::atomic<runtime::KernelFunction>, kernels> functions{};
    ForkSafeMutex making;
    std::deque<runtime::ExecutableCode> code;
};

Made& made() {
    static constinit LazyValue<Made> all;
    return all.get([] { return Made(); });
}

bool can_run() {
    static constinit LazyValue<bool> can;
    return can.get([] {
        return target::host_cpu().set != target::InstructionSet::portable &&
               runtime::ExecutableCode::is_available();
    });
}

} // namespace

const target::Cpu& kernel_cpu() {
    static constinit LazyValue<const target::Cpu*> cpu;
    return *cpu.get([] { return &target::host_cpu(); });
}

runtime::KernelFunction compiled(const StripKernel& kernel) {
    if (!can_run()) return nullptr;
    std::atomic<runtime::KernelFunction>& slot = made().functions[slot_of(kernel)];
    if (const runtime::KernelFunction known = slot.load(std::memory_order_acquire)) return known;
    const std::lock_guard lock(made().making);
    if (const runtime::KernelFunction known = slot.load(std::memory_order_acquire)) return known;
    const target::Cpu& cpu = kernel_cpu();
    runtime::ExecutableCode code(jit::compile(passes::run_codegen_passes(strip_program(kernel, cpu), cpu),
                                              cpu, {.arguments_may_overlap = true}));
    check_strip(kernel, code.function());
    const runtime::KernelFunction function = made().code.emplace_back(std::move(code)).function();
    slot.store(function, std::memory_order_release);
    return function;
}

} // namespace swirl::blas
