#pragma once

#include "loops/gpu/kernel_loops.hpp"
#include "loops/gpu/liveness.hpp"
#include "loops/gpu/threads.hpp"
#include "lower/context.hpp"
#include "lower/emit_call.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

/// Split barriers (arrive, wait) of a cooperative group within a region: wait before one call, arrive after one.
/// `nowhere` matches no call.
struct HalfBarriers {
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    std::size_t wait_before = nowhere;
    std::size_t arrive_after = nowhere;
    ir::Address counter = {};
};

/// A group selects its copy of the vectors between regions by index, not by the outermost loops around their users.
struct GroupBufferCopy {
    Affine index;
    std::size_t loops; ///< that the index replaces
};

/// Emits one thread's code for the body of a kernel, whose loops have their tags.
class GpuEmitter {
public:
    GpuEmitter(Context& context, const LaunchConfiguration& configuration, const KernelRegion& region)
        : context_(context), configuration_(configuration), region_(region) {}

    /// Emits a kernel of one region.
    void emit(const std::optional<KernelLoops::Range>& range);
    /// Emits a region of a cooperative kernel: `first_transform` is the first transform of the block, the other
    /// surrounding loops are bound already, and the group uses its own copy of the vectors between regions.
    void emit_in_cooperative_group(const Affine& first_transform, const GroupBufferCopy& copy,
                                   const HalfBarriers& halves);

private:
    struct ThreadedCall;
    void emit_calls(const HalfBarriers& halves);
    /// Maps iterations of the loops around the calls to blocks; of the innermost loop, several per block.
    void bind_blocks(const std::optional<KernelLoops::Range>& range);
    /// Selects the block's current transform.
    void choose_transform(const Affine& transform);
    /// Linear iteration index in the loops around all accesses to an array.
    Affine iteration_around(std::size_t array) const;
    bool needs_barrier(std::size_t call) const;
    const Call& with_single_loops_bound(const Call& call);
    ThreadedIterations::Digits choose(const ThreadedCall& threaded, Integer iteration);
    void emit_single(std::size_t call);
    /// Emits calls first … end − 1, which execute together; those that read from another array follow after the others
    /// have read.
    void emit_joined(std::size_t first, std::size_t end);
    void emit(ThreadedCall& threaded);
    void add_limit(const Call& call, std::vector<ir::Condition>& conditions) const;
    /// Besides those of all iterations.
    std::vector<ir::Condition> conditions_of(const ThreadedCall& threaded, Integer iteration,
                                             const ThreadedIterations::Digits& digits) const;
    template <class Body> void under(std::vector<ir::Condition> conditions, const Body& body);
    /// Iterations from `first` on, each under its own conditions. Where the conditions of all hold, all are loaded before the
    /// first is stored, so that a thread has several loads in flight; iterations are independent.
    template <class Load, class Store>
    void emit_together(Integer first, const std::vector<std::vector<ir::Condition>>& conditions,
                       const Load& load, const Store& store);
    /// Copies `entries` elements of each of the block's transforms; neighbouring threads copy neighbouring elements.
    void emit_contiguous_copy(const ThreadShare& share, Integer entries);
    /// Reads everything, waits until all threads have read, and writes.
    void emit_read_barrier_write(const std::vector<ThreadedCall*>& calls);
    void store_after_barrier(ThreadedCall& threaded, std::vector<std::vector<Scaled>> entries);
    /// A barrier of the block, or of the cluster around a call that writes into other blocks' shared memory.
    void barrier();
    void cooperative_barrier(const ir::Address& counter, ir::Barrier::Half half);
    void block_barrier();
    std::vector<ir::Condition> participation_conditions(const ThreadedIterations& shared);
    /// Whether it is the loop over the transforms of a block.
    bool is_over_transforms(const Loop& loop) const;

    Context& context_;
    const LaunchConfiguration& configuration_;
    const KernelRegion& region_;
    Affine first_transform_ = 0; ///< of the block
    std::optional<GroupBufferCopy> copy_;
    UnsynchronizedAccesses unsynchronized_;
    bool exchanges_ = false;     ///< the last emitted call writes into other blocks' memory
    std::optional<Integer> end_; ///< one past the last transform, if the last block is not full
};

} // namespace swirl::lower
