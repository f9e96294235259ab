#include <swirl/matrix_product.hpp>
#include "cli/explain/gemm.hpp"
#include "cli/explain/gpu_gemm_common.hpp"
#include "cli/table.hpp"
#include "gemm/gpu/schedule_text.hpp"

#include <fmt/format.h>

namespace swirl::cli {
namespace {

double rate(double bytes) { return bytes * 1e-12; }

std::string_view slots_in_words(const GemmExplanation& explanation) {
    const bool is_double = explanation.product.data_type == DataType::float64;
    if (explanation.mix.mma_instructions > 0)
        return is_double ? ", one for each float64 multiply-add of mma.sync"
                         : ", one for eight half-precision multiply-adds of mma.sync";
    return is_double ? ", two for each float64 multiply-add" : "";
}

/// Per thread: instructions that a condition restricts to some threads count as a fraction.
std::string text_of_mix(const GemmExplanation& explanation) {
    const ir::InstructionMix& mix = explanation.mix;
    Table table({mix.repeats ? "main loop" : "kernel, which has no loop", "per thread and k-tile"});
    const auto add = [&](const std::string& name, Integer count) {
        if (count > 0)
            table.add(
                {name, fmt::format("{:.4g}", static_cast<double>(count) / static_cast<double>(mix.threads))});
    };
    add("multiply-adds", mix.fused);
    add("mma.sync instructions", mix.mma_instructions);
    add("multiply-adds of mma.sync", mix.mma_multiply_adds);
    for (const auto& [bytes, count] : mix.shared_loads)
        add(fmt::format("loads from shared memory, {} bytes", bytes), count);
    for (const auto& [bytes, count] : mix.copies)
        add(fmt::format("asynchronous copies, {} bytes", bytes), count);
    add("other accesses", mix.other_accesses);
    add("other arithmetic", mix.other_floating);
    add("integer operations", mix.integers);
    add("conditions", mix.conditions);
    add("barriers", mix.barriers);
    add("commits of copies and waits", mix.fences);
    if (mix.repeats) add("the loop's count, comparison, jump", mix.threads * ir::InstructionMix::of_the_loop);
    add("all instructions", mix.instructions());
    return table.text() +
           fmt::format(
               "bound      {:.4g} of {:.4g} issue slots are multiply-adds{}: at most {:.1f}% of the peak\n",
               explanation.multiply_add_slots(), explanation.slots(), slots_in_words(explanation),
               100 * explanation.bound());
}

std::string text_of_traffic(const GemmExplanation& explanation) {
    const gemm::GpuBalance& balance = explanation.balance;
    const std::string k_tile =
        fmt::format("k-tile     {} of A and B per block, for {} multiply-adds: {:.3g} flops a byte\n",
                    format_bytes(static_cast<double>(balance.k_tile_bytes)), balance.k_tile_fmas,
                    balance.flops_per_byte());
    if (balance.peak == 0)
        return k_tile + fmt::format("peak       unknown: {} is no particular card\n", explanation.gpu.name);
    Table table({"bandwidth", "needed at the peak", "available", "fraction"});
    const auto add = [&](const char* name, double needed, double given) {
        table.add({name, fmt::format("{:.3g} TB/s", rate(needed)), fmt::format("{:.3g} TB/s", rate(given)),
                   fmt::format("{:.0f}%", 100 * needed / given)});
    };
    add("L2", balance.l2_needed, balance.l2_given);
    add("memory", balance.memory_needed, balance.memory_given);
    return k_tile + fmt::format("peak       {:.3g} Tflop/s, at the highest clock\n\n{}", balance.peak * 1e-12,
                                table.text());
}

std::string text_of_stream_k(const GemmExplanation& explanation) {
    if (!explanation.balance.stream) return {};
    const gemm::StreamKPartition& stream = *explanation.balance.stream;
    const gemm::SimtGemm& schedule = explanation.schedule;
    const Integer tile_bytes =
        Integer{schedule.cta_tile.m} * schedule.cta_tile.n * bytes_of(explanation.product.data_type);
    return fmt::format(
        "stream-k   {} whole tiles of {} k-tiles for each block, then {} k-tiles of the {} remaining tiles\n"
        "partials   {} at most, {} in all, of tiles shared by several blocks; a second kernel adds them\n",
        stream.data_parallel_tiles, stream.k_tiles, stream.k_tiles_per_block(), stream.stream_k_tiles(),
        stream.partials(), format_bytes(static_cast<double>(stream.partials() * tile_bytes)));
}

std::string text_of_occupancy(const GemmExplanation& explanation) {
    const gemm::GpuBalance& balance = explanation.balance;
    const ir::KernelInfo& kernel = explanation.kernel;
    const std::string source = kernel.registers > 0
                                   ? fmt::format("by the driver, {} bytes spilled", kernel.spilled_bytes)
                                   : std::string("as the model expects; a driver's compiler may differ");
    return fmt::format(
        "registers  {} of a thread, {}\nshared     {} of a block\n"
        "occupancy  {} blocks of {} threads on a multiprocessor, {} warps; no more for {}\n"
        "waves      {} blocks, {} at once: {} waves, the last one {:.0f}% full\n{}",
        balance.registers, source, format_bytes(static_cast<double>(balance.shared_bytes)),
        balance.occupancy.blocks, explanation.schedule.threads(), balance.occupancy.warps,
        name_of(balance.occupancy.limited_by), balance.blocks, balance.resident_blocks, balance.waves,
        100 * balance.last_wave, text_of_stream_k(explanation));
}

} // namespace

std::string text_of(const GemmExplanation& explanation) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
                       text_of_problem(explanation.product, explanation.gpu, explanation.schedule),
                       text_of_parameters(explanation.schedule), text_of_mix(explanation),
                       text_of(explanation.compiled), text_of_traffic(explanation),
                       text_of_occupancy(explanation), text_of_accesses(explanation.sample, explanation.gpu),
                       text_of(explanation.costs));
}

} // namespace swirl::cli
