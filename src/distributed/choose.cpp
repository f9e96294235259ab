#include "distributed/choose.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace swirl::distributed {

namespace {

Integer common_elements(const Box& a, const Box& b) {
    Integer count = 1;
    for (std::size_t axis = 0; axis < a.lower.size(); ++axis) {
        const Integer common =
            std::min(a.upper[axis], b.upper[axis]) - std::max(a.lower[axis], b.lower[axis]);
        if (common <= 0) return 0;
        count *= common;
    }
    return count;
}

Integer common_elements(const Pieces& a, const Pieces& b) {
    Integer count = 0;
    for (const Box& x : a)
        for (const Box& y : b) count += common_elements(x, y);
    return count;
}

/// Whether messages of this many bytes from a rank are sent while the next ones are transformed: into how many parts, else 1.
Integer parts_of(Integer bytes, std::size_t ranks, const Model& model) {
    return model.shared == SharedArrays::none
               ? chunks_of_exchange(bytes, static_cast<int>(ranks), ChunkSizes{})
               : 1;
}

/// A local factor and the exchange after it, which overlap but for the first part of one and the last part of the other.
double overlapped(double local, double exchange, Integer parts) {
    const double shorter = std::min(local, exchange), longer = std::max(local, exchange);
    return longer + shorter / static_cast<double>(parts);
}

/// Seconds of the slowest of a few ranks to send its elements, message by message, and to copy its own.
double exchange_seconds(const Decomposition& from, const Decomposition& to, Integer element_bytes,
                        const Model& model) {
    const Machine& machine = model.machine;
    const std::size_t ranks = from.ranks.size();
    if (model.shared != SharedArrays::none) {
        // chunks are copied out of a cache as the sweep goes on
        constexpr double speed_of_cache = 4; // to that of memory
        const auto bytes = static_cast<double>(largest(from) * element_bytes);
        return 2 * machine.node_latency + bytes / (speed_of_cache * machine.memory_bandwidth);
    }
    const std::size_t node =
        machine.ranks_per_node > 0 ? static_cast<std::size_t>(machine.ranks_per_node) : ranks;
    double slowest = 0;
    for (const std::size_t rank : std::set<std::size_t>{0, ranks / 2, ranks - 1})
        for (const bool receives : {false, true}) {
            double seconds = 0;
            for (std::size_t other = 0; other < ranks; ++other) {
                const Integer count = receives ? common_elements(from.ranks[other], to.ranks[rank])
                                               : common_elements(from.ranks[rank], to.ranks[other]);
                if (count == 0) continue;
                const auto bytes = static_cast<double>(count * element_bytes);
                if (other == rank)
                    seconds += 2 * bytes / machine.memory_bandwidth;
                else if (other / node == rank / node)
                    seconds += machine.node_latency + bytes / machine.node_bandwidth;
                else
                    seconds += machine.network_latency + bytes / machine.network_bandwidth;
            }
            slowest = std::max(slowest, seconds);
        }
    return slowest;
}

/// Sweeps over memory that transforms along these axes take. Those of the fastest axes share one, if they fit in a cache together; an
/// axis with a loop over a faster one does not, as its plan loads short rows.
double sweeps_of(const Factors& factors, const std::vector<std::size_t>& transforms, Integer element_bytes) {
    constexpr Integer cache_bytes = 1 << 20;
    std::vector<bool> is_done(factors.axes(), false);
    double sweeps = 0;
    Integer together = cache_bytes; // more than a cache has: the first one begins a sweep
    for (const std::size_t axis : transforms) {
        const Integer n = std::max<Integer>(2, factors.points(axis));
        const bool is_contiguous = std::all_of(is_done.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                               is_done.end(), std::identity());
        is_done[axis] = true;
        if (is_contiguous && together < cache_bytes / n) {
            together *= n;
        } else {
            together = n * element_bytes;
            ++sweeps;
        }
    }
    return sweeps;
}

/// Seconds of the rank with most elements for a stage: of sweeps over memory, and of arithmetic. A stage without transforms copies,
/// unless elements are in order as they arrive, which is not known here; its loops are slower than those of plans. `arrives`: what
/// others store is the result.
double local_seconds(const Factors& factors, const std::vector<std::size_t>& transforms, Integer most,
                     Integer element_bytes, std::size_t ranks, const Model& model, bool arrives) {
    const Machine& machine = model.machine;
    constexpr double copy_factor = 1.1;
    const double sweep = 2 * static_cast<double>(most * element_bytes) / machine.memory_bandwidth;
    // messages of an overlapped exchange are sorted as they arrive, whatever follows
    const bool is_done =
        arrives && (model.shared == SharedArrays::all || parts_of(most * element_bytes, ranks, model) > 1);
    if (transforms.empty()) return is_done ? 0 : copy_factor * sweep;
    double operations = 0;
    for (const std::size_t axis : transforms)
        operations += 5 * static_cast<double>(most) *
                      std::log2(std::max(2.0, static_cast<double>(factors.points(axis)))) *
                      (factors.changes_elements(axis) ? 0.5 : 1.0);
    return sweeps_of(factors, transforms, element_bytes) * sweep + operations / machine.flops;
}

std::vector<Integer> divisors(Integer n) {
    std::vector<Integer> result;
    for (Integer d = 1; d * d <= n; ++d)
        if (n % d == 0) {
            result.push_back(d);
            if (d * d != n) result.push_back(n / d);
        }
    std::sort(result.begin(), result.end());
    return result;
}

/// Grids worth considering: one axis, or two in both orders, divided among all ranks; where their number is prime among all but
/// one, too. The first is rank 0 alone.
std::vector<std::vector<Cut>> grids(const Factors& factors, int ranks) {
    std::vector<std::vector<Cut>> result{{}};
    const auto add = [&](std::vector<Cut> cuts) {
        if (std::find(result.begin(), result.end(), cuts) == result.end()) result.push_back(std::move(cuts));
    };
    const auto most = [&](std::size_t axis) {
        return std::min(factors.input_lengths[axis], factors.output_lengths[axis]);
    };
    for (const Integer all : {Integer{ranks}, Integer{ranks} - 1}) {
        if (all < 2 || (all < ranks && divisors(ranks).size() > 2)) continue;
        for (std::size_t i = 0; i < factors.axes(); ++i) {
            if (const Integer parts = std::min(all, most(i)); parts > 1) add({{i, parts}});
            for (std::size_t j = 0; j < factors.axes(); ++j)
                for (const Integer parts : divisors(all))
                    if (i != j && parts > 1 && parts < all && parts <= most(i) && all / parts <= most(j))
                        add({{i, parts}, {j, all / parts}});
        }
    }
    return result;
}

class Chooser {
public:
    Chooser(const Factors& factors, const Decomposition& input, const std::optional<Decomposition>& output,
            const Model& model, std::size_t count)
        : factors_(factors),
          model_(model),
          count_(count),
          grids_(grids(factors, static_cast<int>(input.ranks.size()))) {
        const int ranks = static_cast<int>(input.ranks.size());
        ranks_ = input.ranks.size();
        candidates_.push_back({{Stage::Boxes::input}, {input, input}, {}});
        if (output) candidates_.push_back({{Stage::Boxes::output}, {*output, *output}, {}});
        has_output_ = output.has_value();
        for (const std::vector<Cut>& cuts : grids_)
            candidates_.push_back({{Stage::Boxes::grid, cuts},
                                   {decomposition_of(cuts, factors.input_lengths, ranks),
                                    decomposition_of(cuts, factors.output_lengths, ranks)},
                                   {}});
        for (Candidate& candidate : candidates_)
            for (std::size_t axis = 0; axis < factors.axes(); ++axis)
                candidate.is_whole.push_back(is_whole_of(candidate, axis));
        // a caller's boxes have the lengths of their side only
        if (factors.changes_elements(factors.last())) {
            set_last_axis(candidates_[0].boxes[1], factors.output_lengths.back());
            if (output) set_last_axis(candidates_[1].boxes[0], factors.input_lengths.back());
        }
        for (const Candidate& candidate : candidates_)
            for (const Decomposition& boxes : candidate.boxes) largest_.push_back(largest(boxes));
    }

    std::vector<Chosen> choose() {
        const State start{std::vector<bool>(factors_.axes(), false), 0};
        const std::vector<Way>& ways = from(start);
        if (ways.empty()) throw InternalError("no schedule for {}", to_text(factors_.problem));
        std::vector<Chosen> result;
        for (const Way& way : ways) {
            result.push_back({{factors_.is_four_step, {}}, way.seconds});
            State state = start;
            for (const Way* here = &way;;) {
                Stage stage = candidates_[state.candidate].stage;
                stage.transforms = here->transforms;
                result.back().schedule.stages.push_back(stage);
                if (!here->next) break;
                for (const std::size_t axis : here->transforms) state.done[axis] = true;
                state.candidate = *here->next;
                here = &from(state)[here->way_of_next];
            }
        }
        return result;
    }

private:
    struct Candidate {
        Stage stage;
        Decomposition boxes[2]; ///< by whether the last axis has the output's length
        std::vector<bool> is_whole;
    };
    struct State {
        std::vector<bool> done;
        std::size_t candidate;
        auto operator<=>(const State&) const = default;
    };
    /// From a candidate's boxes to the end.
    struct Way {
        double seconds;
        std::vector<std::size_t> transforms;
        std::optional<std::size_t> next;
        std::size_t way_of_next = 0; ///< the index of the next state's way
    };

    static void set_last_axis(Decomposition& decomposition, Integer length) {
        for (Pieces& pieces : decomposition.ranks)
            for (Box& box : pieces) box.upper.back() = length; // used only where the axis is whole
    }
    bool is_whole_of(const Candidate& candidate, std::size_t axis) const {
        const std::vector<Integer>& lengths =
            candidate.stage.boxes == Stage::Boxes::output ? factors_.output_lengths : factors_.input_lengths;
        const auto& ranks = candidate.boxes[0].ranks;
        return std::all_of(ranks.begin(), ranks.end(),
                           [&](const Pieces& pieces) { return is_whole(pieces, axis, lengths[axis]); });
    }
    std::size_t space(const std::vector<bool>& done) const { return done[factors_.last()] ? 1 : 0; }

    double exchange(std::size_t from, std::size_t to, const std::vector<bool>& done) {
        const auto key = std::tuple(from, to, space(done));
        const auto known = exchanges_.find(key);
        if (known != exchanges_.end()) return known->second;
        const double seconds =
            exchange_seconds(candidates_[from].boxes[space(done)], candidates_[to].boxes[space(done)],
                             factors_.element_bytes_after(done), model_);
        return exchanges_.emplace(key, seconds).first->second;
    }

    /// The best ways to go on from a candidate's boxes, the fastest first. A transform may be left to a later stage, whose plans then load messages
    /// that a copy would have to sort.
    const std::vector<Way>& from(const State& state) {
        const auto known = best_.find(state);
        if (known != best_.end()) return known->second;
        std::vector<Way> best;
        std::vector<std::size_t> transforms;
        try_transforms(state, state.done, transforms, best);
        return best_.emplace(state, std::move(best)).first->second;
    }
    /// With these transforms done in the stage, and with each one more.
    void try_transforms(const State& state, const std::vector<bool>& done,
                        std::vector<std::size_t>& transforms, std::vector<Way>& best) {
        const Candidate& here = candidates_[state.candidate];
        for (std::size_t axis = factors_.axes(); axis-- > 0;) {
            if (!here.is_whole[axis] || !factors_.may_follow(axis, done)) continue;
            // transforms that commute come in one order
            const bool is_in_order = transforms.empty() || axis < transforms.back() ||
                                     !factors_.may_follow(axis, without(done, transforms.back()));
            if (!is_in_order) continue;
            std::vector<bool> more = done;
            more[axis] = true;
            transforms.push_back(axis);
            try_transforms(state, more, transforms, best);
            transforms.pop_back();
        }
        const bool waits =
            transforms.empty() && state.candidate != 0; // only the input's boxes may have nothing to do
        const bool is_end = here.stage.boxes == Stage::Boxes::output && factors_.is_complete(done);
        if (waits && !is_end) return;
        if (transforms.empty() && can_transform(here, done)) return;
        go_on(state, done, transforms, best);
    }
    static std::vector<bool> without(std::vector<bool> done, std::size_t axis) {
        done[axis] = false;
        return done;
    }
    void go_on(const State& state, const std::vector<bool>& done, const std::vector<std::size_t>& transforms,
               std::vector<Way>& best) {
        const Candidate& here = candidates_[state.candidate];
        const Integer most = std::max(largest_[2 * state.candidate + space(state.done)],
                                      largest_[2 * state.candidate + space(done)]);
        const double local = local_seconds(factors_, transforms, most, factors_.element_bytes_after(done),
                                           ranks_, model_, here.stage.boxes == Stage::Boxes::output);
        const auto take = [&](Way way) {
            if (best.size() == count_ && way.seconds >= best.back().seconds) return;
            const auto at = std::upper_bound(best.begin(), best.end(), way, [](const Way& a, const Way& b) {
                return a.seconds < b.seconds;
            });
            best.insert(at, std::move(way));
            if (best.size() > count_) best.pop_back();
        };
        const Integer parts = parts_of(most * factors_.element_bytes_after(done), ranks_, model_);
        const auto try_next = [&](std::size_t next) {
            const double here_and_exchange = overlapped(local, exchange(state.candidate, next, done), parts);
            const std::vector<Way>& ways = from({done, next});
            for (std::size_t way = 0; way < ways.size(); ++way)
                take({here_and_exchange + ways[way].seconds, transforms, next, way});
        };
        if (here.stage.boxes == Stage::Boxes::output) {
            if (factors_.is_complete(done)) take({local, transforms, std::nullopt});
        } else if (factors_.is_complete(done)) {
            if (!has_output_ || has_same_boxes(here.boxes[1], candidates_[1].boxes[1]))
                take({local, transforms, std::nullopt});
            else
                try_next(1);
        } else {
            for (std::size_t next = 1; next < candidates_.size(); ++next)
                if (next != state.candidate && can_transform(candidates_[next], done)) try_next(next);
        }
    }
    bool can_transform(const Candidate& candidate, const std::vector<bool>& done) const {
        for (std::size_t axis = 0; axis < factors_.axes(); ++axis)
            if (candidate.is_whole[axis] && factors_.may_follow(axis, done)) return true;
        return false;
    }

    const Factors& factors_;
    const Model& model_;
    std::size_t count_; ///< of ways that are kept
    std::size_t ranks_ = 0;
    std::vector<std::vector<Cut>> grids_;
    std::vector<Candidate> candidates_; ///< the input, the output if it is given, grids
    bool has_output_ = false;
    std::vector<Integer>
        largest_; ///< elements of a rank, of each candidate with the last axis of the input and of the output
    std::map<State, std::vector<Way>> best_;
    std::map<std::tuple<std::size_t, std::size_t, std::size_t>, double> exchanges_;
};

} // namespace

std::vector<Chosen> choose(const Factors& factors, const Decomposition& input,
                           const std::optional<Decomposition>& output, const Model& model,
                           std::size_t count) {
    return Chooser(factors, input, output, model, count).choose();
}

double seconds_of(const Schedule& schedule, const Factors& factors, const std::vector<StageBoxes>& boxes,
                  const Model& model) {
    double seconds = 0;
    const std::size_t ranks = boxes.front().before.ranks.size();
    for (std::size_t stage = 0; stage < boxes.size(); ++stage) {
        const Integer bytes = factors.element_bytes_after(boxes[stage].done_after);
        const Integer most = std::max(largest(boxes[stage].before), largest(boxes[stage].after));
        const double local = local_seconds(factors, schedule.stages[stage].transforms, most, bytes, ranks,
                                           model, schedule.stages[stage].boxes == Stage::Boxes::output);
        const double exchange =
            stage + 1 < boxes.size()
                ? exchange_seconds(boxes[stage].after, boxes[stage + 1].before, bytes, model)
                : 0;
        seconds += overlapped(local, exchange, parts_of(most * bytes, ranks, model));
    }
    return seconds;
}

} // namespace swirl::distributed
