#include "plan/matrix_kernels.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "problem/data_type.hpp"
#include "problem/matrix_product.hpp"

#include <array>
#include <memory>
#include <utility>

namespace swirl::planning {

namespace {

/// Kernels take k and strides as arguments; their programs need bounds on these.
constexpr Integer max_k = 1 << 16, max_stride = Integer{1} << 36;

/// The kernels of this CPU for matrices of one type; null: not requested yet.
std::atomic<MatrixKernels*>& host_kernels(DataType data_type) {
    static constinit struct { std::atomic<MatrixKernels*> float32, float64, complex64, complex128; } all{};
    switch (data_type) {
    case DataType::float32: return all.float32;
    case DataType::float64: return all.float64;
    case DataType::complex64: return all.complex64;
    case DataType::complex128: return all.complex128;
    default: throw InternalError("no kernels for matrices of {}", name_of(data_type));
    }
}
std::atomic<MatrixKernels::Source> known_schedules = nullptr;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

} // namespace

MatrixKernels::MatrixKernels(const gemm::OperandTypes& types, const gemm::Schedule& schedule,
                             const target::Cpu& cpu, gemm::Epilogue epilogue)
    : types_(types),
      schedule_(schedule),
      cpu_(cpu),
      epilogue_(std::move(epilogue)),
      tiles_(at(schedule.tile.rows() * schedule.tile.columns * updates)),
      packs_{std::vector<Slot>(at(width(Operand::a) * sources * 2 * types.k_packing.k_group())),
             std::vector<Slot>(at(width(Operand::b) * sources * 2 * types.k_packing.k_group()))} {}

runtime::KernelFunction MatrixKernels::compile(Slot& slot, const ir::Program& program) {
    const runtime::ExecutableCode& code =
        code_.emplace_back(jit::compile(passes::run_codegen_passes(program, cpu_), cpu_));
    slot.store(code.function(), std::memory_order_release);
    return code.function();
}

runtime::KernelFunction MatrixKernels::tile(int rows, int columns, gemm::Update update) {
    Slot& slot =
        tiles_[at(((rows - 1) * schedule_.tile.columns + columns - 1) * updates + static_cast<int>(update))];
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    const std::lock_guard lock(making_);
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    return compile(slot, gemm::micro_kernel(tile_description(rows, columns, update)));
}

gemm::MicroKernel MatrixKernels::tile_description(int rows, int columns, gemm::Update update) const {
    return {.data_type = types_.c,
            .tile = schedule_.tile,
            .rows = rows,
            .columns = columns,
            .unroll = schedule_.unroll,
            .update = update,
            .prefetch_c = schedule_.prefetch_c,
            .prefetch_next = schedule_.prefetch_next,
            .prefetch_a = schedule_.prefetch_a,
            .max_k = max_k,
            .max_stride = max_stride,
            .epilogue = epilogue_,
            .k_packing = types_.k_packing};
}

gemm::Pack MatrixKernels::description(Operand operand, gemm::Pack::Source source, bool conjugated,
                                      int count) const {
    gemm::Pack pack{.data_type = types_.c,
                    .lanes = schedule_.tile.lanes,
                    .width = width(operand),
                    .count = count,
                    .source = source,
                    .conjugated = conjugated,
                    .max_k = max_k,
                    .max_stride = max_stride,
                    .k_packing = types_.k_packing,
                    .operand = operand,
                    .has_masks = cpu_.has_masks};
    const DataType given = operand == Operand::a ? types_.a : types_.b;
    if (given != types_.c) pack.source_type = given;
    return pack;
}

runtime::KernelFunction MatrixKernels::pack(Operand operand, gemm::Pack::Source source, bool conjugated,
                                            int count, int rest) {
    const int kind = ((count - 1) * sources + static_cast<int>(source)) * 2 + (conjugated ? 1 : 0);
    Slot& slot = packs_[at(static_cast<int>(operand))][at(kind * types_.k_packing.k_group() + rest)];
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    const std::lock_guard lock(making_);
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    gemm::Pack pack = description(operand, source, conjugated, count);
    pack.rest = rest;
    return compile(slot, gemm::pack(pack));
}

int MatrixKernels::k_per_iteration(Operand operand, gemm::Pack::Source source) const {
    return gemm::k_per_iteration(description(operand, source, false, width(operand)));
}

MatrixKernels& MatrixKernels::of_host(DataType data_type) {
    const std::atomic<MatrixKernels*>& slot = host_kernels(data_type);
    if (MatrixKernels* const known = slot.load(std::memory_order_acquire)) return *known;
    const ForkSection section;
    const target::Cpu& cpu = target::host_cpu();
    const Source source = known_schedules.load();
    const std::optional<gemm::Schedule> found = source ? source(data_type, cpu) : std::nullopt;
    prefer(data_type, found ? *found : gemm::model_schedule(data_type, cpu));
    return *slot.load(std::memory_order_acquire);
}

MatrixKernels& MatrixKernels::of_host(const MatrixProduct& product) {
    if (!product.widens()) return of_host(product.data_type);
    const auto make = [](DataType a, DataType b, DataType c) {
        MatrixProduct like{.data_type = c};
        like.a_type = a;
        like.b_type = b;
        const target::Cpu& cpu = target::host_cpu();
        const gemm::OperandTypes types = gemm::operand_types_of(like, cpu, target::host_extensions());
        return new MatrixKernels(types, gemm::model_schedule(types, cpu), cpu);
    };
    using N = DataType;
    static constinit LazyValue<std::array<MatrixKernels*, 6>> all;
    const auto make_all = [&] {
        return std::array{
            make(N::bfloat16, N::bfloat16, N::float32), make(N::float16, N::float16, N::float32),
            make(N::int8, N::int8, N::int32),           make(N::int8, N::uint8, N::int32),
            make(N::uint8, N::int8, N::int32),          make(N::uint8, N::uint8, N::int32)};
    };
    for (MatrixKernels* const kernels : all.get(make_all))
        if (kernels->types_.a == product.type_of_a() && kernels->types_.b == product.type_of_b())
            return *kernels;
    throw InternalError("no kernels for {} by {}", name_of(product.type_of_a()),
                        name_of(product.type_of_b()));
}

bool MatrixKernels::prefer(DataType data_type, const gemm::Schedule& schedule) {
    // Never destroyed: other threads may still multiply when the process ends.
    auto made = std::make_unique<MatrixKernels>(data_type, schedule, target::host_cpu());
    MatrixKernels* none = nullptr;
    const bool is_first = host_kernels(data_type).compare_exchange_strong(none, made.get());
    if (is_first) static_cast<void>(made.release());
    return is_first;
}

void MatrixKernels::use(Source source) { known_schedules = source; }

} // namespace swirl::planning
