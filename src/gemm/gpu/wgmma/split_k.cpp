#include "gemm/gpu/wgmma/split_k.hpp"

#include "gemm/gpu/matrix_buffer.hpp"
#include "gemm/gpu/wgmma/register_store.hpp"

#include <fmt/format.h>

#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

/// Of a thread, by warpgroups: all threads of the block have as many registers.
constexpr int max_split_accumulators[] = {0, 192, 112, 64};
constexpr int registers_of_group = WgmmaRegisterStore::sums_of_thread;

int row_groups(const WgmmaGemm& schedule) { return WgmmaRegisterStore::groups(schedule); }
Integer partial_elements(const WgmmaGemm& schedule) {
    return Integer{schedule.cta_tile.m} * schedule.cta_tile.n;
}

} // namespace

WgmmaSplitK::WgmmaSplitK(ir::Builder& builder, const CanonicalWgmmaGemm& gemm)
    : builder_(builder), gemm_(gemm), schedule_(gemm.schedule) {
    ir::BufferInfo info =
        buffer_in_smem("split_k_partials", DataType::float32, schedule_.split_k * partial_elements(schedule_),
                       ir::swizzle_chunk_bytes);
    info.dsmem_elements_per_block = partial_elements(schedule_);
    partials_ = builder_.add(info);
}

Affine WgmmaSplitK::rank() const { return builder_.block(0, 1, schedule_.split_k); }

Affine WgmmaSplitK::offset_of(const Affine& block, const Affine& warpgroup, int wgmma,
                              const Affine& group) const {
    const Integer of_wgmma = Integer{row_groups(schedule_)} * warpgroup_threads * registers_of_group;
    return block * partial_elements(schedule_) + warpgroup * (columns() / rows_of_wgmma * of_wgmma) +
           wgmma * of_wgmma + group * (warpgroup_threads * registers_of_group) +
           builder_.thread(0, 1, warpgroup_threads) * registers_of_group;
}

void WgmmaSplitK::store(ir::Buffer accumulators, int warpgroup) const {
    for (int wgmma = 0; wgmma < columns() / rows_of_wgmma; ++wgmma)
        for (int group = 0; group < row_groups(schedule_); ++group) {
            const Integer first = Integer{wgmma * row_groups(schedule_) + group} * registers_of_group;
            builder_.store(partials_, offset_of(rank(), warpgroup, wgmma, group),
                           builder_.load(accumulators, first, {.lanes = registers_of_group}),
                           {.lanes = registers_of_group});
        }
}

void WgmmaSplitK::finish(const WgmmaOutput& result, const TileOrigin& tile) const {
    builder_.if_then(
        {{result.reads_c - 1, Relation::nonnegative}}, [&] { finish_rows(result, tile, true); },
        [&] { finish_rows(result, tile, false); });
}

void WgmmaSplitK::finish_rows(const WgmmaOutput& result, const TileOrigin& tile, bool reads) const {
    for (int wgmma = 0; wgmma < columns() / rows_of_wgmma; ++wgmma)
        for (Integer group = 0; group < row_groups(schedule_) / schedule_.split_k; ++group)
            finish_group(result, tile, wgmma, group, reads);
}

/// `group`: of the block's rows.
void WgmmaSplitK::finish_group(const WgmmaOutput& result, const TileOrigin& tile, int wgmma, Integer group,
                               bool reads) const {
    const Integer own = row_groups(schedule_) / schedule_.split_k;
    const Affine in_tile = rank() * own + group, warpgroup = builder_.thread(0, warpgroup_threads);
    std::vector<Value> all;
    for (int block = 0; block < schedule_.split_k; ++block)
        all.push_back(builder_.load(partials_, offset_of(block, warpgroup, wgmma, in_tile),
                                    {.lanes = registers_of_group}));
    Value sum = all.front();
    for (std::size_t k = 1; k < all.size(); ++k) sum = builder_.add(sum, all[k]);
    WgmmaRegisterStore(builder_, gemm_)
        .store(result, tile, {in_tile, warpgroup * columns() + wgmma * rows_of_wgmma, sum}, reads);
}

Integer WgmmaSplitK::shared_bytes(const WgmmaGemm& schedule) {
    return schedule.split_k == 1 ? 0 : partial_elements(schedule) * bytes_of(DataType::float32);
}

std::string WgmmaSplitK::infeasibility(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    const WgmmaGemm& schedule = gemm.schedule;
    const int splits = schedule.split_k;
    if (splits == 1) return {};
    if ((splits & (splits - 1)) != 0 || splits > gpu.portable_cluster)
        return fmt::format("split_k is {}; powers of two up to {} are possible", splits,
                           gpu.portable_cluster);
    if (schedule.cluster != Extents{})
        return fmt::format("split_k is {}, cluster_m {} and cluster_n {}; 1 and 1 are possible", splits,
                           schedule.cluster.m, schedule.cluster.n);
    if (row_groups(schedule) % splits != 0)
        return fmt::format("split_k is {}, and cta_m {}; multiples of {} are possible", splits,
                           schedule.cta_tile.m, WgmmaRegisterStore::rows_of_group * splits);
    if (schedule.has_bf16_split() || schedule.promotes_accumulators() || gemm.has_register_a)
        return fmt::format(
            "split_k is {}; 1 is possible for bf16 splits, promoted accumulators and A in registers", splits);
    const int accumulators = schedule.cta_tile.m * schedule.cta_tile.n / (schedule.warpgroups * 128);
    if (const int most = max_split_accumulators[schedule.warpgroups]; accumulators > most)
        return fmt::format(
            "split_k is {}, and a thread has {} accumulators; {} at most are possible with {} "
            "warpgroups",
            splits, accumulators, most, schedule.warpgroups);
    if (!gemm.product().reductions.empty())
        return fmt::format("split_k is {}, and C is reduced; 1 is possible", splits);
    if (ceil_divide(gemm.product().k, Integer{schedule.cta_tile.k}) < splits)
        return fmt::format("split_k is {}, but there are fewer k-tiles", splits);
    return {};
}

} // namespace swirl::gemm
