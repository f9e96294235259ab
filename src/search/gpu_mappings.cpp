#include "search/gpu_mappings.hpp"

#include "lower/gpu_cluster.hpp"
#include "search/gpu_trees.hpp"

#include <limits>
#include <set>

namespace swirl::search {

using lower::Between;
using lower::GpuMapping;
using lower::GpuPart;
using lower::GpuParts;
using rules::BreakdownTree;

namespace {

constexpr Integer usual_pitch = 1; ///< for which threads are shared out, whatever the best one is
constexpr Integer block_sizes[] = {64, 128, 256, 512, 1024}; ///< in threads, about
constexpr Integer most_cluster_entries = 32;                 ///< of a thread, where blocks exchange
constexpr Integer most_entries = 64; ///< of a thread in one step, in words of 32 bits each
/// Shares of the time of memory for what goes to other blocks of a cluster, and over the resident blocks.
constexpr double exchange_share = 0.12;
constexpr double exchange_alone = 0.5;

/// Passes, or a rule around them.
bool is_product_of_passes(const BreakdownTree& tree) {
    if (tree.rule == "stockham" || tree.rule == "rdft-stockham") return true;
    return tree.children.size() == 1 && tree.choice.empty() && is_product_of_passes(tree.children.front());
}

struct Lowered {
    lower::LoopProgram loops;
    GpuPart part;
};
Lowered lowered_as(const GpuParts& parts, const GpuPart& part, lower::Staged staged, bool held) {
    Lowered lowered{parts.loops, part};
    lower::arrange_part(lowered.loops, lowered.part, staged, held);
    lower::lay_out_arrays(lowered.loops, {.threads = 1, .shared_pitch = usual_pitch}, {});
    return lowered;
}

/// Whether threads hold what they read anywhere.
bool holds(const Lowered& lowered) {
    return std::any_of(lowered.part.calls.begin(), lowered.part.calls.end(), [&](const lower::Call& call) {
        return is_shared(lowered.loops, call.input) && call.input.array == call.output.array;
    });
}

} // namespace

GpuCode GpuMappings::code() const {
    return {planning::arithmetic_of(problem_.precision), stage_.complex,
            planning::storage_of(problem_.precision)};
}

Integer GpuMappings::words() const { return code().scalar == ir::Scalar::float64 ? 2 : 1; }

Integer GpuMappings::entry_bytes() const {
    return (stage_.complex ? 2 : 1) * ir::size_in_bytes(planning::arithmetic_of(problem_.precision));
}

GpuParts GpuMappings::parts_of(const BreakdownTree& tree, Integer row, Between between, Integer apart) const {
    const lower::KernelRequest request = planning::kernel_request(problem_, stage_, tree);
    const bool simple = between == Between::global && apart == 0 && is_product_of_passes(tree);
    GpuParts parts = simple ? lower::gpu_parts_of_passes(request, row, stays_whole(tree))
                            : lower::gpu_parts_of(request, row, between, stays_whole(tree), apart);
    for (GpuPart& part : parts.parts) lower::open_part(parts.loops, part);
    return parts;
}

std::vector<RatedMapping> GpuMappings::of_part(const GpuParts& parts, const GpuPart& part, Integer row,
                                               bool whole) const {
    std::vector<RatedMapping> rated;
    if (leaves_out_by_table(parts, part)) return rated;
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

/// Whether results that the store expression leaves out by their index are found by a table of indices: no condition can tell
/// these.
bool GpuMappings::leaves_out_by_table(const GpuParts& parts, const GpuPart& part) const {
    if (!stage_.store || stage_.store->where.empty()) return false;
    return std::any_of(part.calls.begin(), part.calls.end(), [&](const lower::Call& call) {
        const auto role = parts.loops.arrays[static_cast<std::size_t>(call.output.array)].role;
        const auto& targets = call.placement.targets;
        return role != lower::Array::Role::temporary &&
               std::any_of(targets.begin(), targets.end(),
                           [](const lower::Location& place) { return place.table.has_value(); });
    });
}

/// What would be among the best has to be faster.
double GpuMappings::bound_of(const std::vector<RatedMapping>& rated) const {
    return rated.size() < ranks_ ? std::numeric_limits<double>::infinity() : rated.back().seconds;
}

/// To the best that are kept, the fastest first.
void GpuMappings::add(std::vector<RatedMapping>& rated, GpuMapping mapping,
                      const GpuPitchedCost& best) const {
    mapping.shared_pitch = best.shared_pitch;
    mapping.resident = best.cost->resident_blocks;
    rated.push_back({mapping, best.cost->seconds});
    fastest_first(rated);
    if (rated.size() > ranks_) rated.pop_back();
}

/// As many as a step has iterations for one transform, or the half or a quarter of it.
std::vector<Integer> GpuMappings::threads_of_a_transform(const GpuPart& part) const {
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
    if (threads.empty()) // of more iterations than a block has threads, in numbers that do not divide
        threads.insert(std::begin(block_sizes), std::end(block_sizes));
    return {threads.begin(), threads.end()};
}

std::vector<RatedMapping> GpuMappings::of_parts_together(const GpuParts& parts, Integer blocks,
                                                         Integer entries, bool neighbours) const {
    const Integer available = neighbours && !parts.common.empty() ? parts.common.back().count : 1;
    const Integer scalars = stage_.nonterminal.is<formula::RealDft>() ? 2 : 1; // of a thread's entry
    std::vector<RatedMapping> rated;
    if (!lower::has_loops_to_share(parts)) return rated;
    for (const Integer transforms : {1, 2, 4, 8, 16, 32}) {
        if (available % transforms != 0 ||
            transforms * entries / blocks * entry_bytes() > most_bytes_together())
            break;
        for (const Integer threads : block_sizes) {
            const Integer of_thread = transforms * entries / blocks / threads / scalars;
            if (of_thread < 8 || of_thread > most_cluster_entries) continue;
            const GpuMapping mapping{.threads = threads,
                                     .transforms = transforms,
                                     .shared_row = row_of_banks,
                                     .one_vector = true,
                                     .cluster = blocks,
                                     .together = blocks == 1};
            if (const auto best = with_best_pitch(parts, mapping)) rated.push_back(*best);
        }
    }
    fastest_first(rated);
    return rated;
}

std::optional<RatedMapping> GpuMappings::with_best_pitch(const GpuParts& parts, GpuMapping mapping) const {
    std::optional<RatedMapping> best;
    const Integer blocks = mapping.cluster;
    for (const Integer pitch : {1, 2, 3}) {
        mapping.shared_pitch = pitch;
        const lower::GpuCluster cluster = in_cluster(parts, blocks, pitch, mapping.transforms);
        GpuMapping one = mapping;
        one.transforms = 1;
        const GpuKernelCost cost = gpu_kernel_cost(cluster.loops, cluster.part, one, code(), gpu_);
        if (cost.resident_blocks == 0 || cost.spills) continue;
        const double exchange = blocks == 1 ? 0 : exchange_share + exchange_alone / cost.resident_blocks;
        const double seconds = cost.seconds * (1 + exchange);
        mapping.resident = cost.resident_blocks;
        if (!best || seconds < best->seconds) best = RatedMapping{mapping, seconds};
    }
    return best;
}

} // namespace swirl::search
