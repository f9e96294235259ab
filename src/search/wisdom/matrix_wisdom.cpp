#include "search/wisdom/matrix_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/matrix_product.hpp"
#include "search/cost/host.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <fmt/format.h>

namespace swirl::search {

namespace {

constexpr const char* found = "";
constexpr const char* by_model = ", model";

/// The schedule if it is one of blocks for the CPU.
std::optional<gemm::BlockedGemm> schedule_for(const target::Cpu& cpu, DataType data_type,
                                              const std::string& text) {
    try {
        const MatrixProduct any = MatrixProduct::column_major(data_type, 1000, 1000, 1000);
        const gemm::CpuGemm schedule = gemm::parse_cpu_gemm(text, any);
        if (schedule.cpu == &cpu && schedule.blocked() != nullptr) return *schedule.blocked();
    } catch (const UserError&) {
        // from another version, or damaged
    }
    return std::nullopt;
}

} // namespace

std::vector<Integer> searched_extents() { return {500, 1000}; }

Wisdom* MatrixWisdom::open(bool to_write) const { return in_use_ ? shared_wisdom(to_write) : nullptr; }

WisdomKey MatrixWisdom::key_of(DataType data_type, const char* kind) const {
    Host host = this_host();
    host.instruction_set = cpu_.name;
    return {host_key(host), fmt::format("gemm {}{}", name_of(data_type), kind)};
}

std::optional<StoredSchedule> MatrixWisdom::lookup(DataType data_type) {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(data_type, found);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry) return std::nullopt;
    if (const auto schedule = schedule_for(cpu_, data_type, entry->schedule))
        return StoredSchedule{*schedule, entry->seconds, entry->found_by, entry->version == version()};
    wisdom->erase(key);
    return std::nullopt;
}

std::optional<gemm::BlockedGemm> MatrixWisdom::trusted(DataType data_type) {
    const std::optional<StoredSchedule> stored = lookup(data_type);
    if (!stored || !stored->is_current || stored->found_by == FoundBy::estimate) return std::nullopt;
    return stored->schedule;
}

void MatrixWisdom::store(DataType data_type, const MatrixSearchResult& result, FoundBy how) {
    Wisdom* const wisdom = open(true);
    if (wisdom == nullptr) return;
    const auto put = [&](const char* kind, const gemm::BlockedGemm& schedule, double seconds) {
        wisdom->replace(
            key_of(data_type, kind),
            {.schedule = to_string(gemm::CpuGemm{&cpu_, schedule}), .seconds = seconds, .found_by = how});
    };
    put(found, result.found, result.found_seconds);
    put(by_model, result.model, result.model_seconds);
}

} // namespace swirl::search
