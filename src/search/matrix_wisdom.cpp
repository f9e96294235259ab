#include "search/matrix_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "gemm/small_product.hpp"
#include "plan/matrix_kernels.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/portable_product.hpp"
#include "problem/matrix_product.hpp"
#include "search/machine.hpp"
#include "search/shared_wisdom.hpp"

#include <fmt/format.h>

namespace swirl::search {

namespace {

WisdomKey key_of(Number number, const target::Cpu& cpu, const char* kind) {
    Machine machine = host_machine();
    machine.instruction_set = cpu.name;
    return {machine_key(machine), fmt::format("gemm {}{}", word_of(number), kind)};
}

constexpr const char* found = "";
constexpr const char* by_model = ", model";

} // namespace

std::vector<Integer> searched_extents() { return {500, 1000}; }

std::optional<gemm::Schedule> remembered_schedule(Number number, const target::Cpu& cpu) {
    Wisdom* const wisdom = shared_wisdom(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(number, cpu, found);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry || entry->version != version() || entry->found_by == FoundBy::estimate) return std::nullopt;
    try {
        gemm::Schedule schedule =
            gemm::parse_schedule(entry->recipe, target::lanes(cpu, gemm::scalar_of(number)));
        if (gemm::fits_registers(gemm::Numbers::all(number), schedule.tile, cpu)) return schedule;
    } catch (const UserError&) {
        // damaged
    }
    wisdom->forget(key);
    return std::nullopt;
}

void remember(Number number, const target::Cpu& cpu, const MatrixFinding& finding) {
    Wisdom* const wisdom = shared_wisdom(true);
    if (wisdom == nullptr) return;
    wisdom->replace(
        key_of(number, cpu, found),
        {.recipe = to_string(finding.found), .seconds = finding.found_seconds, .found_by = FoundBy::measure});
    wisdom->replace(
        key_of(number, cpu, by_model),
        {.recipe = to_string(finding.model), .seconds = finding.model_seconds, .found_by = FoundBy::measure});
}

void use_matrix_wisdom() { planning::MatrixKernels::use(remembered_schedule); }

void find_schedule(const MatrixProduct& product, const FindScheduleOptions& options) {
    const target::Cpu& cpu = target::host_cpu();
    const bool is_by_blocks =
        !planning::needs_portable_products() && !product.widens() &&
        !gemm::suits_small_product(planning::wants_transposition(product) ? planning::transposed(product)
                                                                          : product);
    if (!is_by_blocks || remembered_schedule(product.number, cpu)) return;
    std::optional<MachineMatrixTimekeeper> machine;
    if (options.timekeeper == nullptr) machine.emplace(product.number, searched_extents());
    const MatrixFinding finding = search_schedule(
        {.number = product.number, .cpu = cpu, .seconds = options.seconds, .progress = options.progress},
        machine ? *machine : *options.timekeeper);
    remember(product.number, cpu, finding);
    planning::MatrixKernels::prefer(product.number, finding.found);
}

} // namespace swirl::search
