#include "search/gpu_candidates.hpp"

#include "lower/gpu_cluster.hpp"
#include "lower/gpu_lowering.hpp"
#include "search/gpu_large_trees.hpp"
#include "search/gpu_model.hpp"
#include "search/gpu_trees.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace swirl::search {

namespace {

using lower::Between;
using lower::GpuMapping;
using lower::GpuPart;
using lower::GpuParts;
using rules::BreakdownTree;

constexpr Integer row_of_banks = 32;
constexpr Integer usual_pitch = 1; ///< for which threads are shared out, whatever the best one is
constexpr Integer block_sizes[] = {64, 128, 256, 512, 1024}; ///< in threads, about
constexpr std::size_t mappings_a_tree = 3;
constexpr std::size_t most_matrices = 12;    ///< as which a vector is swept twice
constexpr Integer most_cluster_entries = 32; ///< of a thread, where blocks exchange
constexpr Integer most_entries = 64;         ///< of a thread in one step, in words of 32 bits each
/// Shares of the time of memory for what goes to other blocks of a cluster, and over the resident blocks.
constexpr double exchange_share = 0.12;
constexpr double exchange_alone = 0.5;

struct RatedMapping {
    GpuMapping mapping;
    double seconds;
};

template <class Rated> void fastest_first(std::vector<Rated>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Rated& a, const Rated& b) { return a.seconds < b.seconds; });
}

/// Passes, or a rule around them.
bool is_product_of_passes(const BreakdownTree& tree) {
    if (tree.rule == "stockham" || tree.rule == "rdft-stockham") return true;
    return tree.children.size() == 1 && tree.choice.empty() && is_product_of_passes(tree.children.front());
}

class StepCandidates {
public:
    StepCandidates(const Problem& problem, const planning::Stage& stage, const target::Gpu& gpu,
                   std::size_t most)
        : problem_(problem),
          stage_(stage),
          gpu_(gpu),
          most_(most),
          ranks_(std::min(most, mappings_a_tree)),
          n_(stage.nonterminal.rows()),
          entry_bytes_((stage.complex ? 2 : 1) *
                       ir::size_in_bytes(planning::arithmetic_of(problem.precision))) {}

    std::vector<GpuCandidate> best() {
        const Integer room = gpu_.shared_bytes_per_block_at_most;
        if (stage_.nonterminal.is<formula::Kronecker>()) {
            add_plane();
        } else if (n_ * entry_bytes_ <= room)
            for (const BreakdownTree& tree : gpu_trees(stage_.nonterminal, widest_radix()))
                add_kernels(tree, row_for(tree));
        if (is_swept() && 16 * n_ * entry_bytes_ > room) add_two_sweeps();
        if (found_.empty() && stage_.nonterminal.is<formula::Dft>())
            if (const auto tree = swept_convolution(n_)) add_kernels(*tree, row_of_banks);
        if (found_.empty()) add_large();
        fastest_first(found_);
        if (found_.size() > most_)
            found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(most_), found_.end());
        return std::move(found_);
    }

private:
    GpuCode code() const {
        return {planning::arithmetic_of(problem_.precision), stage_.complex,
                planning::storage_of(problem_.precision)};
    }
    Integer words() const { return code().scalar == ir::Scalar::float64 ? 2 : 1; }
    Integer widest_radix() const { return largest_gpu_radix * (words() == 1 ? 2 : 1); }
    /// Spectra of reals do not go by rows.
    Integer row_for(const BreakdownTree& tree) const {
        if (tree.rule == "rdft-stockham") return 0;
        return row_for(tree.rule == "bluestein" ? tree.choice.front() : n_);
    }
    Integer row_for(Integer n) const { return n % row_of_banks == 0 && n > row_of_banks ? row_of_banks : 0; }

    /// Beyond a block, of kinds that have no better way: what no block can hand on is handed on from kernel to kernel.
    void add_large() {
        const Integer reals =
            gpu_.shared_bytes_per_block_at_most / ir::size_in_bytes(code().scalar) / 2; // and another vector
        for (const BreakdownTree& tree : gpu_large_trees(stage_.nonterminal)) {
            const std::size_t before = found_.size();
            add_kernels(tree, row_of_banks, reals);
            for (std::size_t k = before; k < found_.size(); ++k)
                found_[k].step.mappings.front().apart = reals;
        }
    }

    /// Each part as a kernel; `apart` as in GpuMapping.
    void add_kernels(const BreakdownTree& tree, Integer row, Integer apart = 0) {
        const GpuParts parts = parts_of(tree, row, Between::global, apart);
        std::vector<std::vector<RatedMapping>> rated;
        for (const GpuPart& part : parts.parts)
            rated.push_back(mappings_of(parts, part, row, stays_whole(tree)));
        add(tree, rated);
    }

    /// Every part with the best of its mappings, then with the next best ones.
    void add(const BreakdownTree& tree, const std::vector<std::vector<RatedMapping>>& rated) {
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            GpuCandidate candidate{{stage_.dimension, tree, {}}, 0};
            for (const auto& part : rated) {
                if (rank >= part.size()) return;
                candidate.step.mappings.push_back(part[rank].mapping);
                candidate.seconds += part[rank].seconds;
            }
            found_.push_back(std::move(candidate));
        }
    }

    GpuParts parts_of(const BreakdownTree& tree, Integer row, Between between, Integer apart = 0) const {
        const lower::KernelRequest request = planning::kernel_request(problem_, stage_, tree);
        const bool simple = between == Between::global && is_product_of_passes(tree);
        GpuParts parts = simple ? lower::gpu_parts_of_passes(request, row, stays_whole(tree))
                                : lower::gpu_parts_of(request, row, between, stays_whole(tree), apart);
        for (GpuPart& part : parts.parts) lower::open_part(parts.loops, part);
        return parts;
    }

    std::vector<RatedMapping> mappings_of(const GpuParts& parts, const GpuPart& part, Integer row,
                                          bool whole) const {
        std::vector<RatedMapping> rated;
        const Integer available = part.around.empty() ? 1 : part.around.back().count;
        std::set<std::pair<Integer, Integer>> shapes; // transforms, threads
        for (const Integer threads : threads_of_a_transform(part))
            for (const Integer size : block_sizes) {
                const Integer transforms = std::clamp<Integer>((size + threads / 2) / threads, 1, available);
                if (threads * transforms <= gpu_.threads_per_block)
                    shapes.insert({transforms, std::max<Integer>(threads * transforms, gpu_.warp_size)});
            }
        bool scatters = false;
        using lower::Staged;
        for (const Staged staged : {Staged::none, Staged::both, Staged::in, Staged::out}) {
            if (staged != Staged::none && !scatters) break;
            for (const bool held : {false, true}) {
                const Lowered lowered = lowered_as(parts, part, staged, held);
                if (held && !holds(lowered)) break;
                for (const auto& [transforms, threads] : shapes) {
                    const GpuMapping mapping{.threads = threads,
                                             .transforms = transforms,
                                             .shared_row = row,
                                             .one_vector = held,
                                             .staged = staged,
                                             .whole = whole};
                    const GpuPitchedCost best =
                        best_gpu_pitch(lowered.loops, lowered.part, mapping, code(), gpu_, bound_of(rated));
                    scatters = scatters || best.scattered > 0.2;
                    if (best.cost) add(rated, mapping, best);
                }
            }
        }
        return rated;
    }

    /// What would be among the best has to be faster.
    double bound_of(const std::vector<RatedMapping>& rated) const {
        return rated.size() < ranks_ ? std::numeric_limits<double>::infinity() : rated.back().seconds;
    }

    /// To the best that are kept, the fastest first.
    void add(std::vector<RatedMapping>& rated, GpuMapping mapping, const GpuPitchedCost& best) const {
        mapping.shared_pitch = best.shared_pitch;
        mapping.resident = best.cost->resident_blocks;
        rated.push_back({mapping, best.cost->seconds});
        fastest_first(rated);
        if (rated.size() > ranks_) rated.pop_back();
    }

    struct Lowered {
        lower::LoopProgram loops;
        GpuPart part;
    };
    static Lowered lowered_as(const GpuParts& parts, const GpuPart& part, lower::Staged staged, bool held) {
        Lowered lowered{parts.loops, part};
        lower::arrange_part(lowered.loops, lowered.part, staged, held);
        lower::lay_out_arrays(lowered.loops, {.threads = 1, .shared_pitch = usual_pitch}, {});
        return lowered;
    }

    /// Whether threads hold what they read anywhere.
    static bool holds(const Lowered& lowered) {
        return std::any_of(
            lowered.part.calls.begin(), lowered.part.calls.end(), [&](const lower::Call& call) {
                return is_shared(lowered.loops, call.input) && call.input.array == call.output.array;
            });
    }

    /// As many as a step has iterations for one transform, or the half or a quarter of it.
    std::vector<Integer> threads_of_a_transform(const GpuPart& part) const {
        std::set<Integer> threads;
        const auto iterations_of = [](const lower::Call& call) {
            Integer iterations = 1;
            for (const lower::Loop& loop : call.loops) iterations *= loop.count;
            return iterations;
        };
        const auto entries_of = [](const lower::Call& call) {
            return std::max(call.codelet.rows, call.codelet.columns) * (call.complex ? 2 : 1);
        };
        const auto computes = [](const lower::Call& call) { return call.codelet.formula.has_value(); };
        const bool only_moves = std::none_of(part.calls.begin(), part.calls.end(), computes);
        const auto counts = [&](const lower::Call& call) { return only_moves || computes(call); };
        Integer most = 0;
        for (const lower::Call& call : part.calls)
            if (counts(call)) most = std::max(most, iterations_of(call) * entries_of(call));
        // Convolutions in a chain are of about one size; of reals, less is what is done apart at the ends.
        const Integer least = stage_.nonterminal.is<formula::Dft>() ? most / 2 : most;
        for (const lower::Call& call : part.calls) {
            const Integer iterations = iterations_of(call);
            const Integer entries = std::max(call.codelet.rows, call.codelet.columns);
            if (!counts(call) || iterations * entries_of(call) < least) continue;
            for (const Integer turns : {1, 2, 4})
                if (iterations % turns == 0 && iterations / turns <= gpu_.threads_per_block &&
                    (turns == 1 || turns * entries * words() <= most_entries))
                    threads.insert(iterations / turns);
        }
        return {threads.begin(), threads.end()};
    }

    /// Two dimensions in one kernel, of a block or of a cluster.
    void add_plane() {
        const auto tree = gpu_tree(stage_.nonterminal);
        if (!tree) return;
        const Integer columns = stage_.nonterminal.children()[0].rows(), rows = n_ / columns;
        std::vector<Integer> clusters;
        for (Integer blocks = 1; blocks <= std::max(1, gpu_.largest_cluster); blocks *= 2)
            if (columns % blocks == 0 && rows % blocks == 0 &&
                tree->children.back().choice.back() % blocks == 0)
                clusters.push_back(blocks);
        add_clusters(*tree, clusters);
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
            if (problem_.placement == Placement::out_of_place) add_clusters(*tree, real_clusters(columns));
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
        for (Integer columns = 2; columns * columns <= 16 * n; ++columns)
            if (n % columns == 0 && 16 * columns * columns >= n) result.push_back(columns);
        std::stable_sort(result.begin(), result.end(),
                         [&](Integer a, Integer b) { return std::max(a, n / a) < std::max(b, n / b); });
        if (result.size() > most_matrices) result.resize(most_matrices);
        std::sort(result.begin(), result.end());
        return result;
    }

    void add_clusters(const BreakdownTree& tree, std::vector<Integer> sizes) {
        std::erase_if(sizes,
                      [&](Integer blocks) { return n_ / blocks * entry_bytes_ > most_cluster_bytes(); });
        if (sizes.empty()) return;
        const GpuParts parts = parts_of(tree, row_of_banks, Between::shared);
        for (const Integer blocks : sizes) add_cluster(tree, parts, blocks);
    }

    void add_cluster(const BreakdownTree& tree, const GpuParts& parts, Integer blocks) {
        std::vector<RatedMapping> rated;
        for (const Integer transforms : {1, 2, 4, 8, 16, 32}) {
            if (transforms > 1 && !divides_neighbours(parts, transforms)) break;
            if (transforms * n_ / blocks * entry_bytes_ > most_cluster_bytes()) break;
            for (const Integer threads : block_sizes) {
                const Integer entries = transforms * n_ / blocks / threads / (is_real() ? 2 : 1);
                if (entries < 8 || entries > most_cluster_entries) continue;
                const GpuMapping mapping{.threads = threads,
                                         .transforms = transforms,
                                         .shared_row = row_of_banks,
                                         .one_vector = true,
                                         .cluster = blocks,
                                         .together = blocks == 1};
                if (const auto best = in_best_cluster(parts, mapping)) rated.push_back(*best);
            }
        }
        fastest_first(rated);
        add(tree, {rated});
    }

    Integer most_cluster_bytes() const { return gpu_.shared_bytes_per_block_at_most * 15 / 16; }

    /// Whether several neighbours lie entry by entry, and are so many times as many.
    bool divides_neighbours(const GpuParts& parts, Integer transforms) const {
        return !stage_.right.empty() && !parts.common.empty() && parts.common.back().count % transforms == 0;
    }

    std::optional<RatedMapping> in_best_cluster(const GpuParts& parts, GpuMapping mapping) const {
        std::optional<RatedMapping> best;
        const Integer blocks = mapping.cluster;
        for (const Integer pitch : {1, 2, 3}) {
            mapping.shared_pitch = pitch;
            const lower::GpuCluster cluster = in_cluster(parts, blocks, pitch, mapping.transforms);
            GpuMapping one = mapping;
            one.transforms = 1;
            const GpuKernelCost cost = gpu_kernel_cost(cluster.loops, cluster.part, one, code(), gpu_);
            if (cost.resident_blocks == 0) continue;
            const double exchange = blocks == 1 ? 0 : exchange_share + exchange_alone / cost.resident_blocks;
            const double seconds = cost.seconds * (1 + exchange);
            mapping.resident = cost.resident_blocks;
            if (!best || seconds < best->seconds) best = RatedMapping{mapping, seconds};
        }
        return best;
    }

    const Problem& problem_;
    const planning::Stage& stage_;
    const target::Gpu& gpu_;
    std::size_t most_;
    std::size_t ranks_; ///< mappings of a part that are kept
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
