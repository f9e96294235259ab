#pragma once

#include "ir/builder.hpp"
#include "lower/loop_program.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace swirl::lower {

/// The iterations of a call, for all of a block's transforms, shared among the block's threads. Neighbouring threads get
/// neighbours in global memory: of what is read there, else of what is written, else neighbours among the targets.
class SharedIterations {
public:
    /// Where shared memory is all that is touched, neighbours get what lies in different banks.
    ///
    /// `transforms`: the loop over the block's transforms, if it has several. `may_lack`: whether threads may find nothing
    /// to do in a turn, so that one loop may be taken as a longer one.
    SharedIterations(const LoopProgram& loops, const Call& call, const std::optional<Loop>& transforms,
                     Integer threads, bool may_lack);

    Integer active() const { return active_; } ///< threads that take part
    Integer turns() const { return iterations() / active_; }

    /// All loops, those of neighbouring threads first.
    std::vector<Loop> loops() const;
    /// The call's own loops, those of neighbouring threads innermost.
    std::vector<Loop> loops_of_call() const;

    /// Each loop's variable in a turn, a form of digits of the thread's index; threads that take no part get those of one
    /// that does.
    using Digits = std::vector<std::pair<Loop, Affine>>;
    Digits in_turn(ir::Builder& builder, Integer turn) const;

    /// Negative where the thread has something to do in a turn; nothing where all have.
    std::optional<Affine> excess(const Digits& digits, Integer turn) const;

    /// What a form of the loops' variables is in the first turn of each of the first `count` threads, less what it is in that
    /// of thread 0.
    std::vector<Integer> offsets_of(Integer count, const Affine& form) const;

    /// Which of the block's transforms that is.
    Affine transform(const Digits& digits) const;

private:
    /// A loop as a digit of the iteration's number: (number / inner) mod count.
    struct Digit {
        Loop loop;
        Integer inner; ///< iterations of the loops inside it
        Integer count; ///< the loop's, or more
        Integer whole() const { return inner * count; }
    };
    Integer iterations() const { return digits_.empty() ? 1 : digits_.back().whole(); }
    void share_evenly();
    void share_longer();
    void make_longer(std::size_t digit, Integer count);

    std::vector<Digit> digits_; ///< innermost first
    std::optional<Loop> transforms_;
    Integer threads_;
    Integer active_ = 1;
    std::optional<std::size_t> longer_; ///< the digit that goes beyond its loop
};

} // namespace swirl::lower
