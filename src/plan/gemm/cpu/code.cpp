#include "plan/gemm/cpu/code.hpp"

#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/portable/gemm.hpp"

namespace swirl::planning {

const target::Cpu& cpu_for_products() {
    return needs_portable_gemm() ? target::portable_cpu() : target::host_cpu();
}

ScatteredStores stores_of(const MatrixProduct& canonical, const target::Cpu& cpu, KernelCheck check) {
    if (canonical.c.row_stride == 1 || canonical.rows <= 1 || needs_conversion_buffer(canonical)) return {};
    return ScatteredStores(
        {.data_type = canonical.data_type,
         .result = gemm::StoredElements{.type = canonical.data_type, .row_stride = canonical.c.row_stride}},
        canonical.rows, canonical.columns, cpu, check);
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
    MatrixCode code = code_by_blocks(types, gemm::model_schedule(types, cpu), cpu);
    code.scattered = stores_of(wants_transposition(product) ? transposed(product) : product, cpu, code.check);
    return code;
}

} // namespace swirl::planning
