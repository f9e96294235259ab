#include "sass/loop_pattern.hpp"

#include "base/error.hpp"
#include "sass/symbolic.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace swirl::sass {

namespace {

using Tag = Terms::Tag;

/// Instructions that may stay, as they are, between the FMAs.
bool may_stand_between(const Instruction& instruction) {
    switch (kind_of(instruction)) {
    case Kind::special: return is_constant_load(instruction);
    case Kind::uniform:
    case Kind::integer:
    case Kind::move:
    case Kind::predicate:
    case Kind::copy:
    case Kind::fence:
    case Kind::barrier: return true;
    default: return false;
    }
}

class Reader {
public:
    Reader(const Code& code, int registers) : code_(code), registers_(registers) {}

    LoopPattern read() {
        const auto span = main_loop(code_);
        if (!span) throw UserError("no loop contains FMAs");
        result_.span = *span;
        const auto begin = code_.begin() + static_cast<std::ptrdiff_t>(span->first);
        result_.body.assign(begin, begin + static_cast<std::ptrdiff_t>(span->size()));
        require_closed();
        execute();
        read_accumulators();
        read_copied_accumulators();
        read_k_steps();
        read_loads();
        read_others();
        return std::move(result_);
    }

private:
    /// No branch enters the loop's middle, and none leaves it but at the end.
    void require_closed() const {
        const LoopSpan& span = result_.span;
        for (std::size_t body_index = 0; body_index < code_.size(); ++body_index) {
            const auto distance = distance_of(code_[body_index]);
            if (body_index == span.last || !distance) continue;
            const auto target =
                static_cast<std::size_t>(static_cast<std::int64_t>(body_index) + 1 + *distance);
            if (span.has(body_index)) throw UserError("the loop contains a branch");
            if (span.has(target) && target != span.first) throw UserError("a branch enters the loop");
        }
        for (const Instruction& instruction : result_.body)
            if (!has_known_registers(instruction))
                throw UserError("the registers that '{}' in the loop reads are unknown",
                                name_of(instruction));
    }

    void execute() {
        for (const Instruction& instruction : result_.body) {
            run_.execute(instruction);
            const bool is_copy = copied_register(instruction).has_value();
            copies_.push_back(is_copy ? run_.value_of(instruction.d) : -1);
        }
        const std::vector<RegisterSet> live = live_registers(code_);
        result_.live_out = live[result_.span.first] | live[result_.span.last + 1];
        for (const Instruction& instruction : result_.body)
            for (const RegisterRange& range : registers_written(instruction))
                for (int k = 0; k < range.count; ++k) written_.set(static_cast<std::size_t>(range.first + k));
        const int registers = std::min(registers_, named_registers(code_));
        for (int k = 0; k < registers && k < zero_register; ++k)
            result_.free.set(static_cast<std::size_t>(k),
                             !result_.live_out.test(static_cast<std::size_t>(k)));
    }

    /// The operands of each accumulator, k step by k step: chains of multiply-adds that begin and end in the same
    /// register.
    void read_accumulators() {
        for (int reg = 0; reg < zero_register; ++reg) {
            if (!written_.test(static_cast<std::size_t>(reg)) ||
                !result_.live_out.test(static_cast<std::size_t>(reg)))
                continue;
            int value = run_.value_of(reg);
            std::vector<std::pair<int, int>> chain;
            while (terms_[value].tag == Tag::multiply_add) {
                const std::vector<std::uint64_t>& key = terms_[value].key;
                chain.emplace_back(static_cast<int>(key[2]), static_cast<int>(key[3]));
                value = static_cast<int>(key[4]);
            }
            if (chain.empty()) continue;
            if (terms_[value].tag != Tag::entry ||
                terms_[value].key.front() != static_cast<std::uint64_t>(reg))
                throw UserError("the accumulator in R{} does not start in the same register", reg);
            std::ranges::reverse(chain);
            if (!chains_.empty() && chain.size() != chains_.front().size())
                throw UserError("accumulators have {} and {} FMAs per iteration; they need the same reg",
                                chains_.front().size(), chain.size());
            accumulator_registers_.push_back(reg);
            chains_.push_back(std::move(chain));
        }
        if (chains_.empty()) throw UserError("the loop carries no accumulators");
        result_.k_steps = chains_.front().size();
        const auto fmas = static_cast<std::size_t>(std::ranges::count_if(
            result_.body, [](const Instruction& i) { return kind_of(i) == Kind::multiply_add; }));
        if (fmas != result_.k_steps * chains_.size())
            throw UserError("some FMAs do not update an accumulator");
        for (const Instruction& instruction : result_.body)
            if (kind_of(instruction) == Kind::multiply_add) {
                result_.fma = instruction;
                break;
            }
        if (result_.k_steps % 2 != 0 || result_.k_steps < 4)
            throw UserError("{} k indices per iteration; needs an even reg of at least 4", result_.k_steps);
    }

    /// Moves from and to accumulators.
    void read_copied_accumulators() {
        std::set<int> of_accumulators;
        for (const int reg : accumulator_registers_)
            for (int value = run_.value_of(reg);; value = static_cast<int>(terms_[value].key[4])) {
                of_accumulators.insert(value);
                if (terms_[value].tag != Tag::multiply_add) break;
            }
        for (const int value : copies_)
            is_copied_accumulator_.push_back(value >= 0 && of_accumulators.contains(value));
    }

    /// Rows and columns of the first k step's outer product: an operand's partners are of the other kind.
    void read_k_steps() {
        std::map<int, std::set<int>> neighbours;
        for (const auto& chain : chains_) {
            neighbours[chain[0].first].insert(chain[0].second);
            neighbours[chain[0].second].insert(chain[0].first);
        }
        const std::set<int> columns = neighbours.begin()->second;
        const std::set<int> rows = neighbours[*columns.begin()];
        result_.rows = rows.size();
        result_.columns = columns.size();
        if (rows.size() * columns.size() != chains_.size()) throw UserError("the FMAs form no outer product");
        row_values_.assign(result_.k_steps, std::vector<int>(rows.size(), -1));
        column_values_.assign(result_.k_steps, std::vector<int>(columns.size(), -1));
        result_.accumulators.assign(chains_.size(), -1);
        const auto index = [](const std::set<int>& of, int value) {
            return static_cast<std::size_t>(std::distance(of.begin(), of.find(value)));
        };
        std::vector<std::pair<std::size_t, std::size_t>> cells;
        for (std::size_t c = 0; c < chains_.size(); ++c) {
            auto [x, y] = chains_[c][0];
            if (!rows.contains(x)) std::swap(x, y);
            if (!rows.contains(x) || !columns.contains(y)) throw UserError("the FMAs form no outer product");
            cells.emplace_back(index(rows, x), index(columns, y));
            int& accumulator = result_.accumulators.at(index(rows, x) * columns.size() + index(columns, y));
            if (accumulator >= 0) throw UserError("two accumulators have the same operands");
            accumulator = accumulator_registers_[c];
        }
        for (std::size_t k = 0; k < result_.k_steps; ++k) read_k_step(k, cells);
    }

    /// A row's operand is the one that all its accumulators share.
    void read_k_step(std::size_t k, const std::vector<std::pair<std::size_t, std::size_t>>& cells) {
        const auto common = [&](auto of, std::size_t wanted) {
            std::set<int> both;
            bool is_first = true;
            for (std::size_t c = 0; c < cells.size(); ++c) {
                if (cells[c].*of != wanted) continue;
                const std::set<int> pair = {chains_[c][k].first, chains_[c][k].second};
                if (is_first)
                    both = pair;
                else
                    std::erase_if(both, [&](int value) { return !pair.contains(value); });
                is_first = false;
            }
            if (both.size() != 1) throw UserError("k index {} has an outer product of another shape", k);
            return *both.begin();
        };
        using Cell = std::pair<std::size_t, std::size_t>;
        for (std::size_t i = 0; i < result_.rows; ++i) row_values_[k][i] = common(&Cell::first, i);
        for (std::size_t j = 0; j < result_.columns; ++j) column_values_[k][j] = common(&Cell::second, j);
    }

    void read_loads() {
        // The registers of the first k step's operands at the loop's entry hold the next iteration's at its end.
        std::map<std::size_t, int> known; // loads of k step 0, by body index
        result_.loads.resize(result_.k_steps);
        const auto operand_register = [&](int value) -> OperandRegister {
            const Terms::Term& entry = terms_[value];
            if (entry.tag != Tag::entry)
                throw UserError("the operands of k index 0 are not loaded by the previous iteration");
            const Terms::Term& next = terms_[run_.value_of(static_cast<int>(entry.key.front()))];
            if (next.tag != Tag::load) throw UserError("the operands of k index 0 do not come from loads");
            const auto [found, is_new] =
                known.emplace(next.body_index, static_cast<int>(result_.loads[0].size()));
            const int first = static_cast<int>(entry.key.front()) - next.component;
            if (is_new) {
                result_.loads[0].push_back({next.body_index, width_of(next.body_index)});
                result_.first_registers.push_back(first);
            } else if (result_.first_registers[static_cast<std::size_t>(found->second)] != first) {
                throw UserError("the registers of one load are not adjacent");
            }
            return {found->second, next.component};
        };
        for (const int value : row_values_[0]) result_.row_operands.push_back(operand_register(value));
        for (const int value : column_values_[0]) result_.column_operands.push_back(operand_register(value));
        for (std::size_t k = 1; k < result_.k_steps; ++k) read_loads_of(k);
    }

    int width_of(std::size_t body_index) const {
        return registers_written(result_.body[body_index]).front().count;
    }

    void read_loads_of(std::size_t k) {
        std::vector<OperandLoad>& loads = result_.loads[k];
        loads.assign(result_.loads[0].size(), {});
        const auto match = [&](int value, const OperandRegister& body_index) {
            const Terms::Term& term = terms_[value];
            OperandLoad& load = loads[static_cast<std::size_t>(body_index.load)];
            if (term.tag != Tag::load || term.component != body_index.component)
                throw UserError("k index {} has its operands in another order than k index 0", k);
            if (load.width == 0) load = {term.body_index, width_of(term.body_index)};
            if (load.body_index != term.body_index ||
                load.width != result_.loads[0][static_cast<std::size_t>(body_index.load)].width)
                throw UserError("k index {} has loads of another width than k index 0", k);
        };
        for (std::size_t i = 0; i < result_.rows; ++i) match(row_values_[k][i], result_.row_operands[i]);
        for (std::size_t j = 0; j < result_.columns; ++j)
            match(column_values_[k][j], result_.column_operands[j]);
    }

    void read_others() {
        std::set<std::size_t> operand_loads;
        for (const auto& loads : result_.loads)
            for (const OperandLoad& load : loads) operand_loads.insert(load.body_index);
        for (std::size_t body_index = 0; body_index + 1 < result_.body.size(); ++body_index) {
            const Kind kind = kind_of(result_.body[body_index]);
            if (kind == Kind::multiply_add || kind == Kind::nothing || operand_loads.contains(body_index))
                continue;
            if (is_copied_accumulator_[body_index]) continue; // accumulators do not move
            if (!may_stand_between(result_.body[body_index]))
                throw UserError("the loop contains '{}', which cannot be moved",
                                name_of(result_.body[body_index]));
            result_.other_instructions.push_back(body_index);
        }
    }

    const Code& code_;
    int registers_;
    RegisterSet written_;
    LoopPattern result_;
    Terms terms_;
    SymbolicRun run_{terms_};
    std::vector<int> copies_; ///< value that each instruction copies; −1: none
    std::vector<bool> is_copied_accumulator_;
    std::vector<int> accumulator_registers_;
    std::vector<std::vector<std::pair<int, int>>> chains_;     ///< of each accumulator
    std::vector<std::vector<int>> row_values_, column_values_; ///< by k step
};

} // namespace

LoopPattern loop_pattern(const Code& code, int registers) { return Reader(code, registers).read(); }

} // namespace swirl::sass
