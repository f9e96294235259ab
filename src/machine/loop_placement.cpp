#include "machine/loop_placement.hpp"

#include "base/error.hpp"
#include "machine/loop_writer.hpp"

#include <algorithm>

namespace swirl::machine {

namespace {

constexpr std::size_t gap = safe_distance + 1; ///< products from a result of fixed latency to its use
constexpr std::size_t uniform_gap =
    uniform_distance + 1; ///< likewise of what a warp's threads have in common
/// Products of a step before its first load, and behind its last one, which hide its latency; of small steps a third.
constexpr std::size_t before_loads = 2, most_behind_loads = 34;
constexpr std::size_t meeting_at = 2; ///< products of the last step before threads meet
/// Products that what stands between them may be put off by, as far as there is room.
constexpr std::size_t rooms[] = {12, 6, 0};

class Placer {
public:
    Placer(const LoopPattern& pattern, const std::vector<Dependence>& dependences,
           const std::vector<int>& loads_by_use, std::size_t room, bool is_on_demand)
        : pattern_(pattern),
          loads_by_use_(loads_by_use),
          cells_(pattern.sums.size()),
          behind_loads_(std::min(most_behind_loads, cells_ / 3)),
          end_(cells_ * pattern.steps),
          is_on_demand_(is_on_demand) {
        result_.at.resize(end_ + 1);
        result_.room = room;
        for (const Dependence& each : dependences) before_[each.after].push_back(each);
        for (std::size_t step = 0; step < pattern.steps; ++step)
            for (const FactorLoad& load : pattern.loads[step]) step_of_load_[load.place] = step;
    }

    /// Nothing, and then why, where there is no room.
    std::optional<LoopPlacement> place() {
        split();
        std::size_t slot = 1;
        for (const std::size_t place : early_) put(place, earliest(place, slot));
        for (std::size_t step = 1; step < pattern_.steps; ++step)
            place_loads(step, (step - 1) * cells_ + before_loads);
        if (is_on_demand_) order_head_on_demand();
        place_head();
        const std::size_t meeting = (pattern_.steps - 1) * cells_ + meeting_at;
        for (const std::size_t place : meeting_) {
            if (earliest(place, 0) > meeting) fail("too much stands between the products");
            put_at(meeting, {place});
        }
        place_loads(0, meeting + gap);
        place_tail(meeting + gap);
        const std::size_t branch = pattern_.body.size() - 1;
        if (earliest(branch, 0) > end_) fail("the branch follows from what is too late");
        return why_not_.empty() ? std::optional(std::move(result_)) : std::nullopt;
    }
    const std::string& why_not() const { return why_not_; }

private:
    void fail(const char* why) {
        if (why_not_.empty()) why_not_ = why;
    }

    /// What these loads follow from, of what is between products.
    std::set<std::size_t> makers_of_loads(std::size_t first_step, std::size_t end_step) const {
        std::vector<std::size_t> wanted;
        for (std::size_t step = first_step; step < end_step; ++step)
            for (const FactorLoad& load : pattern_.loads[step]) wanted.push_back(load.place);
        std::set<std::size_t> result;
        while (!wanted.empty()) {
            const auto found = before_.find(wanted.back());
            wanted.pop_back();
            if (found == before_.end()) continue;
            for (const Dependence& each : found->second)
                if (!step_of_load_.contains(each.before) && result.insert(each.before).second)
                    wanted.push_back(each.before);
        }
        return result;
    }

    /// The meeting are the barrier and the waits for copies right before it.
    void split() {
        const std::vector<std::size_t>& others = pattern_.others;
        const auto kind = [&](auto place) { return kind_of(pattern_.body[*place]); };
        auto barrier = others.begin();
        while (barrier != others.end() && kind(barrier) != Kind::barrier) ++barrier;
        if (barrier == others.end() || std::ranges::count_if(others, [&](std::size_t place) {
                                           return kind_of(pattern_.body[place]) == Kind::barrier;
                                       }) != 1)
            throw UserError("threads do not meet once in an iteration");
        const auto is_wait = [&](std::size_t place) {
            return kind_of(pattern_.body[place]) == Kind::fence &&
                   pattern_.body[place].control.write_scoreboard == no_scoreboard;
        };
        for (auto place = barrier; place != others.begin(); --place) {
            const Kind before = kind(place - 1);
            if (is_wait(*(place - 1))) meeting_.insert(meeting_.begin(), *(place - 1));
            if (before == Kind::copy || (before == Kind::fence && !is_wait(*(place - 1)))) break;
        }
        meeting_.push_back(*barrier);
        const std::set<std::size_t> early = makers_of_loads(1, pattern_.steps),
                                    makers = makers_of_loads(0, 1);
        for (const std::size_t place : others) {
            if (std::ranges::find(meeting_, place) != meeting_.end()) continue;
            if (early.contains(place))
                early_.push_back(place);
            else if (place < *barrier || makers.contains(place))
                head_.push_back(place);
            else
                tail_.push_back(place);
        }
    }

    /// What copies follow from right before these, which keep their order; then the rest.
    void order_head_on_demand() {
        const std::set<std::size_t> head(head_.begin(), head_.end());
        std::set<std::size_t> done;
        std::vector<std::size_t> order;
        const auto add = [&](auto& self, std::size_t place) -> void {
            if (!head.contains(place) || !done.insert(place).second) return;
            if (const auto found = before_.find(place); found != before_.end())
                for (const Dependence& each : found->second) self(self, each.before);
            order.push_back(place);
        };
        for (const std::size_t place : head_)
            if (kind_of(pattern_.body[place]) == Kind::copy) add(add, place);
        for (const std::size_t place : head_) add(add, place);
        head_ = std::move(order);
    }

    void put_at(std::size_t slot, LoopPlacement::Item item) {
        result_.at.at(std::min(slot, end_)).push_back(item);
        slots_[item.place] = slot;
        taken_.insert(slot);
    }
    /// At the first place from there on where nothing else is.
    std::size_t put(std::size_t place, std::size_t slot) {
        while (taken_.contains(slot)) ++slot;
        if (slot > end_) fail("too much stands between the products");
        put_at(slot, {place});
        return slot;
    }

    /// Not before `wanted`, and as far as has to be from what is placed already.
    std::size_t earliest(std::size_t place, std::size_t wanted) {
        const auto found = before_.find(place);
        if (found == before_.end()) return wanted;
        for (const Dependence& each : found->second) {
            const auto slot = slots_.find(each.before);
            if (slot == slots_.end()) {
                fail("what is placed early follows from what is late");
                continue;
            }
            const std::size_t room = result_.movable.contains(each.before) ? result_.room : 0;
            const std::size_t latency =
                kind_of(pattern_.body[each.before]) == Kind::uniform ? uniform_gap : gap;
            wanted = std::max(wanted, slot->second + (each.has_latency ? latency + room : 0));
        }
        return wanted;
    }

    void place_head() {
        const std::size_t first = 1, meeting = (pattern_.steps - 1) * cells_ + meeting_at;
        const std::size_t last = meeting - std::min(meeting, gap + result_.room);
        if (head_.empty()) return;
        const std::size_t spacing = std::max<std::size_t>(1, (last - first) / head_.size());
        std::size_t wanted = first + spacing / 2, least = 0;
        for (const std::size_t place : head_) {
            const Kind kind = kind_of(pattern_.body[place]);
            const std::size_t slot = put(place, std::max(earliest(place, wanted), least));
            if (slot > last) fail("too much stands between the products");
            if (kind != Kind::fence) result_.movable.insert(place);
            least = slot; // settling does not change the order among what stands between products
            wanted += spacing;
        }
    }

    void place_loads(std::size_t step, std::size_t slot) {
        const std::size_t end = ((step + pattern_.steps - 1) % pattern_.steps + 1) * cells_;
        for (const FactorLoad& load : pattern_.loads[step]) slot = earliest(load.place, slot);
        if (slot + behind_loads_ >= end) {
            fail("addresses are there too late");
            return;
        }
        const std::size_t spacing =
            std::max<std::size_t>(1, (end - behind_loads_ - slot) / loads_by_use_.size());
        for (const int load : loads_by_use_) {
            put_at(slot, {pattern_.loads[step][static_cast<std::size_t>(load)].place, step, load});
            slot += spacing;
        }
    }

    void place_tail(std::size_t slot) {
        for (const std::size_t place : tail_) {
            slot = put(place, earliest(place, slot));
            const bool is_uniform = kind_of(pattern_.body[place]) == Kind::uniform;
            if (slot + (is_uniform ? uniform_gap : gap) > end_) fail("too much follows the meeting");
            ++slot;
        }
    }

    const LoopPattern& pattern_;
    const std::vector<int>& loads_by_use_;
    std::size_t cells_, behind_loads_, end_;
    bool is_on_demand_;                                     ///< in the order in which copies want it
    std::map<std::size_t, std::vector<Dependence>> before_; ///< by the later one
    std::map<std::size_t, std::size_t> step_of_load_, slots_;
    std::set<std::size_t> taken_; ///< slots
    std::vector<std::size_t> early_, head_, meeting_, tail_;
    LoopPlacement result_;
    std::string why_not_;
};

} // namespace

std::map<std::size_t, std::size_t> LoopPlacement::positions() const {
    std::map<std::size_t, std::size_t> result;
    std::size_t position = 0;
    for (const std::vector<Item>& items : at) {
        for (const Item& item : items) result[item.place] = position++;
        ++position;
    }
    return result;
}

std::vector<LoopPlacement> placements(const LoopPattern& pattern, const std::vector<Dependence>& dependences,
                                      const std::vector<int>& loads_by_use) {
    std::vector<LoopPlacement> result;
    std::string why_not;
    for (const bool is_on_demand : {false, true})
        for (const std::size_t room : rooms) {
            Placer placer(pattern, dependences, loads_by_use, room, is_on_demand);
            if (auto placed = placer.place())
                result.push_back(std::move(*placed));
            else
                why_not = placer.why_not();
        }
    if (result.empty()) throw UserError("{}", why_not);
    return result;
}

} // namespace swirl::machine
