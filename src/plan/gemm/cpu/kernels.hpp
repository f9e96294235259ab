#pragma once

#include "base/fork_gate.hpp"
#include "base/integer.hpp"
#include "gemm/cpu/micro_kernel.hpp"
#include "gemm/cpu/pack.hpp"
#include "gemm/cpu/schedule.hpp"
#include "gemm/cpu/triangle_update.hpp"
#include "plan/check/cpu_gemm.hpp"
#include "plan/kernel_table.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "target/cpu.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace swirl::planning {

/// The kernels of one schedule, compiled and checked on first use; safe for any number of threads.
class MatrixKernels {
public:
    /// Tiles end with the epilogue, whose operands are buffers after the others.
    MatrixKernels(const gemm::OperandTypes& types, const gemm::BlockedGemm& schedule, const target::Cpu& cpu,
                  gemm::Epilogue epilogue = {}, KernelCheck check = KernelCheck::on);
    MatrixKernels(DataType data_type, const gemm::BlockedGemm& schedule, const target::Cpu& cpu)
        : MatrixKernels(gemm::OperandTypes::all(data_type), schedule, cpu) {}

    const gemm::BlockedGemm& schedule() const { return schedule_; }
    const gemm::OperandTypes& types() const { return types_; }
    const target::Cpu& cpu() const { return cpu_; }
    KernelCheck check() const { return check_; }

    /// The kernels with these parameters that plans share. Those used last are kept when no plan uses them any more.
    static std::shared_ptr<MatrixKernels> shared(const gemm::OperandTypes& types,
                                                 const gemm::BlockedGemm& schedule, const target::Cpu& cpu,
                                                 const gemm::Epilogue& epilogue, KernelCheck check);

    /// A micro-kernel for a tile of this many rows and columns. See gemm::micro_kernel.
    runtime::KernelFunction tile(int rows, int columns, gemm::Update update);

    /// What updates a tile of C that a diagonal crosses. `wanted` has its rows, columns, diagonal and update.
    runtime::KernelFunction triangle(const gemm::TriangleUpdate& wanted);

    using Operand = gemm::Operand;
    /// Packs a panel of `count` rows or columns, with `rest` k indices beyond the last full k-group. See gemm::pack.
    runtime::KernelFunction pack(Operand operand, gemm::Pack::Source source, bool conjugated, int count,
                                 int rest = 0);
    /// k-groups that such a kernel packs per iteration.
    int k_per_iteration(Operand operand, gemm::Pack::Source source) const;

    /// Descriptions of the programs.
    gemm::MicroKernel tile_description(int rows, int columns, gemm::Update update) const;
    gemm::Pack description(Operand operand, gemm::Pack::Source source, bool conjugated, int count) const;

    /// k-groups in a panel of this k extent.
    Integer k_groups_of(Integer k_extent) const {
        return ceil_divide(k_extent, Integer{types_.k_packing.k_group()});
    }
    /// Distance in bytes between panels of a block.
    Integer panel_bytes(Operand operand, Integer k_extent) const {
        const bool promotes_accumulators = operand == Operand::b && types_.k_packing.correction != 0;
        return width(operand) * (k_groups_of(k_extent) + (promotes_accumulators ? 1 : 0)) *
               types_.panel_bytes();
    }
    int width(Operand operand) const {
        return operand == Operand::a ? schedule_.tile.rows() : schedule_.tile.columns;
    }

private:
    static constexpr int updates = 3, sources = 3;
    using Slot = std::atomic<runtime::KernelFunction>;

    /// `check` is called with the function.
    template <class Check> runtime::KernelFunction compile(const ir::Program& program, Check&& check);

    gemm::OperandTypes types_;
    gemm::BlockedGemm schedule_;
    const target::Cpu& cpu_;
    gemm::Epilogue epilogue_;
    KernelCheck check_;
    std::vector<Slot> tiles_;
    std::array<std::vector<Slot>, 2> packs_; ///< by operand
    KernelTable triangles_;                  ///< by key_of
    ForkSafeMutex making_;
    std::deque<runtime::ExecutableCode> code_;
};

} // namespace swirl::planning
