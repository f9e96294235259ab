#pragma once

#include "ir/program.hpp"
#include "jit/frame.hpp"

#include <vector>

namespace swirl::jit {

/// An integer that changes only where a loop starts or ends an iteration: a buffer's pointer plus the variable part
/// of an index, or the variable part of a bound or condition. It starts from a stream of an outer loop and is stepped
/// by a constant, so that no address is ever multiplied out.
struct Stream {
    int loop = 0;           ///< the innermost loop whose variables it contains; 0: the kernel itself
    ir::Buffer buffer = -1; ///< −1: a plain integer
    std::vector<Affine::Term> terms;
    int parent = -1; ///< the stream it starts from, −1: nothing (the kernel's own start from their buffer)
    Integer offset = 0; ///< added to the parent at entry; bytes, for a plain integer units
    Integer step = 0;   ///< added after each iteration of `loop`
    double weight = 0;  ///< expected uses
    GeneralHome home;
};

/// What an address or affine form amounts to: stream + displacement (bytes, for a plain integer units).
struct StreamAccess {
    int stream = -1; ///< −1: the displacement alone; for a local buffer, relative to the frame
    Integer displacement = 0;
};

/// A loop as it occurs in the program; 0 is the kernel. Numbered in program order, so that the loops inside loop l
/// are l+1 … last.
struct LoopRecord {
    int parent = -1;
    int last = 0;
    int depth = 0;
    bool has_inner_loop = false;
    std::vector<int> streams;
    GeneralHome counter;
};

/// Finds all streams of a program and gives them, and the loop counters, registers by weight.
class Streams {
public:
    Streams(const ir::Program& program, Frame& frame);

    /// Registers used, as a bit set.
    std::uint32_t registers_used() const { return registers_used_; }
    bool uses_parameters() const { return uses_parameters_; }

    // The second walk visits loops in the order of the first and finds everything again.
    void enter(const ir::For& loop);
    void leave();
    int current_loop() const { return current_; }
    const LoopRecord& loop(int number) const { return loops_[static_cast<std::size_t>(number)]; }
    const Stream& stream(int number) const { return streams_[static_cast<std::size_t>(number)]; }

    /// The stream of an affine form, units: `scale` bytes (1 for a plain integer, buffer −1).
    StreamAccess resolve(ir::Buffer buffer, const Affine& form);
    StreamAccess access_of(ir::Value value) const { return accesses_[static_cast<std::size_t>(value)]; }

    /// A power of two that divides the access's address in every iteration; at most what is known of the buffer.
    Integer alignment_of(const StreamAccess& access) const;

    /// Constant number of iterations, or −1.
    static Integer constant_trips(const ir::For& loop);

private:
    struct Carried {
        int loop = -1; ///< −1: not in scope
        Affine start = 0;
        Integer step = 0;
    };

    void collect(const ir::Body& body);
    void collect(const ir::Straight& run);
    void collect(const ir::For& loop);
    int find_or_add(ir::Buffer buffer, const std::vector<Affine::Term>& terms);
    int owner_of(const std::vector<Affine::Term>& terms) const;
    Integer scale_of(ir::Buffer buffer) const;
    bool is_local(ir::Buffer buffer) const;
    double weight_here() const;
    void assign_registers(bool reserve_for_integers, Frame& frame);

    const ir::Program& program_;
    std::vector<Stream> streams_;
    std::vector<LoopRecord> loops_;
    std::vector<Carried> variables_;
    std::vector<const ir::For*> open_; ///< loops around the current place
    std::vector<StreamAccess> accesses_;
    int current_ = 0;
    int next_loop_ = 0;
    bool collecting_ = true;
    bool uses_parameters_ = false;
    bool uses_integers_ = false;
    std::uint32_t registers_used_ = 0;
};

} // namespace swirl::jit
