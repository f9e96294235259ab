#include "machine/loop_writer.hpp"

#include "base/error.hpp"
#include "machine/issue.hpp"
#include "machine/loop_order.hpp"
#include "machine/loop_waits.hpp"
#include "machine/loop_webs.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace swirl::machine {

namespace {

constexpr std::size_t gap =
    safe_distance + 1; ///< products between instructions that may depend on each other
/// Products of a step before its first load, and behind its last one, which hide its latency.
constexpr std::size_t before_loads = 2, behind_loads = 34;
constexpr std::size_t meeting_at = 2; ///< products of the last step before threads meet
constexpr std::size_t most_room = 12; ///< products that others may be put off by
constexpr int copies_scoreboard = 5;
constexpr Word nothing{0x7918, 0x000fe20000000000};

class Writer {
public:
    explicit Writer(const LoopPattern& pattern)
        : pattern_(pattern),
          order_(product_order(pattern)),
          cells_(order_.size()),
          at_(cells_ * pattern.steps + 1) {}

    Code write() {
        choose_registers();
        place_others();
        place_loads();
        const LoopWebs webs(pattern_, positions(), second_);
        Code code;
        std::vector<std::size_t> movable;
        for (std::size_t n = 0; n < at_.size(); ++n) {
            for (const Item& item : at_[n]) {
                if (movable_.contains(item.place)) movable.push_back(code.size());
                code.push_back(instruction(item, webs));
            }
            if (n + 1 < at_.size()) code.push_back(product(n));
        }
        Instruction branch = pattern_.body.back();
        set_distance(branch, -static_cast<std::int64_t>(code.size()) - 1);
        code.push_back(branch);
        settle(code, movable);
        set_waits(code);
        keep_operands(code);
        if (code.size() > pattern_.body.size())
            throw UserError("{} instructions do not fit where {} were", code.size(), pattern_.body.size());
        code.resize(pattern_.body.size(), decode(nothing));
        return code;
    }

private:
    struct Item {
        std::size_t place; ///< in the compiled body
        std::size_t step = 0;
        int load = -1; ///< of the step; −1: no load of factors
    };
    std::size_t load_count() const { return pattern_.loads[0].size(); }

    /// The second set of factors' registers, aligned as the first, of those that the loop may write.
    void choose_registers() {
        for (std::size_t load = 0; load < load_count(); ++load) {
            const int width = pattern_.loads[0][load].width;
            const int alignment = std::max(2, width);
            int chosen = -1;
            for (int first = pattern_.first_registers[load] % alignment;
                 first + width <= zero_register && chosen < 0; first += alignment) {
                bool is_free = true;
                for (int k = first; k < first + width; ++k) {
                    const auto place = static_cast<std::size_t>(k);
                    is_free = is_free && pattern_.free.test(place) && !second_.test(place);
                }
                if (is_free) chosen = first;
            }
            if (chosen < 0) throw UserError("registers do not suffice for two steps' factors");
            for (int k = chosen; k < chosen + width; ++k) second_.set(static_cast<std::size_t>(k));
            second_registers_.push_back(chosen);
        }
    }

    void put(std::size_t slot, Item item) {
        at_[slot].push_back(item);
        slots_[item.place] = slot;
    }

    /// In their order: what loads' addresses come from soon, all before the meeting evenly, the meeting, and the rest.
    void place_others() {
        const std::vector<std::size_t>& others = pattern_.others;
        const auto is = [&](Kind kind) {
            return [&, kind](std::size_t place) { return kind_of(pattern_.body[place]) == kind; };
        };
        if (std::ranges::count_if(others, is(Kind::barrier)) != 1)
            throw UserError("threads do not meet once in an iteration");
        const auto barrier = std::ranges::find_if(others, is(Kind::barrier));
        auto wait = barrier;
        while (wait != others.begin() && kind_of(pattern_.body[*(wait - 1)]) == Kind::fence &&
               pattern_.body[*(wait - 1)].control.write_scoreboard == no_scoreboard)
            --wait;
        makers_ = LoopWebs::makers_of_addresses(pattern_);
        std::size_t early = 0; // others up to the last one that an address follows from
        for (std::size_t step = 1; step < pattern_.steps; ++step)
            for (const FactorLoad& load : pattern_.loads[step])
                if (const auto maker = makers_.find(load.place); maker != makers_.end())
                    early = std::max<std::size_t>(
                        early,
                        static_cast<std::size_t>(std::ranges::find(others, maker->second) - others.begin()) +
                            1);
        const auto head = static_cast<std::size_t>(wait - others.begin());
        if (early > head) throw UserError("addresses of a step follow from the meeting");
        const std::size_t meeting = (pattern_.steps - 1) * cells_ + meeting_at;
        std::size_t slot = 1;
        for (std::size_t k = 0; k < early; ++k, slot += gap) put(slot, {others[k]});
        const std::size_t spacing = head > early ? (meeting - gap - slot) / (head - early) : gap;
        if (slot + gap > meeting || spacing < gap) throw UserError("too much stands between the products");
        for (std::size_t k = early; k < head; ++k, slot += spacing) {
            put(slot, {others[k]});
            movable_.insert(others[k]);
        }
        room_ = std::min(spacing - gap, most_room);
        slot = meeting;
        for (auto place = wait; place <= barrier; ++place) put(slot, {*place});
        for (auto place = barrier + 1; place != others.end(); ++place) {
            slot += gap;
            put(slot, {*place});
        }
        if (slot + gap > at_.size() - 1) throw UserError("too much follows the meeting");
    }

    /// A step's loads between the products of the step before, those first whose numbers are wanted first.
    void place_loads() {
        std::vector<int> by_use;
        const auto add = [&](int load) {
            if (std::ranges::find(by_use, load) == by_use.end()) by_use.push_back(load);
        };
        for (const auto& [i, j] : order_) {
            add(pattern_.row_places[i].load);
            add(pattern_.column_places[j].load);
        }
        for (std::size_t step = 1; step <= pattern_.steps; ++step) {
            const std::size_t wanted = step % pattern_.steps, start = (step - 1) * cells_;
            std::size_t slot = start + (wanted == 0 ? meeting_at + gap : before_loads);
            for (const FactorLoad& load : pattern_.loads[wanted])
                if (const auto maker = makers_.find(load.place); maker != makers_.end())
                    slot = std::max(slot, slots_.at(maker->second) + gap);
            if (slot + behind_loads >= start + cells_) throw UserError("addresses are there too late");
            const std::size_t spacing =
                std::max<std::size_t>(1, (start + cells_ - behind_loads - slot) / by_use.size());
            for (const int load : by_use) {
                put(slot, {pattern_.loads[wanted][static_cast<std::size_t>(load)].place, wanted, load});
                order_of_loads_[{wanted, load}] = order_of_loads_.size();
                slot += spacing;
            }
        }
    }

    /// Lets what has room pass by some products, to where these leave banks time for its operands.
    void settle(Code& code, const std::vector<std::size_t>& movable) const {
        constexpr std::size_t around = 24;
        for (const std::size_t place : movable) {
            const std::size_t first = place - std::min(place, around);
            const std::size_t end = std::min(code.size() - 1, place + room_ + around);
            const auto cycles_after = [&](std::size_t passed) {
                Code window(code.begin() + static_cast<std::ptrdiff_t>(first),
                            code.begin() + static_cast<std::ptrdiff_t>(end));
                const auto own = window.begin() + static_cast<std::ptrdiff_t>(place - first);
                std::rotate(own, own + 1, own + 1 + static_cast<std::ptrdiff_t>(passed));
                keep_operands(window);
                IssueModel model;
                for (const Instruction& instruction : window) model.issue(instruction);
                return model.cycles();
            };
            std::size_t best = 0;
            long long least = cycles_after(0);
            for (std::size_t passed = 1; passed <= room_; ++passed) {
                if (place + passed >= end || kind_of(code[place + passed]) != Kind::multiply_add) break;
                if (const long long cycles = cycles_after(passed); cycles < least) {
                    least = cycles;
                    best = passed;
                }
            }
            const auto own = code.begin() + static_cast<std::ptrdiff_t>(place);
            std::rotate(own, own + 1, own + 1 + static_cast<std::ptrdiff_t>(best));
        }
    }

    std::map<std::size_t, std::size_t> positions() const {
        std::map<std::size_t, std::size_t> result;
        std::size_t position = 0;
        for (const std::vector<Item>& items : at_) {
            for (const Item& item : items) result[item.place] = position++;
            ++position;
        }
        return result;
    }

    int register_of(const FactorPlace& place, std::size_t step) const {
        const std::vector<int>& registers = step % 2 == 0 ? pattern_.first_registers : second_registers_;
        return registers[static_cast<std::size_t>(place.load)] + place.component;
    }

    Instruction product(std::size_t n) const {
        const std::size_t step = n / cells_;
        const auto [i, j] = order_[n % cells_];
        Instruction result = pattern_.product;
        result.control = {};
        result.a = register_of(pattern_.row_places[i], step);
        result.b = register_of(pattern_.column_places[j], step);
        result.c = result.d = pattern_.sums[i * pattern_.columns + j];
        return result;
    }

    /// Two scoreboards for each set of registers, for its loads' first half and second.
    Instruction instruction(const Item& item, const LoopWebs& webs) const {
        Instruction result = webs.renamed(item.place);
        const Kind kind = kind_of(result);
        if (kind == Kind::fence || kind == Kind::barrier) {
            result.control.wait = 0;
            if (result.control.read_scoreboard != no_scoreboard ||
                (result.control.write_scoreboard != no_scoreboard && result.control.write_scoreboard != 0))
                throw UserError("a fence has a scoreboard of the loop");
            return result;
        }
        result.control = {};
        if (kind == Kind::copy) result.control.read_scoreboard = copies_scoreboard;
        if (item.load >= 0) {
            result.d = register_of({item.load, 0}, item.step);
            const bool is_late =
                order_of_loads_.at({item.step, item.load}) % load_count() >= load_count() / 2;
            result.control.write_scoreboard = 1 + 2 * static_cast<int>(item.step % 2) + (is_late ? 1 : 0);
        }
        return result;
    }

    const LoopPattern& pattern_;
    std::vector<std::pair<std::size_t, std::size_t>> order_;
    std::size_t cells_;
    std::vector<std::vector<Item>> at_; ///< what stands before each product
    std::map<std::size_t, std::size_t> slots_, makers_;
    std::set<std::size_t> movable_; ///< places of what has room, and how many products it may pass
    std::size_t room_ = 0;
    std::map<std::pair<std::size_t, int>, std::size_t> order_of_loads_;
    std::vector<int> second_registers_;
    RegisterSet second_;
};

} // namespace

Code written_loop(const LoopPattern& pattern) { return Writer(pattern).write(); }

} // namespace swirl::machine
