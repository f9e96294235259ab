#include "lower/gpu_cluster.hpp"

#include "base/error.hpp"
#include "lower/gpu_spread.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// One past the largest entry of an array that a part touches.
Integer entries_of(const GpuPart& part, int array, const Extents& extents) {
    Integer entries = 0;
    const auto look = [&](const Memory& memory, const std::vector<Location>& places) {
        if (memory.array != array) return;
        for (const Location& place : places)
            entries = std::max(entries, bounds(place.re, extents).second + 1);
    };
    for (const Call& call : part.calls) {
        look(call.input, call.placement.sources);
        look(call.output, call.placement.targets);
    }
    return entries;
}

/// Takes parts apart into the cluster's blocks.
class ClusterBuilder {
public:
    ClusterBuilder(GpuParts parts, Integer blocks, Integer pitch)
        : parts_(std::move(parts)), blocks_(blocks), pitch_(pitch), rank_(new_variable(blocks)) {}

    GpuCluster build() {
        for (GpuPart& part : parts_.parts) share_loop(part);
        block_entries_ = taken_.count / blocks_ * vector_entries();
        for (std::size_t p = 0; p < parts_.parts.size(); ++p)
            block_entries_ = std::max(block_entries_, vectors_[p].count * pitch_of(parts_.parts[p]));
        add_array();
        GpuCluster result;
        result.part.around = parts_.common;
        result.part.around.push_back({rank_, blocks_});
        for (std::size_t p = 0; p < parts_.parts.size(); ++p) {
            move_into_array(parts_.parts[p], vectors_[p]);
            for (Call& call : parts_.parts[p].calls) result.part.calls.push_back(std::move(call));
            if (p + 1 < parts_.parts.size()) result.exchanges.push_back(result.part.calls.size() - 1);
        }
        result.loops = std::move(parts_.loops);
        ensure(is_chain(result.loops, result.part), "steps in a cluster that are no chain");
        return result;
    }

private:
    Variable new_variable(Integer extent) {
        const auto variable = static_cast<Variable>(parts_.loops.extents.size());
        parts_.loops.extents.set(variable, extent);
        return variable;
    }

    /// The part's own loop: its blocks, and in each of them a loop in every step.
    void share_loop(GpuPart& part) {
        const bool is_last = &part == &parts_.parts.back();
        if (is_last) find_exchanged();
        ensure(part.around.size() == parts_.common.size() + 1, "a cluster's part with {} loops of its own",
               part.around.size() - parts_.common.size());
        const Loop own = part.around.back();
        ensure(own.count % blocks_ == 0, "{} iterations for {} blocks", own.count, blocks_);
        const Loop inside{new_variable(own.count / blocks_), own.count / blocks_};
        const Affine form = Affine::of(rank_, inside.count) + Affine::of(inside.variable);
        for (Call& call : part.calls) {
            substitute(call, own.variable, form);
            call.loops.insert(call.loops.begin(), inside);
        }
        vectors_.push_back(inside);
    }

    /// The array by which the first part hands its results to the second, and where there the second one's own loop
    /// finds the vectors of its iterations.
    void find_exchanged() {
        ensure(parts_.parts.size() == 2, "a cluster of {} parts", parts_.parts.size());
        const Memory& memory = parts_.parts.front().calls.back().output;
        const GpuPart& second = parts_.parts.back();
        ensure(is_shared(parts_.loops, memory) && second.calls.front().input.array == memory.array,
               "parts that hand on nothing");
        exchanged_ = memory.array;
        exchanged_entries_ = parts_.loops.arrays[static_cast<std::size_t>(exchanged_)].elements;
        taken_.count = second.around.back().count;
        taken_.stride =
            second.calls.front().placement.sources.front().re.coefficient(second.around.back().variable);
        ensure(taken_.stride > 0 && exchanged_entries_ % (taken_.stride * taken_.count) == 0,
               "an exchange of {} entries by {} vectors in steps of {}", exchanged_entries_, taken_.count,
               taken_.stride);
    }

    /// Of the exchanged array, one vector of the second part with what is left out after it.
    Integer vector_entries() const { return exchanged_entries_ / taken_.count + pitch_; }

    Integer pitch_of(const GpuPart& part) const {
        Integer entries = 0;
        for (const Call& call : part.calls)
            for (const Memory* memory : {&call.input, &call.output})
                if (is_shared(parts_.loops, *memory) && memory->array != exchanged_)
                    entries = std::max(entries, entries_of(part, memory->array, parts_.loops.extents));
        return entries == 0 ? 0 : entries + pitch_;
    }

    void add_array() {
        Array array = parts_.loops.arrays[static_cast<std::size_t>(exchanged_)];
        array.elements = blocks_ * block_entries_;
        array.cluster_part = blocks_ > 1 ? block_entries_ : 0;
        parts_.loops.arrays.push_back(array);
    }

    void move_into_array(GpuPart& part, const Loop& vectors) {
        const Affine local = Affine::of(rank_, block_entries_) + Affine::of(vectors.variable, pitch_of(part));
        const auto move = [&](Memory& memory, std::vector<Location>& places) {
            if (!is_shared(parts_.loops, memory)) return;
            for (Location& place : places) {
                place.re = memory.array == exchanged_ ? exchanged(place.re) : place.re + local;
                place.im = place.re;
            }
            memory.array = static_cast<int>(parts_.loops.arrays.size()) - 1;
        };
        for (Call& call : part.calls) {
            move(call.input, call.placement.sources);
            move(call.output, call.placement.targets);
        }
    }

    /// An entry of the exchanged array: each block has the vectors of its iterations, in order.
    Affine exchanged(const Affine& entry) const {
        const Extents& extents = parts_.loops.extents;
        const auto outer = divide(entry, taken_.stride * taken_.count, extents);
        const auto inner = outer ? divide(outer->remainder, taken_.stride, extents) : std::nullopt;
        const auto vector = inner ? divide(inner->quotient, taken_.count / blocks_, extents) : std::nullopt;
        ensure(vector.has_value(), "an exchange by entries that do not tell their block");
        return vector->quotient * block_entries_ + vector->remainder * vector_entries() +
               outer->quotient * taken_.stride + inner->remainder;
    }

    GpuParts parts_;
    Integer blocks_;
    Integer pitch_;
    Variable rank_;
    std::vector<Loop> vectors_; ///< by part, the loop inside its blocks
    int exchanged_ = 0;         ///< array
    Integer exchanged_entries_ = 0;
    struct {
        Integer count = 1;
        Integer stride = 1;
    } taken_;                   ///< iterations of the second part in the exchanged array
    Integer block_entries_ = 0; ///< that each block has room for
};

} // namespace

GpuCluster in_cluster(GpuParts parts, Integer blocks, Integer pitch) {
    return ClusterBuilder(std::move(parts), blocks, pitch).build();
}

} // namespace swirl::lower
