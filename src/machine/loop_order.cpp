#include "machine/loop_order.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace swirl::machine {

namespace {

constexpr std::size_t beam = 48;
constexpr std::size_t most_sums = 256;
constexpr int most_late = 1;

/// Products in order so far. Operands that are read stay in the cache, as flags can be set for any that are wanted again.
struct Partial {
    std::vector<std::uint8_t> order;
    std::bitset<most_sums> done;
    std::array<int, 2> kept_rows = {-1, -1}; ///< by bank
    std::array<int, 2> kept_columns = {-1, -1};
    std::array<int, 2> late = {};
    int cycles = 0;
    int reads = 0;

    int cost() const { return 8 * cycles + 4 * std::max(late[0], late[1]) + reads; }
};

class Search {
public:
    explicit Search(const LoopPattern& pattern) : pattern_(pattern) {
        const auto bank = [&](const FactorPlace& place) {
            return (pattern.first_registers[static_cast<std::size_t>(place.load)] + place.component) % 2;
        };
        for (const FactorPlace& place : pattern.row_places) row_banks_.push_back(bank(place));
        for (const FactorPlace& place : pattern.column_places) column_banks_.push_back(bank(place));
    }

    std::vector<std::uint8_t> best() const {
        std::vector<Partial> states(1);
        for (std::size_t n = 0; n < pattern_.sums.size(); ++n) {
            std::vector<Partial> next;
            for (const Partial& state : states) extend(state, next);
            const auto end = next.begin() + static_cast<std::ptrdiff_t>(std::min(beam, next.size()));
            std::partial_sort(next.begin(), end, next.end(),
                              [](const Partial& a, const Partial& b) { return a.cost() < b.cost(); });
            next.erase(end, next.end());
            states = std::move(next);
        }
        return states.front().order;
    }

private:
    /// By the products that find a factor in the cache; by all where there is none.
    void extend(const Partial& state, std::vector<Partial>& next) const {
        const std::size_t before = next.size();
        for (const bool any : {false, true}) {
            if (next.size() > before) return;
            for (std::size_t cell = 0; cell < pattern_.sums.size(); ++cell) {
                if (state.done.test(cell)) continue;
                const std::size_t i = cell / pattern_.columns, j = cell % pattern_.columns;
                const bool has_row = state.kept_rows.at(row_bank(i)) == static_cast<int>(i);
                const bool has_column = state.kept_columns.at(column_bank(j)) == static_cast<int>(j);
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
        ++needed.at(static_cast<std::size_t>(pattern_.sums[cell] % 2));
        result.kept_rows.at(row_bank(i)) = static_cast<int>(i);
        result.kept_columns.at(column_bank(j)) = static_cast<int>(j);
        while (std::ranges::max(result.late) > most_late) {
            ++result.cycles;
            for (int& late : result.late) late = std::max(0, late - 1);
        }
        ++result.cycles;
        for (std::size_t bank = 0; bank < 2; ++bank)
            result.late[bank] = std::max(0, result.late[bank] + needed[bank] - 1);
        result.reads += needed[0] + needed[1];
        return result;
    }

    const LoopPattern& pattern_;
    std::vector<int> row_banks_, column_banks_;
};

} // namespace

std::vector<std::pair<std::size_t, std::size_t>> product_order(const LoopPattern& pattern) {
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (const std::uint8_t cell : Search(pattern).best())
        result.emplace_back(cell / pattern.columns, cell % pattern.columns);
    return result;
}

} // namespace swirl::machine
