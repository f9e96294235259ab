#include <swirl/matrix_product.hpp>
#include "cli/explain/gemm.hpp"
#include "cli/explain/gpu_gemm_common.hpp"
#include "plan/schedule.hpp"

namespace swirl::cli {
namespace {

Json json_of_mix(const GemmExplanation& explanation) {
    const ir::InstructionMix& mix = explanation.mix;
    const auto of_thread = [&](Integer count) {
        return static_cast<double>(count) / static_cast<double>(mix.threads);
    };
    const auto by_bytes = [&](const std::map<Integer, Integer>& counts) {
        Json result = Json::object();
        for (const auto& [bytes, count] : counts) result[std::to_string(bytes)] = of_thread(count);
        return result;
    };
    return {{"multiply_adds", of_thread(mix.fused)},
            {"mma_instructions", of_thread(mix.mma_instructions)},
            {"mma_multiply_adds", of_thread(mix.mma_multiply_adds)},
            {"shared_loads_by_bytes", by_bytes(mix.shared_loads)},
            {"copies_by_bytes", by_bytes(mix.copies)},
            {"other_accesses", of_thread(mix.other_accesses)},
            {"other_arithmetic", of_thread(mix.other_floating)},
            {"integer_operations", of_thread(mix.integers)},
            {"conditions", of_thread(mix.conditions)},
            {"barriers", of_thread(mix.barriers)},
            {"fences", of_thread(mix.fences)},
            {"loop", mix.repeats ? ir::InstructionMix::of_the_loop : 0},
            {"instructions", of_thread(mix.instructions())},
            {"multiply_add_slots", explanation.multiply_add_slots()},
            {"slots", explanation.slots()},
            {"bound", explanation.bound()}};
}

Json json_of(const gemm::GpuBalance& balance) {
    const auto known = [](double rate) { return rate > 0 ? Json(rate) : Json(nullptr); };
    return {
        {"k_tile_bytes", balance.k_tile_bytes},          {"k_tile_fmas", balance.k_tile_fmas},
        {"flops_per_byte", balance.flops_per_byte()},    {"peak_flops_per_second", known(balance.peak)},
        {"l2_needed", known(balance.l2_needed)},         {"l2_available", known(balance.l2_given)},
        {"memory_needed", known(balance.memory_needed)}, {"memory_available", known(balance.memory_given)}};
}

Json json_of_occupancy(const GemmExplanation& explanation) {
    const gemm::GpuBalance& balance = explanation.balance;
    Json stream;
    if (balance.stream)
        stream = {{"k_tiles_per_tile", balance.stream->k_tiles},
                  {"data_parallel_tiles_per_block", balance.stream->data_parallel_tiles},
                  {"stream_k_tiles", balance.stream->stream_k_tiles()},
                  {"k_tiles_per_block", balance.stream->k_tiles_per_block()},
                  {"partials", balance.stream->partials()}};
    return {{"threads", explanation.schedule.threads()},
            {"registers", balance.registers},
            {"registers_by_the_driver", explanation.kernel.registers > 0},
            {"spilled_bytes", explanation.kernel.spilled_bytes},
            {"shared_bytes", balance.shared_bytes},
            {"blocks_per_multiprocessor", balance.occupancy.blocks},
            {"warps_per_multiprocessor", balance.occupancy.warps},
            {"limited_by", name_of(balance.occupancy.limited_by)},
            {"blocks", balance.blocks},
            {"resident_blocks", balance.resident_blocks},
            {"waves", balance.waves},
            {"last_wave", balance.last_wave},
            {"stream_k", stream}};
}

} // namespace

Json json_of(const GemmExplanation& explanation) {
    Json result = {{"problem", to_text(explanation.product)},
                   {"gpu", explanation.gpu.name},
                   {"is_swapped", gemm::canonical_for_gpu(explanation.product).is_swapped},
                   {"schedule", to_string(planning::Schedule(explanation.gpu.name,
                                                             gemm::GpuGemmSchedule(explanation.schedule)))},
                   {"parameters", json_of_parameters(explanation.schedule)},
                   {"main_loop", json_of_mix(explanation)},
                   {"compiled", json_of(explanation.compiled)},
                   {"traffic", json_of(explanation.balance)},
                   {"occupancy", json_of_occupancy(explanation)},
                   {"sample", json_of_sample(explanation.sample)}};
    add_costs(result, explanation.costs);
    return result;
}

} // namespace swirl::cli
