#include "loops/gpu/threads.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace swirl::loops {

bool is_shared(const LoopProgram& loops, const Memory& memory) {
    const Array& array = loops.arrays[static_cast<std::size_t>(memory.array)];
    return array.role == Array::Role::temporary && array.residence == Array::Residence::shared;
}

namespace {

constexpr Integer largest_unit = 1024; ///< largest padding multiple of a loop

/// Distance in memory between neighbouring iterations of a loop, on the side that neighbouring threads should access
/// contiguously.
class Nearness {
public:
    Nearness(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms)
        : loops_(loops), transforms_(transforms) {
        const bool reads = !is_shared(loops, call.input) && !call.placement.sources.empty();
        memory_ = reads ? call.input : call.output;
        locations_ = reads ? &call.placement.sources : &call.placement.targets;
        if (locations_->front().table && !call.placement.sources.empty()) { // index tables scatter neighbours
            memory_ = reads ? call.output : call.input;
            locations_ = reads ? &call.placement.targets : &call.placement.sources;
        }
        if (!is_shared(loops, memory_)) return;
        for (const auto* locations : {&call.placement.sources, &call.placement.targets})
            for (const Location& location : *locations) find_factor(location.diagonals);
        for (const auto& entries : call.placement.between)
            for (const auto& diagonals : entries) find_factor(diagonals);
    }

    Integer distance(const Loop& loop) const {
        // A caller's auxiliary array is in global memory too; loops on which it does not depend come last.
        if (factor_ != nullptr) {
            const Integer stride = std::abs(factor_->coefficient(loop.variable));
            return stride == 0 ? std::numeric_limits<Integer>::max() : stride;
        }
        if (transforms_ && loop.variable == transforms_->variable && is_shared(loops_, memory_))
            return loops_.arrays[static_cast<std::size_t>(memory_.array)].pitch;
        return std::abs(locations_->front().re.coefficient(loop.variable));
    }

    /// Whether neighbouring threads access neighbours in a caller's auxiliary array.
    bool is_ordered_by_factor() const { return factor_ != nullptr; }

private:
    void find_factor(const std::vector<FoldedDiagonal>& diagonals) {
        for (const FoldedDiagonal& met : diagonals)
            if (factor_ == nullptr &&
                std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function))
                factor_ = &met.index;
    }

    const LoopProgram& loops_;
    const std::optional<Loop>& transforms_;
    Memory memory_;
    const std::vector<Location>* locations_;
    const Affine* factor_ = nullptr; ///< offset of the first entry's auxiliary factor
};

/// The largest divisor not above `most` > 0. Searches divisors downwards and quotients upwards.
Integer largest_divisor(Integer n, Integer most) {
    Integer divisor = std::min(n, most);
    for (Integer quotient = ceil_divide(n, divisor);; ++quotient, --divisor) {
        if (n % quotient == 0) return n / quotient;
        if (n % divisor == 0) return divisor;
    }
}

/// Bank conflicts of a warp in shared memory, at the first entry of each side.
class Banks {
public:
    Banks(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms)
        : loops_(loops), call_(call), transforms_(transforms) {}

    /// Conflicts per access: accesses to the same bank beyond the first, with neighbouring threads on the first loops'
    /// iterations.
    Integer conflicts(const std::vector<Loop>& order) const {
        return conflicts(order, call_.input, call_.placement.sources) +
               conflicts(order, call_.output, call_.placement.targets);
    }

private:
    static constexpr Integer banks = 32;

    Integer conflicts(const std::vector<Loop>& order, const Memory& memory,
                      const std::vector<Location>& locations) const {
        if (locations.empty() || locations.front().table || !is_shared(loops_, memory)) return 0;
        struct Digit { // of a thread's number
            Integer count, stride, value = 0;
        };
        std::vector<Digit> digits;
        digits.reserve(order.size());
        for (const Loop& loop : order)
            digits.push_back({loop.count, transforms_ && loop.variable == transforms_->variable
                                              ? loops_.arrays[static_cast<std::size_t>(memory.array)].pitch
                                              : locations.front().re.coefficient(loop.variable)});
        std::array<Integer, banks> words;
        auto end = words.begin();
        std::size_t carry = 0;
        for (Integer at = 0; end != words.end() && carry < digits.size();) {
            *end++ = at;
            for (carry = 0; carry < digits.size(); ++carry) { // the next thread
                Digit& digit = digits[carry];
                at += digit.stride;
                if (++digit.value < digit.count) break;
                at -= digit.count * digit.stride;
                digit.value = 0;
            }
        }
        std::sort(words.begin(), end);
        end = std::unique(words.begin(), end);
        std::array<Integer, banks> in_bank{};
        for (auto word = words.begin(); word != end; ++word)
            ++in_bank[static_cast<std::size_t>(modulo(*word, banks))];
        return std::max<Integer>(1, *std::max_element(in_bank.begin(), in_bank.end())) - 1;
    }

    const LoopProgram& loops_;
    const Call& call_;
    const std::optional<Loop>& transforms_;
};

/// The order with the loop at `from` moved to position `to`.
std::vector<Loop> moved(std::vector<Loop> order, std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t k) { return order.begin() + static_cast<std::ptrdiff_t>(k); };
    std::rotate(at(to), at(from), at(from) + 1);
    return order;
}

/// Whether a call's targets, over its own iterations, span more than one block's segment of a cluster.
bool goes_to_other_blocks(const LoopProgram& loops, const Call& call) {
    const Integer block_elements =
        loops.arrays[static_cast<std::size_t>(call.output.array)].dsmem_elements_per_block;
    if (block_elements == 0) return false;
    for (const Location& location : call.placement.targets) {
        const Affine offset = location.re - call.placement.targets.front().re;
        if (!offset.is_constant()) return true;
        Integer reach = std::abs(offset.constant());
        for (const Loop& loop : call.loops)
            reach += std::abs(location.re.coefficient(loop.variable)) * (loop.count - 1);
        if (reach >= block_elements) return true;
    }
    return false;
}

/// Reorders loops to reduce bank conflicts between neighbouring threads, in a call that accesses shared memory alone
/// or whose other side uses an index table. Writes to other blocks of a cluster stay in memory order. The loop over a
/// block's transforms participates only if its digits are bits: other divisions cost more than the conflicts.
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

ThreadedIterations::ThreadedIterations(const LoopProgram& loops, const Call& call,
                                       const std::optional<Loop>& transforms, Integer threads, bool may_lack)
    : transforms_(transforms), threads_(threads) {
    std::vector<Loop> all(call.loops.rbegin(), call.loops.rend());
    std::erase_if(all, [](const Loop& loop) { return loop.count == 1; });
    if (transforms) all.push_back(*transforms);
    const Nearness near(loops, call, transforms_);
    std::stable_sort(all.begin(), all.end(),
                     [&](const Loop& a, const Loop& b) { return near.distance(a) < near.distance(b); });
    if (!near.is_ordered_by_factor()) avoid_conflicts(loops, call, transforms, all);
    Integer inner = 1;
    for (const Loop& loop : all) {
        digits_.push_back({loop, inner, loop.count});
        inner *= loop.count;
    }
    distribute_evenly();
    if (may_lack) distribute_padded();
}

/// Uses as many threads as possible for whole inner digits and a divisor of the outermost digit they reach: only then
/// is each variable affine in digits of the thread index.
void ThreadedIterations::distribute_evenly() {
    active_ = 1;
    for (std::size_t k = digits_.size(); k-- > 0;) {
        const Digit& digit = digits_[k];
        if (digit.inner > threads_) continue;
        active_ = digit.inner * largest_divisor(digit.count, threads_ / digit.inner);
        return;
    }
}

/// Extends a digit's range beyond its loop.
void ThreadedIterations::pad_digit(std::size_t digit, Integer count) {
    digits_[digit].count = count;
    for (std::size_t k = digit + 1; k < digits_.size(); ++k) digits_[k].inner = digits_[k - 1].whole();
    distribute_evenly();
}

/// Pads one loop if that lowers iterations_per_thread: to a multiple of a power of two, or the outermost one to a
/// multiple of the threads available for it.
void ThreadedIterations::distribute_padded() {
    const Integer most = std::min(threads_, iterations()), least = ceil_divide(iterations(), most);
    Integer fewest = iterations_per_thread(), chosen = 0;
    if (fewest == least) return;
    for (std::size_t k = 0; k < digits_.size(); ++k) {
        const Integer count = digits_[k].count;
        const auto consider = [&](Integer unit) {
            if (unit < 2 || count % unit == 0 || fewest == least) return;
            const Integer longer = ceil_divide(count, unit) * unit;
            pad_digit(k, longer);
            if (iterations_per_thread() >= fewest) return;
            fewest = iterations_per_thread();
            longer_ = k;
            chosen = longer;
        };
        for (Integer unit = 2; unit <= largest_unit; unit *= 2) consider(unit);
        if (k + 1 == digits_.size()) consider(most / digits_[k].inner);
        pad_digit(k, count);
    }
    if (longer_) pad_digit(*longer_, chosen);
}

std::vector<Loop> ThreadedIterations::loops() const {
    std::vector<Loop> result;
    for (const Digit& digit : digits_) result.push_back(digit.loop);
    return result;
}

std::vector<Loop> ThreadedIterations::loops_of_call() const {
    std::vector<Loop> result;
    for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit)
        if (!transforms_ || digit->loop.variable != transforms_->variable) result.push_back(digit->loop);
    return result;
}

std::optional<Affine> ThreadedIterations::excess(const Digits& digits, Integer iteration) const {
    if (!longer_) return std::nullopt;
    const Digit& digit = digits_[*longer_];
    ensure(digit.inner % active_ != 0, "a loop that fills whole iterations was extended");
    Integer most = digit.count; // one past the digit's maximum in this iteration
    if (active_ % digit.whole() != 0)
        most = active_ / digit.inner * (iteration % (digit.whole() / active_) + 1);
    if (most <= digit.loop.count) return std::nullopt;
    return digits[*longer_].second - digit.loop.count;
}

std::vector<Integer> ThreadedIterations::offsets_of(Integer count, const Affine& form) const {
    std::vector<Integer> offsets(static_cast<std::size_t>(count), 0);
    for (const Digit& each : digits_) { // threads before `inner` cover the inner digits
        const Integer stride = form.coefficient(each.loop.variable);
        for (Integer thread = each.inner; thread < std::min(each.whole(), count); ++thread)
            offsets[static_cast<std::size_t>(thread)] =
                offsets[static_cast<std::size_t>(thread - each.inner)] + stride;
    }
    return offsets;
}

Affine ThreadedIterations::transform(const Digits& digits) const {
    for (const auto& [loop, form] : digits)
        if (transforms_ && loop.variable == transforms_->variable) return form;
    return 0;
}

} // namespace swirl::loops
