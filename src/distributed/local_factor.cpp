#include "distributed/local_factor.hpp"

#include "plan/transform/dimension_passes.hpp"
#include "problem/data_type.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace swirl::distributed {

namespace {

using formula::Formula;

bool is_whole_everywhere(const Decomposition& decomposition, std::size_t axis, Integer length) {
    return std::all_of(decomposition.ranks.begin(), decomposition.ranks.end(),
                       [&](const Pieces& pieces) { return is_whole(pieces, axis, length); });
}

bool is_digits(const formula::IndexMap& map) { return std::holds_alternative<formula::DigitMap>(map.kind()); }

/// Reads `map` where positions in memory are entries of the result.
Formula packed(const formula::IndexMap& map) {
    if (map.is_identity()) return formula::I(map.domain());
    return is_digits(map) ? formula::permutation(map) : formula::gather(map);
}

/// The transpose of `packed`.
Formula unpacked(const formula::IndexMap& map) {
    if (map.is_identity()) return formula::I(map.domain());
    return is_digits(map) ? formula::permutation(map.inverse()) : formula::scatter(map);
}

/// Twiddle factors at the elements of a box of the matrix: ω^{column·row}.
Formula twiddles(const Factors& factors, const Box& box, const std::vector<int>& order) {
    const std::size_t a = factors.axes() - 2, b = a + 1;
    const Integer rows = factors.input_lengths[a], columns = factors.input_lengths[b];
    formula::DigitMap digits;
    for (const int number : order) {
        const auto axis = static_cast<std::size_t>(number);
        digits.radices.push_back(length(box, axis));
        digits.strides.push_back(axis == a ? columns : axis == b ? 1 : 0);
    }
    digits.base = box.lower[a] * columns + box.lower[b];
    return formula::diagonal(formula::TwiddleFunction{.order = rows * columns,
                                                      .first = {columns, rows},
                                                      .second = {1, columns},
                                                      .direction = factors.problem.direction},
                             formula::IndexMap(elements(box), rows * columns, digits));
}

/// n reals to the n/2+1 pairs of their half spectrum, or back.
Formula half_spectrum(Integer n, Direction direction) {
    // halfcomplex entry k is the real component of pair k, or the imaginary one of pair n − k
    std::vector<Integer> entries;
    for (Integer k = 0; k < n; ++k) entries.push_back(2 * k <= n ? 2 * k : 2 * (n - k) + 1);
    const formula::IndexMap map = formula::IndexMap::table(std::move(entries), 2 * (n / 2 + 1));
    const Formula transform = formula::RDFT(n, direction);
    return direction == Direction::forward ? formula::scatter(map) * transform
                                           : transform * formula::gather(map);
}

/// I ⊗ A ⊗ I along one axis of a box.
Formula along_axis(const Formula& a, std::size_t axis, const Box& box, const std::vector<int>& order) {
    std::vector<Formula> factors;
    for (const int number : order) {
        const auto at = static_cast<std::size_t>(number);
        factors.push_back(at == axis ? a : formula::I(length(box, at)));
    }
    return formula::kron(std::move(factors));
}

} // namespace

std::vector<int> message_order(const Factors& factors, const Schedule& schedule,
                               const std::vector<StageBoxes>& boxes, std::size_t stage) {
    const auto is_transformed = [&](std::size_t at, std::size_t axis) {
        const std::vector<std::size_t>& list = schedule.stages[at].transforms;
        return std::find(list.begin(), list.end(), axis) != list.end();
    };
    const std::vector<Integer> lengths = factors.lengths_after(boxes[stage].done_after);
    // plans that need strides on a side: those that change the kind of elements, and those of 16-bit types
    const auto needs_strides = [&](std::size_t at) {
        return is_transformed(at, factors.last()) && factors.changes_elements(factors.last());
    };
    const bool is_copied = schedule.stages[stage].transforms.empty();
    const bool receiver_has_strides = is_copied || needs_strides(stage + 1);
    if (!receiver_has_strides && !needs_strides(stage) && bytes_of(factors.problem.precision) >= 4) {
        // in their own order axes are not transposed: formulas then only split one of them
        std::vector<int> order(factors.axes());
        std::iota(order.begin(), order.end(), 0);
        return order;
    }
    // axes that the sender has whole and the receiver has not, or the other way, come first: the side that has them whole then
    // loads or stores with one stride for each axis
    std::vector<int> first, rest;
    for (std::size_t axis = 0; axis < factors.axes(); ++axis) {
        const bool at_sender = is_whole_everywhere(boxes[stage].after, axis, lengths[axis]);
        const bool at_receiver = is_whole_everywhere(boxes[stage + 1].before, axis, lengths[axis]);
        const bool leads = receiver_has_strides ? at_receiver && !at_sender : at_sender && !at_receiver;
        (leads ? first : rest).push_back(static_cast<int>(axis));
    }
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

RankFactors factors_of_rank(const Factors& factors, const Schedule& schedule,
                            const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank) {
    const auto own = static_cast<std::size_t>(rank);
    RankFactors result;
    for (std::size_t stage = 0; stage < boxes.size(); ++stage) {
        const Pieces &before = boxes[stage].before.ranks[own], &after = boxes[stage].after.ranks[own];
        LocalFactor local{before.empty() ? Box{} : before.front(), after.empty() ? Box{} : after.front(),
                          schedule.stages[stage].transforms,
                          factors.has_complex_elements_after(boxes[stage].done_before),
                          factors.has_complex_elements_after(boxes[stage].done_after)};
        local.load = stage == 0 ? layout_of(before) : result.messages.back().receive;
        if (stage + 1 < boxes.size()) {
            result.messages.push_back(messages_of(boxes[stage].after, boxes[stage + 1].before, rank,
                                                  message_order(factors, schedule, boxes, stage)));
            local.store = result.messages.back().send;
        } else {
            local.store = layout_of(output.ranks[own]);
        }
        result.local.push_back(std::move(local));
    }
    return result;
}

Formula formula_of(const LocalFactor& local, const Factors& factors, const std::vector<int>& order,
                   bool as_pairs) {
    const auto as_stored = [&](const Formula& f, bool is_complex) {
        return as_pairs && is_complex ? formula::real_of(f) : f;
    };
    const Direction direction = factors.problem.direction;
    bool is_complex = local.is_complex_before;
    const Box* box = &local.before;
    Formula result = as_stored(unpacked(map_to_box(local.load, local.before, order)), is_complex);
    for (const std::size_t axis : local.transforms) {
        if (factors.changes_elements(axis)) {
            result = along_axis(half_spectrum(factors.points(axis), direction), axis, local.before, order) *
                     result;
            is_complex = local.is_complex_after;
            box = &local.after;
            continue;
        }
        const Formula along =
            planning::transform_along(*factors.kinds[axis], factors.points(axis), direction);
        result = as_stored(along_axis(along, axis, *box, order), is_complex) * result;
        if (factors.has_twiddles(axis)) result = twiddles(factors, *box, order) * result;
    }
    return as_stored(packed(map_to_box(local.store, local.after, order)), is_complex) * result;
}

} // namespace swirl::distributed
