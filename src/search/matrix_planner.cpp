#include "search/matrix_planner.hpp"

#include "base/error.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/amx_route.hpp"
#include "plan/matrix_multiply.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cpu/tile_state.hpp"
#include "search/candidates/cpu_gemm.hpp"
#include "search/choose.hpp"
#include "search/cost/host.hpp"
#include "search/timer/cpu_timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace swirl::search {

namespace {

using planning::MatrixEpilogue;

/// Time limit in seconds for checking another version's schedule against the model's.
constexpr double recheck_product_seconds = 2;

const target::Cpu& cpu_of(const MatrixPlanRequest& request) {
    const target::Cpu& usual = planning::cpu_for_products();
    if (request.cpu == nullptr) return usual;
    const bool can_run =
        request.cpu->set == target::InstructionSet::portable ||
        (usual.set != target::InstructionSet::portable && target::host_can_run(*request.cpu));
    if (!can_run)
        throw UserError("cpu is {}, whose code cannot run here; use {} or portable", request.cpu->name,
                        usual.name);
    return *request.cpu;
}

/// One call of choose_schedule.
class Chooser {
public:
    Chooser(const MatrixProduct& product, const MatrixPlanRequest& request, const target::Cpu& cpu)
        : product_(product), canonical_(planning::canonical(product)), request_(request), cpu_(cpu) {
        const bool is_made_float = product.converts() && product.data_type == DataType::int32;
        if (!product.epilogue.is_identity() || is_made_float) epilogue_.emplace(product);
    }

    CpuGemmChoice choose() {
        gemm::CpuGemm schedule{.cpu = &cpu_};
        const bool is_empty =
            std::min({canonical_.rows, canonical_.columns, canonical_.k, canonical_.batch}) == 0;
        if (is_empty) return {schedule};
        if (cpu_.set == target::InstructionSet::portable) {
            reject("generated kernels", "no machine code is generated for portable");
            schedule.kernel = gemm::BuiltinGemm{};
        } else if (const auto amx = tile_registers()) {
            reject("unpacked", "tile registers are faster, and read packed blocks");
            reject("blocked", "tile registers multiply several times as much per cycle");
            schedule.kernel = *amx;
        } else if (const auto unpacked = one_kernel()) {
            reject("blocked", "one kernel reads operands of this size in place: packing would not pay");
            schedule.kernel = *unpacked;
        } else {
            schedule.kernel = blocks();
        }
        return {schedule, std::move(rejections_)};
    }

private:
    std::nullopt_t reject(std::string_view what, std::string_view why) {
        rejections_.push_back({std::string(what), std::string(why)});
        return std::nullopt;
    }

    bool suits_epilogue(const gemm::Tile& tile) const { return !epilogue_ || epilogue_->suits(tile); }

    std::optional<gemm::AmxGemm> tile_registers() {
        constexpr gemm::Tile shape{.lanes = 1, .vectors = gemm::amx_tile, .columns = gemm::amx_tile};
        if (const std::string_view why = planning::amx_infeasibility(canonical_); !why.empty())
            return reject("amx", why);
        if (&cpu_ != &target::host_cpu())
            return reject("amx", "the CPU is not the host's own, which alone may have tile registers");
        if (!runtime::may_use_tiles())
            return reject("amx", "this machine has no tile registers, or they are not allowed");
        if (!suits_epilogue(shape)) return reject("amx", "the epilogue does not suit tiles of 16 x 16");
        const gemm::AmxTypes types = gemm::AmxTypes::of(canonical_);
        if (planning::has_amx_types(canonical_))
            return planning::model_amx(gemm::bf16x1().term_products(), types);
        const gemm::BlockedGemm fallback = blocks();
        if (!suits_epilogue(fallback.tile))
            return reject("amx", "the epilogue does not suit the tile of its fallback kernel");
        const auto ordinary = planning::MatrixKernels::shared(gemm::OperandTypes::all(canonical_.data_type),
                                                              fallback, cpu_, {}, check());
        const planning::AmxRoute route = planning::amx_route(canonical_, request_.accuracy, ordinary.get());
        if (!route)
            return reject("amx", "a benchmark of both found the vector kernels faster at this accuracy");
        gemm::AmxGemm amx = planning::model_amx(route.term_products, types);
        amx.fallback = fallback;
        return amx;
    }

    std::optional<gemm::UnpackedGemm> one_kernel() {
        if (product_.converts()) return reject("unpacked", "C's elements are converted after the sum");
        if (const std::string_view why = gemm::small_gemm_infeasibility(canonical_); !why.empty())
            return reject("unpacked", why);
        if (planning::threads_worthwhile(product_, request_.threads) != 1)
            return reject("unpacked", "several threads share the product, which packed blocks allow");
        const gemm::UnpackedGemm unpacked =
            gemm::model_unpacked(canonical_, gemm::small_kc(canonical_, cpu_), cpu_);
        if (!suits_epilogue(unpacked.tile)) return reject("unpacked", "the epilogue does not suit its tile");
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
        const bool is_timed = request_.effort != Effort::estimate && !gemm::suits_small_gemm(canonical_) &&
                              &cpu_ == &target::host_cpu();
        const Problem whole = tuned_product(types.c);
        StoredSchedules stored = stored_blocks(types.c, cpu_, request_.use_wisdom);
        std::optional<CpuTimer> host_timer;
        return *choose_schedule({.problem = whole,
                                 .stored = stored,
                                 .effort = is_timed ? request_.effort : Effort::estimate,
                                 .seconds = request_.time_budget_seconds,
                                 .recheck_seconds = recheck_product_seconds,
                                 .estimate =
                                     [&] {
                                         return planning::Schedule(
                                             gemm::CpuGemm{&cpu_, gemm::model_schedule(types, cpu_)});
                                     },
                                 .space =
                                     [&](std::vector<planning::Schedule> others) {
                                         return cpu_gemm_space(types.c, cpu_, std::move(others));
                                     },
                                 .timer = [&]() -> Timer& {
                                     if (request_.timer != nullptr) return *request_.timer;
                                     return host_timer ? *host_timer : host_timer.emplace();
                                 },
                                 .progress = request_.progress,
                                 .interrupt = request_.interrupt},
                                stored.lookup())
                    .schedule.cpu_gemm()
                    .blocked();
    }

    planning::KernelCheck check() const {
        return request_.check ? planning::KernelCheck::on : planning::KernelCheck::off;
    }

    const MatrixProduct& product_;
    MatrixProduct canonical_;
    const MatrixPlanRequest& request_;
    const target::Cpu& cpu_;
    std::optional<MatrixEpilogue> epilogue_;
    std::vector<Rejection> rejections_;
};

} // namespace

CpuGemmChoice choose_schedule(const MatrixProduct& product, const MatrixPlanRequest& request) {
    if (request.schedule.empty()) return Chooser(product, request, cpu_of(request)).choose();
    gemm::CpuGemm schedule = gemm::parse_cpu_gemm(request.schedule, planning::canonical(product));
    if (request.cpu != nullptr && request.cpu != schedule.cpu)
        throw UserError("the schedule is for {} and cpu is {}; leave one of them out", schedule.cpu->name,
                        request.cpu->name);
    MatrixPlanRequest of_cpu = request;
    of_cpu.cpu = schedule.cpu;
    static_cast<void>(cpu_of(of_cpu));
    return {schedule};
}

StoredSchedules stored_blocks(DataType data_type, const target::Cpu& cpu, bool use_wisdom) {
    return {[data_type, &cpu] {
                return WisdomKey{cpu_key(cpu), fmt::format("gemm {}", name_of(data_type))};
            },
            [data_type, &cpu](const std::string& text) {
                planning::Schedule schedule = planning::parse_schedule(text, tuned_product(data_type));
                const auto* const blocks = std::get_if<gemm::CpuGemm>(&schedule.choices);
                if (blocks == nullptr || blocks->cpu != &cpu || blocks->blocked() == nullptr)
                    throw UserError("'{}' is no schedule of packed blocks for {}", text, cpu.name);
                return schedule;
            },
            use_wisdom};
}

std::shared_ptr<const planning::MatrixPlan> make_matrix_plan(const MatrixProduct& product,
                                                             const MatrixPlanRequest& request) {
    if (!(request.time_budget_seconds >= 0))
        throw UserError("time_budget_seconds is {}; use a number that is not negative",
                        request.time_budget_seconds);
    return std::make_shared<const planning::MatrixPlan>(
        product, choose_schedule(product, request).schedule,
        planning::MatrixPlan::Options{
            .threads = request.threads,
            .accuracy = request.accuracy,
            .check = request.check ? planning::KernelCheck::on : planning::KernelCheck::off});
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
