#include "search/candidates/cpu/gemm.hpp"
#include "base/error.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/gemm/cpu/amx/route.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cpu/tile_state.hpp"
#include "search/cost/cpu/gemm_cost.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/options.hpp"
#include "search/planner.hpp"
#include "search/tasks/task.hpp"
#include "search/timer/cpu/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace swirl::search {

namespace {

using planning::MatrixEpilogue;

/// Time limit in seconds for checking another version's schedule against the model's.
constexpr double recheck_product_seconds = 2;

/// Rows or columns of C up to which lanes along K are considered.
constexpr Integer most_thin = 16;

/// Bytes that a kernel with lanes along K may copy first.
constexpr Integer most_packed_along_k = 1 << 20;

/// Time budget for measuring, in seconds.
constexpr double usual_product_budget = 10;

class CpuGemmTask : public Task {
public:
    CpuGemmTask(const MatrixProduct& product, const target::Cpu& cpu, const TaskSetting& setting)
        : Task(setting), product_(product), canonical_(planning::canonical(product)), cpu_(cpu) {
        const bool is_made_float = product.converts() && product.data_type == DataType::int32;
        if (!product.epilogue.is_identity() || is_made_float) epilogue_.emplace(product);
    }

    AnyPlan build(const ScheduleCandidate& chosen) override {
        planning::require_target(chosen.schedule, cpu_.name);
        return std::make_shared<const planning::MatrixPlan>(
            product_, chosen.schedule,
            planning::MatrixPlan::Options{.threads = threads_of(options()),
                                          .accuracy = options().accuracy,
                                          .check = check(),
                                          .memory_limit = options().memory_limit_bytes,
                                          .planning_limit = options().planning_limit_seconds});
    }

private:
    /// A kernel of its own for a product that suits one, tile registers where they are faster, else packed blocks.
    ScheduleCandidate chosen() override {
        gemm::CpuGemm schedule;
        const bool is_empty =
            std::min({canonical_.rows, canonical_.columns, canonical_.k, canonical_.batch}) == 0;
        if (is_empty) return {planning::Schedule(cpu_.name, schedule)};
        if (cpu_.set == target::InstructionSet::portable) {
            reject("generated kernels", "no machine code is generated for portable");
            schedule.kernel = gemm::BuiltinGemm{};
        } else if (const auto amx = tile_registers()) {
            reject("unpacked", "tile registers are faster, and read packed blocks", unpacked_if_possible());
            reject("blocked", "tile registers multiply several times as much per cycle", model_blocks());
            schedule.kernel = *amx;
        } else if (const auto dot = dots()) {
            reject("unpacked", "lanes along k are faster, by the model", unpacked_if_possible());
            reject("blocked", "lanes along k are faster, by the model", model_blocks());
            schedule.kernel = *dot;
        } else if (const auto unpacked = one_kernel()) {
            reject("blocked", "one kernel reads operands of this size in place: packing would not pay",
                   model_blocks());
            schedule.kernel = *unpacked;
        } else {
            schedule.kernel = blocks();
        }
        return {planning::Schedule(cpu_.name, schedule)};
    }

    std::nullopt_t without(std::string_view what, std::string_view why,
                           std::optional<planning::Schedule> schedule = {}) {
        reject(what, why, std::move(schedule));
        return std::nullopt;
    }

    template <class Kernel> planning::Schedule with(Kernel kernel) const {
        return {cpu_.name, gemm::CpuGemm{std::move(kernel)}};
    }

    planning::Schedule model_blocks() const {
        return with(gemm::model_schedule(gemm::operand_types_on(canonical_, cpu_), cpu_));
    }
    /// Whatever the operands' size: to say what it would cost.
    std::optional<planning::Schedule> unpacked_if_possible() const {
        if (canonical_.widens() || canonical_.c.row_stride != 1) return std::nullopt;
        return with(gemm::model_unpacked(canonical_, gemm::small_kc(canonical_, cpu_), cpu_));
    }

    bool suits_epilogue(const gemm::Tile& tile) const { return !epilogue_ || epilogue_->suits(tile); }

    std::optional<gemm::AmxGemm> tile_registers() {
        constexpr gemm::Tile shape{.lanes = 1, .vectors = gemm::amx_tile, .columns = gemm::amx_tile};
        if (const std::string_view why = planning::amx_infeasibility(canonical_); !why.empty())
            return without("amx", why);
        if (&cpu_ != &target::host_cpu())
            return without("amx", "the CPU is not the host's own, which alone may have tile registers");
        if (!runtime::may_use_tiles())
            return without("amx", "this machine has no tile registers, or they are not allowed");
        if (!suits_epilogue(shape)) return without("amx", "the epilogue does not suit tiles of 16 x 16");
        const gemm::AmxTypes types = gemm::AmxTypes::of(canonical_);
        if (planning::has_amx_types(canonical_))
            return planning::model_amx(gemm::bf16x1().term_products(), types);
        const gemm::BlockedGemm fallback = blocks();
        if (!suits_epilogue(fallback.tile))
            return without("amx", "the epilogue does not suit the tile of its fallback kernel");
        const auto ordinary = planning::MatrixKernels::shared(gemm::OperandTypes::all(canonical_.data_type),
                                                              fallback, cpu_, {}, check());
        const planning::AmxRoute route = planning::amx_route(canonical_, options().accuracy, ordinary.get());
        if (!route)
            return without("amx", "a benchmark of both found the vector kernels faster at this accuracy",
                           with(planning::model_amx(planning::term_products_for(options().accuracy), types)));
        gemm::AmxGemm amx = planning::model_amx(route.term_products, types);
        amx.fallback = fallback;
        return amx;
    }

    /// Lanes along K, where the model finds them faster than what one thread would run else: so the choice does not
    /// depend on the number of threads.
    std::optional<gemm::DotGemm> dots() {
        if (const std::string_view why = gemm::dot_gemm_infeasibility(canonical_); !why.empty())
            return without("dot", why);
        if (std::min(canonical_.rows, canonical_.columns) > most_thin)
            return without("dot", "C has many rows and columns: elements of A and B are reused enough");
        const gemm::DotGemm dot = gemm::model_dot(canonical_, cpu_);
        if (gemm::dot_packed_bytes(canonical_, dot) > most_packed_along_k)
            return without("dot", "operands that are not contiguous along k are too large to copy",
                           with(dot));
        if (!suits_epilogue({.lanes = 1, .vectors = dot.rows, .columns = dot.columns}))
            return without("dot", "the epilogue does not suit its tile");
        const planning::Schedule other =
            gemm::suits_small_gemm(canonical_)
                ? with(gemm::model_unpacked(canonical_, gemm::small_kc(canonical_, cpu_), cpu_))
                : model_blocks();
        const MachineModel& machine = known_machine_model(cpu_);
        if (gemm_seconds(canonical_, with(dot), machine) >= gemm_seconds(canonical_, other, machine))
            return without("dot", "lanes along rows are faster, by the model", with(dot));
        return dot;
    }

    std::optional<gemm::UnpackedGemm> one_kernel() {
        if (product_.converts()) return without("unpacked", "C's elements are converted after the sum");
        if (const std::string_view why = gemm::small_gemm_infeasibility(canonical_); !why.empty())
            return without("unpacked", why, unpacked_if_possible());
        if (planning::threads_worthwhile(product_, threads_of(options())) != 1)
            return without("unpacked", "several threads share the product, which packed blocks allow",
                           unpacked_if_possible());
        const gemm::UnpackedGemm unpacked =
            gemm::model_unpacked(canonical_, gemm::small_kc(canonical_, cpu_), cpu_);
        if (!suits_epilogue(unpacked.tile)) return without("unpacked", "the epilogue does not suit its tile");
        return unpacked;
    }

    gemm::BlockedGemm blocks() {
        const gemm::OperandTypes types = gemm::operand_types_on(canonical_, cpu_);
        gemm::BlockedGemm blocked = product_.widens() ? gemm::model_schedule(types, cpu_) : tuned(types);
        if (!gemm::suits_small_gemm(canonical_)) return blocked;
        // As one kernel on one thread would: C is updated at the same k indices.
        const Integer kc = gemm::small_kc(canonical_, cpu_);
        const auto scaled = [&](Integer extent) {
            return std::clamp<Integer>(extent * blocked.kc / kc, 1, extent);
        };
        blocked.mc = scaled(blocked.mc);
        blocked.nc = scaled(blocked.nc);
        blocked.kc = kc;
        return blocked;
    }

    /// From wisdom, or searched for if the effort asks for that and blocks compute the product.
    gemm::BlockedGemm tuned(const gemm::OperandTypes& types) {
        const bool is_timed = options().effort != Effort::estimate && !gemm::suits_small_gemm(canonical_) &&
                              &cpu_ == &target::host_cpu();
        const Problem whole = tuned_product(types.c);
        std::optional<CpuTimer> of_host;
        return *choose_schedule({.problem = whole,
                                 .stored = stored_blocks(types.c, cpu_, options().use_wisdom),
                                 .effort = is_timed ? options().effort : Effort::estimate,
                                 .seconds = budget_of(options(), {.measure = usual_product_budget}),
                                 .recheck_seconds = recheck_product_seconds,
                                 .estimate =
                                     [&] {
                                         return planning::Schedule(
                                             cpu_.name, gemm::CpuGemm{gemm::model_schedule(types, cpu_)});
                                     },
                                 .space =
                                     [&](std::vector<planning::Schedule> others) {
                                         return cpu_gemm_space(types.c, cpu_, std::move(others));
                                     },
                                 .timer = [&]() -> Timer& {
                                     if (given_timer() != nullptr) return *given_timer();
                                     return of_host ? *of_host : of_host.emplace();
                                 }})
                    .schedule.cpu_gemm()
                    .blocked();
    }

    planning::KernelCheck check() const {
        return options().check ? planning::KernelCheck::on : planning::KernelCheck::off;
    }

    const MatrixProduct& product_;
    MatrixProduct canonical_;
    const target::Cpu& cpu_;
    std::optional<MatrixEpilogue> epilogue_;
};

} // namespace

std::unique_ptr<Task> task_of(const MatrixProduct& product, const target::Cpu* cpu,
                              const TaskSetting& setting) {
    if (cpu->set != target::InstructionSet::portable && !runtime::ExecutableCode::is_available())
        throw UserError("cpu is {}, whose code cannot run here; use portable", cpu->name);
    require_runnable(*cpu);
    return std::make_unique<CpuGemmTask>(product, *cpu, setting);
}

StoredSchedules stored_blocks(DataType data_type, const target::Cpu& cpu, bool use_wisdom) {
    return {[data_type, &cpu] {
                return WisdomKey{cpu_key(cpu), fmt::format("gemm {}", name_of(data_type))};
            },
            [data_type, &cpu](const std::string& text) {
                planning::Schedule schedule = planning::parse_schedule(text, tuned_product(data_type));
                planning::require_target(schedule, cpu.name);
                if (schedule.cpu_gemm().blocked() == nullptr)
                    throw UserError("'{}' is not a blocked schedule", text);
                return schedule;
            },
            use_wisdom};
}

planning::MatrixCode make_matrix_code(DataType data_type) {
    const target::Cpu& cpu = planning::cpu_for_products();
    if (cpu.set == target::InstructionSet::portable) return {.cpu = &cpu, .blocks = {}, .amx = {}, .kc = {}};
    const gemm::OperandTypes types = gemm::OperandTypes::all(data_type);
    const std::optional<StoredSchedule> known = stored_blocks(data_type, cpu).lookup();
    const gemm::BlockedGemm blocked = known && known->is_trusted() ? *known->schedule.cpu_gemm().blocked()
                                                                   : gemm::model_schedule(types, cpu);
    return planning::code_by_blocks(types, blocked, cpu);
}

} // namespace swirl::search
