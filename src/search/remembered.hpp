#pragma once

#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "search/timekeeper.hpp"
#include "search/wisdom.hpp"
#include "target/cpu.hpp"

#include <optional>
#include <vector>

/// What wisdom says to planning, and how far it is to be trusted.
namespace swirl::search {

struct Remembered {
    planning::Recipe recipe;
    double seconds;
    FoundBy found_by;
    bool is_current; ///< found by this version of swirl: another one's code may run otherwise
};

/// The wisdom that the environment names, as recipes for this machine and one CPU.
class RecipeMemory {
public:
    /// Not `in_use`, it knows nothing and keeps nothing.
    RecipeMemory(const target::Cpu& cpu, bool in_use) : cpu_(cpu), in_use_(in_use) {}

    /// This machine's recipe. One that is none, or for another CPU, is forgotten.
    std::optional<Remembered> recall(const Problem& problem, int threads);

    /// Recipes for this CPU that other machines, or other numbers of threads, found best: worth trying, no more.
    std::vector<planning::Recipe> elsewhere(const Problem& problem, int threads);

    /// In place of what was there, which was among those that the winner has won against.
    void keep(const Problem& problem, int threads, const Contender& winner, FoundBy how);
    void forget(const Problem& problem, int threads);

private:
    /// Null where there is no wisdom yet and none is to be begun.
    Wisdom* open(bool to_write) const;
    WisdomKey key_of(const Problem& problem, int threads) const;

    const target::Cpu& cpu_;
    bool in_use_;
};

} // namespace swirl::search
