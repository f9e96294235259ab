#include "cli/explain/gpu_gemm_common.hpp"

#include <swirl/matrix_product.hpp>
#include "cli/table.hpp"
#include "gemm/gpu/schedule_text.hpp"

#include <fmt/format.h>

namespace swirl::cli {

std::string text_of_problem(const MatrixProduct& product, const target::Gpu& gpu,
                            const gemm::GpuGemmSchedule& schedule) {
    return fmt::format("problem    {}\ngpu        {}{}\nschedule   {}\n", to_text(product), gpu.name,
                       gemm::canonical_for_gpu(product).is_swapped
                           ? "; C's rows are contiguous: A and B are swapped, rows are columns here"
                           : "",
                       to_string(schedule));
}

std::string text_of_parameters(const gemm::GpuGemmSchedule& schedule) {
    Table table({"parameter", "value", "meaning"});
    for (const gemm::ScheduleParameter& parameter : parameters_of(schedule))
        if (const std::optional<int> value = parameter.get(schedule))
            table.add(
                {std::string(parameter.name), parameter.text_of(*value), std::string(parameter.meaning)});
    return table.text();
}

std::string text_of_accesses(const gemm::GpuSample& sample, const target::Gpu& gpu) {
    const auto each = [](Integer amount, Integer accesses) {
        return fmt::format("{:.4g}", static_cast<double>(amount) / static_cast<double>(accesses));
    };
    Table table({"accesses of a warp", "", "accesses", "bytes", "sectors", "minimum", "lost cycles"});
    for (const gemm::GpuAccess& access : sample.accesses) {
        const ir::AccessCounts& counts = access.counts;
        const double least =
            static_cast<double>(counts.bytes) / static_cast<double>(counts.accesses * gpu.sector_bytes);
        table.add({access.buffer, access.is_store ? "stored" : "loaded", std::to_string(counts.accesses),
                   each(counts.bytes, counts.accesses),
                   access.is_shared ? "-" : each(counts.sectors, counts.accesses),
                   access.is_shared ? "-" : fmt::format("{:.4g}", least),
                   access.is_shared ? each(counts.extra_cycles, counts.accesses) : "-"});
    }
    return table.text() + fmt::format(
                              "Averages per access, counted by the interpreter in one tile with K = {}: "
                              "sectors of {} bytes, "
                              "cycles lost to bank conflicts of shared memory.\n",
                              sample.product.k, gpu.sector_bytes);
}

namespace {

/// An integer, or the word of an enum's value.
Json json_of_value(const gemm::ScheduleParameter& parameter, int value) {
    if (parameter.words.empty()) return value;
    return parameter.text_of(value);
}

} // namespace

Json json_of_parameters(const gemm::GpuGemmSchedule& schedule) {
    Json parameters = Json::array();
    for (const gemm::ScheduleParameter& parameter : parameters_of(schedule))
        if (const std::optional<int> value = parameter.get(schedule))
            parameters.push_back({{"name", parameter.name},
                                  {"value", json_of_value(parameter, *value)},
                                  {"meaning", parameter.meaning}});
    return parameters;
}

/// Per thread, for one k-tile.
Json json_of_sample(const gemm::GpuSample& sample) {
    Json accesses = Json::array();
    for (const gemm::GpuAccess& access : sample.accesses)
        accesses.push_back({{"buffer", access.buffer},
                            {"shared", access.is_shared},
                            {"stored", access.is_store},
                            {"accesses", access.counts.accesses},
                            {"bytes", access.counts.bytes},
                            {"sectors", access.counts.sectors},
                            {"lost_cycles", access.counts.extra_cycles}});
    return {{"problem", to_text(sample.product)}, {"accesses", accesses}};
}

} // namespace swirl::cli
