#include "lower/gpu_threads.hpp"

#include "base/error.hpp"
#include "lower/gpu_parts.hpp"

#include <algorithm>
#include <cstdlib>

namespace swirl::lower {

namespace {

/// Distance in memory between neighbouring iterations of a loop, on the side that neighbouring threads should have as
/// neighbours.
class Nearness {
public:
    Nearness(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms)
        : loops_(loops), transforms_(transforms) {
        const bool reads = !is_shared(loops, call.input) && !call.placement.sources.empty();
        memory_ = reads ? call.input : call.output;
        places_ = reads ? &call.placement.sources : &call.placement.targets;
    }

    Integer distance(const Loop& loop) const {
        if (transforms_ && loop.variable == transforms_->variable && is_shared(loops_, memory_))
            return loops_.arrays[static_cast<std::size_t>(memory_.array)].pitch;
        return std::abs(places_->front().re.coefficient(loop.variable));
    }

private:
    const LoopProgram& loops_;
    const std::optional<Loop>& transforms_;
    Memory memory_;
    const std::vector<Location>* places_;
};

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
    Integer inner = 1;
    for (const Loop& loop : all) {
        digits_.push_back({loop, inner, loop.count});
        inner *= loop.count;
    }
    share_evenly();
    if (may_lack) share_longer();
}

void SharedIterations::share_evenly() {
    for (active_ = std::min(threads_, iterations()); active_ > 1; --active_)
        if (iterations() % active_ == 0 && splits_digits(active_)) break;
}

/// The same with a digit that counts further than its loop.
SharedIterations SharedIterations::with_longer(std::size_t digit, Integer count) const {
    SharedIterations result = *this;
    result.longer_ = digit;
    result.digits_[digit].count = count;
    for (std::size_t k = digit + 1; k < digits_.size(); ++k)
        result.digits_[k].inner = result.digits_[k - 1].whole();
    result.share_evenly();
    return result;
}

/// Takes one loop as a longer one where that saves turns: as a multiple of a power of two, or the outermost as one of the
/// threads that there are for it.
void SharedIterations::share_longer() {
    if (active_ == std::min(threads_, iterations())) return;
    SharedIterations best = *this;
    for (std::size_t k = 0; k < digits_.size(); ++k) {
        const Digit& digit = digits_[k];
        std::vector<Integer> units{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
        if (k + 1 == digits_.size()) units.push_back(std::min(threads_, iterations()) / digit.inner);
        for (const Integer unit : units) {
            if (unit < 2 || digit.count % unit == 0) continue;
            const SharedIterations longer = with_longer(k, (digit.count + unit - 1) / unit * unit);
            if (longer.turns() < best.turns()) best = longer;
        }
    }
    *this = best;
}

/// Whether `threads` neighbouring iterations differ in whole digits, so that each variable is affine in digits of the
/// thread's index.
bool SharedIterations::splits_digits(Integer threads) const {
    return std::all_of(digits_.begin(), digits_.end(), [&](const Digit& each) {
        return threads % each.whole() == 0 || each.inner % threads == 0 ||
               (threads % each.inner == 0 && each.whole() % threads == 0);
    });
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

Integer SharedIterations::offset_of(Integer thread, const Affine& form) const {
    Integer offset = 0;
    for (const Digit& each : digits_)
        offset += form.coefficient(each.loop.variable) * (thread / each.inner % each.count);
    return offset;
}

Integer SharedIterations::transform_of(Integer thread) const {
    for (const Digit& each : digits_)
        if (transforms_ && each.loop.variable == transforms_->variable)
            return thread / each.inner % each.count;
    return 0;
}

Affine SharedIterations::transform(const Digits& digits) const {
    for (const auto& [loop, form] : digits)
        if (transforms_ && loop.variable == transforms_->variable) return form;
    return 0;
}

} // namespace swirl::lower
