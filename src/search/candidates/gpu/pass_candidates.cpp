#include "search/candidates/gpu/pass_candidates.hpp"

#include "formula/properties.hpp"
#include "loops/build.hpp"
#include "loops/gpu/communicated.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "rules/given_formula.hpp"
#include "rules/number_theory.hpp"
#include "rules/real_row_column.hpp"
#include "search/candidates/gpu/large_trees.hpp"
#include "search/candidates/gpu/launch_configurations.hpp"
#include "search/candidates/gpu/trees.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace swirl::search {

namespace {

using loops::Between;
using loops::KernelRegion;
using loops::KernelRegions;
using loops::LaunchConfiguration;
using rules::BreakdownTree;

constexpr std::size_t max_matrices = 12; ///< matrix shapes tried for a vector in two sweeps
constexpr Integer longest_side = 8192;   ///< of a matrix whose whole rows and columns fit in blocks
/// Entries of each multiprocessor from which wide radices in fewer passes may be faster: below, threads are too few.
constexpr Integer enough_for_long_threads = 1024;

class PassCandidates {
public:
    PassCandidates(const Transform& problem, const planning::DimensionPass& pass, const target::Gpu& gpu,
                   std::size_t most, std::size_t per_tree)
        : pass_(pass),
          gpu_(gpu),
          most_(most),
          configurations_(problem, pass, gpu, std::min(most, per_tree)),
          is_given_(has_formula(problem)),
          is_real_of_several_dimensions_(!is_given_ && (rules::is_rdft_multidimensional(pass.nonterminal) ||
                                                        rules::is_real_kronecker(pass.nonterminal))),
          n_(pass.nonterminal.rows()),
          entry_bytes_(configurations_.entry_bytes()) {}

    std::vector<GpuPassCandidate> best() {
        const Integer capacity = gpu_.max_shared_bytes_per_block;
        if (is_real_of_several_dimensions_) return of_real_dimensions();
        if (rules::is_given_formula(pass_.nonterminal)) return of_formula();
        if (pass_.nonterminal.is<formula::Kronecker>()) {
            add_plane();
            add_bands();
            if (found_.empty() && is_given_) return of_formula();
        } else if (n_ * entry_bytes_ <= capacity)
            for (const BreakdownTree& tree : gpu_trees(pass_.nonterminal, widest_radix()))
                add_kernels(tree, row_for(tree));
        if (found_.empty() && n_ * entry_bytes_ <= capacity)
            for (const BreakdownTree& tree : gpu_trees(pass_.nonterminal, widest_radix())) {
                const bool is_padded = tree.rule == "rdft-rader" && tree.choice.front() != n_ - 1;
                if (const BreakdownTree other = without_rader(tree); other != tree && !is_padded)
                    add_kernels(other, row_for(other));
            }
        if (is_swept() && 16 * n_ * entry_bytes_ > capacity) add_two_sweeps();
        if (pass_.nonterminal.is<formula::Dft>() && (found_.empty() || few_per_multiprocessor()))
            for (const BreakdownTree& tree : sweeps_by_primes(n_, entries_of_block()))
                add_kernels(tree, bank_count);
        const bool is_left = found_.empty() && pass_.nonterminal.is<formula::Dft>();
        if (is_left || (is_padded_convolution() && are_few())) add_swept_convolutions();
        for (const int sweeps : {2, 3})
            if (found_.empty()) add_large(sweeps);
        return fastest_found();
    }

private:
    std::vector<GpuPassCandidate> fastest_found() {
        fastest_first(found_);
        if (found_.size() > most_)
            found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(most_), found_.end());
        return std::move(found_);
    }

    /// In one kernel, whose blocks hold all dimensions of a transform. One dimension's breakdown after the other is the
    /// best one beside those of the other dimensions.
    std::vector<GpuPassCandidate> of_real_dimensions() {
        const formula::Formula& transform = pass_.nonterminal;
        const Integer entries = std::max(n_, transform.columns());
        const auto breakdowns = gpu_real_row_column_breakdowns(transform, widest_radix());
        if (entries * entry_bytes_ > gpu_.max_shared_bytes_per_block || breakdowns.empty()) return {};
        std::vector<BreakdownTree> best;
        for (const auto& of_dimension : breakdowns) best.push_back(of_dimension.front());
        double least = add_in_one_kernel(gpu_real_row_column_tree(transform, best));
        for (std::size_t k = 0; k < breakdowns.size(); ++k) {
            std::vector<BreakdownTree> children = best;
            for (std::size_t rank = 1; rank < breakdowns[k].size(); ++rank) {
                children[k] = breakdowns[k][rank];
                const double seconds = add_in_one_kernel(gpu_real_row_column_tree(transform, children));
                if (seconds >= least) continue;
                least = seconds;
                best[k] = children[k];
            }
        }
        if (found_.empty()) add_in_one_kernel(without_rader(gpu_real_row_column_tree(transform, best)));
        return fastest_found();
    }

    /// The least seconds of the tree's candidates; infinite if there are none.
    double add_in_one_kernel(const BreakdownTree& tree) try {
        const std::size_t before = found_.size();
        const KernelRegions regions = configurations_.regions_of(tree, bank_count, Between::global);
        if (regions.regions.size() == 1)
            add(tree,
                {configurations_.of_region(regions, regions.regions.front(), bank_count, stays_whole(tree))});
        return found_.size() > before ? found_[before].seconds : std::numeric_limits<double>::infinity();
    } catch (const loops::UnfollowedMap&) {
        return std::numeric_limits<double>::infinity();
    }

    /// In one kernel if all vectors between the factors fit in a block; else vectors that do not fit pass from kernel to
    /// kernel through global memory.
    std::vector<GpuPassCandidate> of_formula() {
        const auto tree = gpu_formula_tree(pass_.nonterminal);
        if (!tree) return {};
        const Integer longest = formula::longest_vector(pass_.nonterminal);
        if (longest * entry_bytes_ <= gpu_.max_shared_bytes_per_block) add_kernels(*tree, 0);
        const Integer reals = gpu_.max_shared_bytes_per_block / bytes_of(configurations_.code().scalar) / 2;
        if (found_.empty()) {
            add_kernels(*tree, 0, reals);
            for (GpuPassCandidate& candidate : found_)
                candidate.pass.configurations.front().separate_above = reals;
        }
        return fastest_found();
    }

    Integer widest_radix() const { return largest_gpu_radix * (configurations_.words() == 1 ? 2 : 1); }
    /// Spectra of reals do not use rows.
    Integer row_for(const BreakdownTree& tree) const {
        if (tree.rule == "rdft-stockham") return 0;
        return row_for(tree.rule == "bluestein" ? tree.choice.front() : n_);
    }
    Integer row_for(Integer n) const { return n % bank_count == 0 && n > bank_count ? bank_count : 0; }

    /// For transforms that exceed a block and have no better breakdown: data that does not fit in a block passes from
    /// kernel to kernel through global memory.
    void add_large(int sweeps) {
        const Integer reals = gpu_.max_shared_bytes_per_block / bytes_of(configurations_.code().scalar) /
                              2; // two vectors per block
        for (const BreakdownTree& tree : gpu_large_trees(pass_.nonterminal, sweeps, reals))
            add_separate_kernels(tree, reals);
    }

    void add_separate_kernels(const BreakdownTree& tree, Integer separate_above) {
        const std::size_t before = found_.size();
        add_kernels(tree, bank_count, separate_above);
        for (std::size_t k = before; k < found_.size(); ++k)
            found_[k].pass.configurations.front().separate_above = separate_above;
    }

    /// One kernel per region; `separate_above` as in LaunchConfiguration. None for a tree with index maps that cannot
    /// be followed.
    void add_kernels(const BreakdownTree& tree, Integer row, Integer separate_above = 0) try {
        const KernelRegions regions = configurations_.regions_of(tree, row, Between::global, separate_above);
        std::vector<std::vector<RatedConfiguration>> rated;
        for (const KernelRegion& region : regions.regions)
            rated.push_back(configurations_.of_region(regions, region, row, stays_whole(tree)));
        add(tree, rated);
    } catch (const loops::UnfollowedMap&) {}

    /// Combines the best configurations of all regions, then the second best ones, and so on.
    void add(const BreakdownTree& tree, const std::vector<std::vector<RatedConfiguration>>& rated) {
        for (std::size_t rank = 0; rank < configurations_.ranks(); ++rank) {
            GpuPassCandidate candidate{{pass_.dimension, tree, {}}, 0};
            for (const auto& region : rated) {
                if (rank >= region.size()) return;
                candidate.pass.configurations.push_back(region[rank].configuration);
                candidate.seconds += region[rank].seconds;
            }
            found_.push_back(std::move(candidate));
        }
    }

    /// All dimensions in one kernel: codelets only, or two dimensions in a block or a cluster.
    void add_plane() {
        const auto tree = gpu_tree(pass_.nonterminal);
        if (!tree) return;
        if (tree->children.empty()) {
            if (n_ * entry_bytes_ <= gpu_.max_shared_bytes_per_block) add_kernels(*tree, row_for(n_));
            return;
        }
        const Integer columns = pass_.nonterminal.children()[0].rows(), rows = n_ / columns;
        const BreakdownTree of_rows = gpu_tree(pass_.nonterminal.children()[1]).value();
        const Integer last = of_rows.choice.empty() ? rows : of_rows.choice.back();
        std::vector<Integer> clusters;
        for (Integer blocks = 1; blocks <= std::max(1, gpu_.largest_cluster); blocks *= 2)
            if (columns % blocks == 0 && rows % blocks == 0 && last % blocks == 0) clusters.push_back(blocks);
        add_clusters(*tree, clusters);
    }

    /// Two sweeps over a matrix, or over a volume whose middle dimension is split between the sweeps. The first sweep
    /// takes the largest factor that fits in a block: this gives the second sweep the widest contiguous ranges.
    void add_bands() {
        const std::vector<BreakdownTree> trees =
            gpu_band_trees(pass_.nonterminal, configurations_.max_fused_bytes() / entry_bytes_);
        for (const BreakdownTree& tree : trees) {
            const KernelRegions regions = configurations_.regions_of(tree, bank_count, Between::shared);
            const Integer rows = tree.choice.front() * pass_.nonterminal.children().back().rows();
            std::vector<std::vector<RatedConfiguration>> rated;
            for (std::size_t k = 0; k < regions.fused_ends.size(); ++k) {
                const KernelRegions own = loops::fused_regions(regions, k);
                if (own.regions.size() == 1)
                    rated.push_back(configurations_.of_region(own, own.regions.front(), bank_count, false));
                else
                    rated.push_back(
                        configurations_.of_fused_regions(own, 1, k == 0 ? rows : n_ / rows, k > 0));
            }
            add(tree, rated);
        }
    }

    /// Whether the candidates compute a transform as a convolution of more than twice as many entries.
    bool is_padded_convolution() const {
        if (found_.empty()) return false;
        const BreakdownTree& tree = found_.front().pass.tree;
        return tree.rule == "bluestein" || (tree.rule == "rdft-embedding" && !tree.children.empty() &&
                                            tree.children.front().rule == "bluestein");
    }

    /// Convolutions as kernels of one sweep each, where all multiprocessors work on the same transform.
    void add_swept_convolutions() {
        for (BreakdownTree& tree : swept_convolutions(n_, longest_side * longest_side, entries_of_block())) {
            if (is_real()) tree = {"rdft-embedding", {}, {std::move(tree)}};
            add_kernels(tree, bank_count);
            if (found_.empty()) break; // three sweeps compete with two that fit
        }
    }

    /// That fit in its shared memory.
    Integer entries_of_block() const { return gpu_.max_shared_bytes_per_block / entry_bytes_; }
    bool is_real() const { return pass_.nonterminal.is<formula::RealDft>(); }
    bool convolves() const { return pass_.complex && pass_.nonterminal.is<formula::Circulant>(); }
    bool is_swept() const {
        return convolves() || pass_.nonterminal.is<formula::Dft>() || (is_real() && n_ % 2 == 0);
    }

    /// Whether a multiprocessor holds fewer than four transforms.
    bool few_per_multiprocessor() const { return n_ * entry_bytes_ > gpu_.max_shared_bytes_per_block / 4; }
    bool beyond_half_a_block() const { return n_ * entry_bytes_ > gpu_.max_shared_bytes_per_block / 2; }
    /// In the batch and in the other dimensions.
    Integer transforms() const {
        return std::accumulate(pass_.right.begin(), pass_.right.end(), configurations_.batch(),
                               std::multiplies<>());
    }
    /// Whether a block for each transform leaves multiprocessors idle.
    bool are_few() const { return transforms() < gpu_.multiprocessors; }
    /// Whether sweeps may be kernels of their own. A convolution of one block saves more than other multiprocessors add.
    bool has_separate_sweeps() const { return beyond_half_a_block() || (are_few() && !convolves()); }

    /// Whether threads by wide radices, with more work each, are still enough for all multiprocessors.
    bool suffices_for_long_threads(Integer entries) const {
        return gpu_.multiprocessors > 0 &&
               entries * transforms() >= enough_for_long_threads * gpu_.multiprocessors;
    }

    /// Returns whether any exist.
    bool add_real_sweeps() {
        if (!is_real()) return false;
        const Direction direction = pass_.nonterminal.get_if<formula::RealDft>()->direction;
        bool any = false;
        for (const Integer columns : columns_of(n_)) {
            const auto tree = real_two_sweep(n_, columns, direction);
            if (!tree) continue;
            any = true;
            if (has_separate_sweeps()) add_kernels(*tree, bank_count);
            add_clusters(*tree, real_clusters(columns));
        }
        return any;
    }

    /// Cluster sizes for columns that are not codelets.
    std::vector<Integer> real_clusters(Integer columns) const {
        std::vector<Integer> clusters;
        const Integer largest = columns > largest_gpu_real_codelet ? gpu_.largest_cluster : 1;
        for (Integer blocks = 2; blocks <= largest; blocks *= 2)
            if (columns / 2 % blocks == 0 && n_ / columns % blocks == 0) clusters.push_back(blocks);
        return clusters;
    }

    /// Columns, then rows, of a matrix: in two kernels, or in one kernel by the blocks of a cluster. Real input stays
    /// real where the rule applies, with a small kernel for the real-valued rows; otherwise it becomes complex input of
    /// half the length, with another kernel for the spectrum.
    void add_two_sweeps() {
        if (add_real_sweeps() && !are_few()) return;
        const Integer n = is_real() ? n_ / 2 : n_;
        for (const Integer columns : columns_of(n)) {
            const Integer rows = n / columns;
            const auto of_rows = gpu_tree(formula::DFT(rows)), of_columns = gpu_tree(formula::DFT(columns));
            if (!of_rows || !of_columns || of_rows->rule != "stockham") continue;
            if (of_columns->rule == "rader" && !convolves()) add_two_sweeps(columns, *of_rows, *of_columns);
            if (of_columns->rule != "stockham") continue;
            add_two_sweeps(columns, *of_rows, *of_columns);
            if (convolves() || !suffices_for_long_threads(n)) continue;
            const auto rows_in_fewer = fewest_passes(rows, widest_radix()),
                       columns_in_fewer = fewest_passes(columns, widest_radix());
            if (rows_in_fewer || columns_in_fewer)
                add_two_sweeps(columns, rows_in_fewer.value_or(*of_rows),
                               columns_in_fewer.value_or(*of_columns));
        }
        if (!convolves()) add_three_sweeps(n);
    }

    /// Three sweeps over wide ranges of memory, where two access narrow ones.
    void add_three_sweeps(Integer n) {
        if (!are_sweeps_narrow(n, entries_of_block())) return;
        auto tree = three_sweeps(n);
        if (!tree) return;
        if (is_real()) tree = {"rdft-half-size", {}, {std::move(*tree)}};
        add_kernels(*tree, bank_count);
    }

    /// With these breakdowns of the rows and the columns.
    void add_two_sweeps(Integer columns, const BreakdownTree& of_rows, const BreakdownTree& of_columns) {
        const Integer rows = (is_real() ? n_ / 2 : n_) / columns;
        BreakdownTree tree{"two-sweep", {columns, 1, 1}, {of_rows}};
        if (columns != rows) tree.children.push_back(of_columns);
        if (is_real()) tree = {"rdft-half-size", {}, {tree}};
        if (convolves()) { // the inverse's columns are the forward transform's rows
            BreakdownTree back{"two-sweep", {rows, 1, 1}, {reversed_passes(of_rows)}};
            if (columns != rows) back.children.insert(back.children.begin(), of_columns);
            tree = {"circulant-dft", {}, {back, tree}};
        }
        if (has_separate_sweeps()) {
            add_kernels(tree, bank_count);
            if (!is_real()) add_groups(tree);
        }
        std::vector<Integer> clusters;
        for (Integer blocks = 2; blocks <= gpu_.largest_cluster && !is_real(); blocks *= 2)
            if (of_columns.rule == "stockham" && columns % blocks == 0 && rows % blocks == 0 &&
                of_columns.choice.back() % blocks == 0 &&
                (!convolves() || of_rows.choice.front() % blocks == 0))
                clusters.push_back(blocks);
        add_clusters(tree, clusters);
    }

    /// Column counts of matrices of n entries: those nearest to square, with a bounded aspect ratio.
    static std::vector<Integer> columns_of(Integer n) {
        std::vector<Integer> result;
        for (const Integer columns : rules::divisors(n)) {
            const Integer rows = n / columns;
            if (columns > 1 && columns <= 16 * rows && rows <= 16 * columns) result.push_back(columns);
        }
        std::stable_sort(result.begin(), result.end(),
                         [&](Integer a, Integer b) { return std::max(a, n / a) < std::max(b, n / b); });
        if (result.size() > max_matrices) result.resize(max_matrices);
        std::sort(result.begin(), result.end());
        return result;
    }

    /// All kernels as one cooperative kernel.
    void add_groups(const BreakdownTree& tree) {
        const KernelRegions regions = configurations_.regions_of(tree, bank_count, Between::global);
        for (RatedGroups& groups : configurations_.of_groups(regions))
            found_.push_back({{pass_.dimension, tree, std::move(groups.configurations)}, groups.seconds});
    }

    void add_clusters(const BreakdownTree& tree, std::vector<Integer> sizes) try {
        std::erase_if(sizes, [&](Integer blocks) {
            return n_ / blocks * entry_bytes_ > configurations_.max_fused_bytes();
        });
        if (sizes.empty()) return;
        const KernelRegions regions = configurations_.regions_of(tree, bank_count, Between::shared);
        for (const Integer blocks : sizes)
            add(tree, {configurations_.of_fused_regions(regions, blocks, n_, !pass_.right.empty())});
    } catch (const loops::UnfollowedMap&) {}

    const planning::DimensionPass& pass_;
    const target::Gpu& gpu_;
    std::size_t most_;
    LaunchConfigurations configurations_;
    bool is_given_; ///< a formula that is the problem
    bool is_real_of_several_dimensions_;
    Integer n_;
    Integer entry_bytes_; ///< in shared memory
    std::vector<GpuPassCandidate> found_;
};

} // namespace

std::vector<GpuPassCandidate> gpu_candidates(const Transform& problem, const planning::DimensionPass& pass,
                                             const target::Gpu& gpu, std::size_t most, std::size_t per_tree) {
    return PassCandidates(problem, pass, gpu, most, per_tree).best();
}

std::vector<std::optional<std::vector<GpuKernelCost>>> gpu_kernel_costs(const Transform& problem,
                                                                        const planning::Schedule& schedule,
                                                                        const target::Gpu& gpu) {
    const std::vector<planning::DimensionPass> passes = planning::gpu_passes(problem, schedule);
    std::vector<std::optional<std::vector<GpuKernelCost>>> result;
    for (std::size_t k = 0; k < passes.size(); ++k)
        result.push_back(
            LaunchConfigurations(problem, passes[k], gpu, 1).costs_of(schedule.transform().passes[k]));
    return result;
}

std::vector<std::optional<double>> gpu_pass_seconds(const Transform& problem,
                                                    const planning::Schedule& schedule,
                                                    const target::Gpu& gpu) {
    std::vector<std::optional<double>> result;
    for (const auto& kernels : gpu_kernel_costs(problem, schedule, gpu)) {
        if (!kernels) {
            result.emplace_back();
            continue;
        }
        double sum = 0;
        for (const GpuKernelCost& cost : *kernels) sum += cost.seconds;
        result.emplace_back(sum);
    }
    return result;
}

} // namespace swirl::search
