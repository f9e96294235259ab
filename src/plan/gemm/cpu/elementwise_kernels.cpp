#include "plan/gemm/cpu/elementwise_kernels.hpp"

#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/shared_kernels.hpp"
#include "problem/data_type.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

/// Offsets within a vector are displacements of instructions.
constexpr Integer most_bytes_in_vector = Integer{1} << 30;

/// Kernels for smaller matrices have these bounds, so that products of many extents share them.
constexpr Integer usual_extent = Integer{1} << 20;

Integer largest_row_stride(const gemm::ElementwiseKernel& kernel) {
    Integer most = std::abs(kernel.row_stride);
    if (const auto* const stored = std::get_if<gemm::StoredElements>(&kernel.result))
        most = std::max(most, std::abs(stored->row_stride));
    for (const gemm::Epilogue::Operand& operand : kernel.expression.operands)
        most = std::max(most, std::abs(operand.row_stride));
    return most;
}

/// Whether elements and results are contiguous and nothing else is read.
bool is_dense(const gemm::ElementwiseKernel& kernel) {
    const auto* const stored = std::get_if<gemm::StoredElements>(&kernel.result);
    return kernel.row_stride == 1 && (stored == nullptr || stored->row_stride == 1) &&
           kernel.expression.operands.empty();
}

/// Half of the registers may hold partial results.
int columns_at_once(const gemm::ElementwiseKernel& kernel, const target::Cpu& cpu) {
    constexpr int most = 4;
    const auto* const reduced = std::get_if<gemm::ReducedElements>(&kernel.result);
    if (reduced == nullptr) return 1;
    const int registers_of_column =
        reduced->over == Over::columns ? 1 : gemm::partials_in_column / kernel.lanes;
    return std::clamp(cpu.vector_registers / 2 / registers_of_column, 1, most);
}

gemm::ElementwiseKernel suited_to(gemm::ElementwiseKernel kernel, const target::Cpu& cpu) {
    const bool reduces = std::holds_alternative<gemm::ReducedElements>(kernel.result);
    const int lanes = target::lanes(cpu, reduces ? DataType::float64 : gemm::scalar_of(kernel.data_type));
    constexpr Integer most_bytes = 16; // of an element
    kernel.lanes = largest_row_stride(kernel) < most_bytes_in_vector / most_bytes / lanes ? lanes : 1;
    kernel.columns_at_once = columns_at_once(kernel, cpu);
    kernel.has_fma = cpu.has_fma;
    kernel.max_stride =
        std::min(Integer{1} << 36, (Integer{1} << 57) / kernel.max_columns); // 64-bit addresses
    return kernel;
}

} // namespace

ElementwiseKernels::ElementwiseKernels(const gemm::ElementwiseKernel& wanted, const target::Cpu& cpu,
                                       KernelCheck check)
    : kernels_{suited_to(wanted, cpu), suited_to(wanted, cpu)}, cpu_(cpu), check_(check) {
    gemm::ElementwiseKernel contiguous = wanted;
    contiguous.row_stride = 1;
    if (auto* const stored = std::get_if<gemm::StoredElements>(&contiguous.result))
        if (stored->is_in_place) stored->row_stride = 1;
    kernels_[1] = suited_to(contiguous, cpu);
    is_uniform_ = std::holds_alternative<gemm::StoredElements>(wanted.result) && is_dense(wanted);
    for (const std::size_t layout : {0U, 1U})
        slots_[layout] =
            std::vector<Slot>(static_cast<std::size_t>(2 * gemm::rows_at_once(kernels_[layout])));
}

runtime::KernelFunction ElementwiseKernels::make(std::size_t layout, Integer rows) {
    const std::lock_guard lock(making_);
    const gemm::ElementwiseKernel kernel = with_rest(layout, rows);
    Slot& slot = slots_[layout][slot_of(layout, rows)];
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    runtime::ExecutableCode code(
        jit::compile(passes::run_codegen_passes(gemm::elementwise(kernel), cpu_), cpu_));
    if (check_ == KernelCheck::on) check_elementwise(kernel, code.function());
    const runtime::KernelFunction function = code_.emplace_back(std::move(code)).function();
    slot.store(function, std::memory_order_release);
    return function;
}

std::shared_ptr<ElementwiseKernels> ElementwiseKernels::shared(gemm::ElementwiseKernel wanted, Integer rows,
                                                               Integer columns, const target::Cpu& cpu,
                                                               KernelCheck check) {
    if (cpu.set == target::InstructionSet::portable) return nullptr;
    const Integer smallest = is_dense(wanted) ? usual_extent : 1;
    wanted.max_rows = std::max(is_dense(wanted) ? rows * columns : rows, smallest); // columns may be joined
    wanted.max_columns = std::max(columns, smallest);
    struct Description {
        gemm::ElementwiseKernel wanted;
        const target::Cpu* cpu;
        KernelCheck check;
        bool operator==(const Description&) const = default;
    };
    static constinit LazyValue<SharedKernels<Description, ElementwiseKernels>> all;
    auto& known = all.get([] { return SharedKernels<Description, ElementwiseKernels>(); });
    return known.find({wanted, &cpu, check},
                      [&] { return std::make_shared<ElementwiseKernels>(wanted, cpu, check); });
}

ScatteredStores::ScatteredStores(const gemm::ElementwiseKernel& in_place, Integer rows, Integer columns,
                                 const target::Cpu& cpu, KernelCheck check) {
    gemm::ElementwiseKernel wanted = in_place;
    wanted.row_stride = 1;
    auto& stored = std::get<gemm::StoredElements>(wanted.result);
    stored.is_in_place = false;
    overwriting = ElementwiseKernels::shared(wanted, rows, columns, cpu, check);
    if (stored.type != wanted.data_type) return; // C holds elements of another type before
    stored.beta = gemm::BetaTerm::adds_c;
    adding = ElementwiseKernels::shared(wanted, rows, columns, cpu, check);
}

} // namespace swirl::planning
