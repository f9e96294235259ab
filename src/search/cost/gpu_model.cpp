#include "search/cost/gpu_model.hpp"

#include "loops/gpu/liveness.hpp"
#include "loops/gpu/threads.hpp"
#include "search/cost/gpu_accesses.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace swirl::search {

namespace {

using loops::Call;
using loops::KernelRegion;
using loops::LaunchConfiguration;

constexpr double launch_seconds = 1.5e-6;
constexpr double bytes_in_flight = 4e6; ///< needed to saturate memory
constexpr double pass_seconds = 3e-7;   ///< from one barrier to the next
constexpr double entry_seconds = 5e-9;  ///< per entry of a thread
constexpr int other_registers = 16;     ///< per thread, for addresses and the like
/// Extra registers if a step runs several iterations_per_thread and holds its inputs in registers.
constexpr int registers_of_iterations = 16;
/// Of a codelet that applies several operations to its entries in sequence, the number of entries that need no
/// registers beyond those of one: loads of the intermediate factors are in flight for the others.
constexpr Integer entries_of_one = 8;
constexpr Integer largest_pitch = 3; ///< maximum worth trying

/// Time penalty per thousand instructions of a thread, as a fraction. Among configurations of nearly equal speed it
/// prefers the one that compiles sooner, because compile time is proportional to instructions. For kernels bound by
/// latency rather than memory the model knows less; the larger penalty keeps the others within reach further down the
/// list.
constexpr double per_thousand_instructions = 0.01, per_thousand_alone = 0.15;

/// Fractions of the memory time.
constexpr double per_block_alone = 0.086;   ///< divided by the resident blocks, which hide latency
constexpr double per_spectrum_alone = 0.45; ///< likewise, times steps that wait for a spectrum
constexpr double per_pass_and_warp = 0.074; ///< times passes, divided by the resident warps
constexpr double per_idle_thread = 0.02;    ///< times idle threads per active thread
constexpr double per_short_segment = 18;    ///< divided by the bytes of a block's contiguous range
constexpr double per_idle_lane = 0.149;     ///< times idle lanes of the last warp per thread
constexpr double per_split_request = 0.4;   ///< times a warp's requests beyond the minimum, as a fraction
constexpr double per_bank_conflict = 0.04;  ///< times extra cycles of an access, per step
constexpr double with_many_entries = 0.035; ///< for more than 32 entries per thread

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Additions and multiplications of a DFT of n complex points, by its prime factors; a prime p takes (p − 1)/2 sums and
/// differences of pairs.
double arithmetic_of(Integer n) {
    double sum = 0;
    Integer rest = n;
    for (Integer prime = 2; rest > 1; ++prime)
        for (; rest % prime == 0; rest /= prime) {
            const auto p = static_cast<double>(prime);
            sum += static_cast<double>(n) / p * (prime == 2 ? 4 : (p - 1) * (p - 1) + 4 * (p - 1));
            if (rest > prime) sum += static_cast<double>(n); // twiddle factors
        }
    return sum;
}

class KernelModel {
public:
    KernelModel(const loops::LoopProgram& loops, const KernelRegion& region,
                const LaunchConfiguration& configuration, const GpuCode& code, const target::Gpu& gpu)
        : loops_(loops),
          region_(region),
          configuration_(configuration),
          gpu_(gpu),
          transforms_(transforms_of(region, configuration)),
          scalar_bytes_(bytes_of(code.scalar)),
          entry_bytes_((code.complex ? 2 : 1) * scalar_bytes_),
          stored_scalar_bytes_(bytes_of(code.storage.value_or(code.scalar))),
          accesses_(loops, transforms_, scalar_bytes_, gpu) {}

    /// Computes what does not depend on the pitch; false if the blocks fit with no pitch.
    bool look() {
        for (const Call& call : region_.calls) all_ = std::max(all_, entries_of(call));
        shared_ = shared_vectors();
        if (configuration_.threads > gpu_.threads_per_block ||
            shared_bytes(0) > gpu_.max_shared_bytes_per_block)
            return false;
        for (const Call& call : region_.calls)
            if (!is_of_one_block(call)) check_values(call);
        registers_ = registers();
        return true;
    }

    GpuKernelCost cost(Integer pitch) const { return cost(pitch, accesses_.conflicts(pitch)); }
    /// Lower bound over all pitches.
    double min_seconds() const {
        const GpuKernelCost least = cost(0, 0);
        return least.resident_blocks == 0 ? infinite : least.seconds;
    }
    double scattered() const { return accesses_.split(); }

private:
    static std::optional<loops::Loop> transforms_of(const KernelRegion& region,
                                                    const LaunchConfiguration& configuration) {
        if (region.around.empty() || configuration.transforms == 1) return std::nullopt;
        return loops::Loop{region.around.back().variable, configuration.transforms};
    }

    GpuKernelCost cost(Integer pitch, double conflicts) const {
        GpuKernelCost cost{};
        cost.shared_bytes = shared_bytes(pitch);
        cost.registers = registers_;
        cost.spills = wanted_registers() > max_registers();
        cost.scattered = accesses_.split();
        cost.conflicts = conflicts;
        if (cost.shared_bytes > gpu_.max_shared_bytes_per_block) return cost;
        const target::Occupancy occupancy =
            target::occupancy(gpu_, static_cast<int>(configuration_.threads),
                              static_cast<int>(cost.registers), cost.shared_bytes);
        cost.resident_blocks = occupancy.blocks;
        if (cost.resident_blocks > 0) cost.seconds = seconds(occupancy, conflicts);
        return cost;
    }

    /// Scalars that a step reads or writes per transform.
    static Integer entries_of(const Call& call) {
        Integer entries = std::max(call.codelet.rows, call.codelet.columns) * (call.complex ? 2 : 1);
        for (const loops::Loop& loop : call.loops) entries *= loop.count;
        return entries;
    }

    /// Whether a single block of several executes this call.
    static bool is_of_one_block(const Call& call) {
        return call.limit && std::none_of(call.loops.begin(), call.loops.end(), [&](const loops::Loop& loop) {
                   return call.limit->coefficient(loop.variable) != 0;
               });
    }

    void check_values(const Call& call) {
        const loops::ThreadedIterations shared(loops_, call, transforms_, configuration_.threads,
                                               !overwrites_unread(loops_, call));
        const Integer iterations_per_thread = shared.iterations_per_thread();
        const Integer entries = std::max(call.codelet.rows, call.codelet.columns) * (call.complex ? 2 : 1) *
                                scalar_bytes_ / entry_bytes_; // a pair of reals counts as two
        weight_ = static_cast<double>(entries_of(call)) / static_cast<double>(all_);
        passes_ += weight_;
        widest_ = std::max(widest_, entries);
        if (!call.codelet.then.empty()) widest_of_several_ = std::max(widest_of_several_, entries);
        max_entries_ = std::max(max_entries_, iterations_per_thread * entries);
        held_ = held_ || overwrites_unread(loops_, call);
        waits_ += waits_for_spectrum(call) ? 1 : 0;
        instructions_ += static_cast<double>(iterations_per_thread) * instructions_of(call);
        idle_ += weight_ * static_cast<double>(configuration_.threads - shared.active()) /
                 static_cast<double>(shared.active());
        const Integer iterations = iterations_per_thread * shared.active();
        if (!is_shared(loops_, call.input)) {
            bytes_ +=
                static_cast<double>(iterations * call.codelet.columns * bytes_of_entry(call, call.input));
            accesses_.add_global(shared, call.input, call.placement.sources, bytes_of_scalar(call.input),
                                 weight_);
        }
        if (!is_shared(loops_, call.output)) {
            bytes_ += static_cast<double>(iterations * call.codelet.rows * bytes_of_entry(call, call.output));
            accesses_.add_global(shared, call.output, call.placement.targets, bytes_of_scalar(call.output),
                                 weight_);
        }
        if (is_shared(loops_, call.input))
            accesses_.add_shared(shared, call.input, call.placement.sources, weight_);
        if (is_shared(loops_, call.output))
            accesses_.add_shared(shared, call.output, call.placement.targets, weight_);
    }

    /// Whether entries are multiplied by spectrum entries: the caller's, or those between forward and inverse passes.
    static bool waits_for_spectrum(const Call& call) {
        const auto is_callers = [](const loops::FoldedDiagonal& met) {
            return std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function);
        };
        const auto is_spectrum = [&](const loops::FoldedDiagonal& met) {
            return is_callers(met) ||
                   std::holds_alternative<formula::ExplicitFunction>(met.diagonal.function);
        };
        const auto any_location = [&](const loops::Location& location) {
            return std::any_of(location.diagonals.begin(), location.diagonals.end(), is_callers);
        };
        const auto& [sources, targets, between] = call.placement;
        return std::any_of(sources.begin(), sources.end(), any_location) ||
               std::any_of(targets.begin(), targets.end(), any_location) ||
               std::any_of(between.begin(), between.end(), [&](const auto& entries) {
                   return std::any_of(entries.begin(), entries.end(), [&](const auto& diagonals) {
                       return std::any_of(diagonals.begin(), diagonals.end(), is_spectrum);
                   });
               });
    }

    /// Instructions of one iteration: loads and stores, with complex elements in shared memory counted per component,
    /// and arithmetic.
    double instructions_of(const Call& call) const {
        const auto entries = static_cast<double>(std::max(call.codelet.rows, call.codelet.columns));
        const double regions = call.complex ? 2 : 1;
        const auto accesses = [&](const loops::Memory& memory) {
            return entries * (is_shared(loops_, memory) ? regions : 1);
        };
        double sum = accesses(call.input) + accesses(call.output);
        if (call.codelet.formula)
            sum += regions / 2 * static_cast<double>(1 + call.codelet.then.size()) *
                   arithmetic_of(std::max(call.codelet.rows, call.codelet.columns));
        const bool follows = call.codelet.formula && is_shared(loops_, call.input);
        return sum +
               (follows ? 2 * regions * entries : 0); // loads of factors, and the multiplications by them
    }

    /// Scalar width in global memory: the caller's data type, or that of intermediate arrays.
    Integer bytes_of_scalar(const loops::Memory& memory) const {
        const loops::Array& array = loops_.arrays[static_cast<std::size_t>(memory.array)];
        return array.role == loops::Array::Role::temporary ? scalar_bytes_ : stored_scalar_bytes_;
    }
    Integer bytes_of_entry(const Call& call, const loops::Memory& memory) const {
        return (call.complex ? 2 : 1) * bytes_of_scalar(memory);
    }

    struct SharedVector {
        Integer entries; ///< without the pitch
        Integer scalars; ///< per entry
        bool gapless;
    };
    std::vector<SharedVector> shared_vectors() const {
        std::set<int> used;
        std::vector<SharedVector> vectors;
        for (const Call& call : region_.calls)
            for (const loops::Memory* memory : {&call.input, &call.output}) {
                if (!is_shared(loops_, *memory) || !used.insert(memory->array).second) continue;
                const loops::Array& array = loops_.arrays[static_cast<std::size_t>(memory->array)];
                vectors.push_back(
                    {array.dsmem_elements_per_block > 0 ? array.dsmem_elements_per_block : array.elements,
                     array.kind == loops::Memory::Kind::real ? 1 : 2, array.gapless});
            }
        return vectors;
    }

    Integer shared_bytes(Integer pitch) const {
        Integer sum = 0;
        for (const SharedVector& vector : shared_)
            sum += vector.scalars * (vector.entries + (vector.gapless ? 0 : pitch));
        return configuration_.transforms * sum * scalar_bytes_;
    }

    Integer wanted_registers() const {
        const Integer words = scalar_bytes_ / 4;
        const bool in_several_iterations = held_ && max_entries_ > widest_;
        const Integer entries = in_several_iterations ? max_entries_ : widest_;
        const Integer scalars = entry_bytes_ / scalar_bytes_;
        return scalars * words * (entries + std::max<Integer>(widest_of_several_ - entries_of_one, 0)) +
               other_registers + (in_several_iterations ? registers_of_iterations : 0);
    }

    Integer register_unit() const { return gpu_.register_granularity / gpu_.warp_size; }

    /// The register limit per thread for this block size.
    Integer max_registers() const {
        const Integer capacity =
            gpu_.registers_per_block / (ceil_divide(configuration_.threads, gpu_.warp_size) * gpu_.warp_size);
        return std::min<Integer>(gpu_.registers_per_thread, capacity / register_unit() * register_unit());
    }

    Integer registers() const {
        const Integer most = max_registers();
        return std::clamp<Integer>(ceil_divide(wanted_registers(), register_unit()) * register_unit(),
                                   std::min<Integer>(32, most), most);
    }

    double seconds(const target::Occupancy& occupancy, double conflicts) const {
        const auto threads = static_cast<double>(configuration_.threads);
        const double resident_blocks = occupancy.blocks;
        const double idle_lanes =
            static_cast<double>((gpu_.warp_size - configuration_.threads % gpu_.warp_size) % gpu_.warp_size);
        const double overhead = (per_block_alone + per_spectrum_alone * waits_) / resident_blocks +
                                per_pass_and_warp * passes_ / occupancy.warps + per_idle_thread * idle_ +
                                per_idle_lane * idle_lanes / threads + per_split_request * accesses_.split() +
                                per_short_segment * accesses_.segments() / 2 + per_bank_conflict * conflicts +
                                (max_entries_ > 32 ? with_many_entries : 0);
        double blocks = 1;
        for (std::size_t k = 0; k < region_.around.size(); ++k) {
            const Integer count = region_.around[k].count;
            const bool innermost = k + 1 == region_.around.size();
            blocks *= static_cast<double>(innermost ? ceil_divide(count, configuration_.transforms) : count);
        }
        const double together = std::min(blocks, resident_blocks * std::max(gpu_.multiprocessors, 1));
        const double flying = std::min(1.0, together * bytes_ / bytes_in_flight);
        const double memory = blocks * bytes_ / gpu_copy_rate * (1 + overhead) / std::max(flying, 0.05);
        const double alone = passes_ * (pass_seconds + entry_seconds * static_cast<double>(max_entries_));
        const double compiling =
            (memory > alone ? per_thousand_instructions : per_thousand_alone) * instructions_ / 1000;
        return (launch_seconds + std::max(memory, alone)) * (1 + compiling);
    }

    const loops::LoopProgram& loops_;
    const KernelRegion& region_;
    const LaunchConfiguration& configuration_;
    const target::Gpu& gpu_;
    std::optional<loops::Loop> transforms_; ///< of a block
    Integer scalar_bytes_;
    Integer entry_bytes_;
    Integer stored_scalar_bytes_;
    GpuAccesses accesses_;
    bool held_ = false;
    Integer all_ = 1;               ///< scalars of the largest step
    double weight_ = 0;             ///< of the current step, relative to that
    double passes_ = 0;             ///< steps, weighted
    Integer widest_ = 1;            ///< entries of a codelet
    Integer widest_of_several_ = 0; ///< likewise, for a codelet of several operations in sequence
    Integer max_entries_ = 1;       ///< per thread in one step
    double idle_ = 0;               ///< per step
    double bytes_ = 0;              ///< per block, in global memory
    double instructions_ = 0;       ///< per thread
    int waits_ = 0;                 ///< steps that wait for a spectrum
    Integer registers_ = 0;         ///< per thread
    std::vector<SharedVector> shared_;
};

} // namespace

GpuKernelCost gpu_kernel_cost(const loops::LoopProgram& loops, const KernelRegion& region,
                              const LaunchConfiguration& configuration, const GpuCode& code,
                              const target::Gpu& gpu) {
    KernelModel model(loops, region, configuration, code, gpu);
    return model.look() ? model.cost(configuration.smem_vector_pad) : GpuKernelCost{};
}

GpuPitchedCost best_gpu_pitch(const loops::LoopProgram& loops, const KernelRegion& region,
                              const LaunchConfiguration& configuration, const GpuCode& code,
                              const target::Gpu& gpu, double bound) {
    GpuPitchedCost best;
    KernelModel model(loops, region, configuration, code, gpu);
    if (!model.look() || model.min_seconds() == infinite) return best;
    best.scattered = model.scattered();
    if (model.min_seconds() >= bound) return best;
    for (Integer pitch = 0; pitch <= (configuration.transforms > 1 ? largest_pitch : 0); ++pitch) {
        const GpuKernelCost cost = model.cost(pitch);
        if (cost.resident_blocks == 0 || cost.registers >= gpu.registers_per_thread) continue;
        if (!best.cost || cost.seconds < best.cost->seconds) {
            best.cost = cost;
            best.smem_vector_pad = pitch;
        }
        if (cost.conflicts == 0) break;
    }
    return best;
}

} // namespace swirl::search
