#pragma once

#include "lower/context.hpp"
#include "lower/emit_call.hpp"
#include "lower/gpu_liveness.hpp"
#include "lower/gpu_lowering.hpp"
#include "lower/gpu_threads.hpp"

#include <optional>
#include <set>
#include <span>
#include <vector>

namespace swirl::lower {

/// Iterations of a part's innermost loop around its steps.
struct Range {
    Integer first;
    Integer count;
};

/// Half barriers of a group among a part's steps: before one of them, and after one. No step has the number `nowhere`.
struct HalfBarriers {
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    std::size_t wait_before = nowhere;
    std::size_t arrive_after = nowhere;
    ir::Address counter = {};
};

/// Of what parts hand on a group has copies by number, instead of by the outermost loops around its users.
struct GroupCopy {
    Affine number;
    std::size_t loops; ///< that it stands for
};

/// Emits the body of one kernel for one thread.
class GpuEmitter {
public:
    GpuEmitter(Context& context, const GpuMapping& mapping, const GpuPart& part,
               const std::vector<std::vector<Loop>>& around_users)
        : context_(context), mapping_(mapping), part_(part), around_users_(around_users) {}

    /// `exchanges`, `joined`: see GpuCluster.
    void emit(const Range& range, const std::vector<std::size_t>& exchanges = {},
              const std::set<std::size_t>& joined = {});
    /// As a part of a kernel of groups: of the loops around, the blocks' first transform is given, the others are bound; the
    /// group has a copy of what parts hand on.
    void emit_in_group(const Affine& first_transform, const GroupCopy& copy, const HalfBarriers& halves);

private:
    struct Step;
    void emit_steps(const std::vector<std::size_t>& exchanges, const std::set<std::size_t>& joined,
                    const HalfBarriers& halves);
    /// Blocks are iterations of the loops around the steps, of the innermost one groups of several.
    void bind_blocks(const Range& range);
    /// The transform of a block that is meant from now on.
    void choose_transform(const Affine& number);
    /// The number of the iteration of the loops around all that touch an array.
    Affine iteration_around(std::size_t array) const;
    bool must_meet(const Call& call) const;
    Call bind_single_loops(const Call& original, const SharedIterations& shared);
    SharedIterations::Digits choose(const Step& step, Integer turn);
    void emit_alone(const Call& call);
    /// Steps that are one; those that read elsewhere than where the others do come when these have read.
    void emit_joined(std::span<const Call> calls);
    void emit(Step& step);
    void add_limit(const Call& call, std::vector<ir::Condition>& conditions) const;
    template <class Body> void under(std::vector<ir::Condition> conditions, const Body& body);
    /// A copy of all the block's transforms, of which each has `entries`, neighbours by neighbouring threads.
    void emit_whole(const Call& call, Integer entries);
    /// Reads everything, waits for the others to have done the same, and writes.
    void emit_held(const std::vector<Step*>& steps);
    void store_held(Step& step, std::vector<std::vector<Scaled>> entries);
    /// Around a step that writes into other blocks' memory these meet too.
    void meet();
    void meet_in_group(const ir::Address& counter, ir::Barrier::Half half);
    void meet_in_block();
    bool waits_between(const Call& call) const;
    std::vector<ir::Condition> taking_part(const SharedIterations& shared);
    /// The loop over a block's transforms.
    std::optional<Loop> transforms() const;

    Context& context_;
    const GpuMapping& mapping_;
    const GpuPart& part_;
    const std::vector<std::vector<Loop>>& around_users_;
    Affine first_transform_ = 0; ///< of the block
    std::optional<GroupCopy> copy_;
    Unmet unmet_;
    bool exchanges_ = false;     ///< the last step emitted writes into other blocks' memory
    std::optional<Integer> end_; ///< of the transforms, where they do not fill the last block
};

} // namespace swirl::lower
