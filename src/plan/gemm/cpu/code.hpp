#pragma once

#include "gemm/cpu/schedule.hpp"
#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/elementwise_kernels.hpp"
#include "plan/gemm/cpu/kernels.hpp"
#include "plan/gemm/cpu/scaling.hpp"

#include <memory>
#include <optional>

namespace swirl::planning {

/// What computes products: the kernels of a plan's schedule. The BLAS, which has no plans, has one for each data type.
struct MatrixCode {
    const target::Cpu* cpu = nullptr;
    std::shared_ptr<MatrixKernels> blocks; ///< null: none is needed
    std::shared_ptr<AmxKernels>
        amx; ///< null: none; without a plan, the model's are taken where they are faster
    /// k indices that blocks accumulate before C is updated; by default the model decides for each product.
    std::optional<Integer> kc;
    KernelCheck check = KernelCheck::on;
    std::shared_ptr<ElementwiseKernels> conversion =
        nullptr; ///< of accumulators to C's data type; null: on the host, or none is needed
    /// What stores accumulators in a C without unit stride, and adds β·C; null: C has one, or there is no generated code.
    ScatteredStores scattered = {};
    ScalingKernels scaling = {}; ///< of β·C where nothing is multiplied

    /// Tiles compiled into the library: there is no generated code.
    bool is_builtin() const { return cpu->set == target::InstructionSet::portable; }
};

/// The CPU for which code is generated here: the host's, or the portable one where generated code cannot run.
const target::Cpu& cpu_for_products();

/// For C of a canonical product.
ScatteredStores stores_of(const MatrixProduct& canonical, const target::Cpu& cpu, KernelCheck check);

/// Code for all products of these data types by one schedule of packed blocks.
MatrixCode code_by_blocks(const gemm::OperandTypes& types, const gemm::BlockedGemm& schedule,
                          const target::Cpu& cpu, KernelCheck check = KernelCheck::on);
/// By the model's schedule on this CPU.
MatrixCode model_code(const MatrixProduct& product);

} // namespace swirl::planning
