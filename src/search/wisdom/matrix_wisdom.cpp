#include "search/wisdom/matrix_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/matrix_kernels.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/portable_gemm.hpp"
#include "problem/matrix_product.hpp"
#include "search/cost/host.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <fmt/format.h>

namespace swirl::search {

namespace {

WisdomKey key_of(DataType data_type, const target::Cpu& cpu, const char* kind) {
    Host host = this_host();
    host.instruction_set = cpu.name;
    return {host_key(host), fmt::format("gemm {}{}", name_of(data_type), kind)};
}

constexpr const char* found = "";
constexpr const char* by_model = ", model";

} // namespace

std::vector<Integer> searched_extents() { return {500, 1000}; }

std::optional<gemm::Schedule> lookup_schedule(DataType data_type, const target::Cpu& cpu) {
    Wisdom* const wisdom = shared_wisdom(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(data_type, cpu, found);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry || entry->version != version() || entry->found_by == FoundBy::estimate) return std::nullopt;
    try {
        gemm::Schedule schedule =
            gemm::parse_schedule(entry->recipe, target::lanes(cpu, gemm::scalar_of(data_type)));
        if (gemm::fits_registers(gemm::OperandTypes::all(data_type), schedule.tile, cpu)) return schedule;
    } catch (const UserError&) {
        // damaged
    }
    wisdom->erase(key);
    return std::nullopt;
}

void store_schedule(DataType data_type, const target::Cpu& cpu, const MatrixSearchResult& result) {
    Wisdom* const wisdom = shared_wisdom(true);
    if (wisdom == nullptr) return;
    wisdom->replace(
        key_of(data_type, cpu, found),
        {.recipe = to_string(result.found), .seconds = result.found_seconds, .found_by = FoundBy::measure});
    wisdom->replace(
        key_of(data_type, cpu, by_model),
        {.recipe = to_string(result.model), .seconds = result.model_seconds, .found_by = FoundBy::measure});
}

void use_matrix_wisdom() { planning::MatrixKernels::use(lookup_schedule); }

void find_schedule(const MatrixProduct& product, const FindScheduleOptions& options) {
    const target::Cpu& cpu = target::host_cpu();
    const bool is_by_blocks =
        !planning::needs_portable_gemm() && !product.widens() &&
        !gemm::suits_small_gemm(planning::wants_transposition(product) ? planning::transposed(product)
                                                                       : product);
    if (!is_by_blocks || lookup_schedule(product.data_type, cpu)) return;
    std::optional<HostMatrixTimer> machine;
    if (options.timer == nullptr) machine.emplace(product.data_type, searched_extents());
    const MatrixSearchResult result = search_schedule({.data_type = product.data_type,
                                                       .cpu = cpu,
                                                       .seconds = options.seconds,
                                                       .progress = options.progress},
                                                      machine ? *machine : *options.timer);
    store_schedule(product.data_type, cpu, result);
    planning::MatrixKernels::prefer(product.data_type, result.found);
}

} // namespace swirl::search
