#pragma once

#include "gemm/micro_kernel.hpp"
#include "gemm/pack.hpp"
#include "gemm/schedule.hpp"
#include "runtime/executable_memory.hpp"
#include "target/cpu.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

namespace swirl::planning {

/// The kernels of one schedule, each made when it is first asked for; for any number of threads.
class MatrixKernels {
public:
    /// Tiles end with the epilogue: its operands are buffers behind the others.
    MatrixKernels(Number number, const gemm::Schedule& schedule, const target::Cpu& cpu,
                  gemm::Epilogue epilogue = {});

    const gemm::Schedule& schedule() const { return schedule_; }
    Number number() const { return number_; }

    /// A tile of so many rows and columns. See gemm::micro_kernel.
    runtime::KernelFunction tile(int rows, int columns, gemm::Update update);

    enum class Operand : std::uint8_t { a, b };
    /// A panel of which there are so many rows or columns. See gemm::pack.
    runtime::KernelFunction pack(Operand operand, gemm::Pack::Source source, bool conjugated, int count);
    /// Steps along the depth that such a kernel takes at once.
    int steps_together(Operand operand, gemm::Pack::Source source) const;

    /// Kernels for the machine at hand, by number: a schedule from the model.
    static MatrixKernels& of_this_machine(Number number);

private:
    static constexpr int updates = 3, sources = 3;
    using Slot = std::atomic<runtime::KernelFunction>;

    int width(Operand operand) const {
        return operand == Operand::a ? schedule_.tile.rows() : schedule_.tile.columns;
    }
    gemm::Pack description(Operand operand, gemm::Pack::Source source, bool conjugated, int count) const;
    runtime::KernelFunction compile(Slot& slot, const ir::Program& program);

    Number number_;
    gemm::Schedule schedule_;
    const target::Cpu& cpu_;
    gemm::Epilogue epilogue_;
    std::vector<Slot> tiles_;
    std::array<std::vector<Slot>, 2> packs_; ///< by operand
    std::mutex making_;
    std::deque<runtime::ExecutableCode> code_;
};

} // namespace swirl::planning
