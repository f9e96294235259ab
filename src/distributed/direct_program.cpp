#include "distributed/direct_program.hpp"

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
                Box piece = whole;
                piece.lower[axis] = box.lower[axis] + part_begin(n, parts, part);
                piece.upper[axis] = box.lower[axis] + part_begin(n, parts, part + 1);
                finer.push_back(std::move(piece));
            }
        boxes = std::move(finer);
    }
    return boxes;
}

/// So many chunks would fill the cache: one as loaded, one as stored, and what passes by while they are.
constexpr Integer chunks_in_cache = 8;

class DirectProgramBuilder {
public:
    DirectProgramBuilder(const Factors& factors, const Schedule& schedule,
                         const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank,
                         SharedArrays shared, Integer cache_bytes)
        : factors_(factors),
          schedule_(schedule),
          boxes_(boxes),
          output_(output),
          own_(static_cast<std::size_t>(rank)),
          cache_bytes_(cache_bytes) {
        for (std::size_t stage = 0; stage < boxes.size(); ++stage)
            if (!schedule.stages[stage].transforms.empty()) last_transforms_ = stage;
        const std::size_t exchanges = boxes.size() - 1;
        lands_in_output_ =
            shared == SharedArrays::all && exchanges > 1 && schedule.stages.back().transforms.empty();
        // arrays take turns: what lands in one was read before the last meeting; of the first exchange, in the last execution
        if (exchanges % 2 == 1 && !lands_in_output_) program_.steps.emplace_back(MeetStep{});
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
        add_deliveries(stage, at, to);
        Integer arrives = 0;
        for (const Block& block : arrival(stage + 1, own_)) arrives += elements(block.box);
        if (to != Array::output) need(program_.workspace_bytes, arrives * bytes_after(stage));
        program_.steps.emplace_back(MeetStep{stage == 0 && lands_in_output_});
    }

    void add_deliveries(std::size_t stage, Array at, Array to) {
        const Pieces& before = boxes_[stage].before.ranks[own_];
        if (before.empty()) return;
        Layout load = arrival(stage, own_);
        std::vector<std::size_t> transforms = schedule_.stages[stage].transforms;
        const std::vector<std::size_t> early = early_transforms(stage, before.front());
        const Integer element_bytes = changes(early) ? bytes_after(stage) : bytes_before(stage);
        if (!early.empty()) {
            transforms.erase(transforms.begin(),
                             transforms.begin() + static_cast<std::ptrdiff_t>(early.size()));
            Box between = (changes(early) ? boxes_[stage].after : boxes_[stage].before).ranks[own_].front();
            between.order.clear();
            const Layout store{{between, 0}};
            need(program_.local_bytes, elements(between) * element_bytes);
            add_transform(stage, early, at, Array::local, load, store);
            load = store;
            at = Array::local;
        }
        DeliverStep step{at, to, {}, {}, {}, bytes_after(stage)};
        if (elements(before) * bytes_before(stage) > cache_bytes_) step.stores = CopyStores::past_caches;
        if (transforms.empty())
            step.chunks.push_back({0, 0, deliveries(stage, load)});
        else
            add_chunks(stage, transforms, load.front().box, element_bytes, step);
        program_.steps.emplace_back(std::move(step));
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
            if (bytes > cache_bytes_ / 2 && !is_first) break;
            early.pop_back();
        }
        return early;
    }

    void add_chunks(std::size_t stage, const std::vector<std::size_t>& transforms, const Box& whole,
                    Integer loaded_bytes, DeliverStep& step) {
        const std::vector<Integer> in = strides_in(whole);
        const std::vector<int> order = arrival_order(stage + 1);
        const Integer most = std::max<Integer>(1, cache_bytes_ / chunks_in_cache / loaded_bytes);
        for (const Box& box : cut(whole, transforms, most)) {
            DeliverStep::Chunk chunk;
            for (std::size_t axis = 0; axis < factors_.axes(); ++axis)
                chunk.load_offset += (box.lower[axis] - whole.lower[axis]) * in[axis] * loaded_bytes;
            Box stored = in_order(box, order);
            if (changes(transforms))
                stored.upper.back() = boxes_[stage].after.ranks[own_].front().upper.back();
            const Transform problem =
                strided_problem(factors_, transforms, box, in, strides_in(stored), scale(stage));
            const auto known = std::find(step.problems.begin(), step.problems.end(), problem);
            chunk.problem = static_cast<std::size_t>(known - step.problems.begin());
            if (known == step.problems.end()) step.problems.push_back(problem);
            chunk.deliveries = deliveries(stage, {{stored, 0}});
            need(program_.chunk_bytes, elements(stored) * step.element_bytes);
            step.chunks.push_back(std::move(chunk));
        }
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
    Integer cache_bytes_;
    std::size_t last_transforms_ = 0;
    bool lands_in_output_ = false;
    Program program_;
};

} // namespace

Program direct_program_of(const Factors& factors, const Schedule& schedule,
                          const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank,
                          SharedArrays shared, Integer cache_bytes) {
    return DirectProgramBuilder(factors, schedule, boxes, output, rank, shared, cache_bytes).build();
}

} // namespace swirl::distributed
