#include "lower/gpu_cluster.hpp"

#include "base/error.hpp"
#include "lower/gpu_cluster_loops.hpp"
#include "lower/gpu_real_cluster.hpp"
#include "lower/gpu_spread.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// Takes parts apart into the cluster's blocks.
class ClusterBuilder : ClusterBuilderBase {
public:
    ClusterBuilder(GpuParts parts, Integer blocks, Integer pitch, Integer transforms)
        : ClusterBuilderBase(std::move(parts), blocks, pitch, transforms) {
        for (GpuPart& part : parts_.parts) open_codelets(part);
    }

    GpuCluster build() {
        for (std::size_t p = 0; p + 1 < parts_.parts.size(); ++p) find_exchange(p);
        for (GpuPart& part : parts_.parts) share_loop(part);
        take_transforms();
        for (const Exchange& exchange : exchanges_)
            transform_entries_ =
                std::max(transform_entries_, exchange.count / blocks_ * vector_entries(exchange));
        for (std::size_t p = 0; p < parts_.parts.size(); ++p)
            transform_entries_ = std::max(transform_entries_, vectors_[p].count * pitch_of(parts_.parts[p]));
        if (transforms_.count > 1) transform_entries_ = in_different_banks(transform_entries_);
        ensure(!exchanges_.empty(), "a cluster of one part");
        add_array(exchanges_.front().array);
        GpuCluster result = begin();
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
    /// Codelets alone get a loop of their own.
    void open_codelets(GpuPart& part) const {
        if (part.around.size() > parts_.common.size() || part.calls.size() != 1) return;
        std::vector<Loop>& inside = part.calls.front().loops;
        if (inside.empty()) return;
        const auto longest = std::max_element(inside.begin(), inside.end(),
                                              [](const Loop& a, const Loop& b) { return a.count < b.count; });
        part.around.push_back(*longest);
        inside.erase(longest);
    }

    /// Room from which neighbouring entries of all transforms at once are in different banks.
    Integer in_different_banks(Integer entries) const {
        constexpr Integer banks = 32;
        const Integer neighbours = std::max<Integer>(1, banks / transforms_.count);
        return entries + modulo(neighbours - entries, banks);
    }

    /// The part's own loop: its blocks, and in each of them a loop in every step.
    void share_loop(GpuPart& part) {
        const Loop own = part.around.back();
        ensure(own.count % blocks_ == 0, "{} iterations for {} blocks", own.count, blocks_);
        const Loop inside = new_loop(parts_.loops, own.count / blocks_);
        const Affine form = Affine::of(rank_, inside.count) + Affine::of(inside.variable);
        for (Call& call : part.calls) {
            substitute(call, own.variable, form);
            call.loops.insert(call.loops.begin(), inside);
        }
        vectors_.push_back(inside);
    }

    /// The array by which a part hands its results to the next one, and where there that one's own loop finds the vectors
    /// of its iterations.
    struct Exchange {
        int array;
        Integer entries;
        Integer count;  ///< iterations of the part that takes it
        Integer stride; ///< entries from one of their vectors to the next
    };

    void find_exchange(std::size_t part) {
        for (const std::size_t p : {part, part + 1})
            ensure(parts_.parts[p].around.size() == parts_.common.size() + 1,
                   "a cluster's part with {} loops of its own",
                   parts_.parts[p].around.size() - parts_.common.size());
        const Memory& memory = parts_.parts[part].calls.back().output;
        const GpuPart& next = parts_.parts[part + 1];
        ensure(is_shared(parts_.loops, memory) && next.calls.front().input.array == memory.array,
               "parts that hand on nothing");
        const Loop& own = next.around.back();
        const Exchange exchange{memory.array, array(memory.array).elements, own.count,
                                next.calls.front().placement.sources.front().re.coefficient(own.variable)};
        ensure(exchange.stride > 0 && exchange.entries % (exchange.stride * exchange.count) == 0,
               "an exchange of {} entries by {} vectors in steps of {}", exchange.entries, exchange.count,
               exchange.stride);
        exchanges_.push_back(exchange);
    }

    const Exchange* exchange_by(int array) const {
        for (const Exchange& exchange : exchanges_)
            if (exchange.array == array) return &exchange;
        return nullptr;
    }

    /// Of an exchanged array, one vector of the part that takes it with what is left out after it.
    Integer vector_entries(const Exchange& exchange) const {
        return exchange.entries / exchange.count + pitch_;
    }

    Integer pitch_of(const GpuPart& part) const {
        Integer entries = 0;
        for (const Call& call : part.calls)
            for (const Memory* memory : {&call.input, &call.output})
                if (is_shared(parts_.loops, *memory) && exchange_by(memory->array) == nullptr)
                    entries = std::max(entries, entries_of(part, memory->array, parts_.loops.extents));
        return entries == 0 ? 0 : entries + pitch_;
    }

    void move_into_array(GpuPart& part, const Loop& vectors) {
        const Affine local = of_own_vector(vectors, pitch_of(part));
        const auto move = [&](Memory& memory, std::vector<Location>& places) {
            if (!is_shared(parts_.loops, memory)) return;
            for (Location& place : places) {
                const Exchange* const exchange = exchange_by(memory.array);
                place.re = exchange != nullptr ? exchanged(place.re, *exchange) : place.re + local;
                place.im = place.re;
            }
            memory.array = added_array();
        };
        for (Call& call : part.calls) {
            move(call.input, call.placement.sources);
            move(call.output, call.placement.targets);
        }
    }

    /// An entry of an exchanged array: each block has the vectors of its iterations, in order.
    Affine exchanged(const Affine& entry, const Exchange& exchange) const {
        const Extents& extents = parts_.loops.extents;
        const auto outer = divide(entry, exchange.stride * exchange.count, extents);
        const auto inner = outer ? divide(outer->remainder, exchange.stride, extents) : std::nullopt;
        const auto vector = inner ? divide(inner->quotient, exchange.count / blocks_, extents) : std::nullopt;
        ensure(vector.has_value(), "an exchange by entries that do not tell their block");
        return vector->quotient * block_entries() + vector->remainder * vector_entries(exchange) +
               outer->quotient * exchange.stride + inner->remainder + of_transform();
    }

    std::vector<Loop> vectors_;       ///< by part, the loop inside its blocks
    std::vector<Exchange> exchanges_; ///< after each part but the last
};

} // namespace

bool has_loops_to_share(const GpuParts& parts) {
    return is_real_cluster(parts) ||
           std::all_of(parts.parts.begin(), parts.parts.end(), [&](const GpuPart& part) {
               const std::size_t own = part.around.size() - parts.common.size();
               return own == 1 || (own == 0 && part.calls.size() == 1 && !part.calls.front().loops.empty());
           });
}

GpuCluster in_cluster(GpuParts parts, Integer blocks, Integer pitch, Integer transforms) {
    if (transforms == 1 && is_real_cluster(parts)) return real_cluster(std::move(parts), blocks, pitch);
    return ClusterBuilder(std::move(parts), blocks, pitch, transforms).build();
}

} // namespace swirl::lower
