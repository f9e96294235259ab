#include "cli/explain/wgmma.hpp"

#include "base/error.hpp"
#include "cli/compiled_kernel.hpp"
#include "cli/explain/gpu_gemm_common.hpp"
#include "cli/table.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "ir/type_rules.hpp"
#include "plan/schedule.hpp"
#include "problem/data_type.hpp"

#include <swirl/matrix_product.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace swirl::cli {
namespace {

std::string text_of_roles(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    Table table({"role", "threads", "registers", "what its threads do"});
    const auto registers = [](int count) { return count > 0 ? std::to_string(count) : std::string("-"); };
    for (int g = 0; g < explanation.schedule.warpgroups; ++g)
        table.add({fmt::format("consumer {}", g), std::to_string(gemm::warpgroup_threads),
                   registers(balance.consumer_registers),
                   fmt::format("issue {} {} per k-tile; {} accumulators each", balance.wgmma_count,
                               balance.instruction->name, balance.accumulator_registers)});
    table.add({"producer", std::to_string(gemm::warpgroup_threads), registers(balance.producer_registers),
               "one of them issues TMA loads of k-tiles as pipeline stages become empty"});
    return table.text();
}

std::string text_of_loads(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    Table table({"of a k-tile", "data type", "TMA boxes", "bytes of each", "in shared memory"});
    const auto add = [&](const char* name, const gemm::WgmmaBalance::Operand& operand) {
        std::string layout = operand.k_major ? "K-major rows, chunks swizzled"
                                             : "MN-major rows, chunks swizzled, one row per k index";
        if (operand.from_registers) layout += "; threads load it into registers";
        if (operand.multicast > 1) layout += fmt::format("; multicast to {} blocks", operand.multicast);
        table.add({name, std::string(name_of(operand.scalar)), std::to_string(operand.loads),
                   std::to_string(operand.box_bytes), layout});
    };
    add("A", balance.a);
    add("B", balance.b);
    const Integer in_flight = explanation.schedule.stages * balance.k_tile_bytes;
    return table.text() + fmt::format("stages     {}, {} of A and B; {} k-tiles per tile\n",
                                      explanation.schedule.stages,
                                      format_bytes(static_cast<double>(in_flight)), balance.k_tiles);
}

/// The bottleneck of the tensor cores.
std::string text_of_bound(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    Table table({"cycles of a multiprocessor per k-tile", "", "of the tensor cores'"});
    const auto add = [&](const char* name, double cycles) {
        table.add({name, fmt::format("{:.4g}", cycles), format_percent(cycles / balance.tensor_cycles)});
    };
    add("tensor cores, at their peak", balance.tensor_cycles);
    add("shared memory, to read operands", balance.shared_cycles);
    add("from L2 to shared memory", balance.load_cycles);
    const double most = std::max({balance.tensor_cycles, balance.shared_cycles, balance.load_cycles});
    return table.text() +
           fmt::format("bound      at most {} of the peak\n", format_percent(balance.tensor_cycles / most));
}

std::string text_of_occupancy(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    return fmt::format(
        "shared     {} of a block\noccupancy  one block of {} threads on a multiprocessor\n"
        "waves      {} tiles, {} persistent blocks: {} waves, the last one {:.0f}% full\n",
        format_bytes(static_cast<double>(balance.shared_bytes)), balance.threads, balance.tiles,
        balance.blocks, balance.waves, 100 * balance.last_wave);
}

Json json_of(const gemm::WgmmaBalance::Operand& operand) {
    return {{"data_type", name_of(operand.scalar)}, {"boxes", operand.loads},
            {"box_bytes", operand.box_bytes},       {"multicast", operand.multicast},
            {"k_major", operand.k_major},           {"from_registers", operand.from_registers}};
}

} // namespace

WgmmaExplanation explain_wgmma(const MatrixProduct& product, GpuGemmInspection inspection) {
    ensure(gemm::is_wgmma(inspection.schedule), "the schedule does not use wgmma");
    WgmmaExplanation result;
    result.product = product;
    result.gpu = inspection.gpu;
    result.schedule = std::get<gemm::WgmmaGemm>(inspection.schedule);
    result.costs = costs_of(product, inspection);
    result.kernel = std::move(inspection.derived.info);
    result.not_reordered_because = std::move(inspection.not_reordered_because);
    result.balance = gemm::wgmma_balance(product, result.schedule, result.gpu);
    result.sample = gemm::gpu_sample(product, result.schedule, result.gpu);
    return result;
}

std::string text_of(const WgmmaExplanation& explanation) {
    return fmt::format("{}\n{}\n{}\n{}\n{}{}\n{}\n{}\n{}",
                       text_of_problem(explanation.product, explanation.gpu, explanation.schedule),
                       text_of_parameters(explanation.schedule), text_of_roles(explanation),
                       text_of_loads(explanation), text_of_bound(explanation),
                       text_of_kept_order(explanation.not_reordered_because), text_of_occupancy(explanation),
                       text_of_accesses(explanation.sample, explanation.gpu), text_of(explanation.costs));
}

Json json_of(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    Json result = {
        {"problem", to_text(explanation.product)},
        {"gpu", explanation.gpu.name},
        {"is_swapped", gemm::canonical_for_gpu(explanation.product).is_swapped},
        {"schedule",
         to_string(planning::Schedule(explanation.gpu.name, gemm::GpuGemmSchedule(explanation.schedule)))},
        {"parameters", json_of_parameters(explanation.schedule)},
        {"instruction", balance.instruction->name},
        {"instructions_per_k_tile", balance.wgmma_count},
        {"k_tiles", balance.k_tiles},
        {"a", json_of(balance.a)},
        {"b", json_of(balance.b)},
        {"cycles_per_k_tile",
         {{"tensor_cores", balance.tensor_cycles},
          {"shared_memory", balance.shared_cycles},
          {"l2", balance.load_cycles}}},
        {"registers", {{"consumer", balance.consumer_registers}, {"producer", balance.producer_registers}}},
        {"shared_bytes", balance.shared_bytes},
        {"tiles", balance.tiles},
        {"blocks", balance.blocks},
        {"waves", balance.waves},
        {"last_wave", balance.last_wave},
        {"sample", json_of_sample(explanation.sample)}};
    add_costs(result, explanation.costs);
    if (!explanation.not_reordered_because.empty())
        result["not_reordered_because"] = explanation.not_reordered_because;
    return result;
}

} // namespace swirl::cli
