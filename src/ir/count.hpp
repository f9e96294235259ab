#pragma once

#include "ir/analysis.hpp"

#include <functional>
#include <span>
#include <vector>

/// Static counts of a program's operations and traffic.
namespace swirl::ir {

/// Floating-point operations, unless stated otherwise.
struct OperationCounts {
    Integer additions = 0; ///< and subtractions, including atomic ones
    Integer multiplications = 0;
    Integer divisions = 0;   ///< and square roots
    Integer fused = 0;       ///< fma, fms, fnma
    Integer negations = 0;   ///< and magnitudes
    Integer comparisons = 0; ///< less and select
    Integer conversions = 0; ///< including powers of two
    Integer splats = 0;
    Integer shuffles = 0;     ///< including shuffles as target instructions
    Integer instructions = 0; ///< target instructions other than pure shuffles, including wgmma
    Integer flops_of_instructions = 0;
    Integer integers = 0; ///< operations on int64
    Integer loads = 0;    ///< including TMA
    Integer stores = 0;   ///< including atomic additions and TMA

    Integer flops() const {
        return additions + multiplications + divisions + 2 * fused + flops_of_instructions;
    }
    bool operator==(const OperationCounts&) const = default;
};

struct CountOptions {
    bool loops = true;  ///< counts executions in the whole launch; otherwise each operation once
    bool lanes = false; ///< counts lanes (of loads and stores: active lanes)
    std::span<const Integer> parameters = {}; ///< needed if loops or conditions depend on them
};

OperationCounts count_operations(const Program& program, const CountOptions& options = {});

/// Bytes requested by the loads and stores of one buffer; whole boxes for TMA.
struct TrafficCounts {
    Integer loaded = 0;
    Integer stored = 0;
};

/// For every buffer, in the whole launch.
std::vector<TrafficCounts> count_traffic(const Program& program, std::span<const Integer> parameters = {});

/// Calls f(block, times) for every straight-line block with the number of its executions in the whole launch, in the
/// program's order. Skips blocks never executed.
void for_each_weighted_block(const Program& program, std::span<const Integer> parameters,
                             const std::function<void(const StraightLineBlock&, Integer)>& f);

} // namespace swirl::ir
