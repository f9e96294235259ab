#include "lower/gpu_real_cluster.hpp"

#include "base/error.hpp"
#include "lower/gpu_cluster_loops.hpp"
#include "lower/gpu_spread.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace swirl::lower {

namespace {

/// The index of a function in place of what a map makes it of, so that it holds for further values of loops too.
void evaluate_maps(std::vector<MetDiagonal>& diagonals, const Extents& extents) {
    for (MetDiagonal& met : diagonals) {
        const auto index = met.table ? std::nullopt : evaluate(met.diagonal.index, met.index, extents);
        if (!index) continue;
        met.diagonal.index = formula::IndexMap::identity(met.diagonal.index.range());
        met.index = *index;
    }
}

void evaluate_maps(Call& call, const Extents& extents) {
    for (auto* places : {&call.placement.sources, &call.placement.targets})
        for (Location& place : *places) evaluate_maps(place.diagonals, extents);
    for (auto& entries : call.placement.between)
        for (auto& diagonals : entries) evaluate_maps(diagonals, extents);
}

/// Takes parts apart into the cluster's blocks.
class RealClusterBuilder : ClusterBuilderBase {
public:
    RealClusterBuilder(GpuParts parts, Integer blocks, Integer pitch)
        : ClusterBuilderBase(std::move(parts), blocks, pitch, 1) {}

    GpuCluster build() {
        find_exchanged();
        for (GpuPart& part : parts_.parts) share_out(part);
        make_room();
        add_array(exchanged_);
        for (std::size_t p = 0; p < parts_.parts.size(); ++p)
            if (vectors_[p])
                move_into_array(parts_.parts[p], *vectors_[p]);
            else
                move_exchanged(parts_.parts[p]);
        GpuCluster result = begin();
        put_in_order(result);
        result.loops = std::move(parts_.loops);
        return result;
    }

private:
    /// Steps of a part that are one: they read one vector in the cluster's array and write another.
    struct Group {
        std::size_t first, end;
    };

    bool has_own_loop(const GpuPart& part) const {
        const std::size_t own = part.around.size() - parts_.common.size();
        ensure(own <= 1, "a cluster's part with {} loops of its own", own);
        return own == 1;
    }

    /// The array by which parts hand their results to others, and where there the others' own loop finds the vectors of its
    /// iterations.
    void find_exchanged() {
        ensure(parts_.carried.size() == 1, "a cluster whose parts hand on {} vectors", parts_.carried.size());
        exchanged_ = parts_.carried.front();
        exchanged_entries_ = array(exchanged_).elements;
        const auto reads = [&](const Call& call) { return call.input.array == exchanged_; };
        for (std::size_t p = 0; p < parts_.parts.size(); ++p) {
            const GpuPart& part = parts_.parts[p];
            const auto reader = std::find_if(part.calls.begin(), part.calls.end(), reads);
            if (reader == part.calls.end()) continue;
            readers_ = std::min(readers_, p);
            if (taken_.stride > 0 || !has_own_loop(part)) continue;
            const Loop own = part.around.back();
            taken_.count = ceil_divide(own.count, blocks_) * blocks_;
            taken_.stride = reader->placement.sources.front().re.coefficient(own.variable);
        }
        ensure(readers_ > 0 && taken_.stride > 0, "parts that hand on nothing");
        ensure(exchanged_entries_ % (taken_.stride * taken_.count) == 0,
               "an exchange of {} entries by {} vectors in steps of {}", exchanged_entries_, taken_.count,
               taken_.stride);
        for (std::size_t p = readers_; p < parts_.parts.size(); ++p)
            for (const Call& call : parts_.parts[p].calls)
                ensure(call.output.array != exchanged_, "an exchange both ways");
    }

    /// The part's own loop: its blocks, and in each of them a loop in every step, of which the last block may have more than
    /// there is to do. A part without one is done by the last block.
    void share_out(GpuPart& part) {
        if (!has_own_loop(part)) {
            for (Call& call : part.calls) call.limit = blocks_ - 2 - Affine::of(rank_);
            return vectors_.push_back(std::nullopt);
        }
        const Loop own = part.around.back();
        const Integer count = ceil_divide(own.count, blocks_);
        const Loop inside = new_loop(parts_.loops, count);
        const Affine form = Affine::of(rank_, count) + Affine::of(inside.variable);
        for (Call& call : part.calls) {
            if (own.count % blocks_ != 0) evaluate_maps(call, parts_.loops.extents);
            substitute(call, own.variable, form);
            call.loops.insert(call.loops.begin(), inside);
            const bool leaves = !is_shared(parts_.loops, call.output) || call.output.array == exchanged_;
            if (own.count % blocks_ != 0 && leaves) call.limit = form - own.count;
        }
        vectors_.push_back(inside);
    }

    bool of_reals() const { return array(exchanged_).kind == Memory::Kind::real; }

    /// Vectors of the exchange are as far apart as others need, those of reals in steps that keep their banks: their places
    /// do not tell the block, so that no gap may be left at a block's end.
    void make_room() {
        const Integer vectors = taken_.count / blocks_;
        vector_entries_ = exchanged_entries_ / taken_.count + pitch_;
        Integer most = 0;
        for (std::size_t p = 0; p < parts_.parts.size(); ++p)
            if (vectors_[p]) most = std::max(most, vectors_[p]->count * pitch_of(parts_.parts[p]));
        while (of_reals() && vectors * vector_entries_ < most) vector_entries_ += banks;
        transform_entries_ = std::max(most, vectors * vector_entries_);
    }

    /// Scalars of a vector for each part of its numbers that is moved into the cluster's array.
    Integer scalars_of(const GpuPart& part, int number) const {
        const bool apart = of_reals() && array(number).kind == Memory::Kind::planar;
        return (apart ? 2 : 1) * entries_of(part, number, parts_.loops.extents);
    }

    Integer pitch_of(const GpuPart& part) const {
        Integer entries = 0;
        for (const Call& call : part.calls)
            for (const Memory* memory : {&call.input, &call.output})
                if (is_shared(parts_.loops, *memory) && memory->array != exchanged_)
                    entries = std::max(entries, scalars_of(part, memory->array));
        return entries == 0 ? 0 : entries + pitch_;
    }

    template <class Move> void move(GpuPart& part, const Move& to_array) {
        const int last = added_array();
        for (Call& call : part.calls)
            for (auto& [memory, places] : {std::pair(&call.input, &call.placement.sources),
                                           std::pair(&call.output, &call.placement.targets)}) {
                if (!is_shared(parts_.loops, *memory) || memory->array == last || !to_array(*memory, *places))
                    continue;
                *memory = {array(last).kind, last};
            }
    }

    bool move_exchanged(const Memory& memory, std::vector<Location>& places) const {
        if (memory.array != exchanged_) return false;
        for (Location& place : places) {
            const bool same = place.im == place.re;
            place.re = exchanged(place.re);
            place.im = same ? place.re : exchanged(place.im);
        }
        return true;
    }
    void move_exchanged(GpuPart& part) {
        move(part, [&](const Memory& memory, std::vector<Location>& places) {
            return move_exchanged(memory, places);
        });
    }

    /// All that lies between the part's steps too, one step's over that of the one before.
    void move_into_array(GpuPart& part, const Loop& vectors) {
        mark_groups(part);
        const Affine local = of_own_vector(vectors, pitch_of(part));
        move(part, [&](const Memory& memory, std::vector<Location>& places) {
            if (move_exchanged(memory, places)) return true;
            ensure(of_reals() || array(memory.array).kind == array(exchanged_).kind,
                   "steps in a cluster on reals and complex numbers");
            const bool apart = of_reals() && array(memory.array).kind == Memory::Kind::planar;
            const Integer imaginary = apart ? entries_of(part, memory.array, parts_.loops.extents) : 0;
            for (Location& place : places) {
                place.re += local;
                place.im += local + imaginary;
            }
            return true;
        });
    }

    /// Which steps are one, before it cannot be seen any more from their arrays.
    void mark_groups(const GpuPart& part) {
        const auto same = [](const Call& a, const Call& b) {
            return a.input.array == b.input.array && a.output.array == b.output.array;
        };
        std::vector<Group>& groups = groups_[&part];
        for (std::size_t k = 0; k < part.calls.size(); ++k) {
            if (k > 0 && same(part.calls[k - 1], part.calls[k])) {
                groups.back().end = k + 1;
                continue;
            }
            const Memory& input = part.calls[k].input;
            const int before = groups.empty() ? exchanged_ : part.calls[k - 1].output.array;
            ensure(is_shared(parts_.loops, input) ? input.array == before : groups.empty(),
                   "steps in a cluster that are no chain");
            groups.push_back({k, k + 1});
        }
    }

    /// An entry of the exchanged array: each block has the vectors of its iterations, in order.
    Affine exchanged(const Affine& entry) const {
        const Extents& extents = parts_.loops.extents;
        const auto outer = divide(entry, taken_.stride * taken_.count, extents);
        const auto inner = outer ? divide(outer->remainder, taken_.stride, extents) : std::nullopt;
        ensure(inner.has_value(), "an exchange by entries that do not tell their vector");
        const Affine within = outer->quotient * taken_.stride + inner->remainder + of_transform();
        if (of_reals()) return inner->quotient * vector_entries_ + within;
        const auto vector = divide(inner->quotient, taken_.count / blocks_, extents);
        ensure(vector.has_value(), "an exchange by entries that do not tell their block");
        return vector->quotient * block_entries() + vector->remainder * vector_entries_ + within;
    }

    /// The steps one after the other; those of parts without a loop of their own that write what is exchanged once the
    /// others' threads have read what lies there.
    void put_in_order(GpuCluster& cluster) {
        std::vector<Call>& calls = cluster.part.calls;
        std::vector<Call> late;
        for (std::size_t p = 0; p < parts_.parts.size(); ++p) {
            if (p == readers_) end_exchange(cluster, late);
            GpuPart& part = parts_.parts[p];
            if (vectors_[p]) {
                for (const Group& group : groups_.at(&part))
                    for (std::size_t k = group.first + 1; k < group.end; ++k)
                        cluster.joined.insert(calls.size() + k);
                std::move(part.calls.begin(), part.calls.end(), std::back_inserter(calls));
                continue;
            }
            const int last = added_array();
            for (Call& call : part.calls)
                (call.output.array == last ? late : calls).push_back(std::move(call));
        }
    }

    void end_exchange(GpuCluster& cluster, std::vector<Call>& late) const {
        std::vector<Call>& calls = cluster.part.calls;
        cluster.exchanges.push_back(calls.size() - 1);
        for (Call& call : late) {
            cluster.joined.insert(calls.size());
            calls.push_back(std::move(call));
        }
    }

    static constexpr Integer banks = 32;

    std::vector<std::optional<Loop>> vectors_; ///< by part, the loop inside its blocks
    std::map<const GpuPart*, std::vector<Group>> groups_;
    int exchanged_ = 0; ///< array
    Integer exchanged_entries_ = 0;
    std::size_t readers_ = std::numeric_limits<std::size_t>::max(); ///< the first part that reads it
    struct {
        Integer count = 1;
        Integer stride = 0;
    } taken_; ///< iterations of a reader in the exchanged array
    Integer vector_entries_ =
        0; ///< of the exchanged array, one vector of a reader with what is left out after it
};

} // namespace

bool is_real_cluster(const GpuParts& parts) {
    return parts.carried.size() == 1 &&
           parts.loops.arrays[static_cast<std::size_t>(parts.carried.front())].kind == Memory::Kind::real;
}

GpuCluster real_cluster(GpuParts parts, Integer blocks, Integer pitch) {
    return RealClusterBuilder(std::move(parts), blocks, pitch).build();
}

} // namespace swirl::lower
