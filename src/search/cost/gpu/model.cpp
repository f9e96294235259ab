#include "search/cost/gpu/model.hpp"

#include "loops/gpu/liveness.hpp"
#include "loops/gpu/threads.hpp"
#include "search/cost/gpu/accesses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace swirl::search {

namespace {

using loops::Call;
using loops::KernelRegion;
using loops::LaunchConfiguration;

constexpr int other_registers = 16; ///< per thread, for addresses and the like
/// Extra registers if a step runs several iterations_per_thread and holds its inputs in registers.
constexpr int registers_of_iterations = 16;
/// Of a codelet that applies several operations to its entries in sequence, the number of entries that need no
/// registers beyond those of one: loads of the intermediate factors are in flight for the others.
constexpr Integer entries_of_one = 8;
constexpr Integer largest_pitch = 3; ///< maximum worth trying

/// Time penalty per thousand instructions of a thread, as a fraction. Among configurations of nearly equal speed it
/// prefers the one that compiles sooner, because compile time is proportional to instructions.
constexpr double per_thousand_instructions = 0.01;

/// Where the target's are unknown.
constexpr double usual_multiprocessors = 100, usual_hertz = 1.5e9, usual_memory_rate = 1e12,
                 usual_l2_bytes_per_cycle = 4096, usual_l2_bytes = 4e6;

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

    GpuKernelCost cost(Integer pitch) const { return cost(pitch, accesses_.shared_cycles(pitch)); }
    /// Lower bound over all pitches.
    double min_seconds() const {
        const GpuKernelCost least = cost(0, accesses_.shared_requests());
        return least.resident_blocks == 0 ? infinite : least.seconds;
    }
    double scattered() const { return accesses_.split(); }
    double shared_requests() const { return accesses_.shared_requests(); }

private:
    static std::optional<loops::Loop> transforms_of(const KernelRegion& region,
                                                    const LaunchConfiguration& configuration) {
        if (region.around.empty() || configuration.transforms == 1) return std::nullopt;
        return loops::Loop{region.around.back().variable, configuration.transforms};
    }

    GpuKernelCost cost(Integer pitch, double shared_cycles) const {
        GpuKernelCost cost{};
        cost.shared_bytes = shared_bytes(pitch);
        cost.registers = registers_;
        cost.spills = wanted_registers() > max_registers();
        cost.scattered = accesses_.split();
        if (cost.shared_bytes > gpu_.max_shared_bytes_per_block) return cost;
        const target::Occupancy occupancy =
            target::occupancy(gpu_, static_cast<int>(configuration_.threads),
                              static_cast<int>(cost.registers), cost.shared_bytes);
        cost.resident_blocks = occupancy.blocks;
        if (cost.resident_blocks == 0) return cost;
        cost.features = features(cost, shared_cycles);
        cost.seconds = gpu_kernel_seconds(cost.features, gpu_) *
                       (1 + per_thousand_instructions * cost.features.instructions / 1000);
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
        widest_ = std::max(widest_, entries);
        if (!call.codelet.then.empty()) widest_of_several_ = std::max(widest_of_several_, entries);
        if (overwrites_unread(loops_, call) && iterations_per_thread > 1)
            held_entries_ = std::max(held_entries_, iterations_per_thread * entries);
        const double of_thread = static_cast<double>(iterations_per_thread) * instructions_of(call);
        features_.steps += 1;
        features_.waits += waits_for_spectrum(call) ? 1 : 0;
        features_.instructions += of_thread;
        features_.issued += of_thread * static_cast<double>(ceil_divide(shared.active(), gpu_.warp_size));
        const Integer iterations = iterations_per_thread * shared.active();
        add_factors(call, call.placement.sources, iterations);
        add_factors(call, call.placement.targets, iterations);
        add_side(call, call.input, call.placement.sources, shared, iterations * call.codelet.columns,
                 features_.wasted_loads);
        add_side(call, call.output, call.placement.targets, shared, iterations * call.codelet.rows,
                 features_.wasted_stores);
    }

    /// The fraction of the entries' components that exist.
    double existing(const std::vector<loops::Location>& locations) const {
        double sum = 0;
        for (const loops::Location& location : locations) {
            double fraction = location.is_real() ? 0.5 : 1;
            if (location.limit) {
                const auto [least, most] = loops::bounds(*location.limit, loops_.extents);
                const auto count = static_cast<double>(most - least + 1);
                fraction *= std::clamp(static_cast<double>(-least) / count, 0.0, 1.0);
            }
            sum += fraction;
        }
        return sum / static_cast<double>(locations.size());
    }

    /// The factors of one side of a step, and the different ones among them: those of loops on which they do not depend are
    /// the same.
    void add_factors(const Call& call, const std::vector<loops::Location>& locations, Integer iterations) {
        const double bytes = static_cast<double>((call.complex ? 2 : 1) * scalar_bytes_);
        for (const loops::Location& location : locations)
            for (const loops::FoldedDiagonal& diagonal : location.diagonals) {
                Integer different = 1;
                for (const loops::Loop& loop : call.loops)
                    if (diagonal.index.coefficient(loop.variable) != 0) different *= loop.count;
                if (different == 1) continue; // a constant
                features_.factor_bytes += bytes * static_cast<double>(iterations);
                features_.table_bytes += bytes * static_cast<double>(different);
            }
    }

    /// One side of a step: `entries` that a block reads or writes. Adds the unused bytes of sectors to `wasted`.
    void add_side(const Call& call, const loops::Memory& memory,
                  const std::vector<loops::Location>& locations, const loops::ThreadedIterations& shared,
                  Integer entries, double& wasted) {
        if (is_shared(loops_, memory)) {
            accesses_.add_shared(shared, memory, locations,
                                 static_cast<double>(entries * (call.complex ? 2 : 1)));
            return;
        }
        if (locations.empty()) return;
        const double before = accesses_.split();
        accesses_.add_global(shared, memory, locations, bytes_of_scalar(memory), weight_);
        const double moved =
            static_cast<double>(entries * bytes_of_entry(call, memory)) * existing(locations);
        features_.bytes += moved;
        wasted += moved * (accesses_.split() - before) / weight_;
        features_.sides += 1;
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
        const auto registers_for = [&](Integer entries) {
            const Integer scalars = entry_bytes_ / scalar_bytes_;
            return scalars * words * (entries + std::max<Integer>(widest_of_several_ - entries_of_one, 0)) +
                   other_registers;
        };
        const Integer of_held =
            held_entries_ > 0 ? registers_for(held_entries_) + registers_of_iterations : 0;
        return std::max(registers_for(widest_), of_held);
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

    GpuKernelFeatures features(const GpuKernelCost& cost, double shared_cycles) const {
        GpuKernelFeatures result = features_;
        result.resident_blocks = cost.resident_blocks;
        for (std::size_t k = 0; k < region_.around.size(); ++k) {
            const Integer count = region_.around[k].count;
            const bool innermost = k + 1 == region_.around.size();
            result.blocks *=
                static_cast<double>(innermost ? ceil_divide(count, configuration_.transforms) : count);
        }
        result.segments = accesses_.segments();
        result.shared_cycles = shared_cycles;
        result.spilled = static_cast<double>(std::max<Integer>(wanted_registers() - cost.registers, 0)) /
                         static_cast<double>(cost.registers);
        result.cluster = static_cast<double>(configuration_.cluster);
        result.words = static_cast<double>(scalar_bytes_) / 4;
        result.shared_bytes = static_cast<double>(cost.shared_bytes);
        return result;
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
    Integer all_ = 1;               ///< scalars of the largest step
    double weight_ = 0;             ///< of the current step, relative to that
    Integer widest_ = 1;            ///< entries of a codelet
    Integer widest_of_several_ = 0; ///< likewise, for a codelet of several operations in sequence
    Integer held_entries_ = 0;      ///< per thread, of several iterations at a barrier
    GpuKernelFeatures features_;
    Integer registers_ = 0; ///< per thread
    std::vector<SharedVector> shared_;
};

/// Fraction of accesses that miss a cache which keeps about `capacity` bytes, for data of so many bytes.
double miss_fraction(double bytes, double capacity, double sharpness) {
    return bytes == 0 ? 0 : 1 / (1 + std::pow(capacity / bytes, sharpness));
}

/// Norm of the times that resources would take alone.
template <std::size_t n> double norm(const std::array<double, n>& seconds, double exponent) {
    const double largest = *std::max_element(seconds.begin(), seconds.end());
    if (largest == 0) return 0;
    double sum = 0;
    for (const double each : seconds) sum += std::pow(each / largest, exponent);
    return largest * std::pow(sum, 1 / exponent);
}

} // namespace

double gpu_kernel_seconds(const GpuKernelFeatures& kernel, const target::Gpu& gpu,
                          const GpuModelConstants& constants) {
    constexpr double first_level_bytes = 256e3, least_cache_bytes = 8e3; // of a multiprocessor
    constexpr double least_exponent = 1, largest_exponent = 8;
    double multiprocessors = gpu.multiprocessors > 0 ? gpu.multiprocessors : usual_multiprocessors;
    double resident = kernel.resident_blocks;
    if (kernel.group_blocks > 0) { // others are idle
        multiprocessors = std::min(multiprocessors, kernel.group_blocks);
        resident = std::min(resident, std::ceil(kernel.group_blocks / multiprocessors));
    }
    const double hertz = gpu.rates.hertz > 0 ? gpu.rates.hertz : usual_hertz;
    const double memory_rate = gpu.rates.memory_bytes > 0 ? gpu.rates.memory_bytes : usual_memory_rate;
    const double l2_rate =
        hertz * (gpu.rates.l2_bytes_per_cycle > 0 ? gpu.rates.l2_bytes_per_cycle : usual_l2_bytes_per_cycle);
    const double cycle = 1 / hertz;
    const double rounds = std::ceil(kernel.blocks / (multiprocessors * resident));
    const double blocks = std::ceil(kernel.blocks / multiprocessors); // of a multiprocessor
    const double l2_bytes = gpu.l2_bytes > 0 ? static_cast<double>(gpu.l2_bytes) : usual_l2_bytes;
    const double from_memory =
        (1 - kernel.exchanged) *
        miss_fraction(kernel.blocks * kernel.bytes, constants.capacity * l2_bytes, constants.sharpness);

    const double spilling = 1 + constants.spill * kernel.spilled;
    const double chain = kernel.sides * (constants.cached_latency + from_memory * constants.memory_latency) +
                         kernel.steps * constants.step_latency +
                         kernel.instructions * spilling * constants.instruction_latency *
                             std::pow(kernel.words, constants.word_latency) +
                         kernel.waits * constants.spectrum_latency +
                         (kernel.cluster > 1 ? kernel.steps * constants.exchange_latency : 0);
    const double issue = kernel.issued * spilling * constants.issue_cycles * kernel.words / gpu.partitions +
                         constants.block_cycles;
    const double cache_bytes = std::max(
        first_level_bytes -
            kernel.resident_blocks * (kernel.shared_bytes + static_cast<double>(gpu.shared_bytes_reserved)),
        least_cache_bytes);
    const double factors = kernel.factor_bytes / constants.table_rate *
                           miss_fraction(kernel.table_bytes, constants.table_cache * cache_bytes, 1);
    const double per_byte = kernel.blocks * (1 + constants.segment_bytes * kernel.segments / 2);
    const double by_memory = per_byte * (kernel.bytes + constants.loads_from_memory * kernel.wasted_loads +
                                         constants.stores_to_memory * kernel.wasted_stores);
    const double by_cache = per_byte * (kernel.bytes + constants.loads_from_cache * kernel.wasted_loads +
                                        constants.stores_to_cache * kernel.wasted_stores);
    const double moving = from_memory * by_memory / (constants.memory_rate * memory_rate) +
                          (1 - from_memory) * by_cache / (constants.cache_rate * l2_rate);

    // Blocks of a cluster wait for each other.
    const double together =
        std::max(std::clamp(kernel.blocks / multiprocessors, 1.0, resident) / kernel.cluster, 1.0);
    const double exponent =
        std::clamp(constants.overlap + constants.overlap_of_blocks * std::log2(together) +
                       constants.overlap_of_rounds * std::log2(rounds) * (1 - 1 / together),
                   least_exponent, largest_exponent);
    const double moved_by_one = by_cache / kernel.blocks * blocks / constants.multiprocessor_rate;
    const double busy = norm<6>({rounds * chain * cycle, blocks * issue * cycle,
                                 blocks * kernel.shared_cycles * constants.bank_cycles * cycle,
                                 blocks * factors * cycle, moved_by_one * cycle, moving},
                                exponent);
    const double exchange =
        kernel.cluster > 1 ? constants.exchange * std::pow(kernel.cluster / 16, constants.exchange_growth)
                           : 0;
    return constants.launch + busy * (1 + exchange) + kernel.group_rounds * constants.group_latency * cycle;
}

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
        if (cost.features.shared_cycles <= model.shared_requests()) break; // no bank conflicts
    }
    return best;
}

} // namespace swirl::search
