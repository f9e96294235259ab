#pragma once

#include "base/fork_gate.hpp"
#include "base/integer.hpp"
#include "gemm/micro_kernel.hpp"
#include "gemm/pack.hpp"
#include "gemm/schedule.hpp"
#include "runtime/executable_memory.hpp"
#include "target/cpu.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace swirl::planning {

/// The kernels of one schedule, each made when it is first asked for; for any number of threads.
class MatrixKernels {
public:
    /// Tiles end with the epilogue: its operands are buffers behind the others.
    MatrixKernels(const gemm::Numbers& numbers, const gemm::Schedule& schedule, const target::Cpu& cpu,
                  gemm::Epilogue epilogue = {});
    MatrixKernels(Number number, const gemm::Schedule& schedule, const target::Cpu& cpu)
        : MatrixKernels(gemm::Numbers::all(number), schedule, cpu) {}

    const gemm::Schedule& schedule() const { return schedule_; }
    const gemm::Numbers& numbers() const { return numbers_; }

    /// A tile of so many rows and columns. See gemm::micro_kernel.
    runtime::KernelFunction tile(int rows, int columns, gemm::Update update);

    using Operand = gemm::Operand;
    /// A panel of which there are so many rows or columns, and a depth of which so many steps are beyond the last whole group of
    /// them. See gemm::pack.
    runtime::KernelFunction pack(Operand operand, gemm::Pack::Source source, bool conjugated, int count,
                                 int rest = 0);
    /// Groups of steps along the depth that such a kernel takes at once.
    int steps_together(Operand operand, gemm::Pack::Source source) const;

    /// What these kernels are programs of.
    gemm::MicroKernel tile_description(int rows, int columns, gemm::Update update) const;
    gemm::Pack description(Operand operand, gemm::Pack::Source source, bool conjugated, int count) const;

    /// Groups of steps in panels of some depth.
    Integer groups_in(Integer depth) const { return ceil_divide(depth, Integer{numbers_.grouping.group()}); }
    /// From one panel of a block to the next.
    Integer panel_bytes(Operand operand, Integer depth) const {
        const bool has_sums = operand == Operand::b && numbers_.grouping.correction != 0;
        return width(operand) * (groups_in(depth) + (has_sums ? 1 : 0)) * numbers_.panel_bytes();
    }
    int width(Operand operand) const {
        return operand == Operand::a ? schedule_.tile.rows() : schedule_.tile.columns;
    }

    /// Kernels for the machine at hand, by number: of the schedule that was found best, else of the model's.
    static MatrixKernels& of_this_machine(Number number);
    static MatrixKernels& of_this_machine(const MatrixProduct& product);
    /// What knows schedules that are better than the model's. Asked once for each number, when it is first multiplied.
    using Source = std::optional<gemm::Schedule> (*)(Number number, const target::Cpu& cpu);
    static void use(Source source);
    /// Makes `of_this_machine` be of this schedule. False: it has been asked for before, and stays what it is, so that the same
    /// plan gives the same bits.
    static bool prefer(Number number, const gemm::Schedule& schedule);

private:
    static constexpr int updates = 3, sources = 3;
    using Slot = std::atomic<runtime::KernelFunction>;

    runtime::KernelFunction compile(Slot& slot, const ir::Program& program);

    gemm::Numbers numbers_;
    gemm::Schedule schedule_;
    const target::Cpu& cpu_;
    gemm::Epilogue epilogue_;
    std::vector<Slot> tiles_;
    std::array<std::vector<Slot>, 2> packs_; ///< by operand
    ForkSafeMutex making_;
    std::deque<runtime::ExecutableCode> code_;
};

} // namespace swirl::planning
