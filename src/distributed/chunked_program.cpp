#include "distributed/chunked_program.hpp"

#include "base/integer.hpp"
#include "distributed/local_factor.hpp"
#include "distributed/strided_problem.hpp"
#include "problem/data_type.hpp"
#include "rules/rewriting_rules.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace swirl::distributed {

namespace {

Box in_order(const Box& box, std::vector<int> order) { return {box.lower, box.upper, std::move(order)}; }

std::vector<Integer> strides_in(const Box& box) { return *strides_of({{box, 0}}, box); }

/// Cuts a box along axes that are not transformed, the slowest first, into boxes of at most so many elements, as far as these
/// axes go.
std::vector<Box> cut(const Box& box, const std::vector<std::size_t>& transforms, Integer most) {
    std::vector<Box> boxes{box};
    for (const int number : order_of(box)) {
        const auto axis = static_cast<std::size_t>(number);
        const Integer n = length(box, axis);
        if (n == 1 || std::find(transforms.begin(), transforms.end(), axis) != transforms.end()) continue;
        const Integer parts = std::min(n, ceil_divide(elements(boxes.front()), most));
        if (parts <= 1) break;
        std::vector<Box> finer;
        for (const Box& whole : boxes)
            for (Integer part = 0; part < parts; ++part) {
                Box slice = whole;
                slice.lower[axis] = box.lower[axis] + part_begin(n, parts, part);
                slice.upper[axis] = box.lower[axis] + part_begin(n, parts, part + 1);
                finer.push_back(std::move(slice));
            }
        boxes = std::move(finer);
    }
    return boxes;
}

/// So many chunks would fill the cache: one as loaded, one as stored, and what passes by while they are.
constexpr Integer chunks_in_cache = 8;

/// Arrays of so many caches are still found in a larger one by those who read them next.
constexpr Integer caches_of_cached_array = 4;

class ChunkedProgramBuilder {
public:
    ChunkedProgramBuilder(const Factors& factors, const Schedule& schedule,
                          const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank,
                          SharedArrays shared, const ChunkSizes& sizes)
        : factors_(factors),
          schedule_(schedule),
          boxes_(boxes),
          output_(output),
          own_(static_cast<std::size_t>(rank)),
          shared_(shared),
          sizes_(sizes) {
        for (std::size_t stage = 0; stage < boxes.size(); ++stage)
            if (!schedule.stages[stage].transforms.empty()) last_transforms_ = stage;
        const std::size_t exchanges = boxes.size() - 1;
        lands_in_output_ =
            shared != SharedArrays::between && exchanges > 1 && schedule.stages.back().transforms.empty();
        // arrays take turns: what lands in one was read before the last meeting; of the first exchange, in the last execution
        program_.alternates = exchanges % 2 == 1 && !lands_in_output_ && shared != SharedArrays::none;
    }

    Program build() {
        Array at = Array::input;
        for (std::size_t stage = 0; stage < boxes_.size(); ++stage) {
            const bool is_last = stage + 1 == boxes_.size();
            const Array to = is_last || (stage + 2 == boxes_.size() && lands_in_output_) ? Array::output
                             : stage % 2 == 0                                            ? Array::first
                                                                                         : Array::second;
            if (is_last)
                finish(stage, at);
            else
                deliver(stage, at, to);
            at = to;
        }
        return std::move(program_);
    }

private:
    Integer bytes_before(std::size_t stage) const {
        return factors_.element_bytes_after(boxes_[stage].done_before);
    }
    Integer bytes_after(std::size_t stage) const {
        return factors_.element_bytes_after(boxes_[stage].done_after);
    }
    double scale(std::size_t stage) const { return stage == last_transforms_ ? factors_.problem.scale : 1.0; }
    bool has_twiddles(std::size_t stage) const {
        const auto& transforms = schedule_.stages[stage].transforms;
        return std::any_of(transforms.begin(), transforms.end(),
                           [&](std::size_t axis) { return factors_.has_twiddles(axis); });
    }

    /// Where a rank's elements are before a stage: in the caller's order where they are the caller's array.
    Layout arrival(std::size_t stage, std::size_t rank) const {
        const bool is_output = stage + 1 == boxes_.size() && schedule_.stages[stage].transforms.empty();
        if (stage == 0) return layout_of(boxes_[stage].before.ranks[rank]);
        if (is_output) return layout_of(output_.ranks[rank]);
        Pieces pieces = boxes_[stage].before.ranks[rank];
        for (Box& box : pieces) box.order.clear();
        return layout_of(pieces);
    }

    void finish(std::size_t stage, Array at) {
        const Pieces &before = boxes_[stage].before.ranks[own_], &after = output_.ranks[own_];
        if (before.empty()) return;
        const std::vector<std::size_t>& transforms = schedule_.stages[stage].transforms;
        const Layout from = arrival(stage, own_);
        if (!transforms.empty())
            return add_transform(stage, transforms, at, Array::output, from, layout_of(after));
        if (at == Array::output) return;
        CopyStep step{at, Array::output, copies(from, layout_of(after)), bytes_after(stage), elements(after)};
        if (at == Array::input) need(program_.workspace_bytes, elements(after) * bytes_after(stage));
        program_.steps.emplace_back(std::move(step));
    }

    /// Along these axes, which are all of the stage or its first ones, from one array of this rank to another.
    void add_transform(std::size_t stage, const std::vector<std::size_t>& transforms, Array from, Array to,
                       const Layout& load, const Layout& store) {
        const Box &before = load.front().box, &after = store.front().box;
        TransformStep step{from, to, {}};
        if (has_twiddles(stage)) {
            LocalFactor local{before, after, transforms, true, true, load, store};
            step.problem = Transform::of_matrix(
                TransformKind::formula,
                MatrixFormula(rules::simplify(formula_of(local, factors_, order_of(after), false))),
                {.precision = factors_.problem.precision, .scale = scale(stage)});
        } else {
            const bool is_all = transforms.size() == schedule_.stages[stage].transforms.size();
            step.problem = strided_problem(factors_, transforms, before, strides_in(before),
                                           strides_in(after), is_all ? scale(stage) : 1.0);
        }
        if (from == Array::input && to == Array::output) // in place, it goes through an array between
            need(program_.workspace_bytes, elements(after) * bytes_after(stage));
        program_.steps.emplace_back(std::move(step));
    }

    void deliver(std::size_t stage, Array at, Array to) {
        if (to != Array::output)
            need(program_.workspace_bytes, elements_in(arrival(stage + 1, own_)) * bytes_after(stage));
        const Rest rest = transform_early(stage, at);
        if (shared_ == SharedArrays::none) return stream(stage, rest, to);
        if (!rest.load.empty()) add_deliveries(stage, rest, to);
        program_.steps.emplace_back(MeetStep{stage == 0 && lands_in_output_});
    }
    static Integer elements_in(const Layout& layout) {
        Integer count = 0;
        for (const Block& block : layout) count += elements(block.box);
        return count;
    }

    /// What is left of a stage: these transforms, from this array.
    struct Rest {
        Array at;
        Layout load;
        std::vector<std::size_t> transforms;
        Integer element_bytes;
    };
    Rest rest_of(std::size_t stage, std::size_t rank, Array at) const {
        const Pieces& before = boxes_[stage].before.ranks[rank];
        std::vector<std::size_t> transforms = schedule_.stages[stage].transforms;
        if (before.empty()) return {at, {}, transforms, bytes_after(stage)};
        const std::vector<std::size_t> early = early_transforms(stage, before.front());
        if (early.empty()) return {at, arrival(stage, rank), transforms, bytes_before(stage)};
        transforms.erase(transforms.begin(), transforms.begin() + static_cast<std::ptrdiff_t>(early.size()));
        Box between = (changes(early) ? boxes_[stage].after : boxes_[stage].before).ranks[rank].front();
        between.order.clear();
        return {Array::local,
                {{between, 0}},
                transforms,
                changes(early) ? bytes_after(stage) : bytes_before(stage)};
    }
    Rest transform_early(std::size_t stage, Array at) {
        Rest rest = rest_of(stage, own_, at);
        if (rest.at != Array::local) return rest;
        need(program_.local_bytes, elements_in(rest.load) * rest.element_bytes);
        add_transform(stage, early_transforms(stage, boxes_[stage].before.ranks[own_].front()), at,
                      Array::local, arrival(stage, own_), rest.load);
        return rest;
    }

    void add_deliveries(std::size_t stage, const Rest& rest, Array to) {
        DeliverStep step{rest.at, to, {}, {}, {}, bytes_after(stage)};
        if (elements_in(rest.load) * rest.element_bytes > caches_of_cached_array * sizes_.cache_bytes)
            step.stores = CopyStores::past_caches;
        if (rest.transforms.empty()) {
            step.chunks.push_back({0, 0, deliveries(stage, rest.load)});
        } else {
            for (const ChunkOfTransforms& chunk :
                 chunks_of(stage, rest, rest.load.front().box, step.problems))
                step.chunks.push_back(
                    {chunk.problem, chunk.load_offset, deliveries(stage, {{chunk.stored, 0}})});
        }
        program_.steps.emplace_back(std::move(step));
    }

    /// The boxes whose messages are sent together, as they are when the stage is done.
    std::vector<Box> boxes_of_messages(std::size_t stage, const Rest& rest) const {
        const Integer all = largest(boxes_[stage].after);
        const Integer chunks =
            chunks_of_exchange(all * bytes_after(stage), static_cast<int>(output_.ranks.size()), sizes_);
        std::vector<Box> result;
        for (const Block& block : rest.load)
            for (const Box& box : cut(block.box, rest.transforms, ceil_divide(all, chunks)))
                result.push_back(box);
        return result;
    }
    /// A box once the transforms that are left are done.
    Box done(std::size_t stage, const Rest& rest, Box box) const {
        if (changes(rest.transforms))
            box.upper.back() = factors_.lengths_after(boxes_[stage].done_after).back();
        return box;
    }
    /// The common elements of a box and of an array, in the array's order: a message.
    static Layout message(const Box& box, const Layout& array, Integer& offset) {
        Layout result;
        for (const Block& block : array) {
            Box common = intersection(box, block.box, order_of(block.box));
            if (common.lower.empty()) continue;
            const Integer count = elements(common);
            result.push_back({std::move(common), offset});
            offset += count;
        }
        return result;
    }

    void stream(std::size_t stage, const Rest& rest, Array to) {
        const std::size_t ranks = output_.ranks.size();
        const Integer bytes = bytes_after(stage);
        StreamStep step{rest.at, to, {}, {}, {}, bytes};
        if (elements_in(arrival(stage + 1, own_)) * bytes > caches_of_cached_array * sizes_.cache_bytes)
            step.unpack_stores = CopyStores::past_caches;
        std::vector<Layout> arrivals;
        std::vector<std::vector<Box>> boxes; // of each rank's messages
        std::size_t count = 0;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            arrivals.push_back(arrival(stage + 1, rank));
            const Rest of_rank = rest_of(stage, rank, rest.at);
            boxes.push_back(boxes_of_messages(stage, of_rank));
            count = std::max(count, boxes.back().size());
            for (Box& box : boxes.back()) box = done(stage, of_rank, box);
        }
        const std::vector<Box> own = boxes_of_messages(stage, rest);
        const auto sent = [&](std::size_t k, std::size_t rank, Integer& offset) {
            return k < boxes[own_].size() ? message(boxes[own_][k], arrivals[rank], offset) : Layout{};
        };
        const auto received = [&](std::size_t k, std::size_t rank, Integer& offset) {
            return k < boxes[rank].size() ? message(boxes[rank][k], arrivals[own_], offset) : Layout{};
        };
        Integer sent_slot = 0, received_slot = 0; // the most elements of a chunk
        step.receives_in_place = true;
        for (std::size_t k = 0; k < count; ++k) {
            Integer sent_count = 0, received_count = 0;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                sent(k, rank, sent_count);
                const Layout from_rank = received(k, rank, received_count);
                if (!from_rank.empty() && !contiguous_offset(from_rank, arrivals[own_]))
                    step.receives_in_place = false;
            }
            need(sent_slot, sent_count);
            need(received_slot, received_count);
        }
        for (std::size_t k = 0; k < count; ++k) {
            StreamStep::Chunk chunk;
            ExchangeBlocks& blocks = chunk.blocks;
            blocks.send_bytes.assign(ranks, 0);
            blocks.send_offsets = blocks.receive_bytes = blocks.receive_offsets = blocks.send_bytes;
            const auto slot = static_cast<Integer>(k % StreamStep::chunks_in_flight);
            Integer sent_at = slot * sent_slot, received_at = slot * received_slot;
            Layout all_sent, all_received;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                blocks.send_offsets[rank] = sent_at * bytes;
                const Layout to_rank = sent(k, rank, sent_at);
                blocks.send_bytes[rank] = elements_in(to_rank) * bytes;
                all_sent.insert(all_sent.end(), to_rank.begin(), to_rank.end());
                blocks.receive_offsets[rank] = received_at * bytes;
                const Layout from_rank = received(k, rank, received_at);
                blocks.receive_bytes[rank] = elements_in(from_rank) * bytes;
                if (step.receives_in_place && !from_rank.empty())
                    blocks.receive_offsets[rank] = *contiguous_offset(from_rank, arrivals[own_]) * bytes;
                all_received.insert(all_received.end(), from_rank.begin(), from_rank.end());
            }
            if (k < own.size()) add_parts(stage, rest, own[k], all_sent, step.problems, chunk);
            if (!step.receives_in_place) chunk.unpack = copies(all_received, arrivals[own_]);
            step.chunks.push_back(std::move(chunk));
        }
        const auto slots = static_cast<Integer>(std::min(count, StreamStep::chunks_in_flight));
        need(program_.sent_bytes, slots * sent_slot * bytes);
        if (!step.receives_in_place) need(program_.received_bytes, slots * received_slot * bytes);
        program_.steps.emplace_back(std::move(step));
    }
    /// Where a message lies in an array, if it is contiguous there.
    static std::optional<Integer> contiguous_offset(const Layout& message, const Layout& array) {
        if (message.size() != 1) return std::nullopt;
        const std::vector<BlockCopy> moves = copies(message, array);
        if (moves.size() != 1) return std::nullopt;
        for (const BlockCopy::Loop& loop : moves.front().loops)
            if (loop.from != loop.to) return std::nullopt;
        return moves.front().to;
    }
    /// The transforms of a box whose messages are sent together.
    void add_parts(std::size_t stage, const Rest& rest, const Box& box, const Layout& sent,
                   std::vector<Transform>& problems, StreamStep::Chunk& chunk) {
        if (rest.transforms.empty()) {
            chunk.parts.push_back({0, 0, copies(rest.load, sent)});
            return;
        }
        for (const ChunkOfTransforms& part : chunks_of(stage, rest, box, problems))
            chunk.parts.push_back({part.problem, part.load_offset, copies({{part.stored, 0}}, sent)});
    }

    bool changes(const std::vector<std::size_t>& transforms) const {
        return std::any_of(transforms.begin(), transforms.end(),
                           [&](std::size_t axis) { return factors_.changes_elements(axis); });
    }

    /// The first transforms of a stage that are a sweep of their own: the others, with all of their axes, fit in the cache.
    std::vector<std::size_t> early_transforms(std::size_t stage, const Box& box) const {
        std::vector<std::size_t> early = schedule_.stages[stage].transforms;
        if (early.empty() || has_twiddles(stage)) return early;
        Integer bytes = std::max(bytes_before(stage), bytes_after(stage));
        while (!early.empty()) {
            bytes *= length(box, early.back());
            const bool is_first = early.size() == schedule_.stages[stage].transforms.size();
            if (bytes > sizes_.cache_bytes / 2 && !is_first) break;
            early.pop_back();
        }
        return early;
    }

    /// Transforms of a part of a rank's box that the cache holds.
    struct ChunkOfTransforms {
        std::size_t problem;
        Integer load_offset; ///< in bytes
        Box stored;
    };
    std::vector<ChunkOfTransforms> chunks_of(std::size_t stage, const Rest& rest, const Box& of,
                                             std::vector<Transform>& problems) {
        const Box& whole = rest.load.front().box;
        const std::vector<Integer> in = strides_in(whole);
        const std::vector<int> order = arrival_order(stage + 1);
        const Integer most = std::max<Integer>(1, sizes_.cache_bytes / chunks_in_cache / rest.element_bytes);
        std::vector<ChunkOfTransforms> result;
        for (const Box& box : cut(of, rest.transforms, most)) {
            ChunkOfTransforms chunk{0, 0, in_order(done(stage, rest, box), order)};
            for (std::size_t axis = 0; axis < factors_.axes(); ++axis)
                chunk.load_offset += (box.lower[axis] - whole.lower[axis]) * in[axis] * rest.element_bytes;
            const Transform problem =
                strided_problem(factors_, rest.transforms, box, in, strides_in(chunk.stored), scale(stage));
            const auto known = std::find(problems.begin(), problems.end(), problem);
            chunk.problem = static_cast<std::size_t>(known - problems.begin());
            if (known == problems.end()) problems.push_back(problem);
            need(program_.chunk_bytes, elements(chunk.stored) * bytes_after(stage));
            result.push_back(std::move(chunk));
        }
        return result;
    }
    /// The order of the axes where elements arrive: of this rank's array, as the others' most likely have the same.
    std::vector<int> arrival_order(std::size_t stage) const {
        const Layout own = arrival(stage, own_);
        if (!own.empty()) return order_of(own.front().box);
        std::vector<int> order(factors_.axes());
        std::iota(order.begin(), order.end(), 0);
        return order;
    }

    /// The elements of a layout, each to the ranks that have it next.
    std::vector<DeliverStep::Delivery> deliveries(std::size_t stage, const Layout& from) const {
        std::vector<DeliverStep::Delivery> result;
        const std::size_t ranks = output_.ranks.size();
        for (std::size_t k = 0; k < ranks; ++k) {
            const std::size_t rank = (own_ + k) % ranks; // so that ranks do not all write to the same one
            std::vector<BlockCopy> to_rank = copies(from, arrival(stage + 1, rank));
            if (!to_rank.empty()) result.push_back({static_cast<int>(rank), std::move(to_rank)});
        }
        return result;
    }

    static void need(Integer& bytes, Integer more) { bytes = std::max(bytes, more); }

    const Factors& factors_;
    const Schedule& schedule_;
    const std::vector<StageBoxes>& boxes_;
    const Decomposition& output_;
    std::size_t own_;
    SharedArrays shared_;
    ChunkSizes sizes_;
    std::size_t last_transforms_ = 0;
    bool lands_in_output_ = false;
    Program program_;
};

} // namespace

Program chunked_program_of(const Factors& factors, const Schedule& schedule,
                           const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank,
                           SharedArrays shared, const ChunkSizes& sizes) {
    return ChunkedProgramBuilder(factors, schedule, boxes, output, rank, shared, sizes).build();
}

Integer chunks_of_exchange(Integer bytes_of_rank, int ranks, const ChunkSizes& sizes) {
    constexpr Integer most = 32;
    return std::clamp<Integer>(bytes_of_rank / (ranks * sizes.least_message_bytes), 1, most);
}

} // namespace swirl::distributed
