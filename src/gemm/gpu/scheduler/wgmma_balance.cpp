#include "gemm/gpu/scheduler/wgmma_balance.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/model/wgmma_model.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/scalar.hpp"
#include "target/nvidia/tiles.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

constexpr double shared_bytes_of_cycle = 128;

WgmmaBalance::Operand operand_of(const WgmmaOperand& operand, bool from_registers) {
    WgmmaBalance::Operand result;
    result.scalar = operand.scalar;
    result.loads = std::ssize(operand.loads());
    result.multicast = operand.multicast;
    result.box_bytes =
        operand.scalars() * bytes_of(operand.scalar) / operand.multicast / std::max<Integer>(result.loads, 1);
    result.k_major = operand.layout.k_major;
    result.from_registers = from_registers;
    return result;
}

/// Shared-memory bytes read by all warpgroups' wgmmas per k-tile.
double bytes_read(const WgmmaBalance& balance, const WgmmaGemm& schedule) {
    const ir::WgmmaInstruction& entry = *balance.instruction;
    const int rows_and_columns = entry.columns + (balance.a.from_registers ? 0 : entry.rows);
    return static_cast<double>(schedule.warpgroups * balance.wgmma_count) * rows_and_columns * entry.k *
           bytes_of(balance.a.scalar);
}

void add_tiles(WgmmaBalance& balance, const MatrixProduct& canonical, const WgmmaGemm& schedule,
               const target::Gpu& gpu) {
    const Integer cluster = Integer{schedule.cluster.m} * schedule.cluster.n;
    const Integer teams = ceil_divide(canonical.rows, Integer{schedule.cta_tile.m} * schedule.cluster.m) *
                          ceil_divide(canonical.columns, Integer{schedule.cta_tile.n} * schedule.cluster.n) *
                          canonical.batch;
    const auto multiprocessors = static_cast<Integer>(model_rates(gpu).multiprocessors);
    balance.tiles = teams * cluster;
    balance.blocks = std::min(teams, std::max<Integer>(1, multiprocessors / cluster)) * cluster;
    balance.waves = ceil_divide(balance.tiles, balance.blocks);
    balance.last_wave = static_cast<double>(balance.tiles - (balance.waves - 1) * balance.blocks) /
                        static_cast<double>(balance.blocks);
}

} // namespace

WgmmaBalance wgmma_balance(const MatrixProduct& product, const WgmmaGemm& schedule, const target::Gpu& gpu) {
    const CanonicalGemm canonical_gemm = canonical_for_gpu(product);
    const CanonicalWgmmaGemm gemm(canonical_gemm, schedule);
    const MatrixProduct& canonical = canonical_gemm.product;
    const bool from_registers = gemm.has_register_a;
    WgmmaBalance result;
    result.b = operand_of(gemm.operands[0], false);
    result.a = operand_of(gemm.operands[1], from_registers);
    result.instruction = &target::wgmma_of(gemm.operands[0].scalar,
                                           from_registers ? schedule.cta_tile.n : schedule.cta_tile.m);
    result.k_tile_flops = Integer{2} * schedule.cta_tile.m * schedule.cta_tile.n * schedule.cta_tile.k;
    result.wgmma_count = result.k_tile_flops / schedule.warpgroups / result.instruction->flops();
    result.k_tile_bytes = result.a.loads * result.a.box_bytes + result.b.loads * result.b.box_bytes;
    if (schedule.has_bf16_split())
        result.term_products = std::ssize(bf16_split_products(schedule.bf16_terms()));
    result.k_tiles = ceil_divide(canonical.k, Integer{schedule.cta_tile.k}) * result.term_products;
    result.peak = target::peak_tensor_flops(gpu, gemm.element_bytes);
    result.tensor_cycles =
        static_cast<double>(result.k_tile_flops) * gpu.multiprocessors * gpu.rates.hertz / result.peak;
    result.shared_cycles = bytes_read(result, schedule) / shared_bytes_of_cycle;
    result.load_cycles =
        static_cast<double>(result.k_tile_bytes) / wgmma_rates(gemm.element_bytes).loaded_bytes;
    result.consumer_registers = consumer_registers(schedule);
    result.producer_registers = producer_registers(schedule);
    result.threads = schedule.warpgroups * warpgroup_threads + producer_threads(schedule);
    result.shared_bytes = wgmma_shared_bytes(gemm);
    result.accumulator_registers = Integer{schedule.cta_tile.m} * schedule.cta_tile.n /
                                   (schedule.warpgroups * warpgroup_threads) *
                                   (schedule.promotes_accumulators() ? 2 : 1);
    add_tiles(result, canonical, schedule, gpu);
    return result;
}

} // namespace swirl::gemm
