#include "plan/matrix_kernels.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "problem/matrix_product.hpp"

#include <array>
#include <memory>
#include <utility>

namespace swirl::planning {

namespace {

/// Kernels take depth and strides as arguments; their programs want to know how far these reach.
constexpr Integer most_depth = 1 << 16, most_stride = Integer{1} << 36;

constexpr std::size_t numbers = static_cast<std::size_t>(Number::complex64) + 1;
std::array<std::atomic<MatrixKernels*>, numbers> of_machine{}; ///< null: not asked for yet
std::atomic<MatrixKernels::Source> known_schedules = nullptr;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

} // namespace

MatrixKernels::MatrixKernels(const gemm::Numbers& numbers, const gemm::Schedule& schedule,
                             const target::Cpu& cpu, gemm::Epilogue epilogue)
    : numbers_(numbers),
      schedule_(schedule),
      cpu_(cpu),
      epilogue_(std::move(epilogue)),
      tiles_(at(schedule.tile.rows() * schedule.tile.columns * updates)),
      packs_{std::vector<Slot>(at(width(Operand::a) * sources * 2 * numbers.grouping.group())),
             std::vector<Slot>(at(width(Operand::b) * sources * 2 * numbers.grouping.group()))} {}

runtime::KernelFunction MatrixKernels::compile(Slot& slot, const ir::Program& program) {
    const runtime::ExecutableCode& code =
        code_.emplace_back(jit::compile(passes::run_in_order(program, cpu_), cpu_));
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
    return {.number = numbers_.c,
            .tile = schedule_.tile,
            .rows = rows,
            .columns = columns,
            .unroll = schedule_.unroll,
            .update = update,
            .prefetch_c = schedule_.prefetch_c,
            .prefetch_next = schedule_.prefetch_next,
            .prefetch_a = schedule_.prefetch_a,
            .most_depth = most_depth,
            .most_stride = most_stride,
            .epilogue = epilogue_,
            .grouping = numbers_.grouping};
}

gemm::Pack MatrixKernels::description(Operand operand, gemm::Pack::Source source, bool conjugated,
                                      int count) const {
    gemm::Pack pack{.number = numbers_.c,
                    .lanes = schedule_.tile.lanes,
                    .width = width(operand),
                    .count = count,
                    .source = source,
                    .conjugated = conjugated,
                    .most_depth = most_depth,
                    .most_stride = most_stride,
                    .grouping = numbers_.grouping,
                    .operand = operand,
                    .has_masks = cpu_.has_masks};
    const Number given = operand == Operand::a ? numbers_.a : numbers_.b;
    if (given != numbers_.c) pack.narrow = given;
    return pack;
}

runtime::KernelFunction MatrixKernels::pack(Operand operand, gemm::Pack::Source source, bool conjugated,
                                            int count, int rest) {
    const int kind = ((count - 1) * sources + static_cast<int>(source)) * 2 + (conjugated ? 1 : 0);
    Slot& slot = packs_[at(static_cast<int>(operand))][at(kind * numbers_.grouping.group() + rest)];
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    const std::lock_guard lock(making_);
    if (const runtime::KernelFunction made = slot.load(std::memory_order_acquire)) return made;
    gemm::Pack pack = description(operand, source, conjugated, count);
    pack.rest = rest;
    return compile(slot, gemm::pack(pack));
}

int MatrixKernels::steps_together(Operand operand, gemm::Pack::Source source) const {
    return gemm::steps_together(description(operand, source, false, width(operand)));
}

MatrixKernels& MatrixKernels::of_this_machine(Number number) {
    const std::atomic<MatrixKernels*>& place = of_machine[at(static_cast<int>(number))];
    if (MatrixKernels* const known = place.load(std::memory_order_acquire)) return *known;
    const ForkSection section;
    const target::Cpu& cpu = target::host_cpu();
    const Source source = known_schedules.load();
    const std::optional<gemm::Schedule> found = source ? source(number, cpu) : std::nullopt;
    prefer(number, found ? *found : gemm::model_schedule(number, cpu));
    return *place.load(std::memory_order_acquire);
}

MatrixKernels& MatrixKernels::of_this_machine(const MatrixProduct& product) {
    if (!product.widens()) return of_this_machine(product.number);
    const auto make = [](Number a, Number b, Number c) {
        MatrixProduct like{.number = c};
        like.a_number = a;
        like.b_number = b;
        const target::Cpu& cpu = target::host_cpu();
        const gemm::Numbers numbers = gemm::numbers_of(like, cpu, target::host_extensions());
        return new MatrixKernels(numbers, gemm::model_schedule(numbers, cpu), cpu);
    };
    using N = Number;
    static constinit MadeOnce<std::array<MatrixKernels*, 6>> all;
    const auto make_all = [&] {
        return std::array{
            make(N::bfloat16, N::bfloat16, N::float32), make(N::float16, N::float16, N::float32),
            make(N::int8, N::int8, N::int32),           make(N::int8, N::uint8, N::int32),
            make(N::uint8, N::int8, N::int32),          make(N::uint8, N::uint8, N::int32)};
    };
    for (MatrixKernels* const kernels : all.get(make_all))
        if (kernels->numbers_.a == product.number_of_a() && kernels->numbers_.b == product.number_of_b())
            return *kernels;
    throw InternalError("no kernels for {} by {}", word_of(product.number_of_a()),
                        word_of(product.number_of_b()));
}

bool MatrixKernels::prefer(Number number, const gemm::Schedule& schedule) {
    // Never destroyed: other threads may still multiply when the process ends.
    auto made = std::make_unique<MatrixKernels>(number, schedule, target::host_cpu());
    MatrixKernels* none = nullptr;
    const bool is_first = of_machine[at(static_cast<int>(number))].compare_exchange_strong(none, made.get());
    if (is_first) static_cast<void>(made.release());
    return is_first;
}

void MatrixKernels::use(Source source) { known_schedules = source; }

} // namespace swirl::planning
