#include "loops/gpu/real_cluster.hpp"

#include "base/error.hpp"
#include "loops/gpu/cluster_loops.hpp"
#include "loops/gpu/distribute.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace swirl::loops {

namespace {

/// Replaces the index of a diagonal function by its mapped form, so that it also holds for further values of loop
/// variables.
void evaluate_maps(std::vector<FoldedDiagonal>& diagonals, const Extents& extents) {
    for (FoldedDiagonal& met : diagonals) {
        const auto index = met.table ? std::nullopt : evaluate(met.diagonal.index, met.index, extents);
        if (!index) continue;
        met.diagonal.index = formula::IndexMap::identity(met.diagonal.index.range());
        met.index = *index;
    }
}

void evaluate_maps(Call& call, const Extents& extents) {
    for (auto* locations : {&call.placement.sources, &call.placement.targets})
        for (Location& location : *locations) evaluate_maps(location.diagonals, extents);
    for (auto& entries : call.placement.between)
        for (auto& diagonals : entries) evaluate_maps(diagonals, extents);
}

/// Distributes regions over the cluster's blocks.
class RealClusterBuilder : ClusterBuilderBase {
public:
    RealClusterBuilder(KernelRegions regions, Integer blocks, Integer pitch)
        : ClusterBuilderBase(std::move(regions), blocks, pitch, 1) {}

    KernelRegions build() {
        find_exchanged();
        for (KernelRegion& region : regions_.regions) distribute(region);
        reserve_scratch();
        add_array(exchanged_);
        for (std::size_t p = 0; p < regions_.regions.size(); ++p)
            if (vectors_[p])
                move_into_array(regions_.regions[p], *vectors_[p]);
            else
                move_exchanged(regions_.regions[p]);
        KernelRegions result = begin();
        put_in_order(result.regions.front());
        result.loops = std::move(regions_.loops);
        return result;
    }

private:
    /// Calls of a region that execute together: they read one vector in the cluster's array and write another.
    struct Group {
        std::size_t first, end;
    };

    bool has_own_loop(const KernelRegion& region) const {
        const std::size_t own = region.around.size() - regions_.common.size();
        ensure(own <= 1, "a region of a cluster has {} loops of its own", own);
        return own == 1;
    }

    /// Finds the array through which regions pass results to others, and how the readers' own loop addresses the
    /// vectors of its iterations.
    void find_exchanged() {
        ensure(regions_.communicated.size() == 1, "the regions of a cluster exchange {} arrays",
               regions_.communicated.size());
        exchanged_ = regions_.communicated.front();
        exchanged_entries_ = array(exchanged_).elements;
        const auto reads = [&](const Call& call) { return call.input.array == exchanged_; };
        for (std::size_t p = 0; p < regions_.regions.size(); ++p) {
            const KernelRegion& region = regions_.regions[p];
            const auto reader = std::find_if(region.calls.begin(), region.calls.end(), reads);
            if (reader == region.calls.end()) continue;
            readers_ = std::min(readers_, p);
            if (taken_.stride > 0 || !has_own_loop(region)) continue;
            const Loop own = region.around.back();
            taken_.count = ceil_divide(own.count, blocks_) * blocks_;
            taken_.stride = reader->placement.sources.front().re.coefficient(own.variable);
        }
        ensure(readers_ > 0 && taken_.stride > 0, "the regions of a cluster exchange nothing");
        ensure(exchanged_entries_ % (taken_.stride * taken_.count) == 0,
               "an exchange of {} entries by {} vectors with stride {}", exchanged_entries_, taken_.count,
               taken_.stride);
        for (std::size_t p = readers_; p < regions_.regions.size(); ++p)
            for (const Call& call : regions_.regions[p].calls)
                ensure(call.output.array != exchanged_, "an exchange both ways");
    }

    /// Distributes the region's own loop: over the blocks, and within each block a loop in every call. The last block
    /// may have surplus iterations. A region without a loop of its own runs in the last block.
    void distribute(KernelRegion& region) {
        if (!has_own_loop(region)) {
            for (Call& call : region.calls) call.limit = blocks_ - 2 - Affine::of(rank_);
            return vectors_.push_back(std::nullopt);
        }
        const Loop own = region.around.back();
        const Integer count = ceil_divide(own.count, blocks_);
        const Loop inside = new_loop(regions_.loops, count);
        const Affine form = Affine::of(rank_, count) + Affine::of(inside.variable);
        for (Call& call : region.calls) {
            if (own.count % blocks_ != 0) evaluate_maps(call, regions_.loops.extents);
            substitute(call, own.variable, form);
            call.loops.insert(call.loops.begin(), inside);
            const bool leaves = !is_shared(regions_.loops, call.output) || call.output.array == exchanged_;
            if (own.count % blocks_ != 0 && leaves) call.limit = form - own.count;
        }
        vectors_.push_back(inside);
    }

    bool of_reals() const { return array(exchanged_).kind == Memory::Kind::real; }

    /// Spaces the vectors of the exchange so that the other vectors fit too. For reals the pitch grows by whole banks:
    /// their locations do not determine the block, so there must be no gap at a block's end.
    void reserve_scratch() {
        const Integer vectors = taken_.count / blocks_;
        vector_entries_ = exchanged_entries_ / taken_.count + pitch_;
        Integer most = 0;
        for (std::size_t p = 0; p < regions_.regions.size(); ++p)
            if (vectors_[p]) most = std::max(most, vectors_[p]->count * pitch_of(regions_.regions[p]));
        while (of_reals() && vectors * vector_entries_ < most) vector_entries_ += banks;
        transform_entries_ = std::max(most, vectors * vector_entries_);
    }

    /// Scalars of a vector moved into the cluster's array, over all components of its elements.
    Integer scalars_of(const KernelRegion& region, int index) const {
        const bool separate = of_reals() && array(index).kind == Memory::Kind::planar;
        return (separate ? 2 : 1) * entries_of(region, index, regions_.loops.extents);
    }

    Integer pitch_of(const KernelRegion& region) const {
        Integer entries = 0;
        for (const Call& call : region.calls)
            for (const Memory* memory : {&call.input, &call.output})
                if (is_shared(regions_.loops, *memory) && memory->array != exchanged_)
                    entries = std::max(entries, scalars_of(region, memory->array));
        return entries == 0 ? 0 : entries + pitch_;
    }

    template <class Move> void move(KernelRegion& region, const Move& to_array) {
        const int last = added_array();
        for (Call& call : region.calls)
            for (auto& [memory, locations] : {std::pair(&call.input, &call.placement.sources),
                                              std::pair(&call.output, &call.placement.targets)}) {
                if (!is_shared(regions_.loops, *memory) || memory->array == last ||
                    !to_array(*memory, *locations))
                    continue;
                *memory = {array(last).kind, last};
            }
    }

    bool move_exchanged(const Memory& memory, std::vector<Location>& locations) const {
        if (memory.array != exchanged_) return false;
        for (Location& location : locations) {
            const bool same = location.im == location.re;
            location.re = exchanged(location.re);
            location.im = same ? location.re : exchanged(location.im);
        }
        return true;
    }
    void move_exchanged(KernelRegion& region) {
        move(region, [&](const Memory& memory, std::vector<Location>& locations) {
            return move_exchanged(memory, locations);
        });
    }

    /// Moves the vectors between the region's calls too; each call's output overlays that of the one before.
    void move_into_array(KernelRegion& region, const Loop& vectors) {
        mark_groups(region);
        const Affine local = of_own_vector(vectors, pitch_of(region));
        move(region, [&](const Memory& memory, std::vector<Location>& locations) {
            if (move_exchanged(memory, locations)) return true;
            ensure(of_reals() || array(memory.array).kind == array(exchanged_).kind,
                   "a cluster mixes real and complex arrays");
            const bool separate = of_reals() && array(memory.array).kind == Memory::Kind::planar;
            const Integer imaginary = separate ? entries_of(region, memory.array, regions_.loops.extents) : 0;
            for (Location& location : locations) {
                location.re += local;
                location.im += local + imaginary;
            }
            return true;
        });
    }

    /// Records which calls execute together, before their arrays are merged.
    void mark_groups(const KernelRegion& region) {
        const auto same = [](const Call& a, const Call& b) {
            return a.input.array == b.input.array && a.output.array == b.output.array;
        };
        std::vector<Group>& groups = groups_[&region];
        for (std::size_t k = 0; k < region.calls.size(); ++k) {
            if (k > 0 && same(region.calls[k - 1], region.calls[k])) {
                groups.back().end = k + 1;
                continue;
            }
            const Memory& input = region.calls[k].input;
            const int before = groups.empty() ? exchanged_ : region.calls[k - 1].output.array;
            ensure(is_shared(regions_.loops, input) ? input.array == before : groups.empty(),
                   "the calls of a cluster form no chain");
            groups.push_back({k, k + 1});
        }
    }

    /// Maps an entry of the exchanged array: each block holds the vectors of its iterations, in order.
    Affine exchanged(const Affine& entry) const {
        const Extents& extents = regions_.loops.extents;
        const auto outer = divide(entry, taken_.stride * taken_.count, extents);
        const auto inner = outer ? divide(outer->remainder, taken_.stride, extents) : std::nullopt;
        ensure(inner.has_value(), "an exchange by entries that do not tell their vector");
        const Affine within = outer->quotient * taken_.stride + inner->remainder + of_transform();
        if (of_reals()) return inner->quotient * vector_entries_ + within;
        const auto vector = divide(inner->quotient, taken_.count / blocks_, extents);
        ensure(vector.has_value(), "an exchange by entries that do not tell their block");
        return vector->quotient * block_entries() + vector->remainder * vector_entries_ + within;
    }

    /// Orders the calls. In regions without a loop of their own, calls that write the exchanged array follow once the
    /// other blocks' threads have read it.
    void put_in_order(KernelRegion& cluster) {
        std::vector<Call>& calls = cluster.calls;
        std::vector<Call> late;
        for (std::size_t p = 0; p < regions_.regions.size(); ++p) {
            if (p == readers_) end_exchange(cluster, late);
            KernelRegion& region = regions_.regions[p];
            if (vectors_[p]) {
                for (const Group& group : groups_.at(&region))
                    for (std::size_t k = group.first + 1; k < group.end; ++k)
                        cluster.joined.insert(calls.size() + k);
                std::move(region.calls.begin(), region.calls.end(), std::back_inserter(calls));
                continue;
            }
            const int last = added_array();
            for (Call& call : region.calls)
                (call.output.array == last ? late : calls).push_back(std::move(call));
        }
    }

    void end_exchange(KernelRegion& cluster, std::vector<Call>& late) const {
        std::vector<Call>& calls = cluster.calls;
        cluster.exchanges.push_back(calls.size() - 1);
        for (Call& call : late) {
            cluster.joined.insert(calls.size());
            calls.push_back(std::move(call));
        }
    }

    static constexpr Integer banks = 32;

    std::vector<std::optional<Loop>> vectors_; ///< by region, the loop inside its blocks
    std::map<const KernelRegion*, std::vector<Group>> groups_;
    int exchanged_ = 0; ///< array
    Integer exchanged_entries_ = 0;
    std::size_t readers_ = std::numeric_limits<std::size_t>::max(); ///< the first region that reads it
    struct {
        Integer count = 1;
        Integer stride = 0;
    } taken_;                    ///< iterations of a reader in the exchanged array
    Integer vector_entries_ = 0; ///< entries of a reader's vector in the exchanged array, padding included
};

} // namespace

bool is_real_cluster(const KernelRegions& regions) {
    return regions.communicated.size() == 1 &&
           regions.loops.arrays[static_cast<std::size_t>(regions.communicated.front())].kind ==
               Memory::Kind::real;
}

KernelRegions real_cluster(KernelRegions regions, Integer blocks, Integer pitch) {
    return RealClusterBuilder(std::move(regions), blocks, pitch).build();
}

} // namespace swirl::loops
