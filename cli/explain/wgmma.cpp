#include "cli/explain/wgmma.hpp"

#include "base/error.hpp"
#include "cli/compiled_kernel.hpp"
#include "cli/explain/parts.hpp"
#include "cli/table.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "ir/type_rules.hpp"
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
        table.add({fmt::format("multiply {}", g), std::to_string(gemm::warpgroup_threads),
                   registers(balance.consumer_registers),
                   fmt::format("start {} of {} for each piece; {} sums each", balance.wgmma_count,
                               balance.instruction->name, balance.accumulator_registers)});
    table.add({"fetch", std::to_string(gemm::warpgroup_threads), registers(balance.producer_registers),
               "one of them asks the copy engine for pieces, as stages become empty"});
    return table.text();
}

std::string text_of_loads(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    Table table({"of a piece", "numbers", "boxes", "bytes of each", "in shared memory"});
    const auto add = [&](const char* name, const gemm::WgmmaBalance::Operand& operand) {
        std::string lies = operand.k_major ? "rows of steps, pieces exchanged"
                                           : "rows of lines, pieces exchanged, steps below each other";
        if (operand.from_registers) lies += "; threads bring it to registers";
        if (operand.multicast > 1) lies += fmt::format("; {} blocks load it together", operand.multicast);
        table.add({name, std::string(name_of(operand.scalar)), std::to_string(operand.loads),
                   std::to_string(operand.box_bytes), lies});
    };
    add("A", balance.a);
    add("B", balance.b);
    const Integer under_way = explanation.schedule.stages * balance.k_tile_bytes;
    return table.text() + fmt::format("stages     {}, {} of A and B; {} pieces for each tile\n",
                                      explanation.schedule.stages,
                                      format_bytes(static_cast<double>(under_way)), balance.k_tiles);
}

/// The bottleneck of the tensor cores.
std::string text_of_bound(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    Table table({"cycles of a multiprocessor for a piece", "", "of the tensor cores'"});
    const auto add = [&](const char* name, double cycles) {
        table.add({name, fmt::format("{:.4g}", cycles), format_percent(cycles / balance.tensor_cycles)});
    };
    add("tensor cores, at their peak", balance.tensor_cycles);
    add("shared memory, for what they read there", balance.shared_cycles);
    add("from the second cache to shared memory", balance.load_cycles);
    const double most = std::max({balance.tensor_cycles, balance.shared_cycles, balance.load_cycles});
    return table.text() + fmt::format("bound      {} of the peak, {:.4g} Tflop/s by the model's clock\n",
                                      format_percent(balance.tensor_cycles / most), balance.peak * 1e-12);
}

std::string text_of_occupancy(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    return fmt::format(
        "shared     {} of a block\noccupancy  one block of {} threads on a multiprocessor\n"
        "waves      {} tiles, {} blocks take them in turn: {} waves, the last one {:.0f}% full\n",
        format_bytes(static_cast<double>(balance.shared_bytes)), balance.threads, balance.tiles,
        balance.blocks, balance.waves, 100 * balance.last_wave);
}

Json json_of(const gemm::WgmmaBalance::Operand& operand) {
    return {{"numbers", name_of(operand.scalar)}, {"boxes", operand.loads},
            {"box_bytes", operand.box_bytes},     {"blocks_that_share_it", operand.multicast},
            {"along_depth", operand.k_major},     {"by_registers", operand.from_registers}};
}

} // namespace

WgmmaExplanation explain_wgmma(const MatrixProduct& product, GpuGemmInspection inspection) {
    ensure(gemm::is_wgmma(inspection.schedule), "the schedule has no tiles");
    WgmmaExplanation result;
    result.product = product;
    result.gpu = inspection.gpu;
    result.schedule = std::get<gemm::WgmmaGemm>(inspection.schedule);
    result.kernel = std::move(inspection.derived.info);
    result.not_reordered_because = std::move(inspection.not_reordered_because);
    result.balance = gemm::wgmma_balance(product, result.schedule, result.gpu);
    result.sample = gemm::gpu_sample(product, result.schedule, result.gpu);
    result.seconds = gemm::gpu_seconds(product, result.schedule, result.gpu);
    return result;
}

std::string text_of(const WgmmaExplanation& explanation) {
    const double rate = flops_of(explanation.product) / explanation.seconds;
    return fmt::format("{}\n{}\n{}\n{}\n{}{}\n{}\n{}\nestimate   {}, {:.3g} Tflop/s\n",
                       text_of_problem(explanation.product, explanation.gpu, explanation.schedule),
                       text_of_parameters(explanation.schedule), text_of_roles(explanation),
                       text_of_loads(explanation), text_of_bound(explanation),
                       text_of_loop_that_stays(explanation.not_reordered_because),
                       text_of_occupancy(explanation), text_of_accesses(explanation.sample, explanation.gpu),
                       format_seconds(explanation.seconds), rate * 1e-12);
}

Json json_of(const WgmmaExplanation& explanation) {
    const gemm::WgmmaBalance& balance = explanation.balance;
    Json result = {
        {"problem", to_text(explanation.product)},
        {"gpu", explanation.gpu.name},
        {"is_turned", gemm::canonical_for_gpu(explanation.product).is_swapped},
        {"schedule", to_string(explanation.schedule)},
        {"parameters", json_of_parameters(explanation.schedule)},
        {"tile_product", balance.instruction->name},
        {"tile_products_of_a_piece", balance.wgmma_count},
        {"pieces", balance.k_tiles},
        {"a", json_of(balance.a)},
        {"b", json_of(balance.b)},
        {"cycles_of_a_piece",
         {{"tensor_cores", balance.tensor_cycles},
          {"shared_memory", balance.shared_cycles},
          {"second_cache", balance.load_cycles}}},
        {"registers", {{"multiply", balance.consumer_registers}, {"fetch", balance.producer_registers}}},
        {"shared_bytes", balance.shared_bytes},
        {"tiles", balance.tiles},
        {"blocks", balance.blocks},
        {"waves", balance.waves},
        {"last_wave", balance.last_wave},
        {"sample", json_of_sample(explanation.sample)},
        {"estimated_seconds", explanation.seconds}};
    if (!explanation.not_reordered_because.empty())
        result["main_loop_stays_because"] = explanation.not_reordered_because;
    return result;
}

} // namespace swirl::cli
