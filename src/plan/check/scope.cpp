#include "plan/check/scope.hpp"

#include "plan/check/problem_data.hpp"
#include "plan/check/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace swirl::planning {

namespace {

constexpr Integer mebibyte = Integer{1} << 20;
constexpr Integer sampled_bytes = 4 * mebibyte;    ///< of each side: a few tens of milliseconds
constexpr Integer moderate_bytes = 256 * mebibyte; ///< of each side: every machine has it
constexpr Integer shorter_bytes = 64 * mebibyte;   ///< of each side: enough for several threads
constexpr Integer most_bytes = Integer{1} << 52;   ///< of each side

/// Bytes of the larger side.
Integer largest_side(const Transform& problem) {
    Integer result = 0;
    for (const Side side : {Side::input, Side::output}) {
        const Extent reach = extent(problem, side);
        result = std::max(result, (reach.highest - reach.lowest + 1) * element_bytes(problem, side));
    }
    return result;
}

/// The largest length up to `most` with the remainder of `length` in blocks and vectors.
Integer shorter_length(Integer length, Integer most) {
    if (length <= most) return length;
    constexpr Integer largest_block = 64;
    for (Integer block = largest_block; block > 1; block /= 2) {
        const Integer shorter = length - ceil_divide(length - most, block) * block;
        if (shorter >= block) return shorter;
    }
    return most;
}

/// The problem with fewer transforms, so that its sides have up to `bytes`. Empty if shorter loops do not make them
/// small.
std::optional<Transform> with_shorter_batch(const Transform& problem, Integer bytes, Integer chunk) {
    Transform result = problem;
    for (std::size_t k = 0; k < result.batches.size() && largest_side(result) > bytes; ++k) {
        Integer& length = result.batches[k].length;
        const Integer whole = length;
        if (k == 0 && chunk > 0) { // a chunk and the rest have kernels of their own
            length = chunk < whole ? chunk + whole % chunk : whole;
            continue;
        }
        length = 1;
        const Integer of_one = largest_side(result);
        length = std::min<Integer>(whole, 2);
        const Integer of_next = std::max<Integer>(largest_side(result) - of_one, 1);
        length = shorter_length(whole, std::clamp<Integer>(1 + (bytes - of_one) / of_next, 1, whole));
    }
    if (largest_side(result) > bytes) return std::nullopt;
    return result;
}

/// Lengths and strides of a side's axes: of the batch, then of the dimensions. Lengths in memory of those of the batch
/// may be shorter in another problem.
struct SideAxis {
    Integer length;
    Integer* stride;
};
std::vector<SideAxis> side_axes(Transform& problem, Side side) {
    std::vector<SideAxis> result;
    const auto stride = [&](Dimension& axis) {
        return side == Side::input ? &axis.input_stride : &axis.output_stride;
    };
    for (Dimension& loop : problem.batches) result.push_back({loop.length, stride(loop)});
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
        result.push_back({stored_length(problem, d, side), stride(problem.dimensions[d])});
    return result;
}

/// Shrinks the strides of `shorter`, whose batch is that of `whole` with fewer transforms, by what fewer transforms leave free.
/// Their order, their signs and their remainders modulo cache lines stay. False if the axes interleave otherwise than by
/// being nested.
bool close_gaps(Transform& shorter, Transform whole, Side side) {
    constexpr Integer unit = 64; // elements
    std::vector<SideAxis> now = side_axes(shorter, side), before = side_axes(whole, side);
    std::vector<std::size_t> order(now.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::abs(*before[a].stride) < std::abs(*before[b].stride);
    });
    Integer covered = 1, covered_before = 1;
    for (const std::size_t k : order) {
        const Integer stride = std::abs(*before[k].stride);
        if (before[k].length == 1 || stride == 0) continue;
        if (stride < covered_before) return false;
        const Integer least = std::min(stride, covered + modulo(stride - covered, unit));
        *now[k].stride = *before[k].stride < 0 ? -least : least;
        covered += least * (now[k].length - 1);
        covered_before += stride * (before[k].length - 1);
    }
    return true;
}

/// The problem with fewer transforms and, as these interleave, with smaller strides, so that its sides have up to `bytes`.
/// Empty if there is no such problem.
std::optional<Transform> with_closer_elements(const Transform& problem, Integer bytes, Integer chunk) {
    constexpr Integer most_of_a_loop = 256; // several vectors
    Transform result = problem;
    for (std::size_t k = 0; k < result.batches.size(); ++k) {
        Integer& length = result.batches[k].length;
        length = k == 0 && chunk > 0 ? (chunk < length ? chunk + length % chunk : length)
                                     : shorter_length(length, most_of_a_loop);
    }
    if (!close_gaps(result, problem, Side::input) || !close_gaps(result, problem, Side::output))
        return std::nullopt;
    const auto differs = [](const Dimension& axis) { return axis.input_stride != axis.output_stride; };
    const bool moves =
        std::ranges::any_of(result.batches, differs) || std::ranges::any_of(result.dimensions, differs);
    if (problem.placement == Placement::in_place && moves) return std::nullopt;
    if (largest_side(result) > bytes) return std::nullopt;
    return result;
}

} // namespace

CheckScope CheckScope::none(std::string reason) { return {.reason = std::move(reason)}; }
CheckScope CheckScope::not_wanted() { return none("the caller planned without it (check = false)"); }

CheckScope CheckScope::of(const Transform& problem, const CheckCapacity& capacity, Integer chunk) {
    if (largest_side(problem) > most_bytes) return none("its arrays fit in no memory");
    const bool is_moderate = largest_side(problem) <= moderate_bytes;
    if (auto sample = BatchSample::of(problem, sampled_bytes)) {
        const Integer bytes = ProblemData::bytes_for(problem) + check_bytes(sample->problem());
        if (is_moderate || bytes <= capacity.batch_bytes)
            return {.kind = Kind::sample, .sample = std::move(sample), .bytes = bytes};
    }
    if (is_moderate) return {.kind = Kind::whole, .bytes = check_bytes(problem)};
    for (const Integer most : {shorter_bytes, moderate_bytes})
        if (auto shorter = with_shorter_batch(problem, most, chunk)) {
            const Integer bytes = of(*shorter, capacity, chunk).bytes;
            return {.kind = Kind::shorter_batch, .shorter = std::move(shorter), .bytes = bytes};
        }
    const Integer bytes = check_bytes(problem);
    if (bytes <= capacity.bytes) return {.kind = Kind::whole, .bytes = bytes};
    if (auto shorter = with_closer_elements(problem, moderate_bytes, chunk)) {
        const Integer bytes_of_shorter = of(*shorter, capacity, chunk).bytes;
        return {.kind = Kind::shorter_batch, .shorter = std::move(shorter), .bytes = bytes_of_shorter};
    }
    return none(fmt::format("it would take {} bytes of memory, and may take {}", bytes,
                            std::max<Integer>(capacity.bytes, 0)));
}

std::string to_string(const CheckScope& scope, const Transform& problem) {
    switch (scope.kind) {
    case CheckScope::Kind::none: return "no, because " + scope.reason;
    case CheckScope::Kind::whole: return "yes";
    case CheckScope::Kind::sample:
        return fmt::format("yes, {} of {} transforms", batch_count(scope.sample->problem()),
                           batch_count(problem));
    case CheckScope::Kind::shorter_batch:
        return fmt::format("yes, by a plan of the same schedule for {} of {} transforms{}",
                           batch_count(*scope.shorter), batch_count(problem),
                           scope.shorter->dimensions == problem.dimensions ? "" : " with smaller strides");
    }
    return "no";
}

} // namespace swirl::planning
