#include "search/candidates/cpu/gemm.hpp"
#include "base/error.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/gemm/cpu/amx/route.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cpu/tile_state.hpp"
#include "search/cost/cpu/gemm_cost.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/options.hpp"
#include "search/planner.hpp"
#include "search/tasks/task.hpp"
#include "search/timer/cpu/timer.hpp"
#include "search/timer/cpu/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::search {

namespace {

using planning::MatrixEpilogue;

/// Time limit in seconds for checking another version's schedule against the model's.
constexpr double recheck_product_seconds = 2;

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
                                          .team = fastest_team(chosen.schedule),
                                          .accuracy = options().accuracy,
                                          .check = check(),
                                          .memory_limit = options().memory_limit_bytes,
                                          .planning_limit = options().planning_limit_seconds});
    }

    /// Blocks alone are timed, for all products of a data type.
    std::vector<StoredSchedules> entries() const override {
        const bool is_empty =
            std::min({canonical_.rows, canonical_.columns, canonical_.k, canonical_.batch}) == 0;
        const bool has_tuned_blocks = !is_empty && !product_.widens() &&
                                      !gemm::suits_small_gemm(canonical_) && &cpu_ == &target::host_cpu() &&
                                      cpu_.set != target::InstructionSet::portable;
        if (!has_tuned_blocks) return {};
        return {stored_blocks(gemm::operand_types_on(canonical_, cpu_).c, cpu_, options().use_wisdom)};
    }

private:
    /// Threads that may pay for one matrix: each has to do more than it takes to call it.
    int most_members() const {
        constexpr double least_work = 1 << 16; // multiply-adds, or bytes
        const double work = std::max(planning::work_of(product_), compulsory_bytes(product_)) / least_work;
        return std::max(1, static_cast<int>(std::min<double>(threads_of(options()), work)));
    }

    /// Members of a team with which the model finds one matrix fastest; 1 if more gain little.
    int fastest_team(const planning::Schedule& schedule) const {
        // Seconds until all members have begun, and from the last one's end on.
        constexpr double team = 2e-6, member = 0.12e-6, least_gain = 1.15;
        const bool is_empty =
            std::min({canonical_.rows, canonical_.columns, canonical_.k, canonical_.batch}) == 0;
        if (is_empty || product_.batch != 1 || cpu_.set == target::InstructionSet::portable) return 0;
        const MachineModel& machine = known_machine_model(cpu_);
        const double alone = gemm_seconds(product_, schedule, machine, 1);
        int best = 1;
        double least = alone / least_gain;
        for (int members = 2; members <= most_members(); ++members) {
            const double seconds =
                gemm_seconds(product_, schedule, machine, members) + team + member * members;
            if (seconds >= least) continue;
            least = seconds;
            best = members;
        }
        return best;
    }

    /// Extent of the blocks of K that decide the bits of C.
    Integer kc_of(const gemm::CpuGemm& schedule) const {
        if (const gemm::UnpackedGemm* const unpacked = schedule.unpacked())
            return std::min(unpacked->kc, canonical_.k);
        if (const gemm::BlockedGemm* const blocked = schedule.blocked())
            return planning::kc_of_blocks(*blocked, canonical_, cpu_);
        return 0;
    }

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
        } else {
            schedule = best_by_model();
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

    /// The candidate that the model finds fastest on one thread; for several threads the one that they share best, of
    /// those that give the same bits.
    gemm::CpuGemm best_by_model() {
        const std::string_view no_dot = gemm::dot_gemm_infeasibility(canonical_);
        if (!no_dot.empty())
            reject("dot", no_dot);
        else if (const std::string_view why = dot_candidate_infeasibility(canonical_, cpu_); !why.empty())
            reject("dot", why, with(gemm::model_dot(canonical_, cpu_)));
        if (product_.converts())
            reject("unpacked", "C's elements are converted after the sum");
        else if (const std::string_view why = gemm::small_gemm_infeasibility(canonical_); !why.empty())
            reject("unpacked", why, unpacked_if_possible());
        const gemm::BlockedGemm blocked = untouched_blocks();
        const bool are_timed = options().effort != Effort::estimate || follows_wisdom();
        std::vector<planning::Schedule> all = ranked_gemm_candidates(
            canonical_, cpu_, blocked, are_timed ? BlockOrigin::timing : BlockOrigin::model);
        std::erase_if(all, [&](const planning::Schedule& one) { return !is_possible(one.cpu_gemm()); });
        const bool takes_dot = all.front().cpu_gemm().dot() != nullptr;
        const Integer kc = kc_of(all.front().cpu_gemm());
        const int threads = product_.batch == 1
                                ? most_members()
                                : planning::threads_worthwhile(product_, threads_of(options()));
        if (threads > 1 && !takes_dot) {
            const MachineModel& machine = known_machine_model(cpu_);
            const auto seconds = [&](const planning::Schedule& one) {
                return one.cpu_gemm().dot() != nullptr || kc_of(one.cpu_gemm()) != kc
                           ? std::numeric_limits<double>::infinity()
                           : gemm_seconds(product_, one, machine, threads);
            };
            std::vector<std::pair<double, planning::Schedule>> rated;
            for (planning::Schedule& one : all) {
                const double of_one = seconds(one);
                rated.emplace_back(of_one, std::move(one));
            }
            std::stable_sort(rated.begin(), rated.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            all.clear();
            for (auto& [of_one, one] : rated) all.push_back(std::move(one));
        }
        const gemm::CpuGemm& best = all.front().cpu_gemm();
        for (const auto& kind : kinds) {
            if (kind.second(best)) continue;
            const auto other = std::find_if(all.begin(), all.end(), [&](const planning::Schedule& one) {
                return kind.second(one.cpu_gemm());
            });
            if (other != all.end()) reject(kind.first, "slower, by the model", *other);
        }
        return best;
    }

    /// Names of kinds of kernels.
    static constexpr std::pair<std::string_view, bool (*)(const gemm::CpuGemm&)> kinds[] = {
        {"dot", [](const gemm::CpuGemm& one) { return one.dot() != nullptr; }},
        {"unpacked", [](const gemm::CpuGemm& one) { return one.unpacked() != nullptr; }},
        {"blocked", [](const gemm::CpuGemm& one) { return one.blocked() != nullptr; }},
    };

    /// Whether the product's conversion and epilogue suit the schedule.
    bool is_possible(const gemm::CpuGemm& schedule) const {
        if (const gemm::UnpackedGemm* const unpacked = schedule.unpacked())
            return !product_.converts() && suits_epilogue(unpacked->tile) &&
                   (!epilogue_ || !unpacked->along_columns);
        if (const gemm::DotGemm* const dot = schedule.dot())
            return suits_epilogue({.lanes = 1, .vectors = dot->rows, .columns = dot->columns});
        return true; // applied to elements in memory if not in tiles
    }

    gemm::BlockedGemm untouched_blocks() {
        const gemm::OperandTypes types = gemm::operand_types_on(canonical_, cpu_);
        return product_.widens() ? gemm::model_schedule(types, cpu_) : tuned(types);
    }

    gemm::BlockedGemm blocks() {
        const gemm::BlockedGemm blocked = untouched_blocks();
        if (!gemm::suits_small_gemm(canonical_)) return blocked;
        // As one kernel on one thread would: C is updated at the same k indices.
        return with_kc(blocked, gemm::small_kc(canonical_, cpu_));
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
    StoredSchedules stored = stored_blocks(data_type, cpu);
    std::optional<StoredSchedule> known = stored.lookup();
    if (!known || !known->is_trusted()) known = stored.shipped();
    const gemm::BlockedGemm blocked =
        known ? *known->schedule.cpu_gemm().blocked() : gemm::model_schedule(types, cpu);
    return planning::code_by_blocks(types, blocked, cpu);
}

} // namespace swirl::search
