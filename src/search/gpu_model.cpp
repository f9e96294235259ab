#include "search/gpu_model.hpp"

#include "lower/gpu_liveness.hpp"
#include "lower/gpu_threads.hpp"
#include "search/gpu_accesses.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace swirl::search {

namespace {

using lower::Call;
using lower::GpuMapping;
using lower::GpuPart;

constexpr double bytes_per_second = 3e12; ///< that memory moves on the usual card
constexpr double launch_seconds = 1.5e-6;
constexpr double bytes_in_flight = 4e6; ///< from which on memory is busy
constexpr double pass_seconds = 3e-7;   ///< from one barrier to the next, and
constexpr double entry_seconds = 5e-9;  ///< for each of a thread's entries
constexpr int other_registers = 16;     ///< of a thread: addresses and the like, and
constexpr int registers_of_turns = 16;  ///< those of several turns of a step that holds what it has read
/// Of a codelet that does several things to its entries one after the other, entries for which a thread needs no registers beyond
/// those of one: loads of the factors between are under way for the others.
constexpr Integer entries_of_one = 8;
constexpr Integer largest_pitch = 3; ///< worth trying

/// Shares of the time for a thousand instructions of a thread, so that of mappings which are about as fast the one wins that
/// the driver compiles sooner, in proportion to its instructions; of kernels that wait for themselves more than for memory the
/// model knows less, and the others are as good further on.
constexpr double per_thousand_instructions = 0.01, per_thousand_alone = 0.15;

/// Shares of the time that memory takes.
constexpr double per_block_alone = 0.086;   ///< over the resident blocks: nobody else works while they wait
constexpr double per_factors_alone = 0.45;  ///< likewise, times steps that wait for a spectrum
constexpr double per_pass_and_warp = 0.074; ///< times passes, over the resident warps
constexpr double per_idle_thread = 0.02;    ///< times threads that take no part, of those that do
constexpr double per_short_piece = 18;  ///< over the bytes that lie together of what a block reads or writes
constexpr double per_idle_lane = 0.149; ///< times lanes of the last warp without a thread, of the threads
constexpr double per_split_request = 0.4;   ///< times requests of a warp beyond those that it needs
constexpr double per_bank_conflict = 0.04;  ///< times further cycles of an access, by step
constexpr double with_many_entries = 0.035; ///< more than 32 entries a thread

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Additions and multiplications of a DFT of n complex points: by its prime factors, those of a prime p as (p − 1)/2 sums and
/// differences with each other.
double arithmetic_of(Integer n) {
    double sum = 0;
    Integer rest = n;
    for (Integer prime = 2; rest > 1; ++prime)
        for (; rest % prime == 0; rest /= prime) {
            const auto p = static_cast<double>(prime);
            sum += static_cast<double>(n) / p * (prime == 2 ? 4 : (p - 1) * (p - 1) + 4 * (p - 1));
            if (rest > prime) sum += static_cast<double>(n); // factors between
        }
    return sum;
}

class KernelModel {
public:
    KernelModel(const lower::LoopProgram& loops, const GpuPart& part, const GpuMapping& mapping,
                const GpuCode& code, const target::Gpu& gpu)
        : loops_(loops),
          part_(part),
          mapping_(mapping),
          gpu_(gpu),
          transforms_(transforms_of(part, mapping)),
          scalar_bytes_(ir::size_in_bytes(code.scalar)),
          entry_bytes_((code.complex ? 2 : 1) * scalar_bytes_),
          stored_scalar_bytes_(ir::size_in_bytes(code.storage.value_or(code.scalar))),
          accesses_(loops, transforms_, scalar_bytes_, gpu) {}

    /// What does not depend on the pitch; false where such blocks do not run with any.
    bool look() {
        for (const Call& call : part_.calls) all_ = std::max(all_, entries_of(call));
        shared_ = shared_vectors();
        if (mapping_.threads > gpu_.threads_per_block ||
            shared_bytes(0) > gpu_.shared_bytes_per_block_at_most)
            return false;
        for (const Call& call : part_.calls)
            if (!is_of_one_block(call)) look_at(call);
        registers_ = registers();
        return true;
    }

    GpuKernelCost cost(Integer pitch) const { return cost(pitch, accesses_.conflicts(pitch)); }
    /// No pitch makes it faster.
    double least_seconds() const {
        const GpuKernelCost least = cost(0, 0);
        return least.resident_blocks == 0 ? infinite : least.seconds;
    }
    double scattered() const { return accesses_.split(); }

private:
    static std::optional<lower::Loop> transforms_of(const GpuPart& part, const GpuMapping& mapping) {
        if (part.around.empty() || mapping.transforms == 1) return std::nullopt;
        return lower::Loop{part.around.back().variable, mapping.transforms};
    }

    GpuKernelCost cost(Integer pitch, double conflicts) const {
        GpuKernelCost cost{};
        cost.shared_bytes = shared_bytes(pitch);
        cost.registers = registers_;
        cost.spills = wanted_registers() > most_registers();
        cost.scattered = accesses_.split();
        cost.conflicts = conflicts;
        if (cost.shared_bytes > gpu_.shared_bytes_per_block_at_most) return cost;
        const target::Occupancy occupancy = target::occupancy(
            gpu_, static_cast<int>(mapping_.threads), static_cast<int>(cost.registers), cost.shared_bytes);
        cost.resident_blocks = occupancy.blocks;
        if (cost.resident_blocks > 0) cost.seconds = seconds(occupancy, conflicts);
        return cost;
    }

    /// Scalars that a step reads or writes for one transform.
    static Integer entries_of(const Call& call) {
        Integer entries = std::max(call.codelet.rows, call.codelet.columns) * (call.complex ? 2 : 1);
        for (const lower::Loop& loop : call.loops) entries *= loop.count;
        return entries;
    }

    /// Whether one block of many does it.
    static bool is_of_one_block(const Call& call) {
        return call.limit && std::none_of(call.loops.begin(), call.loops.end(), [&](const lower::Loop& loop) {
                   return call.limit->coefficient(loop.variable) != 0;
               });
    }

    void look_at(const Call& call) {
        const lower::SharedIterations shared(loops_, call, transforms_, mapping_.threads,
                                             !writes_over_others(loops_, call));
        const Integer turns = shared.turns();
        const Integer entries = std::max(call.codelet.rows, call.codelet.columns) * (call.complex ? 2 : 1) *
                                scalar_bytes_ / entry_bytes_; // reals in pairs are two
        weight_ = static_cast<double>(entries_of(call)) / static_cast<double>(all_);
        passes_ += weight_;
        widest_ = std::max(widest_, entries);
        if (!call.codelet.then.empty()) widest_of_several_ = std::max(widest_of_several_, entries);
        most_entries_ = std::max(most_entries_, turns * entries);
        held_ = held_ || writes_over_others(loops_, call);
        waits_ += waits_for_factors(call) ? 1 : 0;
        instructions_ += static_cast<double>(turns) * instructions_of(call);
        idle_ += weight_ * static_cast<double>(mapping_.threads - shared.active()) /
                 static_cast<double>(shared.active());
        const Integer iterations = turns * shared.active();
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

    /// Whether entries are multiplied by those of a spectrum: the caller's, or between passes there and back.
    static bool waits_for_factors(const Call& call) {
        const auto is_callers = [](const lower::MetDiagonal& met) {
            return std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function);
        };
        const auto is_spectrum = [&](const lower::MetDiagonal& met) {
            return is_callers(met) ||
                   std::holds_alternative<formula::ExplicitFunction>(met.diagonal.function);
        };
        const auto any_place = [&](const lower::Location& place) {
            return std::any_of(place.diagonals.begin(), place.diagonals.end(), is_callers);
        };
        const auto& [sources, targets, between] = call.placement;
        return std::any_of(sources.begin(), sources.end(), any_place) ||
               std::any_of(targets.begin(), targets.end(), any_place) ||
               std::any_of(between.begin(), between.end(), [&](const auto& entries) {
                   return std::any_of(entries.begin(), entries.end(), [&](const auto& diagonals) {
                       return std::any_of(diagonals.begin(), diagonals.end(), is_spectrum);
                   });
               });
    }

    /// Of one iteration: accesses to either side, complex numbers in shared memory part by part, and arithmetic.
    double instructions_of(const Call& call) const {
        const auto entries = static_cast<double>(std::max(call.codelet.rows, call.codelet.columns));
        const double parts = call.complex ? 2 : 1;
        const auto accesses = [&](const lower::Memory& memory) {
            return entries * (is_shared(loops_, memory) ? parts : 1);
        };
        double sum = accesses(call.input) + accesses(call.output);
        if (call.codelet.formula)
            sum += parts / 2 * static_cast<double>(1 + call.codelet.then.size()) *
                   arithmetic_of(std::max(call.codelet.rows, call.codelet.columns));
        const bool follows = call.codelet.formula && is_shared(loops_, call.input);
        return sum + (follows ? 2 * parts * entries : 0); // factors, and multiplications by them
    }

    /// In global memory: the caller's numbers, or what kernels hand on.
    Integer bytes_of_scalar(const lower::Memory& memory) const {
        const lower::Array& array = loops_.arrays[static_cast<std::size_t>(memory.array)];
        return array.role == lower::Array::Role::temporary ? scalar_bytes_ : stored_scalar_bytes_;
    }
    Integer bytes_of_entry(const Call& call, const lower::Memory& memory) const {
        return (call.complex ? 2 : 1) * bytes_of_scalar(memory);
    }

    struct SharedVector {
        Integer entries; ///< but for the pitch
        Integer scalars; ///< of an entry
        bool gapless;
    };
    std::vector<SharedVector> shared_vectors() const {
        std::set<int> used;
        std::vector<SharedVector> vectors;
        for (const Call& call : part_.calls)
            for (const lower::Memory* memory : {&call.input, &call.output}) {
                if (!is_shared(loops_, *memory) || !used.insert(memory->array).second) continue;
                const lower::Array& array = loops_.arrays[static_cast<std::size_t>(memory->array)];
                vectors.push_back({array.cluster_part > 0 ? array.cluster_part : array.elements,
                                   array.kind == lower::Memory::Kind::real ? 1 : 2, array.gapless});
            }
        return vectors;
    }

    Integer shared_bytes(Integer pitch) const {
        Integer sum = 0;
        for (const SharedVector& vector : shared_)
            sum += vector.scalars * (vector.entries + (vector.gapless ? 0 : pitch));
        return mapping_.transforms * sum * scalar_bytes_;
    }

    Integer wanted_registers() const {
        const Integer words = scalar_bytes_ / 4;
        const bool in_turns = held_ && most_entries_ > widest_;
        const Integer entries = in_turns ? most_entries_ : widest_;
        const Integer scalars = entry_bytes_ / scalar_bytes_;
        return scalars * words * (entries + std::max<Integer>(widest_of_several_ - entries_of_one, 0)) +
               other_registers + (in_turns ? registers_of_turns : 0);
    }

    Integer register_unit() const { return gpu_.register_granularity / gpu_.warp_size; }

    /// That blocks of so many threads leave each of them.
    Integer most_registers() const {
        const Integer room =
            gpu_.registers_per_block / (ceil_divide(mapping_.threads, gpu_.warp_size) * gpu_.warp_size);
        return std::min<Integer>(gpu_.registers_per_thread, room / register_unit() * register_unit());
    }

    Integer registers() const {
        const Integer most = most_registers();
        return std::clamp<Integer>(ceil_divide(wanted_registers(), register_unit()) * register_unit(),
                                   std::min<Integer>(32, most), most);
    }

    double seconds(const target::Occupancy& occupancy, double conflicts) const {
        const auto threads = static_cast<double>(mapping_.threads);
        const double blocks_at_once = occupancy.blocks;
        const double idle_lanes =
            static_cast<double>((gpu_.warp_size - mapping_.threads % gpu_.warp_size) % gpu_.warp_size);
        const double share = (per_block_alone + per_factors_alone * waits_) / blocks_at_once +
                             per_pass_and_warp * passes_ / occupancy.warps + per_idle_thread * idle_ +
                             per_idle_lane * idle_lanes / threads + per_split_request * accesses_.split() +
                             per_short_piece * accesses_.pieces() / 2 + per_bank_conflict * conflicts +
                             (most_entries_ > 32 ? with_many_entries : 0);
        double blocks = 1;
        for (std::size_t k = 0; k < part_.around.size(); ++k) {
            const Integer count = part_.around[k].count;
            const bool innermost = k + 1 == part_.around.size();
            blocks *= static_cast<double>(innermost ? ceil_divide(count, mapping_.transforms) : count);
        }
        const double together = std::min(blocks, blocks_at_once * std::max(gpu_.multiprocessors, 1));
        const double flying = std::min(1.0, together * bytes_ / bytes_in_flight);
        const double memory = blocks * bytes_ / bytes_per_second * (1 + share) / std::max(flying, 0.05);
        const double alone = passes_ * (pass_seconds + entry_seconds * static_cast<double>(most_entries_));
        const double compiling =
            (memory > alone ? per_thousand_instructions : per_thousand_alone) * instructions_ / 1000;
        return (launch_seconds + std::max(memory, alone)) * (1 + compiling);
    }

    const lower::LoopProgram& loops_;
    const GpuPart& part_;
    const GpuMapping& mapping_;
    const target::Gpu& gpu_;
    std::optional<lower::Loop> transforms_; ///< of a block
    Integer scalar_bytes_;
    Integer entry_bytes_;
    Integer stored_scalar_bytes_;
    GpuAccesses accesses_;
    bool held_ = false;
    Integer all_ = 1;               ///< scalars of the step that touches most
    double weight_ = 0;             ///< of the step looked at: its share of these
    double passes_ = 0;             ///< steps by weight
    Integer widest_ = 1;            ///< entries of a codelet
    Integer widest_of_several_ = 0; ///< likewise, where it is several one after the other
    Integer most_entries_ = 1;      ///< of a thread in one step
    double idle_ = 0;               ///< by step
    double bytes_ = 0;              ///< of a block, in global memory
    double instructions_ = 0;       ///< of a thread
    int waits_ = 0;                 ///< steps
    Integer registers_ = 0;         ///< of a thread
    std::vector<SharedVector> shared_;
};

} // namespace

GpuKernelCost gpu_kernel_cost(const lower::LoopProgram& loops, const GpuPart& part, const GpuMapping& mapping,
                              const GpuCode& code, const target::Gpu& gpu) {
    KernelModel model(loops, part, mapping, code, gpu);
    return model.look() ? model.cost(mapping.shared_pitch) : GpuKernelCost{};
}

GpuPitchedCost best_gpu_pitch(const lower::LoopProgram& loops, const GpuPart& part, const GpuMapping& mapping,
                              const GpuCode& code, const target::Gpu& gpu, double bound) {
    GpuPitchedCost best;
    KernelModel model(loops, part, mapping, code, gpu);
    if (!model.look() || model.least_seconds() == infinite) return best;
    best.scattered = model.scattered();
    if (model.least_seconds() >= bound) return best;
    for (Integer pitch = 0; pitch <= (mapping.transforms > 1 ? largest_pitch : 0); ++pitch) {
        const GpuKernelCost cost = model.cost(pitch);
        if (cost.resident_blocks == 0 || cost.registers >= gpu.registers_per_thread) continue;
        if (!best.cost || cost.seconds < best.cost->seconds) {
            best.cost = cost;
            best.shared_pitch = pitch;
        }
        if (cost.conflicts == 0) break;
    }
    return best;
}

} // namespace swirl::search
