#include "plan/check/scope.hpp"

#include "formula/properties.hpp"
#include "plan/check/problem_data.hpp"
#include "plan/check/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace swirl::planning {

namespace {

constexpr Integer mebibyte = Integer{1} << 20;
constexpr Integer sampled_bytes = 4 * mebibyte;       ///< of each side: a few tens of milliseconds
constexpr Integer moderate_bytes = 256 * mebibyte;    ///< of each side: every machine has it
constexpr Integer shorter_bytes = 64 * mebibyte;      ///< of each side: enough for several threads
constexpr Integer most_bytes = Integer{1} << 52;      ///< of each side
constexpr Integer longest_formula = Integer{1} << 22; ///< takes seconds

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

} // namespace

CheckScope CheckScope::none(std::string reason) { return {.reason = std::move(reason)}; }
CheckScope CheckScope::not_wanted() { return none("the caller planned without it (check = false)"); }

CheckScope CheckScope::of(const Transform& problem, const CheckRoom& room, Integer chunk) {
    if (has_formula(problem) && formula::longest_vector(problem.matrix.term()) > longest_formula)
        return none(fmt::format("a formula of more than {} points takes too long to check", longest_formula));
    if (largest_side(problem) > most_bytes) return none("no memory has room for its arrays");
    const bool is_moderate = largest_side(problem) <= moderate_bytes;
    if (auto sample = BatchSample::of(problem, sampled_bytes)) {
        const Integer bytes = ProblemData::bytes_for(problem) + check_bytes(sample->problem());
        if (is_moderate || bytes <= room.batch_bytes)
            return {.kind = Kind::sample, .sample = std::move(sample), .bytes = bytes};
    }
    if (is_moderate) return {.kind = Kind::whole, .bytes = check_bytes(problem)};
    for (const Integer most : {shorter_bytes, moderate_bytes})
        if (auto shorter = with_shorter_batch(problem, most, chunk)) {
            const Integer bytes = of(*shorter, room, chunk).bytes;
            return {.kind = Kind::shorter_batch, .shorter = std::move(shorter), .bytes = bytes};
        }
    const Integer bytes = check_bytes(problem);
    if (bytes <= room.bytes) return {.kind = Kind::whole, .bytes = bytes};
    return none(fmt::format("it would take {} bytes of memory, and may take {}", bytes,
                            std::max<Integer>(room.bytes, 0)));
}

std::string to_string(const CheckScope& scope, const Transform& problem) {
    switch (scope.kind) {
    case CheckScope::Kind::none: return "no, because " + scope.reason;
    case CheckScope::Kind::whole: return "yes";
    case CheckScope::Kind::sample:
        return fmt::format("yes, {} of {} transforms", batch_count(scope.sample->problem()),
                           batch_count(problem));
    case CheckScope::Kind::shorter_batch:
        return fmt::format("yes, by a plan of the same schedule for {} of {} transforms",
                           batch_count(*scope.shorter), batch_count(problem));
    }
    return "no";
}

} // namespace swirl::planning
