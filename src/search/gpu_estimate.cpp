#include "search/gpu_estimate.hpp"

#include "base/error.hpp"
#include "plan/gpu_kernel.hpp"
#include "plan/steps.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "rules/number_theory.hpp"
#include "search/gpu_trees.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::search {

using planning::Stage;
using planning::StepRecipe;

namespace {

constexpr Integer fewest_block_threads = 128;
constexpr Integer most_block_threads = 256;
/// Entries after which one is left out of shared memory, for lengths with many factors of two.
constexpr Integer row_of_banks = 32;
/// What global memory moves at a time: of shorter pieces parts are moved in vain.
constexpr Integer sector_bytes = 32;
/// Iterations that a thread does in turn are written out one after the other.
constexpr Integer most_turns = 64;

[[noreturn]] void not_yet(const Problem& problem, const std::string& what) {
    throw UserError("not yet on GPUs: {}\n  problem: {}\n  a plan for the CPU can compute it", what,
                    to_text(problem));
}

Integer count_of(const std::vector<Integer>& loops) {
    Integer count = 1;
    for (const Integer loop : loops) count *= loop;
    return count;
}

Integer largest_divisor_up_to(Integer n, Integer most) {
    for (Integer divisor = std::min(n, most); divisor > 1; --divisor)
        if (n % divisor == 0) return divisor;
    return 1;
}

/// ⌊√n⌋
Integer root_of(Integer n) {
    auto root = static_cast<Integer>(std::sqrt(static_cast<double>(n)));
    while (root * root > n) --root;
    while ((root + 1) * (root + 1) <= n) ++root;
    return root;
}

class StepChooser {
public:
    StepChooser(const Problem& problem, const Stage& stage, const target::Gpu& gpu)
        : problem_(problem), stage_(stage), gpu_(gpu), n_(stage.nonterminal.rows()) {
        loops_ = stage.left;
        loops_.insert(loops_.end(), stage.right.begin(), stage.right.end());
    }

    StepRecipe choose() const {
        const auto tree = gpu_tree(stage_.nonterminal);
        if (!tree && rules::largest_prime_factor(n_) > largest_gpu_prime)
            not_yet(problem_,
                    fmt::format("a transform of {} points, which has the prime factor {}; primes go up to {}",
                                n_, rules::largest_prime_factor(n_), largest_gpu_prime));
        if (!tree) not_yet(problem_, fmt::format("{} of {} points", name_of(problem_.kind), n_));
        return tree->rule.empty() ? one_codelet() : several_passes(*tree);
    }

private:
    /// Of several loops around a codelet the outermost is shared by a block's transforms and by blocks, the others by
    /// threads.
    StepRecipe one_codelet() const {
        const Integer outer = loops_.empty() ? 1 : loops_.front();
        const Integer inner = count_of(loops_) / outer;
        const Integer threads = largest_divisor_up_to(inner, most_block_threads);
        if (inner / threads > most_turns)
            not_yet(problem_, fmt::format("loops of {} transforms of {} points inside another", inner, n_));
        const Integer transforms = std::min(outer, std::max<Integer>(1, fewest_block_threads / threads));
        lower::GpuMapping mapping{.threads = whole_warps(threads * transforms), .transforms = transforms};
        const bool is_alone = stage_.right.empty() && inner == 1;
        if (is_alone && transforms > 1 && n_ * entry_bytes() > sector_bytes) {
            mapping.staged = true;
            mapping.shared_pitch = n_ % 8 == 0 ? 1 : 0; // else few banks are shared
            const Integer each = (n_ + mapping.shared_pitch) * entry_bytes();
            while (mapping.transforms * each > gpu_.shared_bytes_per_block_at_most / 2)
                mapping.transforms /= 2;
            mapping.threads = whole_warps(mapping.transforms);
        }
        return {stage_.dimension, {}, {mapping}};
    }

    /// In one kernel where it fits in shared memory, or else in two.
    StepRecipe several_passes(const rules::BreakdownTree& tree) const {
        StepRecipe step{stage_.dimension, tree, {}};
        if (n_ * entry_bytes() > gpu_.shared_bytes_per_block_at_most) return two_sweeps();
        const Integer threads =
            largest_divisor_up_to(std::max<Integer>(1, n_ / largest_radix_of(tree)), gpu_.threads_per_block);
        lower::GpuMapping mapping{.threads = threads, .shared_row = row_for(n_)};
        mapping.staged =
            stage_.right.empty() && n_ / largest_radix_of(tree) * entry_bytes() < 2 * sector_bytes;
        step.mappings = {mapping};
        const Integer bytes = most_shared_bytes(step);
        if (bytes > gpu_.shared_bytes_per_block_at_most) return two_sweeps();
        const Integer room =
            bytes == 0 ? gpu_.threads_per_block : gpu_.shared_bytes_per_block_at_most / bytes;
        mapping.transforms = transforms_of_a_block(threads, room);
        mapping.threads = whole_warps(threads * mapping.transforms);
        step.mappings = {mapping};
        return step;
    }

    /// Columns, then rows, of a matrix that is about square; the second sweep's transforms come first in the tree.
    StepRecipe two_sweeps() const {
        if (!stage_.nonterminal.is<formula::Dft>()) too_long();
        for (Integer rows = largest_divisor_up_to(n_, root_of(n_)); rows > largest_gpu_radix;
             rows = largest_divisor_up_to(n_, rows - 1)) {
            const Integer columns = n_ / rows;
            if (columns * entry_bytes() > gpu_.shared_bytes_per_block_at_most) break;
            StepRecipe step{stage_.dimension, {}, {}};
            step.tree = {"two-sweep", {columns, 1, 1}, {tree_of(rows)}};
            if (columns != rows) step.tree.children.push_back(tree_of(columns));
            step.mappings = {sweep_of(columns, rows), sweep_of(rows, columns)};
            if (most_shared_bytes(step) <= gpu_.shared_bytes_per_block_at_most) return step;
        }
        too_long();
    }

    [[noreturn]] void too_long() const {
        not_yet(problem_,
                fmt::format("{} of {} points along one dimension, which fits in the shared memory of a block "
                            "({} bytes on {}) neither whole nor in two factors",
                            name_of(problem_.kind), n_, gpu_.shared_bytes_per_block_at_most, gpu_.name));
    }

    /// As many neighbouring transforms of n points as are whole lines of the caches, if they fit, for as many threads as can
    /// be.
    lower::GpuMapping sweep_of(Integer n, Integer transforms) const {
        const Integer room = gpu_.shared_bytes_per_block_at_most * row_of_banks / (row_of_banks + 1);
        const Integer most =
            std::max<Integer>(1, std::min(gpu_.line_bytes / entry_bytes(), room / (n * entry_bytes())));
        lower::GpuMapping mapping{};
        mapping.transforms = largest_divisor_up_to(transforms, most);
        const Integer each = n / std::max(n <= largest_gpu_radix ? n : 1, largest_radix_of(tree_of(n)));
        mapping.threads =
            whole_warps(largest_divisor_up_to(each * mapping.transforms, gpu_.threads_per_block));
        mapping.one_vector = true;
        return mapping;
    }

    /// Of a factor of n.
    rules::BreakdownTree tree_of(Integer n) const { return *gpu_tree(formula::DFT(n)); }

    Integer entry_bytes() const { return (stage_.complex ? 2 : 1) * real_bytes(problem_.precision); }
    Integer row_for(Integer n) const { return n % row_of_banks == 0 ? row_of_banks : 0; }

    /// Of the kernel that needs most.
    Integer most_shared_bytes(const StepRecipe& step) const {
        Integer most = 0;
        for (const ir::Program& program : planning::derive_for_gpu(problem_, stage_, step, gpu_).programs) {
            Integer bytes = 0;
            for (const ir::BufferInfo& buffer : program.buffers)
                if (buffer.space == ir::Space::shared)
                    bytes += buffer.elements * ir::size_in_bytes(buffer.element);
            most = std::max(most, bytes);
        }
        return most;
    }

    /// The fewest that make whole warps of a block of the wanted size, where there are so many and room for them.
    Integer transforms_of_a_block(Integer threads, Integer room) const {
        const Integer innermost = loops_.empty() ? 1 : loops_.back();
        const Integer most = std::min({innermost, room, std::max<Integer>(1, most_block_threads / threads)});
        const Integer wanted = std::min(most, ceil_divide(fewest_block_threads, threads));
        for (Integer transforms = wanted; transforms <= most; ++transforms)
            if (threads * transforms % gpu_.warp_size == 0) return transforms;
        return wanted;
    }

    Integer whole_warps(Integer threads) const {
        return std::min<Integer>(gpu_.threads_per_block,
                                 ceil_divide(threads, gpu_.warp_size) * gpu_.warp_size);
    }

    const Problem& problem_;
    const Stage& stage_;
    const target::Gpu& gpu_;
    Integer n_;
    std::vector<Integer> loops_; ///< around the transform, outermost first
};

} // namespace

planning::Recipe gpu_recipe(const Problem& problem, const target::Gpu& gpu) {
    validate(problem);
    planning::Recipe recipe{std::string(gpu.name), {}};
    for (const Stage& stage : planning::stages(problem, planning::Fusion::none))
        recipe.steps.push_back(StepChooser(problem, stage, gpu).choose());
    return recipe;
}

} // namespace swirl::search
