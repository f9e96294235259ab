#include "cli/explain_tiles.hpp"

#include "base/error.hpp"
#include "cli/compiled_kernel.hpp"
#include "cli/explain_parts.hpp"
#include "cli/table.hpp"
#include "gemm/gpu_model.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "ir/type_rules.hpp"
#include "problem/matrix_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::cli {
namespace {

std::string text_of_roles(const TileExplanation& explanation) {
    const gemm::GpuTileBalance& balance = explanation.balance;
    Table table({"role", "threads", "registers", "what its threads do"});
    const auto registers = [](int count) { return count > 0 ? std::to_string(count) : std::string("-"); };
    for (int g = 0; g < explanation.schedule.warpgroups; ++g)
        table.add({fmt::format("multiply {}", g), std::to_string(gemm::warpgroup_threads),
                   registers(balance.registers_to_multiply),
                   fmt::format("start {} of {} for each piece; {} sums each", balance.tile_products,
                               balance.instruction->name, balance.sums)});
    table.add({"fetch", std::to_string(gemm::warpgroup_threads), registers(balance.registers_to_fetch),
               "one of them asks the copy engine for pieces, as stages become empty"});
    return table.text();
}

std::string text_of_loads(const TileExplanation& explanation) {
    const gemm::GpuTileBalance& balance = explanation.balance;
    Table table({"of a piece", "numbers", "boxes", "bytes of each", "in shared memory"});
    const auto add = [&](const char* name, const gemm::GpuTileBalance::Factor& factor) {
        std::string lies = factor.along_depth ? "rows of steps, pieces exchanged"
                                              : "rows of lines, pieces exchanged, steps below each other";
        if (factor.by_registers) lies += "; threads bring it to registers";
        if (factor.shares > 1) lies += fmt::format("; {} blocks load it together", factor.shares);
        table.add({name, std::string(ir::name_of(factor.scalar)), std::to_string(factor.loads),
                   std::to_string(factor.box_bytes), lies});
    };
    add("A", balance.a);
    add("B", balance.b);
    const Integer under_way = explanation.schedule.stages * balance.piece_bytes;
    return table.text() + fmt::format("stages     {}, {} of A and B; {} pieces for each tile\n",
                                      explanation.schedule.stages,
                                      format_bytes(static_cast<double>(under_way)), balance.pieces);
}

/// What tensor cores wait for.
std::string text_of_bound(const TileExplanation& explanation) {
    const gemm::GpuTileBalance& balance = explanation.balance;
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

std::string text_of_occupancy(const TileExplanation& explanation) {
    const gemm::GpuTileBalance& balance = explanation.balance;
    return fmt::format(
        "shared     {} of a block\noccupancy  one block of {} threads on a multiprocessor\n"
        "waves      {} tiles, {} blocks take them in turn: {} waves, the last one {:.0f}% full\n",
        format_bytes(static_cast<double>(balance.shared_bytes)), balance.threads, balance.tiles,
        balance.blocks, balance.waves, 100 * balance.last_wave);
}

Json json_of(const gemm::GpuTileBalance::Factor& factor) {
    return {{"numbers", ir::name_of(factor.scalar)}, {"boxes", factor.loads},
            {"box_bytes", factor.box_bytes},         {"blocks_that_share_it", factor.shares},
            {"along_depth", factor.along_depth},     {"by_registers", factor.by_registers}};
}

} // namespace

TileExplanation explain_tiles(const MatrixProduct& product, GpuProductInspection inspection) {
    ensure(inspection.schedule.has_tiles(), "the schedule has no tiles");
    TileExplanation result;
    result.product = product;
    result.gpu = inspection.gpu;
    result.schedule = inspection.schedule;
    result.kernel = std::move(inspection.derived.info);
    result.loop_stays_because = std::move(inspection.loop_stays_because);
    result.balance = gemm::gpu_tile_balance(product, result.schedule, result.gpu);
    result.sample = gemm::gpu_sample(product, result.schedule, result.gpu);
    result.seconds = gemm::gpu_seconds(product, result.schedule, result.gpu);
    return result;
}

std::string text_of(const TileExplanation& explanation) {
    const double rate = flops_of(explanation.product) / explanation.seconds;
    return fmt::format("{}\n{}\n{}\n{}\n{}{}\n{}\n{}\nestimate   {}, {:.3g} Tflop/s\n",
                       text_of_problem(explanation.product, explanation.gpu, explanation.schedule),
                       text_of_parameters(explanation.schedule), text_of_roles(explanation),
                       text_of_loads(explanation), text_of_bound(explanation),
                       text_of_loop_that_stays(explanation.loop_stays_because),
                       text_of_occupancy(explanation), text_of_accesses(explanation.sample, explanation.gpu),
                       format_seconds(explanation.seconds), rate * 1e-12);
}

Json json_of(const TileExplanation& explanation) {
    const gemm::GpuTileBalance& balance = explanation.balance;
    Json result = {
        {"problem", to_text(explanation.product)},
        {"gpu", explanation.gpu.name},
        {"is_turned", gemm::oriented_for_gpu(explanation.product).is_turned},
        {"schedule", to_string(explanation.schedule)},
        {"parameters", json_of_parameters(explanation.schedule)},
        {"tile_product", balance.instruction->name},
        {"tile_products_of_a_piece", balance.tile_products},
        {"pieces", balance.pieces},
        {"a", json_of(balance.a)},
        {"b", json_of(balance.b)},
        {"cycles_of_a_piece",
         {{"tensor_cores", balance.tensor_cycles},
          {"shared_memory", balance.shared_cycles},
          {"second_cache", balance.load_cycles}}},
        {"registers", {{"multiply", balance.registers_to_multiply}, {"fetch", balance.registers_to_fetch}}},
        {"shared_bytes", balance.shared_bytes},
        {"tiles", balance.tiles},
        {"blocks", balance.blocks},
        {"waves", balance.waves},
        {"last_wave", balance.last_wave},
        {"sample", json_of_sample(explanation.sample)},
        {"estimated_seconds", explanation.seconds}};
    if (!explanation.loop_stays_because.empty())
        result["main_loop_stays_because"] = explanation.loop_stays_because;
    return result;
}

} // namespace swirl::cli
