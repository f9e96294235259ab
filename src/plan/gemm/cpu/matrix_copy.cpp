#include "plan/gemm/cpu/matrix_copy.hpp"

#include "base/fork_gate.hpp"
#include "gemm/cpu/copy.hpp"
#include "gemm/square.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/check/copy.hpp"
#include "plan/gemm/values.hpp"
#include "plan/kernel_table.hpp"
#include "plan/portable/gemm.hpp"

#include <deque>
#include <mutex>
#include <type_traits>

namespace swirl::planning {

namespace {

using Source = gemm::MatrixCopy::Source;

/// Compiled and checked on first use; for all plans, as it copies matrices with any extents and strides.
class CopyKernels {
public:
    runtime::KernelFunction function(const gemm::MatrixCopy& copy) {
        const std::uint64_t key = static_cast<std::uint64_t>(copy.data_type) << 8 |
                                  static_cast<std::uint64_t>(copy.source) << 1 |
                                  static_cast<std::uint64_t>(copy.conjugated);
        if (const runtime::KernelFunction made = functions_.find(key)) return made;
        const std::lock_guard lock(making_);
        if (const runtime::KernelFunction made = functions_.find(key)) return made;
        const target::Cpu& cpu = target::host_cpu();
        runtime::ExecutableCode code(
            jit::compile(passes::run_codegen_passes(gemm::matrix_copy(copy), cpu), cpu));
        check_copy(copy, code.function());
        const runtime::KernelFunction made = code_.emplace_back(std::move(code)).function();
        functions_.add(key, made);
        return made;
    }
    static CopyKernels& of_host() {
        static constinit LazyValue<CopyKernels> all;
        return all.get([] { return CopyKernels(); });
    }

private:
    KernelTable functions_;
    ForkSafeMutex making_;
    std::deque<runtime::ExecutableCode> code_;
};

/// Where no code can be generated.
void copy_on_host(DataType data_type, const void* from, const MatrixLayout& layout, Integer rows,
                  Integer columns, void* to) {
    with_data_type(data_type, [&](auto example) {
        using T = decltype(example);
        for (Integer j = 0; j < columns; ++j)
            for (Integer i = 0; i < rows; ++i) {
                T& element = static_cast<T*>(to)[i + j * rows];
                element = static_cast<const T*>(from)[i * layout.row_stride + j * layout.column_stride];
                if constexpr (!std::is_same_v<T, typename RealPart<T>::type>)
                    if (layout.conjugated) element = std::conj(element);
            }
    });
}

} // namespace

void copy_matrix(DataType data_type, const void* from, const MatrixLayout& layout, Integer rows,
                 Integer columns, void* to) {
    if (needs_portable_gemm()) return copy_on_host(data_type, from, layout, rows, columns, to);
    const gemm::MatrixCopy copy{.data_type = data_type,
                                .source = layout.row_stride == 1      ? Source::by_columns
                                          : layout.column_stride == 1 ? Source::by_rows
                                                                      : Source::neither,
                                .conjugated = layout.conjugated,
                                .lanes = gemm::square_lanes(data_type, target::host_cpu())};
    const auto whole = [&](Integer extent) { return extent / copy.lanes * copy.lanes; };
    void* const buffers[] = {const_cast<void*>(from), to};
    const std::int64_t parameters[] = {whole(rows),         rows, whole(columns), columns, layout.row_stride,
                                       layout.column_stride};
    CopyKernels::of_host().function(copy)(buffers, parameters);
}

} // namespace swirl::planning
