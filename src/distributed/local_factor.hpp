#pragma once

#include "distributed/messages.hpp"
#include "distributed/schedule.hpp"
#include "formula/formula.hpp"

#include <vector>

namespace swirl::distributed {

/// What one rank computes in a stage: from the messages that it has received to those that it will send. A rank without data has
/// empty layouts.
struct LocalFactor {
    Box before; ///< the elements that it has
    Box after; ///< with the last axis of another length, if this stage takes reals to complex elements or back
    std::vector<std::size_t> transforms = {}; ///< along these axes, in this order
    bool is_complex_before = true;
    bool is_complex_after = true;
    Layout load = {};
    Layout store = {};
    bool has_data() const { return !before.lower.empty(); }
};

/// Factors of one rank for all stages, and the messages between them.
struct RankFactors {
    std::vector<LocalFactor> local;
    std::vector<Messages> messages; ///< element i: between stages i and i + 1
};

/// The order of the axes in the messages after a stage.
std::vector<int> message_order(const Factors& factors, const Schedule& schedule,
                               const std::vector<StageBoxes>& boxes, std::size_t stage);

RankFactors factors_of_rank(const Factors& factors, const Schedule& schedule,
                            const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank);

/// The matrix of a local factor on complex elements: G(messages) · transforms and twiddle factors · S(messages), its box in between
/// having its axes in `order`. With `as_pairs`, a real matrix: the complex elements of a transform of reals, or to reals, are pairs.
formula::Formula formula_of(const LocalFactor& local, const Factors& factors, const std::vector<int>& order,
                            bool as_pairs);
/// Whether the whole transform has real elements somewhere.
inline bool has_reals(const Factors& factors) { return factors.problem.kind != TransformKind::dft; }

} // namespace swirl::distributed
