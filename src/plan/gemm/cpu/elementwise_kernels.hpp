#pragma once

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "gemm/cpu/elementwise.hpp"
#include "plan/check/cpu_gemm.hpp"
#include "plan/check/elementwise.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "target/cpu.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace swirl::planning {

/// The generated kernels of one operation on finished elements, for any number of rows; compiled and checked on first
/// use. Safe for any number of threads.
class ElementwiseKernels {
public:
    /// `wanted` says what to compute; its vectors and bounds are chosen here.
    ElementwiseKernels(const gemm::ElementwiseKernel& wanted, const target::Cpu& cpu, KernelCheck check);

    /// Kernels for matrices up to these extents that plans share; null if there is no code for the CPU.
    static std::shared_ptr<ElementwiseKernels> shared(gemm::ElementwiseKernel wanted, Integer rows,
                                                      Integer columns, const target::Cpu& cpu,
                                                      KernelCheck check);

    /// Elements have this row stride: the kernel's own, or 1. operand(k) is the address of the expression's operand
    /// for the first element.
    template <class Operand> void run(const ElementwiseCall& given, Integer row_stride, Operand&& operand) {
        if (given.rows == 0 || given.columns == 0) return;
        const std::size_t layout = layout_of(row_stride);
        const ElementwiseCall joined = joins_columns(given) ? with_one_column(given) : given;
        call(kernels_[layout], function(layout, joined.rows), joined, std::forward<Operand>(operand));
    }

    /// Description of the kernel for this many rows.
    gemm::ElementwiseKernel description(Integer rows, Integer row_stride) const {
        return with_rest(layout_of(row_stride), rows);
    }

private:
    using Slot = std::atomic<runtime::KernelFunction>;

    std::size_t layout_of(Integer row_stride) const {
        const std::size_t layout = row_stride == kernels_[0].row_stride ? 0 : 1;
        ensure(row_stride == kernels_[layout].row_stride, "elements with a row stride of {}", row_stride);
        return layout;
    }
    gemm::ElementwiseKernel with_rest(std::size_t layout, Integer rows) const {
        gemm::ElementwiseKernel kernel = kernels_[layout];
        const int at_once = gemm::rows_at_once(kernel);
        kernel.rest = static_cast<int>(rows % at_once);
        kernel.has_rest_only = rows < at_once;
        return kernel;
    }
    /// Whether columns follow each other without gaps and nothing depends on where they end.
    bool joins_columns(const ElementwiseCall& given) const {
        return is_uniform_ && given.column_stride == given.rows && given.result_stride == given.rows;
    }
    static ElementwiseCall with_one_column(ElementwiseCall call) {
        call.rows *= call.columns;
        call.columns = 1;
        return call;
    }
    /// Fewer rows than are computed at once have kernels of their own.
    std::size_t slot_of(std::size_t layout, Integer rows) const {
        const int at_once = gemm::rows_at_once(kernels_[layout]);
        return static_cast<std::size_t>(rows < at_once ? at_once + rows : rows % at_once);
    }
    runtime::KernelFunction function(std::size_t layout, Integer rows) {
        const runtime::KernelFunction made =
            slots_[layout][slot_of(layout, rows)].load(std::memory_order_acquire);
        return made != nullptr ? made : make(layout, rows);
    }
    runtime::KernelFunction make(std::size_t layout, Integer rows);

    std::array<gemm::ElementwiseKernel, 2>
        kernels_;             ///< for elements with the kernel's row stride, and contiguous
    bool is_uniform_ = false; ///< stores contiguous results of contiguous elements of any column
    const target::Cpu& cpu_;
    KernelCheck check_;
    std::array<std::vector<Slot>, 2> slots_; ///< by layout; see slot_of
    ForkSafeMutex making_;
    std::deque<runtime::ExecutableCode> code_;
};

/// Kernels that store contiguous accumulators in a C with any strides, or null.
struct ScatteredStores {
    std::shared_ptr<ElementwiseKernels> overwriting = nullptr;
    std::shared_ptr<ElementwiseKernels> adding = nullptr; ///< β·C

    /// For a C of these extents, after the expression.
    ScatteredStores(const gemm::ElementwiseKernel& in_place, Integer rows, Integer columns,
                    const target::Cpu& cpu, KernelCheck check);
    ScatteredStores() = default;
};

} // namespace swirl::planning
