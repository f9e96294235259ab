#include "plan/gemm/cpu/kernels.hpp"

#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/shared_kernels.hpp"
#include "problem/data_type.hpp"
#include "problem/matrix_product.hpp"

#include <utility>

namespace swirl::planning {

namespace {

/// Kernels take k and strides as arguments; their programs need bounds on these.
constexpr Integer max_k = 1 << 16, max_stride = Integer{1} << 36;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Distinguishes the triangles of one tile's kernels.
std::uint64_t key_of(const gemm::TriangleUpdate& kernel) {
    const auto bits = [](auto value, int first) {
        return static_cast<std::uint64_t>(static_cast<std::uint16_t>(value)) << first;
    };
    return bits(kernel.diagonal, 0) | bits(kernel.rows, 16) | bits(kernel.columns, 32) |
           bits((static_cast<int>(kernel.triangle) * 3 + static_cast<int>(kernel.update)) * 2 +
                    static_cast<int>(kernel.has_tile),
                48);
}

} // namespace

MatrixKernels::MatrixKernels(const gemm::OperandTypes& types, const gemm::BlockedGemm& schedule,
                             const target::Cpu& cpu, gemm::Epilogue epilogue, KernelCheck check)
    : types_(types),
      schedule_(schedule),
      cpu_(cpu),
      epilogue_(std::move(epilogue)),
      check_(check),
      tiles_(at(schedule.tile.rows() * schedule.tile.columns * updates)),
      packs_{std::vector<Slot>(at(width(Operand::a) * sources * 2 * types.k_packing.k_group())),
             std::vector<Slot>(at(width(Operand::b) * sources * 2 * types.k_packing.k_group()))} {}

template <class Check>
runtime::KernelFunction MatrixKernels::compile(const ir::Program& program, Check&& check) {
    runtime::ExecutableCode code(jit::compile(passes::run_codegen_passes(program, cpu_), cpu_));
    if (check_ == KernelCheck::on) check(code.function());
    return code_.emplace_back(std::move(code)).function();
}

runtime::KernelFunction MatrixKernels::tile(int rows, int columns, gemm::Update update) {
    Slot& slot =
        tiles_[at(((rows - 1) * schedule_.tile.columns + columns - 1) * updates + static_cast<int>(update))];
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    const std::lock_guard lock(making_);
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    const gemm::MicroKernel kernel = tile_description(rows, columns, update);
    const runtime::KernelFunction made = compile(
        gemm::micro_kernel(kernel), [&](runtime::KernelFunction function) { check_tile(kernel, function); });
    slot.store(made, std::memory_order_release);
    return made;
}

runtime::KernelFunction MatrixKernels::triangle(const gemm::TriangleUpdate& wanted) {
    gemm::TriangleUpdate kernel = wanted;
    kernel.data_type = types_.c;
    kernel.lanes = schedule_.tile.lanes;
    kernel.max_stride = max_stride;
    const std::uint64_t key = key_of(kernel);
    if (const runtime::KernelFunction made = triangles_.find(key)) return made;
    const std::lock_guard lock(making_);
    if (const runtime::KernelFunction made = triangles_.find(key)) return made;
    const runtime::KernelFunction made =
        compile(gemm::triangle_update(kernel),
                [&](runtime::KernelFunction function) { check_triangle(kernel, function); });
    triangles_.add(key, made);
    return made;
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
    const runtime::KernelFunction made =
        compile(gemm::pack(pack), [&](runtime::KernelFunction function) { check_pack(pack, function); });
    slot.store(made, std::memory_order_release);
    return made;
}

int MatrixKernels::k_per_iteration(Operand operand, gemm::Pack::Source source) const {
    return gemm::k_per_iteration(description(operand, source, false, width(operand)));
}

std::shared_ptr<MatrixKernels> MatrixKernels::shared(const gemm::OperandTypes& types,
                                                     const gemm::BlockedGemm& schedule,
                                                     const target::Cpu& cpu, const gemm::Epilogue& epilogue,
                                                     KernelCheck check) {
    struct Description {
        gemm::OperandTypes types;
        gemm::BlockedGemm schedule;
        const target::Cpu* cpu;
        gemm::Epilogue epilogue;
        KernelCheck check;
        bool operator==(const Description&) const = default;
    };
    static constinit LazyValue<SharedKernels<Description, MatrixKernels>> all;
    auto& known = all.get([] { return SharedKernels<Description, MatrixKernels>(); });
    return known.find({types, schedule, &cpu, epilogue, check},
                      [&] { return std::make_shared<MatrixKernels>(types, schedule, cpu, epilogue, check); });
}

} // namespace swirl::planning
