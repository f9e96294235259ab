#pragma once

#include "lower/gpu_lowering.hpp"
#include "plan/steps.hpp"
#include "problem/problem.hpp"
#include "rules/rule.hpp"
#include "search/gpu_model.hpp"
#include "target/gpu.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// How a step's kernels may be laid onto a GPU, as the model rates it.
namespace swirl::search {

/// Entries of shared memory that its banks hold side by side.
constexpr Integer row_of_banks = 32;

struct RatedMapping {
    lower::GpuMapping mapping;
    double seconds;
};

template <class Rated> void fastest_first(std::vector<Rated>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Rated& a, const Rated& b) { return a.seconds < b.seconds; });
}

/// The mappings of one stage's kernels, of each the best `ranks`, the best first. Holds references.
class GpuMappings {
public:
    GpuMappings(const Problem& problem, const planning::Stage& stage, const target::Gpu& gpu,
                std::size_t ranks)
        : problem_(problem), stage_(stage), gpu_(gpu), ranks_(ranks) {}

    std::size_t ranks() const { return ranks_; }
    GpuCode code() const;
    Integer words() const;       ///< of a number of the arithmetic
    Integer entry_bytes() const; ///< in shared memory

    /// The step's parts, open; `apart` as in GpuMapping.
    lower::GpuParts parts_of(const rules::BreakdownTree& tree, Integer row, lower::Between between,
                             Integer apart = 0) const;

    /// Of a part that is a kernel of its own.
    std::vector<RatedMapping> of_part(const lower::GpuParts& parts, const lower::GpuPart& part, Integer row,
                                      bool whole) const;

    /// Of parts done together by one block, or by those of a cluster: `entries` of one transform, one transform at a time, or
    /// several neighbours that lie entry by entry.
    std::vector<RatedMapping> of_parts_together(const lower::GpuParts& parts, Integer blocks, Integer entries,
                                                bool neighbours) const;

    /// Of shared memory, that parts done together may take in a block.
    Integer most_bytes_together() const { return gpu_.shared_bytes_per_block_at_most * 15 / 16; }

private:
    std::vector<Integer> threads_of_a_transform(const lower::GpuPart& part) const;
    void add(std::vector<RatedMapping>& rated, lower::GpuMapping mapping, const GpuPitchedCost& best) const;
    bool leaves_out_by_table(const lower::GpuParts& parts, const lower::GpuPart& part) const;
    double bound_of(const std::vector<RatedMapping>& rated) const;
    std::optional<RatedMapping> with_best_pitch(const lower::GpuParts& parts,
                                                lower::GpuMapping mapping) const;

    const Problem& problem_;
    const planning::Stage& stage_;
    const target::Gpu& gpu_;
    std::size_t ranks_;
};

} // namespace swirl::search
