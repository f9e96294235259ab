#pragma once

#include "loops/loop_program.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace swirl::loops {

/// Whether the memory is shared memory of a block.
bool is_shared(const LoopProgram& loops, const Memory& memory);

/// The iterations of a call, for all of a block's transforms, distributed over the block's threads. Neighbouring
/// threads get neighbours in global memory: among the sources if those are global, else among the targets.
class ThreadedIterations {
public:
    /// If only shared memory is accessed, neighbouring threads get different banks.
    ///
    /// `transforms`: the loop over the block's transforms, if there are several. `may_lack`: whether threads may idle
    /// in an iteration, so that one loop may be padded.
    ThreadedIterations(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms,
                       Integer threads, bool may_lack);

    Integer active() const { return active_; } ///< participating threads
    Integer iterations_per_thread() const { return iterations() / active_; }

    /// All loops, those of neighbouring threads first.
    std::vector<Loop> loops() const;
    /// The call's own loops, those of neighbouring threads innermost.
    std::vector<Loop> loops_of_call() const;

    /// A loop as a digit of the iteration index: (index / inner) mod count.
    struct Digit {
        Loop loop;
        Integer inner; ///< iterations of the loops inside it
        Integer count; ///< the loop's count, or a padded one
        Integer whole() const { return inner * count; }
    };
    const std::vector<Digit>& digits() const { return digits_; } ///< innermost first

    /// Each loop's variable in one iteration of a thread, as a form of digits of the thread index.
    using Digits = std::vector<std::pair<Loop, Affine>>;

    /// Negative if the thread has work in this iteration; nothing if all threads have.
    std::optional<Affine> excess(const Digits& digits, Integer iteration) const;

    /// For each of the first `count` threads, the value of a form of the loop variables in the first iteration,
    /// relative to thread 0.
    std::vector<Integer> offsets_of(Integer count, const Affine& form) const;

    /// The index of the block's transform.
    Affine transform(const Digits& digits) const;

private:
    Integer iterations() const { return digits_.empty() ? 1 : digits_.back().whole(); }
    void distribute_evenly();
    void distribute_padded();
    void pad_digit(std::size_t digit, Integer count);

    std::vector<Digit> digits_; ///< innermost first
    std::optional<Loop> transforms_;
    Integer threads_;
    Integer active_ = 1;
    std::optional<std::size_t> longer_; ///< the padded digit
};

} // namespace swirl::loops
