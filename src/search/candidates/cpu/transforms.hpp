#pragma once

#include "problem/problem.hpp"
#include "rules/rule.hpp"
#include "search/candidates/search_space.hpp"
#include "search/cost/cpu/machine_model.hpp"
#include "target/cpu.hpp"

#include <functional>
#include <optional>
#include <vector>

/// What a search tries for a transform on a CPU.
namespace swirl::search {

/// The best tree of a subproblem, and its time.
struct TimedTree {
    rules::BreakdownTree tree;
    double seconds;
};

/// Results of earlier searches on subproblems, and the sink for this one's. Both may be empty.
struct SubproblemWisdom {
    std::function<std::optional<TimedTree>(const Transform&)> lookup = {};
    std::function<void(const Transform&, const planning::Schedule&, double seconds)> store = {};
};

struct CpuTransformOptions {
    const target::Cpu& cpu;
    const MachineModel& machine = fitted_machine_model();
    bool exhaustive = false; ///< every choice of every rule, not only the model's proposals
    std::vector<planning::Schedule> others = {}; ///< from wisdom
    SubproblemWisdom wisdom = {};
};

/// Proposals by dynamic programming over timed subproblems; actions change radices, widths of tiles and blocks, and the
/// breakdown of one of several dimensions. The problem must outlive the space.
SearchSpace cpu_transform_space(const Transform& problem, CpuTransformOptions options);

/// Whether the widths of a two-sweep's blocks change nothing but the order of memory accesses. Twiddle factors of longer
/// ones are products of entries of two tables, and the width says of which.
bool block_widths_keep_bits(Integer n);

/// What may differ between plans of a problem for one thread and for several: widths of tiles, and of blocks where they
/// keep all bits. The problem must outlive the space.
SearchSpace threads_space(const Transform& problem, const planning::Schedule& for_one_thread);

/// Whether two schedules of a problem differ in nothing but that: all results have the same bits.
bool have_same_arithmetic(const Transform& problem, const planning::Schedule& a, const planning::Schedule& b);

} // namespace swirl::search
