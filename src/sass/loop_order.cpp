#include "sass/loop_order.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace swirl::sass {

namespace {

constexpr std::size_t beams[] = {48, 200};
constexpr std::size_t max_accumulators = 256;
constexpr std::size_t max_operands = 64;
constexpr int most_lag = 1;
/// Costs of a row or column in progress, relative to a register read: with zero, isolated FMAs are left for the end.
constexpr std::array weights = {0, 1, 2, 3, 5};

/// The first FMAs of an order. Operands stay in the reuse cache after a read, as flags can be set for any that are
/// reused.
struct Partial {
    std::vector<std::uint8_t> order;
    std::bitset<max_accumulators> done;
    std::array<int, 2> reused_rows = {-1, -1}; ///< by bank
    std::array<int, 2> reused_columns = {-1, -1};
    std::array<int, 2> lag = {};
    int cycles = 0;
    int reads = 0;
    std::array<std::uint8_t, max_operands> counts = {}; ///< FMAs done in each row, then in each column
    int begun = 0;                                      ///< rows and columns in progress

    int cost(int weight) const { return 8 * cycles + 4 * std::max(lag[0], lag[1]) + reads + weight * begun; }
};

class Search {
public:
    explicit Search(const LoopPattern& pattern) : pattern_(pattern) {
        const auto bank = [&](const OperandRegister& operand_register) {
            return (pattern.first_registers[static_cast<std::size_t>(operand_register.load)] +
                    operand_register.component) %
                   2;
        };
        if (pattern.accumulators.size() > max_accumulators || pattern.rows + pattern.columns > max_operands)
            throw UserError("an outer product of {} by {} is too large to reorder", pattern.rows,
                            pattern.columns);
        for (const OperandRegister& operand_register : pattern.row_operands)
            row_banks_.push_back(bank(operand_register));
        for (const OperandRegister& operand_register : pattern.column_operands)
            column_banks_.push_back(bank(operand_register));
    }

    using Rated = std::vector<std::pair<int, std::vector<std::uint8_t>>>;
    /// Rated by the cost of two k steps, which the order of one does not tell.
    Rated rated() const {
        Rated result;
        for (const std::size_t beam : beams)
            for (const int weight : weights) {
                const Partial found = best_by(weight, beam);
                result.emplace_back(cost_of_two_k_steps(found), found.order);
            }
        std::ranges::stable_sort(result, {}, &Rated::value_type::first);
        return result;
    }

private:
    Partial best_by(int weight, std::size_t beam) const {
        std::vector<Partial> states(1);
        for (std::size_t n = 0; n < pattern_.accumulators.size(); ++n) {
            std::vector<Partial> next;
            for (const Partial& state : states) extend(state, next);
            const auto end = next.begin() + static_cast<std::ptrdiff_t>(std::min(beam, next.size()));
            std::partial_sort(next.begin(), end, next.end(), [=](const Partial& a, const Partial& b) {
                return a.cost(weight) < b.cost(weight);
            });
            next.erase(end, next.end());
            states = std::move(next);
        }
        return states.front();
    }

    /// The second k step starts with other operands and with the first one's outstanding reads.
    int cost_of_two_k_steps(const Partial& first) const {
        Partial state;
        state.lag = first.lag;
        state.cycles = first.cycles;
        for (const std::uint8_t cell : first.order) {
            const std::size_t i = cell / pattern_.columns, j = cell % pattern_.columns;
            state = with(state, cell, state.reused_rows.at(row_bank(i)) == static_cast<int>(i),
                         state.reused_columns.at(column_bank(j)) == static_cast<int>(j));
        }
        return state.cost(0);
    }

    /// Extends by the FMAs with an operand in the cache; by all if there is none.
    void extend(const Partial& state, std::vector<Partial>& next) const {
        const std::size_t before = next.size();
        for (const bool any : {false, true}) {
            if (next.size() > before) return;
            for (std::size_t cell = 0; cell < pattern_.accumulators.size(); ++cell) {
                if (state.done.test(cell)) continue;
                const std::size_t i = cell / pattern_.columns, j = cell % pattern_.columns;
                const bool has_row = state.reused_rows.at(row_bank(i)) == static_cast<int>(i);
                const bool has_column = state.reused_columns.at(column_bank(j)) == static_cast<int>(j);
                if (any || has_row || has_column) next.push_back(with(state, cell, has_row, has_column));
            }
        }
    }
    std::size_t row_bank(std::size_t i) const { return static_cast<std::size_t>(row_banks_[i]); }
    std::size_t column_bank(std::size_t j) const { return static_cast<std::size_t>(column_banks_[j]); }

    Partial with(const Partial& state, std::size_t cell, bool has_row, bool has_column) const {
        const std::size_t i = cell / pattern_.columns, j = cell % pattern_.columns;
        Partial result = state;
        result.order.push_back(static_cast<std::uint8_t>(cell));
        result.done.set(cell);
        std::array<int, 2> needed = {};
        if (!has_row) ++needed.at(row_bank(i));
        if (!has_column) ++needed.at(column_bank(j));
        ++needed.at(static_cast<std::size_t>(pattern_.accumulators[cell] % 2));
        result.reused_rows.at(row_bank(i)) = static_cast<int>(i);
        result.reused_columns.at(column_bank(j)) = static_cast<int>(j);
        while (std::ranges::max(result.lag) > most_lag) {
            ++result.cycles;
            for (int& lag : result.lag) lag = std::max(0, lag - 1);
        }
        ++result.cycles;
        for (std::size_t bank = 0; bank < 2; ++bank)
            result.lag[bank] = std::max(0, result.lag[bank] + needed[bank] - 1);
        result.reads += needed[0] + needed[1];
        for (const auto& [operand, whole] :
             {std::pair{i, pattern_.columns}, {pattern_.rows + j, pattern_.rows}}) {
            const std::size_t count = ++result.counts.at(operand);
            if (count == 1) ++result.begun;
            if (count == whole) --result.begun;
        }
        return result;
    }

    const LoopPattern& pattern_;
    std::vector<int> row_banks_, column_banks_;
};

} // namespace

std::vector<FmaSequence> fma_sequences(const LoopPattern& pattern, std::size_t most) {
    std::vector<FmaSequence> result;
    for (const auto& [cost, order] : Search(pattern).rated()) {
        if (result.size() == most) break;
        FmaSequence& fmas = result.emplace_back();
        for (const std::uint8_t cell : order)
            fmas.emplace_back(cell / pattern.columns, cell % pattern.columns);
    }
    return result;
}

} // namespace swirl::sass
