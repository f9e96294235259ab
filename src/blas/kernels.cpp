#include "blas/kernels.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "blas/check.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/kernel_table.hpp"
#include "problem/data_type.hpp"

#include <deque>
#include <initializer_list>
#include <mutex>

namespace swirl::blas {
namespace {

/// A kernel's key: some small numbers, each below 128, and flags. Lanes follow from the data type.
class Key {
public:
    enum class Kind : unsigned char { strip, pack, mirror };
    Key(Kind kind, DataType data_type) {
        add(static_cast<int>(kind));
        add(static_cast<int>(data_type));
    }
    Key& add(int number) {
        ensure(0 <= number && number < 128 && bits_ >> 57 == 0, "no key of a kernel with {}", number);
        bits_ = bits_ << 7 | static_cast<std::uint64_t>(number);
        return *this;
    }
    Key& add_flags(std::initializer_list<bool> flags) {
        int number = 1;
        for (const bool flag : flags) number = 2 * number + (flag ? 1 : 0);
        return add(number);
    }
    std::uint64_t bits() const { return bits_; }

private:
    std::uint64_t bits_ = 1;
};

std::uint64_t key_of(const StripKernel& kernel) {
    return Key(Key::Kind::strip, kernel.data_type)
        .add_flags({kernel.task == TriangularTask::solve, kernel.column_major, kernel.reversed, kernel.scaled,
                    kernel.divides})
        .add(kernel.columns)
        .add(kernel.rest)
        .bits();
}
std::uint64_t key_of(const TrianglePack& kernel) {
    return Key(Key::Kind::pack, kernel.layout.data_type)
        .add_flags({kernel.layout.reversed, kernel.row_major, kernel.conjugated})
        .add(static_cast<int>(kernel.diagonal))
        .add(kernel.rest)
        .bits();
}
std::uint64_t key_of(const Mirror& kernel) {
    return Key(Key::Kind::mirror, kernel.data_type)
        .add_flags({kernel.upper, kernel.hermitian, kernel.conjugated})
        .add(kernel.rest)
        .bits();
}

ir::Program program_of(const StripKernel& kernel) { return strip_program(kernel, kernel_cpu()); }
ir::Program program_of(const TrianglePack& kernel) { return triangle_pack(kernel); }
ir::Program program_of(const Mirror& kernel) { return mirror(kernel); }

struct Made {
    planning::KernelTable functions;
    ForkSafeMutex making;
    std::deque<runtime::ExecutableCode> code;
};

Made& made() {
    static constinit LazyValue<Made> all;
    return all.get([] { return Made(); });
}

template <class Kernel> runtime::KernelFunction compiled_once(const Kernel& kernel) {
    Made& all = made();
    const std::uint64_t key = key_of(kernel);
    if (const runtime::KernelFunction known = all.functions.find(key)) return known;
    const std::lock_guard lock(all.making);
    if (const runtime::KernelFunction known = all.functions.find(key)) return known;
    runtime::ExecutableCode code(jit::compile(passes::run_codegen_passes(program_of(kernel), kernel_cpu()),
                                              kernel_cpu(), {.arguments_may_overlap = true}));
    check_kernel(kernel, code.function());
    const runtime::KernelFunction function = all.code.emplace_back(std::move(code)).function();
    all.functions.add(key, function);
    return function;
}

} // namespace

bool can_run_kernels() {
    static constinit LazyValue<bool> can;
    return can.get([] {
        return target::host_cpu().set != target::InstructionSet::portable &&
               runtime::ExecutableCode::is_available();
    });
}

const target::Cpu& kernel_cpu() {
    static constinit LazyValue<const target::Cpu*> cpu;
    return *cpu.get([] { return &target::host_cpu(); });
}

runtime::KernelFunction compiled(const StripKernel& kernel) { return compiled_once(kernel); }
runtime::KernelFunction compiled(const TrianglePack& kernel) { return compiled_once(kernel); }
runtime::KernelFunction compiled(const Mirror& kernel) { return compiled_once(kernel); }

} // namespace swirl::blas
