#include "sass/loop_placement.hpp"

#include "base/error.hpp"
#include "sass/loop_writer.hpp"

#include <algorithm>

namespace swirl::sass {

namespace {

constexpr std::size_t gap = max_fixed_latency + 1;        ///< FMAs from a result of fixed latency to its use
constexpr std::size_t uniform_gap = uniform_distance + 1; ///< the same for uniform registers
/// FMAs of a k step before its first load, and after its last one to hide its latency; a third of a short k step.
constexpr std::size_t before_loads = 2, max_after_loads = 34;
constexpr std::size_t barrier_at = 2; ///< FMAs of the last k step before the barrier
/// FMAs by which instructions between them may be delayed; one placement is tried for each value.
constexpr std::size_t slacks[] = {12, 6, 0};

class Placer {
public:
    Placer(const LoopPattern& pattern, const std::vector<Dependence>& dependences,
           const std::vector<int>& loads_by_use, std::size_t slack, bool is_on_demand)
        : pattern_(pattern),
          loads_by_use_(loads_by_use),
          cells_(pattern.accumulators.size()),
          behind_loads_(std::min(max_after_loads, cells_ / 3)),
          end_(cells_ * pattern.k_steps),
          is_on_demand_(is_on_demand) {
        result_.at.resize(end_ + 1);
        result_.slack = slack;
        for (const Dependence& each : dependences) before_[each.after].push_back(each);
        for (std::size_t k = 0; k < pattern.k_steps; ++k)
            for (const OperandLoad& load : pattern.loads[k]) k_step_of_load_[load.body_index] = k;
    }

    /// The placement; nothing, and why_not_ set, if there is no slack.
    std::optional<LoopPlacement> body_index() {
        split();
        std::size_t slot = 1;
        for (const std::size_t body_index : early_) put(body_index, earliest(body_index, slot));
        for (std::size_t k = 1; k < pattern_.k_steps; ++k) place_loads(k, (k - 1) * cells_ + before_loads);
        if (is_on_demand_) order_head_on_demand();
        place_head();
        const std::size_t barrier_position = (pattern_.k_steps - 1) * cells_ + barrier_at;
        for (const std::size_t body_index : barrier_position_) {
            if (earliest(body_index, 0) > barrier_position) fail("too much stands between the products");
            put_at(barrier_position, {body_index});
        }
        place_loads(0, barrier_position + gap);
        place_tail(barrier_position + gap);
        const std::size_t branch = pattern_.body.size() - 1;
        if (earliest(branch, 0) > end_) fail("the branch follows from what is too late");
        return why_not_.empty() ? std::optional(std::move(result_)) : std::nullopt;
    }
    const std::string& why_not() const { return why_not_; }

private:
    void fail(const char* why) {
        if (why_not_.empty()) why_not_ = why;
    }

    /// Instructions between FMAs on which these loads depend.
    std::set<std::size_t> makers_of_loads(std::size_t first_k, std::size_t end_k) const {
        std::vector<std::size_t> wanted;
        for (std::size_t k = first_k; k < end_k; ++k)
            for (const OperandLoad& load : pattern_.loads[k]) wanted.push_back(load.body_index);
        std::set<std::size_t> result;
        while (!wanted.empty()) {
            const auto found = before_.find(wanted.back());
            wanted.pop_back();
            if (found == before_.end()) continue;
            for (const Dependence& each : found->second)
                if (!k_step_of_load_.contains(each.before) && result.insert(each.before).second)
                    wanted.push_back(each.before);
        }
        return result;
    }

    /// barrier_position_ has the barrier and the waits for copies right before it.
    void split() {
        const std::vector<std::size_t>& other_instructions = pattern_.other_instructions;
        const auto kind = [&](auto body_index) { return kind_of(pattern_.body[*body_index]); };
        auto barrier = other_instructions.begin();
        while (barrier != other_instructions.end() && kind(barrier) != Kind::barrier) ++barrier;
        if (barrier == other_instructions.end() ||
            std::ranges::count_if(other_instructions, [&](std::size_t body_index) {
                return kind_of(pattern_.body[body_index]) == Kind::barrier;
            }) != 1)
            throw UserError("the loop does not have exactly one barrier");
        const auto is_wait = [&](std::size_t body_index) {
            return kind_of(pattern_.body[body_index]) == Kind::fence &&
                   pattern_.body[body_index].control.write_scoreboard == no_scoreboard;
        };
        for (auto body_index = barrier; body_index != other_instructions.begin(); --body_index) {
            const Kind before = kind(body_index - 1);
            if (is_wait(*(body_index - 1)))
                barrier_position_.insert(barrier_position_.begin(), *(body_index - 1));
            if (before == Kind::copy || (before == Kind::fence && !is_wait(*(body_index - 1)))) break;
        }
        barrier_position_.push_back(*barrier);
        const std::set<std::size_t> early = makers_of_loads(1, pattern_.k_steps),
                                    makers = makers_of_loads(0, 1);
        for (const std::size_t body_index : other_instructions) {
            if (std::ranges::find(barrier_position_, body_index) != barrier_position_.end()) continue;
            if (early.contains(body_index))
                early_.push_back(body_index);
            else if (body_index < *barrier || makers.contains(body_index))
                head_.push_back(body_index);
            else
                tail_.push_back(body_index);
        }
    }

    /// Places what copies depend on right before them, copies in program order; then the rest.
    void order_head_on_demand() {
        const std::set<std::size_t> head(head_.begin(), head_.end());
        std::set<std::size_t> done;
        std::vector<std::size_t> order;
        const auto add = [&](auto& self, std::size_t body_index) -> void {
            if (!head.contains(body_index) || !done.insert(body_index).second) return;
            if (const auto found = before_.find(body_index); found != before_.end())
                for (const Dependence& each : found->second) self(self, each.before);
            order.push_back(body_index);
        };
        for (const std::size_t body_index : head_)
            if (kind_of(pattern_.body[body_index]) == Kind::copy) add(add, body_index);
        for (const std::size_t body_index : head_) add(add, body_index);
        head_ = std::move(order);
    }

    void put_at(std::size_t slot, LoopPlacement::Item item) {
        result_.at.at(std::min(slot, end_)).push_back(item);
        slots_[item.body_index] = slot;
        taken_.insert(slot);
    }
    /// Puts it into the first free slot from `slot` on.
    std::size_t put(std::size_t body_index, std::size_t slot) {
        while (taken_.contains(slot)) ++slot;
        if (slot > end_) fail("too much stands between the products");
        put_at(slot, {body_index});
        return slot;
    }

    /// The first slot from `wanted` on that satisfies all dependences on instructions already placed.
    std::size_t earliest(std::size_t body_index, std::size_t wanted) {
        const auto found = before_.find(body_index);
        if (found == before_.end()) return wanted;
        for (const Dependence& each : found->second) {
            const auto slot = slots_.find(each.before);
            if (slot == slots_.end()) {
                fail("what is placed early follows from what is late");
                continue;
            }
            const std::size_t slack = result_.movable.contains(each.before) ? result_.slack : 0;
            const std::size_t latency =
                kind_of(pattern_.body[each.before]) == Kind::uniform ? uniform_gap : gap;
            wanted = std::max(wanted, slot->second + (each.has_latency ? latency + slack : 0));
        }
        return wanted;
    }

    void place_head() {
        const std::size_t first = 1, barrier_position = (pattern_.k_steps - 1) * cells_ + barrier_at;
        const std::size_t last = barrier_position - std::min(barrier_position, gap + result_.slack);
        if (head_.empty()) return;
        const std::size_t spacing = std::max<std::size_t>(1, (last - first) / head_.size());
        std::size_t wanted = first + spacing / 2, least = 0;
        for (const std::size_t body_index : head_) {
            const Kind kind = kind_of(pattern_.body[body_index]);
            const std::size_t slot = put(body_index, std::max(earliest(body_index, wanted), least));
            if (slot > last) fail("too much stands between the products");
            if (kind != Kind::fence) result_.movable.insert(body_index);
            least = slot; // settling keeps the order of the instructions between FMAs
            wanted += spacing;
        }
    }

    void place_loads(std::size_t k, std::size_t slot) {
        const std::size_t end = ((k + pattern_.k_steps - 1) % pattern_.k_steps + 1) * cells_;
        for (const OperandLoad& load : pattern_.loads[k]) slot = earliest(load.body_index, slot);
        if (slot + behind_loads_ >= end) {
            fail("addresses are there too late");
            return;
        }
        const std::size_t spacing =
            std::max<std::size_t>(1, (end - behind_loads_ - slot) / loads_by_use_.size());
        for (const int load : loads_by_use_) {
            put_at(slot, {pattern_.loads[k][static_cast<std::size_t>(load)].body_index, k, load});
            slot += spacing;
        }
    }

    void place_tail(std::size_t slot) {
        for (const std::size_t body_index : tail_) {
            slot = put(body_index, earliest(body_index, slot));
            const bool is_uniform = kind_of(pattern_.body[body_index]) == Kind::uniform;
            if (slot + (is_uniform ? uniform_gap : gap) > end_)
                fail("too many instructions follow the barrier");
            ++slot;
        }
    }

    const LoopPattern& pattern_;
    const std::vector<int>& loads_by_use_;
    std::size_t cells_, behind_loads_, end_;
    bool is_on_demand_;                                     ///< in the order in which copies need it
    std::map<std::size_t, std::vector<Dependence>> before_; ///< by the later one
    std::map<std::size_t, std::size_t> k_step_of_load_, slots_;
    std::set<std::size_t> taken_; ///< occupied slots
    std::vector<std::size_t> early_, head_, barrier_position_, tail_;
    LoopPlacement result_;
    std::string why_not_;
};

} // namespace

std::map<std::size_t, std::size_t> LoopPlacement::positions() const {
    std::map<std::size_t, std::size_t> result;
    std::size_t position = 0;
    for (const std::vector<Item>& items : at) {
        for (const Item& item : items) result[item.body_index] = position++;
        ++position;
    }
    return result;
}

std::vector<LoopPlacement> placements(const LoopPattern& pattern, const std::vector<Dependence>& dependences,
                                      const std::vector<int>& loads_by_use) {
    std::vector<LoopPlacement> result;
    std::string why_not;
    for (const bool is_on_demand : {false, true})
        for (const std::size_t slack : slacks) {
            Placer placer(pattern, dependences, loads_by_use, slack, is_on_demand);
            if (auto placed = placer.body_index())
                result.push_back(std::move(*placed));
            else
                why_not = placer.why_not();
        }
    if (result.empty()) throw UserError("{}", why_not);
    return result;
}

} // namespace swirl::sass
