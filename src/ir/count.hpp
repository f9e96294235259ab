#pragma once

#include "ir/analysis.hpp"

#include <functional>
#include <span>
#include <vector>

/// What a program will do, counted without running it.
namespace swirl::ir {

/// Operations on floating numbers, except where it says otherwise.
struct OperationCounts {
    Integer additions = 0; ///< and subtractions, atomic ones too
    Integer multiplications = 0;
    Integer divisions = 0;   ///< and square roots
    Integer fused = 0;       ///< fma, fms, fnma
    Integer negations = 0;   ///< and magnitudes
    Integer comparisons = 0; ///< less and select
    Integer conversions = 0; ///< powers of two, too
    Integer splats = 0;
    Integer shuffles = 0;     ///< also as target instructions
    Integer instructions = 0; ///< target instructions that are no pure shuffles, products of tiles too
    Integer flops_of_instructions = 0;
    Integer integers = 0; ///< operations on int64
    Integer loads = 0;    ///< of tiles too
    Integer stores = 0;   ///< atomic additions too, and stores of tiles

    Integer flops() const {
        return additions + multiplications + divisions + 2 * fused + flops_of_instructions;
    }
    bool operator==(const OperationCounts&) const = default;
};

struct CountOptions {
    bool loops = true;  ///< by how often each run is executed, in the whole launch; else each operation once
    bool lanes = false; ///< by lanes (loads and stores: active lanes)
    std::span<const Integer> parameters = {}; ///< needed where loops or conditions depend on them
};

OperationCounts count_operations(const Program& program, const CountOptions& options = {});

/// Bytes that one buffer's loads and stores ask for, whole boxes where these are of tiles.
struct TrafficCounts {
    Integer loaded = 0;
    Integer stored = 0;
};

/// Of every buffer, in the whole launch.
std::vector<TrafficCounts> count_traffic(const Program& program, std::span<const Integer> parameters = {});

/// Calls f(run, times) for every straight run with the number of its executions in the whole launch (not for runs
/// that are never executed; several times where loop bounds or conditions depend on loop variables).
void for_each_weighted_run(const Program& program, std::span<const Integer> parameters,
                           const std::function<void(const Straight&, Integer)>& f);

} // namespace swirl::ir
