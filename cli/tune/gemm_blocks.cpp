#include "cli/tune/gemm_blocks.hpp"

#include "base/error.hpp"
#include "cli/output.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "search/candidates/cpu/gemm.hpp"
#include "search/search.hpp"
#include "search/tasks/task.hpp"
#include "search/timer/cpu/timer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::cli {
namespace {

struct BlocksResult {
    DataType data_type;
    gemm::BlockedGemm model, found;
    int timed = 0;
    bool is_complete = false;
    std::vector<Integer> sizes;
    std::vector<search::MatrixRates> rates; ///< by size: the model's schedule, then the result
};

std::vector<DataType> data_types_of(const GemmBlocksOptions& options) {
    std::vector<DataType> data_types;
    for (const std::string& word : options.data_types) {
        const auto* const known =
            std::find_if(std::begin(search::tuned_types), std::end(search::tuned_types),
                         [&](DataType data_type) { return name_of(data_type) == word; });
        if (known == std::end(search::tuned_types))
            throw UserError("--data-type is '{}'; use float64, float32, complex128 or complex64", word);
        data_types.push_back(*known);
    }
    if (data_types.empty()) data_types.assign(std::begin(search::tuned_types), std::end(search::tuned_types));
    return data_types;
}

BlocksResult search_blocks(DataType data_type, const GemmBlocksOptions& options) {
    SearchProgress progress(!options.quiet);
    search::CpuTimer timer;
    const Problem problem = search::tuned_product(data_type);
    const search::SearchSpace space = search::cpu_gemm_space(data_type, target::host_cpu());
    const search::SearchResult found =
        search::search(problem, space, timer,
                       {.seconds = options.seconds,
                        .progress = [&](const std::string& line) { progress(line); },
                        .enough = is_interrupted});
    if (options.keep && found.best.is_timed())
        search::stored_blocks(data_type, target::host_cpu())
            .store(found.best.schedule, found.best.seconds, search::FoundBy::measure);
    BlocksResult result{data_type,
                        *space.estimate.cpu_gemm().blocked(),
                        *found.best.schedule.cpu_gemm().blocked(),
                        found.timed,
                        found.is_complete,
                        parse_sizes(options.sizes),
                        {}};
    for (const Integer size : result.sizes) {
        search::CpuGemmRuns at_size(data_type, {size});
        result.rates.push_back(at_size.rates({result.model, result.found}, size, options.seconds / 8));
    }
    return result;
}

std::string gigaflops(double flops) { return fmt::format("{:.1f}", flops * 1e-9); }

std::string text_of(const BlocksResult& result) {
    Table table({"size", "model", "found", "found over model", "peak", "model of peak", "found of peak"});
    for (std::size_t k = 0; k < result.sizes.size(); ++k) {
        const search::MatrixRates& rates = result.rates[k];
        const auto &model = rates.schedules[0], &found = rates.schedules[1];
        table.add({std::to_string(result.sizes[k]), gigaflops(model.median), gigaflops(found.median),
                   fmt::format("{:.3f}", found.ratio), gigaflops(rates.peak),
                   format_percent(model.median / rates.peak), format_percent(found.median / rates.peak)});
    }
    return fmt::format(
        "{} on {}, Gflop/s of one thread\n  model: {}\n  found: {}\n  {} schedules timed{}\n{}",
        name_of(result.data_type), target::host_cpu().name, to_string(result.model), to_string(result.found),
        result.timed, result.is_complete ? "" : "; time was too short for all", table.text());
}

Json json_of(const BlocksResult& result) {
    Json json{{"data_type", name_of(result.data_type)},
              {"cpu", target::host_cpu().name},
              {"model", to_string(result.model)},
              {"found", to_string(result.found)},
              {"timed", result.timed},
              {"complete", result.is_complete},
              {"sizes", Json::array()}};
    for (std::size_t k = 0; k < result.sizes.size(); ++k) {
        const search::MatrixRates& rates = result.rates[k];
        json["sizes"].push_back({{"size", result.sizes[k]},
                                 {"model", rates.schedules[0].median},
                                 {"found", rates.schedules[1].median},
                                 {"found_over_model", rates.schedules[1].ratio},
                                 {"peak", rates.peak}});
    }
    return json;
}

} // namespace

void tune_gemm_blocks(const GemmBlocksOptions& options) {
    if (!(options.seconds >= 0))
        throw UserError("--seconds is {}; use 0 or a positive number", options.seconds);
    const std::vector<DataType> data_types = data_types_of(options);
    for (const Integer size : parse_sizes(options.sizes))
        if (size > 20000) throw UserError("--sizes has {}; use sizes up to 20000", size);
    if (!runtime::ExecutableCode::is_available())
        throw UserError("generated code cannot run here, so there is nothing to tune");
    Json json = Json::array();
    for (const DataType data_type : data_types) {
        const BlocksResult result = search_blocks(data_type, options);
        if (options.json)
            json.push_back(json_of(result));
        else
            print((data_type == data_types.front() ? "" : "\n") + text_of(result));
    }
    if (options.json) print_json(json);
}

} // namespace swirl::cli
