#include "search/gpu_candidates.hpp"

#include "lower/gpu_lowering.hpp"
#include "rules/number_theory.hpp"
#include "search/gpu_large_trees.hpp"
#include "search/gpu_mappings.hpp"
#include "search/gpu_trees.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace swirl::search {

namespace {

using lower::Between;
using lower::GpuMapping;
using lower::GpuPart;
using lower::GpuParts;
using rules::BreakdownTree;

constexpr std::size_t mappings_a_tree = 3;
constexpr std::size_t most_matrices = 12; ///< as which a vector is swept twice
constexpr Integer longest_side = 8192;    ///< of a matrix of which blocks hold whole rows and columns
class StepCandidates {
public:
    StepCandidates(const Problem& problem, const planning::Stage& stage, const target::Gpu& gpu,
                   std::size_t most)
        : stage_(stage),
          gpu_(gpu),
          most_(most),
          mappings_(problem, stage, gpu, std::min(most, mappings_a_tree)),
          n_(stage.nonterminal.rows()),
          entry_bytes_(mappings_.entry_bytes()) {}

    std::vector<GpuCandidate> best() {
        const Integer room = gpu_.shared_bytes_per_block_at_most;
        if (stage_.nonterminal.is<formula::Kronecker>()) {
            add_plane();
            add_bands();
        } else if (n_ * entry_bytes_ <= room)
            for (const BreakdownTree& tree : gpu_trees(stage_.nonterminal, widest_radix()))
                add_kernels(tree, row_for(tree));
        if (found_.empty() && n_ * entry_bytes_ <= room)
            for (const BreakdownTree& tree : gpu_trees(stage_.nonterminal, widest_radix()))
                if (const BreakdownTree other = without_rader(tree); other != tree)
                    add_kernels(other, row_for(other));
        if (is_swept() && 16 * n_ * entry_bytes_ > room) add_two_sweeps();
        if (found_.empty() && stage_.nonterminal.is<formula::Dft>())
            if (const auto tree = sweeps_by_primes(n_, room / entry_bytes_)) add_kernels(*tree, row_of_banks);
        if (found_.empty() && stage_.nonterminal.is<formula::Dft>())
            if (const auto tree = swept_convolution(n_, 2, longest_side * longest_side))
                add_kernels(*tree, row_of_banks);
        for (const int sweeps : {2, 3})
            if (found_.empty()) add_large(sweeps);
        fastest_first(found_);
        if (found_.size() > most_)
            found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(most_), found_.end());
        return std::move(found_);
    }

private:
    Integer widest_radix() const { return largest_gpu_radix * (mappings_.words() == 1 ? 2 : 1); }
    /// Spectra of reals do not go by rows.
    Integer row_for(const BreakdownTree& tree) const {
        if (tree.rule == "rdft-stockham") return 0;
        return row_for(tree.rule == "bluestein" ? tree.choice.front() : n_);
    }
    Integer row_for(Integer n) const { return n % row_of_banks == 0 && n > row_of_banks ? row_of_banks : 0; }

    /// Beyond a block, of kinds that have no better way: what no block can hand on is handed on from kernel to kernel.
    void add_large(int sweeps) {
        const Integer reals = gpu_.shared_bytes_per_block_at_most /
                              ir::size_in_bytes(mappings_.code().scalar) / 2; // and another vector
        for (const BreakdownTree& tree : gpu_large_trees(stage_.nonterminal, sweeps, reals)) {
            const std::size_t before = found_.size();
            add_kernels(tree, row_of_banks, reals);
            for (std::size_t k = before; k < found_.size(); ++k)
                found_[k].step.mappings.front().apart = reals;
        }
    }

    /// Each part as a kernel; `apart` as in GpuMapping.
    void add_kernels(const BreakdownTree& tree, Integer row, Integer apart = 0) {
        const GpuParts parts = mappings_.parts_of(tree, row, Between::global, apart);
        std::vector<std::vector<RatedMapping>> rated;
        for (const GpuPart& part : parts.parts)
            rated.push_back(mappings_.of_part(parts, part, row, stays_whole(tree)));
        add(tree, rated);
    }

    /// Every part with the best of its mappings, then with the next best ones.
    void add(const BreakdownTree& tree, const std::vector<std::vector<RatedMapping>>& rated) {
        for (std::size_t rank = 0; rank < mappings_.ranks(); ++rank) {
            GpuCandidate candidate{{stage_.dimension, tree, {}}, 0};
            for (const auto& part : rated) {
                if (rank >= part.size()) return;
                candidate.step.mappings.push_back(part[rank].mapping);
                candidate.seconds += part[rank].seconds;
            }
            found_.push_back(std::move(candidate));
        }
    }

    /// All dimensions in one kernel: of codelets alone, or two by a block or a cluster.
    void add_plane() {
        const auto tree = gpu_tree(stage_.nonterminal);
        if (!tree) return;
        if (tree->children.empty()) {
            if (n_ * entry_bytes_ <= gpu_.shared_bytes_per_block_at_most) add_kernels(*tree, row_for(n_));
            return;
        }
        const Integer columns = stage_.nonterminal.children()[0].rows(), rows = n_ / columns;
        const BreakdownTree of_rows = gpu_tree(stage_.nonterminal.children()[1]).value();
        const Integer last = of_rows.choice.empty() ? rows : of_rows.choice.back();
        std::vector<Integer> clusters;
        for (Integer blocks = 1; blocks <= std::max(1, gpu_.largest_cluster); blocks *= 2)
            if (columns % blocks == 0 && rows % blocks == 0 && last % blocks == 0) clusters.push_back(blocks);
        add_clusters(*tree, clusters);
    }

    /// Two sweeps over a matrix, or over a volume, whose middle dimension both do a part of: as wide as rows let the second one be.
    void add_bands() {
        const std::vector<BreakdownTree> trees =
            gpu_band_trees(stage_.nonterminal, mappings_.most_bytes_together() / entry_bytes_);
        for (const BreakdownTree& tree : trees) {
            const GpuParts parts = mappings_.parts_of(tree, row_of_banks, Between::shared);
            const Integer rows = tree.choice.front() * stage_.nonterminal.children().back().rows();
            std::vector<std::vector<RatedMapping>> rated;
            for (std::size_t k = 0; k < parts.ends_together.size(); ++k) {
                const GpuParts own = lower::together(parts, k);
                if (own.parts.size() == 1)
                    rated.push_back(mappings_.of_part(own, own.parts.front(), row_of_banks, false));
                else
                    rated.push_back(mappings_.of_parts_together(own, 1, k == 0 ? rows : n_ / rows, k > 0));
            }
            add(tree, rated);
        }
    }

    bool is_real() const { return stage_.nonterminal.is<formula::RealDft>(); }
    bool convolves() const { return stage_.nonterminal.is<formula::Circulant>(); }
    bool is_swept() const {
        return convolves() || stage_.nonterminal.is<formula::Dft>() || (is_real() && n_ % 2 == 0);
    }

    bool beyond_half_a_block() const { return n_ * entry_bytes_ > gpu_.shared_bytes_per_block_at_most / 2; }

    /// Returns whether there are any.
    bool add_real_sweeps() {
        if (!is_real()) return false;
        const Direction direction = stage_.nonterminal.get_if<formula::RealDft>()->direction;
        bool any = false;
        for (const Integer columns : columns_of(n_)) {
            const auto tree = real_two_sweep(n_, columns, direction);
            if (!tree) continue;
            any = true;
            if (beyond_half_a_block()) add_kernels(*tree, row_of_banks);
            add_clusters(*tree, real_clusters(columns));
        }
        return any;
    }

    /// Of columns that are no codelets.
    std::vector<Integer> real_clusters(Integer columns) const {
        std::vector<Integer> clusters;
        const Integer largest = columns > largest_gpu_real_codelet ? gpu_.largest_cluster : 1;
        for (Integer blocks = 2; blocks <= largest; blocks *= 2)
            if (columns / 2 % blocks == 0 && n_ / columns % blocks == 0) clusters.push_back(blocks);
        return clusters;
    }

    /// Columns, then rows, of a matrix: in two kernels, or in one by the blocks of a cluster. Reals as they are, with a small
    /// kernel for the rows that stay real; else as complex numbers of half the length, with another kernel for the spectrum.
    void add_two_sweeps() {
        if (add_real_sweeps()) return;
        const Integer n = is_real() ? n_ / 2 : n_;
        for (const Integer columns : columns_of(n)) {
            const Integer rows = n / columns;
            const auto of_rows = gpu_tree(formula::DFT(rows)), of_columns = gpu_tree(formula::DFT(columns));
            if (!of_rows || !of_columns || of_rows->rule != "stockham" || of_columns->rule != "stockham")
                continue;
            BreakdownTree tree{"two-sweep", {columns, 1, 1}, {*of_rows}};
            if (columns != rows) tree.children.push_back(*of_columns);
            if (is_real()) tree = {"rdft-half-size", {}, {tree}};
            if (convolves()) { // back by the other split: its columns are what the rows of the way there leave
                BreakdownTree back{"two-sweep", {rows, 1, 1}, {reversed_passes(*of_rows)}};
                if (columns != rows) back.children.insert(back.children.begin(), *of_columns);
                tree = {"circulant-dft", {}, {back, tree}};
            }
            if (beyond_half_a_block()) add_kernels(tree, row_of_banks);
            std::vector<Integer> clusters;
            for (Integer blocks = 2; blocks <= gpu_.largest_cluster && !is_real(); blocks *= 2)
                if (columns % blocks == 0 && rows % blocks == 0 && of_columns->choice.back() % blocks == 0 &&
                    (!convolves() || of_rows->choice.front() % blocks == 0))
                    clusters.push_back(blocks);
            add_clusters(tree, clusters);
        }
    }

    /// Of a matrix of n entries: those nearest to a square, none too far from it.
    static std::vector<Integer> columns_of(Integer n) {
        std::vector<Integer> result;
        for (const Integer columns : rules::divisors(n)) {
            const Integer rows = n / columns;
            if (columns > 1 && columns <= 16 * rows && rows <= 16 * columns) result.push_back(columns);
        }
        std::stable_sort(result.begin(), result.end(),
                         [&](Integer a, Integer b) { return std::max(a, n / a) < std::max(b, n / b); });
        if (result.size() > most_matrices) result.resize(most_matrices);
        std::sort(result.begin(), result.end());
        return result;
    }

    void add_clusters(const BreakdownTree& tree, std::vector<Integer> sizes) {
        std::erase_if(sizes, [&](Integer blocks) {
            return n_ / blocks * entry_bytes_ > mappings_.most_bytes_together();
        });
        if (sizes.empty()) return;
        const GpuParts parts = mappings_.parts_of(tree, row_of_banks, Between::shared);
        for (const Integer blocks : sizes)
            add(tree, {mappings_.of_parts_together(parts, blocks, n_, !stage_.right.empty())});
    }

    const planning::Stage& stage_;
    const target::Gpu& gpu_;
    std::size_t most_;
    GpuMappings mappings_;
    Integer n_;
    Integer entry_bytes_; ///< in shared memory
    std::vector<GpuCandidate> found_;
};

} // namespace

std::vector<GpuCandidate> gpu_candidates(const Problem& problem, const planning::Stage& stage,
                                         const target::Gpu& gpu, std::size_t most) {
    return StepCandidates(problem, stage, gpu, most).best();
}

} // namespace swirl::search
