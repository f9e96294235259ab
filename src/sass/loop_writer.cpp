#include "sass/loop_writer.hpp"

#include "base/error.hpp"
#include "sass/issue.hpp"
#include "sass/loop_order.hpp"
#include "sass/loop_placement.hpp"
#include "sass/loop_scoreboards.hpp"

#include <algorithm>
#include <map>

namespace swirl::sass {

namespace {

constexpr int copies_scoreboard = 5;
/// Positions after a copy until which its operands are not overwritten, if registers suffice.
constexpr std::size_t copies_read_for[] = {40, 0};
constexpr std::size_t max_sequences = 5; ///< FMA orders to try
constexpr Word nothing{0x7918, 0x000fe20000000000};

class Writer {
public:
    explicit Writer(const LoopPattern& pattern) : pattern_(pattern), webs_(pattern) {}

    /// The fewest model cycles over several FMA orders and all placements.
    Code write() {
        choose_registers();
        Code best;
        std::string why_not;
        for (const FmaSequence& order : fma_sequences(pattern_, max_sequences)) {
            order_ = order;
            write_with_sequence(best, why_not);
        }
        if (best.empty()) throw UserError("{}", why_not);
        best.resize(pattern_.body.size(), decode(nothing));
        return best;
    }

private:
    void write_with_sequence(Code& best, std::string& why_not) {
        const std::vector<int> by_use = loads_by_use();
        slot_of_load_.clear();
        for (std::size_t n = 0; n < by_use.size(); ++n) slot_of_load_[by_use[n]] = n;
        for (const LoopPlacement& placed : placements(pattern_, dependences(pattern_, webs_), by_use))
            for (const std::size_t copy_reads_for : copies_read_for) {
                try {
                    Code code = written(placed, copy_reads_for);
                    if (best.empty() || issue_of_loop(code).cycles() < issue_of_loop(best).cycles())
                        best = std::move(code);
                    break;
                } catch (const UserError& error) {
                    why_not = error.what();
                }
            }
    }

    Code written(const LoopPlacement& placed, std::size_t copy_reads_for) const {
        LoopWebs webs = webs_;
        webs.allocate(placed.positions(), second_, copy_reads_for);
        Code code;
        std::vector<std::size_t> movable;
        for (std::size_t n = 0; n < placed.at.size(); ++n) {
            for (const LoopPlacement::Item& item : placed.at[n]) {
                if (placed.movable.contains(item.body_index)) movable.push_back(code.size());
                code.push_back(instruction(item, webs));
            }
            if (n + 1 < placed.at.size()) code.push_back(fma(n));
        }
        Instruction branch = pattern_.body.back();
        set_distance(branch, -static_cast<std::int64_t>(code.size()) - 1);
        code.push_back(branch);
        settle(code, movable, placed.slack);
        set_scoreboard_waits(code);
        set_reuse_flags(code);
        if (code.size() > pattern_.body.size())
            throw UserError("{} instructions do not fit into the {} of the compiled loop", code.size(),
                            pattern_.body.size());
        return code;
    }

    std::size_t load_count() const { return pattern_.loads[0].size(); }

    /// Chooses the second set of operand registers, aligned as the first, among those that the loop may write.
    void choose_registers() {
        for (std::size_t load = 0; load < load_count(); ++load) {
            const int width = pattern_.loads[0][load].width;
            const int alignment = std::max(2, width);
            int chosen = -1;
            for (int first = pattern_.first_registers[load] % alignment;
                 first + width <= zero_register && chosen < 0; first += alignment) {
                bool is_free = true;
                for (int k = first; k < first + width; ++k) {
                    const auto body_index = static_cast<std::size_t>(k);
                    is_free = is_free && pattern_.free.test(body_index) && !second_.test(body_index);
                }
                if (is_free) chosen = first;
            }
            if (chosen < 0) throw UserError("too few registers for the operands of two k indices");
            for (int k = chosen; k < chosen + width; ++k) second_.set(static_cast<std::size_t>(k));
            second_registers_.push_back(chosen);
        }
    }

    /// A k step's loads, in the order of their first use.
    std::vector<int> loads_by_use() const {
        std::vector<int> result;
        const auto add = [&](int load) {
            if (std::ranges::find(result, load) == result.end()) result.push_back(load);
        };
        for (const auto& [i, j] : order_) {
            add(pattern_.row_operands[i].load);
            add(pattern_.column_operands[j].load);
        }
        return result;
    }

    /// Delays movable instructions by some FMAs, to where register banks have time for their operands.
    static void settle(Code& code, const std::vector<std::size_t>& movable, std::size_t slack) {
        constexpr std::size_t around = 24;
        for (const std::size_t body_index : movable) {
            const std::size_t first = body_index - std::min(body_index, around);
            const std::size_t end = std::min(code.size() - 1, body_index + slack + around);
            const auto cycles_after = [&](std::size_t passed) {
                Code window(code.begin() + static_cast<std::ptrdiff_t>(first),
                            code.begin() + static_cast<std::ptrdiff_t>(end));
                const auto own = window.begin() + static_cast<std::ptrdiff_t>(body_index - first);
                std::rotate(own, own + 1, own + 1 + static_cast<std::ptrdiff_t>(passed));
                set_reuse_flags(window);
                IssueModel model;
                for (const Instruction& instruction : window) model.issue(instruction);
                return model.cycles();
            };
            std::size_t best = 0;
            long long least = cycles_after(0);
            for (std::size_t passed = 1; passed <= slack; ++passed) {
                if (body_index + passed >= end || kind_of(code[body_index + passed]) != Kind::multiply_add)
                    break;
                if (const long long cycles = cycles_after(passed); cycles < least) {
                    least = cycles;
                    best = passed;
                }
            }
            const auto own = code.begin() + static_cast<std::ptrdiff_t>(body_index);
            std::rotate(own, own + 1, own + 1 + static_cast<std::ptrdiff_t>(best));
        }
    }

    int register_of(const OperandRegister& body_index, std::size_t k) const {
        const std::vector<int>& registers = k % 2 == 0 ? pattern_.first_registers : second_registers_;
        return registers[static_cast<std::size_t>(body_index.load)] + body_index.component;
    }

    Instruction fma(std::size_t n) const {
        const std::size_t k = n / order_.size();
        const auto [i, j] = order_[n % order_.size()];
        Instruction result = pattern_.fma;
        result.control = {};
        result.a = register_of(pattern_.row_operands[i], k);
        result.b = register_of(pattern_.column_operands[j], k);
        result.c = result.d = pattern_.accumulators[i * pattern_.columns + j];
        return result;
    }

    /// Each register set has two scoreboards: for the first half of its loads and for the second.
    Instruction instruction(const LoopPlacement::Item& item, const LoopWebs& webs) const {
        Instruction result = webs.renamed(item.body_index);
        const Kind kind = kind_of(result);
        if (kind == Kind::fence || kind == Kind::barrier) {
            result.control.wait = 0;
            if (result.control.read_scoreboard != no_scoreboard ||
                (result.control.write_scoreboard != no_scoreboard && result.control.write_scoreboard != 0))
                throw UserError("a fence uses a scoreboard of the loop");
            return result;
        }
        result.control = {};
        if (is_constant_load(result)) result.control.write_scoreboard = copies_scoreboard;
        if (kind == Kind::copy) result.control.read_scoreboard = copies_scoreboard;
        if (item.load >= 0) {
            result.d = register_of({item.load, 0}, item.k);
            const bool is_late = slot_of_load_.at(item.load) >= load_count() / 2;
            result.control.write_scoreboard = 1 + 2 * static_cast<int>(item.k % 2) + (is_late ? 1 : 0);
        }
        return result;
    }

    const LoopPattern& pattern_;
    FmaSequence order_;
    LoopWebs webs_;
    std::map<int, std::size_t> slot_of_load_; ///< among its k step's
    std::vector<int> second_registers_;
    RegisterSet second_;
};

} // namespace

Code reordered_loop(const LoopPattern& pattern) { return Writer(pattern).write(); }

} // namespace swirl::sass
