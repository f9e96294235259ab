#pragma once

#include "ir/program.hpp"
#include "jit/frame.hpp"

#include <vector>

namespace swirl::jit {

/// An integer that changes only where a loop starts or ends an iteration: a buffer's pointer plus the variable terms of
/// an index, or the variable terms of a bound or condition. It starts from an induction variable of an outer loop and
/// advances by a constant step (strength reduction), so addresses need no multiplication.
struct InductionVariable {
    int loop = 0;           ///< the innermost loop whose variables occur in it; 0: the kernel itself
    ir::Buffer buffer = -1; ///< −1: a plain integer
    Affine::Terms terms;
    int parent = -1;    ///< induction variable it starts from; −1: none (starts from its buffer, if any)
    Integer offset = 0; ///< added to the parent at loop entry; in bytes, for a plain integer in units
    Integer step = 0;   ///< added after each iteration of `loop`
    /// Added instead of a further step before each of the loop's last iterations that have positions of their own.
    std::vector<Integer> jumps = {};
    double weight = 0; ///< expected uses
    IntegerLocation location;
};

/// Value of an address or affine form: induction + displacement (bytes; units for a plain integer).
struct InductionAccess {
    int induction = -1; ///< −1: only the displacement; for a local buffer, relative to the frame
    Integer displacement = 0;
};

/// A loop of the program; 0 is the kernel. Indices follow program order, so that the loops inside loop l are
/// l+1 … last.
struct LoopRecord {
    int parent = -1;
    int last = 0;
    int depth = 0;
    bool has_inner_loop = false;
    Integer last_iterations = 0; ///< with positions of their own; see ir::Induction
    std::vector<int> inductions;
    IntegerLocation counter;
};

/// Finds all induction variables of a program and assigns registers to them and to the loop counters, by weight.
class InductionVariables {
public:
    InductionVariables(const ir::Program& program, Frame& frame);

    /// Registers in use, as a bit set.
    std::uint32_t registers_used() const { return registers_used_; }
    bool uses_parameters() const { return uses_parameters_; }

    // The second traversal visits loops in the same order and resolves every form again.
    void enter(const ir::For& loop);
    void leave();
    int current_loop() const { return current_; }
    const LoopRecord& loop(int index) const { return loops_[static_cast<std::size_t>(index)]; }
    const InductionVariable& induction(int index) const {
        return inductions_[static_cast<std::size_t>(index)];
    }

    /// The induction variable of an affine form, in units of `scale` bytes (1 for a plain integer, buffer −1).
    InductionAccess resolve(ir::Buffer buffer, const Affine& form);
    InductionAccess access_of(ir::Value value) const { return accesses_[static_cast<std::size_t>(value)]; }

    /// A power of two that divides the access's address in every iteration; at most the buffer's known alignment.
    Integer alignment_of(const InductionAccess& access) const;

    /// Constant trip count, or −1.
    static Integer constant_trips(const ir::For& loop);

private:
    struct LoopVariable {
        int loop = -1; ///< −1: not in scope
        Affine start = 0;
        Integer step = 0;
        std::vector<Integer> last = {}; ///< as in ir::Induction
    };

    void collect(const ir::Body& body);
    void collect(const ir::StraightLineBlock& block);
    void collect(const ir::For& loop);
    int find_or_add(ir::Buffer buffer, const Affine::Terms& terms);
    std::vector<Integer> jumps_of(const InductionVariable& induction) const;
    int owner_of(const Affine::Terms& terms) const;
    Integer scale_of(ir::Buffer buffer) const;
    bool is_local(ir::Buffer buffer) const;
    static double weight_of(int depth); ///< of an access in so many loops
    void assign_registers(bool reserve_for_integers, Frame& frame);

    const ir::Program& program_;
    std::vector<InductionVariable> inductions_;
    std::vector<LoopRecord> loops_;
    std::vector<LoopVariable> variables_;
    std::vector<const ir::For*> open_; ///< loops around the current statement
    std::vector<InductionAccess> accesses_;
    int current_ = 0;
    int next_loop_ = 0;
    bool collecting_ = true;
    bool uses_parameters_ = false;
    bool uses_integers_ = false;
    std::uint32_t registers_used_ = 0;
};

} // namespace swirl::jit
