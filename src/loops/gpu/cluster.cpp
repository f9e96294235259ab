#include "loops/gpu/cluster.hpp"

#include "base/error.hpp"
#include "loops/gpu/cluster_loops.hpp"
#include "loops/gpu/distribute.hpp"
#include "loops/gpu/real_cluster.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

/// Distributes regions over the cluster's blocks.
class ClusterBuilder : ClusterBuilderBase {
public:
    ClusterBuilder(KernelRegions regions, Integer blocks, Integer pitch, Integer transforms)
        : ClusterBuilderBase(std::move(regions), blocks, pitch, transforms) {
        for (KernelRegion& region : regions_.regions) open_codelets(region);
    }

    KernelRegions build() {
        for (std::size_t p = 0; p + 1 < regions_.regions.size(); ++p) find_exchange(p);
        for (KernelRegion& region : regions_.regions) distribute_loop(region);
        take_transforms();
        for (const Exchange& exchange : exchanges_)
            transform_entries_ =
                std::max(transform_entries_, exchange.count / blocks_ * vector_entries(exchange));
        for (std::size_t p = 0; p < regions_.regions.size(); ++p)
            transform_entries_ =
                std::max(transform_entries_, vectors_[p].count * pitch_of(regions_.regions[p]));
        if (transforms_.count > 1) transform_entries_ = in_different_banks(transform_entries_);
        ensure(!exchanges_.empty(), "a cluster of one region");
        add_array(exchanges_.front().array);
        KernelRegions result = begin();
        KernelRegion& cluster = result.regions.front();
        for (std::size_t p = 0; p < regions_.regions.size(); ++p) {
            move_into_array(regions_.regions[p], vectors_[p]);
            for (Call& call : regions_.regions[p].calls) cluster.calls.push_back(std::move(call));
            if (p + 1 < regions_.regions.size()) cluster.exchanges.push_back(cluster.calls.size() - 1);
        }
        result.loops = std::move(regions_.loops);
        ensure(is_chain(result.loops, cluster), "the calls of a cluster form no chain");
        return result;
    }

private:
    /// Gives a region of a single codelet a loop of its own.
    void open_codelets(KernelRegion& region) const {
        if (region.around.size() > regions_.common.size() || region.calls.size() != 1) return;
        std::vector<Loop>& inside = region.calls.front().loops;
        if (inside.empty()) return;
        const auto longest = std::max_element(inside.begin(), inside.end(),
                                              [](const Loop& a, const Loop& b) { return a.count < b.count; });
        region.around.push_back(*longest);
        inside.erase(longest);
    }

    /// Rounds up to a vector size that puts neighbouring entries of all concurrent transforms into different banks.
    Integer in_different_banks(Integer entries) const {
        constexpr Integer banks = 32;
        const Integer neighbours = std::max<Integer>(1, banks / transforms_.count);
        return entries + modulo(neighbours - entries, banks);
    }

    /// Distributes the region's own loop: over the blocks, and within each block a loop in every call.
    void distribute_loop(KernelRegion& region) {
        const Loop own = region.around.back();
        ensure(own.count % blocks_ == 0, "{} iterations for {} blocks", own.count, blocks_);
        const Loop inside = new_loop(regions_.loops, own.count / blocks_);
        const Affine form = Affine::of(rank_, inside.count) + Affine::of(inside.variable);
        for (Call& call : region.calls) {
            substitute(call, own.variable, form);
            call.loops.insert(call.loops.begin(), inside);
        }
        vectors_.push_back(inside);
    }

    /// The array through which a region passes its results to the next one, and how the next region's own loop
    /// addresses the vectors of its iterations.
    struct Exchange {
        int array;
        Integer entries;
        Integer count;  ///< iterations of the reading region
        Integer stride; ///< entries from one of its vectors to the next
    };

    void find_exchange(std::size_t region) {
        for (const std::size_t p : {region, region + 1})
            ensure(regions_.regions[p].around.size() == regions_.common.size() + 1,
                   "a region of a cluster has {} loops of its own",
                   regions_.regions[p].around.size() - regions_.common.size());
        const Memory& memory = regions_.regions[region].calls.back().output;
        const KernelRegion& next = regions_.regions[region + 1];
        ensure(is_shared(regions_.loops, memory) && next.calls.front().input.array == memory.array,
               "the regions of a cluster exchange nothing");
        const Loop& own = next.around.back();
        const Exchange exchange{memory.array, array(memory.array).elements, own.count,
                                next.calls.front().placement.sources.front().re.coefficient(own.variable)};
        ensure(exchange.stride > 0 && exchange.entries % (exchange.stride * exchange.count) == 0,
               "an exchange of {} entries by {} vectors with stride {}", exchange.entries, exchange.count,
               exchange.stride);
        exchanges_.push_back(exchange);
    }

    const Exchange* exchange_by(int array) const {
        for (const Exchange& exchange : exchanges_)
            if (exchange.array == array) return &exchange;
        return nullptr;
    }

    /// Entries from one vector of the reading region to the next in an exchanged array, padding included.
    Integer vector_entries(const Exchange& exchange) const {
        return exchange.entries / exchange.count + pitch_;
    }

    Integer pitch_of(const KernelRegion& region) const {
        Integer entries = 0;
        for (const Call& call : region.calls)
            for (const Memory* memory : {&call.input, &call.output})
                if (is_shared(regions_.loops, *memory) && exchange_by(memory->array) == nullptr)
                    entries = std::max(entries, entries_of(region, memory->array, regions_.loops.extents));
        return entries == 0 ? 0 : entries + pitch_;
    }

    void move_into_array(KernelRegion& region, const Loop& vectors) {
        const Affine local = of_own_vector(vectors, pitch_of(region));
        const auto move = [&](Memory& memory, std::vector<Location>& locations) {
            if (!is_shared(regions_.loops, memory)) return;
            for (Location& location : locations) {
                const Exchange* const exchange = exchange_by(memory.array);
                location.re = exchange != nullptr ? exchanged(location.re, *exchange) : location.re + local;
                location.im = location.re;
            }
            memory.array = added_array();
        };
        for (Call& call : region.calls) {
            move(call.input, call.placement.sources);
            move(call.output, call.placement.targets);
        }
    }

    /// Maps an entry of an exchanged array: each block holds the vectors of its iterations, in order.
    Affine exchanged(const Affine& entry, const Exchange& exchange) const {
        const Extents& extents = regions_.loops.extents;
        const auto outer = divide(entry, exchange.stride * exchange.count, extents);
        const auto inner = outer ? divide(outer->remainder, exchange.stride, extents) : std::nullopt;
        const auto vector = inner ? divide(inner->quotient, exchange.count / blocks_, extents) : std::nullopt;
        ensure(vector.has_value(), "an exchange by entries that do not tell their block");
        return vector->quotient * block_entries() + vector->remainder * vector_entries(exchange) +
               outer->quotient * exchange.stride + inner->remainder + of_transform();
    }

    std::vector<Loop> vectors_;       ///< by region, the loop inside its blocks
    std::vector<Exchange> exchanges_; ///< after each region but the last
};

} // namespace

bool has_shareable_loops(const KernelRegions& regions) {
    return is_real_cluster(regions) ||
           std::all_of(regions.regions.begin(), regions.regions.end(), [&](const KernelRegion& region) {
               const std::size_t own = region.around.size() - regions.common.size();
               return own == 1 ||
                      (own == 0 && region.calls.size() == 1 && !region.calls.front().loops.empty());
           });
}

KernelRegions in_cluster(KernelRegions regions, Integer blocks, Integer pitch, Integer transforms) {
    if (transforms == 1 && is_real_cluster(regions)) return real_cluster(std::move(regions), blocks, pitch);
    return ClusterBuilder(std::move(regions), blocks, pitch, transforms).build();
}

void distribute_over_cluster(KernelLoops& kernel) {
    LaunchConfiguration& configuration = kernel.configurations.front();
    kernel.regions = in_cluster(std::move(kernel.regions), configuration.cluster,
                                configuration.smem_vector_pad, configuration.transforms);
    configuration.transforms = 1;
    kernel.configurations.resize(1);
}

} // namespace swirl::loops
