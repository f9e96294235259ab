#pragma once

#include "problem/syntax.hpp"
#include "search/timekeeper.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {

/// A world in which all times are known beforehand: timing a recipe takes `cost` seconds of its clock, whatever it finds.
class KnownTimes final : public Timekeeper {
public:
    /// Seconds of a recipe for a problem; negative where it cannot be built.
    using Seconds = std::function<double(const Problem&, const std::string& recipe)>;
    explicit KnownTimes(Seconds seconds, double cost = 0.01) : seconds_(std::move(seconds)), cost_(cost) {}

    struct Race {
        std::string problem;
        std::vector<std::string> recipes; ///< that were timed
    };
    std::vector<Race> races;

    double now() override { return now_; }

    void race(const Problem& problem, std::span<Contender> contenders, double until,
              const Seen& seen) override {
        Race race{to_text(problem), {}};
        for (std::size_t i = 0; i < contenders.size() && (i == 0 || now_ + cost_ <= until); ++i) {
            now_ += cost_;
            const std::string recipe = planning::to_string(contenders[i].recipe);
            const double seconds = seconds_(problem, recipe);
            contenders[i].fits = seconds >= 0;
            if (!contenders[i].fits) continue;
            contenders[i].seconds = seconds;
            race.recipes.push_back(recipe);
            seen(i);
        }
        races.push_back(std::move(race));
    }

    long races_of(const std::string& problem) const {
        return std::count_if(races.begin(), races.end(),
                             [&](const Race& race) { return race.problem == problem; });
    }

private:
    Seconds seconds_;
    double cost_;
    double now_ = 0;
};

} // namespace swirl::search
