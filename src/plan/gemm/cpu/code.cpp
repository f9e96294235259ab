#include "plan/gemm/cpu/code.hpp"

#include "plan/portable/gemm.hpp"

namespace swirl::planning {

const target::Cpu& cpu_for_products() {
    return needs_portable_gemm() ? target::portable_cpu() : target::host_cpu();
}

MatrixCode code_by_blocks(const gemm::OperandTypes& types, const gemm::BlockedGemm& schedule,
                          const target::Cpu& cpu, KernelCheck check) {
    return {.cpu = &cpu,
            .blocks = MatrixKernels::shared(types, schedule, cpu, {}, check),
            .amx = nullptr,
            .kc = {},
            .check = check,
            .scaling = ScalingKernels(types.c, cpu, check)};
}

MatrixCode model_code(const MatrixProduct& product) {
    const target::Cpu& cpu = cpu_for_products();
    if (cpu.set == target::InstructionSet::portable) return {.cpu = &cpu, .blocks = {}, .amx = {}, .kc = {}};
    const gemm::OperandTypes types = gemm::operand_types_on(product, cpu);
    return code_by_blocks(types, gemm::model_schedule(types, cpu), cpu);
}

} // namespace swirl::planning
