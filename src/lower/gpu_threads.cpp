#include "lower/gpu_threads.hpp"

#include "base/error.hpp"
#include "lower/gpu_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <set>

namespace swirl::lower {

namespace {

constexpr Integer largest_unit = 1024; ///< of which loops are taken as multiples

/// Distance in memory between neighbouring iterations of a loop, on the side that neighbouring threads should have as
/// neighbours.
class Nearness {
public:
    Nearness(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms)
        : loops_(loops), transforms_(transforms) {
        const bool reads = !is_shared(loops, call.input) && !call.placement.sources.empty();
        memory_ = reads ? call.input : call.output;
        places_ = reads ? &call.placement.sources : &call.placement.targets;
        if (places_->front().table && !call.placement.sources.empty()) { // neighbours lie anywhere
            memory_ = reads ? call.output : call.input;
            places_ = reads ? &call.placement.targets : &call.placement.sources;
        }
        if (!is_shared(loops, memory_)) return;
        for (const auto* places : {&call.placement.sources, &call.placement.targets})
            for (const Location& place : *places) look_for_factor(place.diagonals);
        for (const auto& entries : call.placement.between)
            for (const auto& diagonals : entries) look_for_factor(diagonals);
    }

    Integer distance(const Loop& loop) const {
        // An array of the caller's is in global memory too; loops that it does not vary with come last.
        if (factor_ != nullptr) {
            const Integer step = std::abs(factor_->coefficient(loop.variable));
            return step == 0 ? std::numeric_limits<Integer>::max() : step;
        }
        if (transforms_ && loop.variable == transforms_->variable && is_shared(loops_, memory_))
            return loops_.arrays[static_cast<std::size_t>(memory_.array)].pitch;
        return std::abs(places_->front().re.coefficient(loop.variable));
    }

    /// Whether neighbouring threads get neighbours in an array of the caller's.
    bool goes_by_factor() const { return factor_ != nullptr; }

private:
    void look_for_factor(const std::vector<MetDiagonal>& diagonals) {
        for (const MetDiagonal& met : diagonals)
            if (factor_ == nullptr &&
                std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function))
                factor_ = &met.index;
    }

    const LoopProgram& loops_;
    const std::optional<Loop>& transforms_;
    Memory memory_;
    const std::vector<Location>* places_;
    const Affine* factor_ = nullptr; ///< where the caller's factor of the first entry that has one lies
};

/// The largest divisor that is no more than `most`, which is positive. From above, and from below among the quotients.
Integer largest_divisor(Integer number, Integer most) {
    Integer divisor = std::min(number, most);
    for (Integer quotient = ceil_divide(number, divisor);; ++quotient, --divisor) {
        if (number % quotient == 0) return number / quotient;
        if (number % divisor == 0) return divisor;
    }
}

/// Where the threads of a warp meet in the banks of shared memory, at the first entry of each side.
class Banks {
public:
    Banks(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms)
        : loops_(loops), call_(call), transforms_(transforms) {}

    /// Accesses beyond the first to some bank, where neighbouring threads have the first loops' iterations.
    Integer conflicts(const std::vector<Loop>& order) const {
        return conflicts(order, call_.input, call_.placement.sources) +
               conflicts(order, call_.output, call_.placement.targets);
    }

private:
    static constexpr Integer banks = 32;

    Integer conflicts(const std::vector<Loop>& order, const Memory& memory,
                      const std::vector<Location>& places) const {
        if (places.empty() || places.front().table || !is_shared(loops_, memory)) return 0;
        std::array<std::set<Integer>, banks> words;
        for (Integer thread = 0; thread < banks; ++thread) {
            Integer rest = thread, at = 0;
            for (const Loop& loop : order) {
                const Integer step = transforms_ && loop.variable == transforms_->variable
                                         ? loops_.arrays[static_cast<std::size_t>(memory.array)].pitch
                                         : places.front().re.coefficient(loop.variable);
                at += rest % loop.count * step;
                rest /= loop.count;
            }
            if (rest == 0) words[static_cast<std::size_t>(modulo(at, banks))].insert(at);
        }
        std::size_t most = 1;
        for (const auto& of_bank : words) most = std::max(most, of_bank.size());
        return static_cast<Integer>(most) - 1;
    }

    const LoopProgram& loops_;
    const Call& call_;
    const std::optional<Loop>& transforms_;
};

/// The order with one of its loops at a place before.
std::vector<Loop> moved(std::vector<Loop> order, std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t k) { return order.begin() + static_cast<std::ptrdiff_t>(k); };
    std::rotate(at(to), at(from), at(from) + 1);
    return order;
}

/// Whether a step's entries, over its own iterations, lie further apart than what one block of a cluster has.
bool goes_to_other_blocks(const LoopProgram& loops, const Call& call) {
    const Integer part = loops.arrays[static_cast<std::size_t>(call.output.array)].cluster_part;
    if (part == 0) return false;
    for (const Location& place : call.placement.targets) {
        const Affine apart = place.re - call.placement.targets.front().re;
        if (!apart.is_constant()) return true;
        Integer reach = std::abs(apart.constant());
        for (const Loop& loop : call.loops)
            reach += std::abs(place.re.coefficient(loop.variable)) * (loop.count - 1);
        if (reach >= part) return true;
    }
    return false;
}

/// Other loops first and second, where neighbouring threads then meet in fewer banks: in a step of shared memory alone, or whose
/// other side lies anywhere, by a table. What goes to other blocks of a cluster stays in the order in which it lies there. Loops
/// of a block's own transforms only where their digits are bits: dividing by other counts costs more than the banks.
void avoid_conflicts(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms,
                     std::vector<Loop>& order) {
    const bool tabled = is_tabled(call.placement.sources) || is_tabled(call.placement.targets);
    if (!tabled && (!is_shared(loops, call.input) || !is_shared(loops, call.output))) return;
    if (goes_to_other_blocks(loops, call)) return;
    const auto is_cheap = [&](const Loop& loop) {
        const bool is_power_of_2 = (loop.count & (loop.count - 1)) == 0;
        return is_power_of_2 || (transforms && loop.variable == transforms->variable);
    };
    const Banks banks(loops, call, transforms);
    const std::vector<Loop> original = order;
    Integer fewest = banks.conflicts(order);
    for (std::size_t first = 0; first < original.size() && fewest > 0; ++first)
        for (std::size_t second = 1; second < original.size() && fewest > 0; ++second) {
            std::vector<Loop> other = moved(original, first, 0);
            const bool cheap = (first == 0 || is_cheap(other[0])) && (second == 1 || is_cheap(other[second]));
            if (!cheap && !tabled) continue;
            other = moved(std::move(other), second, 1);
            const Integer conflicts = banks.conflicts(other);
            if (conflicts >= fewest) continue;
            fewest = conflicts;
            order = std::move(other);
        }
}

} // namespace

SharedIterations::SharedIterations(const LoopProgram& loops, const Call& call,
                                   const std::optional<Loop>& transforms, Integer threads, bool may_lack)
    : transforms_(transforms), threads_(threads) {
    std::vector<Loop> all(call.loops.rbegin(), call.loops.rend());
    std::erase_if(all, [](const Loop& loop) { return loop.count == 1; });
    if (transforms) all.push_back(*transforms);
    const Nearness near(loops, call, transforms_);
    std::stable_sort(all.begin(), all.end(),
                     [&](const Loop& a, const Loop& b) { return near.distance(a) < near.distance(b); });
    if (!near.goes_by_factor()) avoid_conflicts(loops, call, transforms, all);
    Integer inner = 1;
    for (const Loop& loop : all) {
        digits_.push_back({loop, inner, loop.count});
        inner *= loop.count;
    }
    share_evenly();
    if (may_lack) share_longer();
}

/// As many threads as there can be for whole iterations of the inner digits and a divisor of the outermost that they reach:
/// each variable is affine in digits of the thread's index only then.
void SharedIterations::share_evenly() {
    active_ = 1;
    for (std::size_t k = digits_.size(); k-- > 0;) {
        const Digit& digit = digits_[k];
        if (digit.inner > threads_) continue;
        active_ = digit.inner * largest_divisor(digit.count, threads_ / digit.inner);
        return;
    }
}

/// The digit counts further than its loop.
void SharedIterations::make_longer(std::size_t digit, Integer count) {
    digits_[digit].count = count;
    for (std::size_t k = digit + 1; k < digits_.size(); ++k) digits_[k].inner = digits_[k - 1].whole();
    share_evenly();
}

/// Takes one loop as a longer one where that saves turns: as a multiple of a power of two, or the outermost as one of the
/// threads that there are for it.
void SharedIterations::share_longer() {
    const Integer most = std::min(threads_, iterations()), least = ceil_divide(iterations(), most);
    Integer fewest = turns(), chosen = 0;
    if (fewest == least) return;
    for (std::size_t k = 0; k < digits_.size(); ++k) {
        const Integer count = digits_[k].count;
        const auto consider = [&](Integer unit) {
            if (unit < 2 || count % unit == 0 || fewest == least) return;
            const Integer longer = ceil_divide(count, unit) * unit;
            make_longer(k, longer);
            if (turns() >= fewest) return;
            fewest = turns();
            longer_ = k;
            chosen = longer;
        };
        for (Integer unit = 2; unit <= largest_unit; unit *= 2) consider(unit);
        if (k + 1 == digits_.size()) consider(most / digits_[k].inner);
        make_longer(k, count);
    }
    if (longer_) make_longer(*longer_, chosen);
}

std::vector<Loop> SharedIterations::loops() const {
    std::vector<Loop> result;
    for (const Digit& digit : digits_) result.push_back(digit.loop);
    return result;
}

std::vector<Loop> SharedIterations::loops_of_call() const {
    std::vector<Loop> result;
    for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit)
        if (!transforms_ || digit->loop.variable != transforms_->variable) result.push_back(digit->loop);
    return result;
}

SharedIterations::Digits SharedIterations::in_turn(ir::Builder& builder, Integer turn) const {
    Digits result;
    for (const Digit& each : digits_) {
        const auto [loop, inner, count] = each;
        const Integer whole = each.whole();
        Affine form = 0;
        if (inner % active_ == 0)
            form = turn / (inner / active_) % count;
        else if (active_ % whole == 0)
            form = builder.thread(0, inner, whole == threads_ ? 0 : count);
        else
            form = builder.thread(0, inner, active_ == threads_ ? 0 : active_ / inner) +
                   active_ / inner * (turn % (whole / active_));
        result.emplace_back(loop, std::move(form));
    }
    return result;
}

std::optional<Affine> SharedIterations::excess(const Digits& digits, Integer turn) const {
    if (!longer_) return std::nullopt;
    const Digit& digit = digits_[*longer_];
    ensure(digit.inner % active_ != 0, "a loop of whole turns made longer");
    Integer most = digit.count; // one more than the digit can be in this turn
    if (active_ % digit.whole() != 0) most = active_ / digit.inner * (turn % (digit.whole() / active_) + 1);
    if (most <= digit.loop.count) return std::nullopt;
    return digits[*longer_].second - digit.loop.count;
}

std::vector<Integer> SharedIterations::offsets_of(Integer count, const Affine& form) const {
    std::vector<Integer> offsets(static_cast<std::size_t>(count), 0);
    for (const Digit& each : digits_) { // threads before `inner` have all that lies inside
        const Integer step = form.coefficient(each.loop.variable);
        for (Integer thread = each.inner; thread < std::min(each.whole(), count); ++thread)
            offsets[static_cast<std::size_t>(thread)] =
                offsets[static_cast<std::size_t>(thread - each.inner)] + step;
    }
    return offsets;
}

Affine SharedIterations::transform(const Digits& digits) const {
    for (const auto& [loop, form] : digits)
        if (transforms_ && loop.variable == transforms_->variable) return form;
    return 0;
}

} // namespace swirl::lower
