#pragma once

#include "ir/memory.hpp"
#include "ir/program.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

/// The definition of what a program means, for CPUs and GPUs alike.
///
/// - A value of a floating type is rounded to that type after every operation; fma, fms and fnma round once. Integers
///   wrap around. `convert` to integers truncates.
/// - Lanes that a shuffle leaves open are NaN (or an odd integer), so that a use of them is seen.
/// - A program runs once for each thread of each block of its launch; blocks in order, the threads of a block
///   together, one operation after the other. Whatever a program may not rely on is a finding.
/// - Roles of each block run at the same time. What is brought as tiles arrives as late as it may: when somebody waits for the
///   signal's phase. Threads know of each other's deeds by meetings and signals alone, but all of a warpgroup that its products
///   have been waited for, and, where these have had numbers from registers, that what had brought these numbers there was loaded.
/// - Iterations of a parallel loop on a CPU (1 thread) are independent: conflicts between them are races. They run in
///   an order of their own, the last one first, and each finds memory that is per iteration unwritten.
namespace swirl::ir {

struct Finding {
    enum class Kind : std::uint8_t {
        out_of_bounds,
        unwritten_read, ///< of scratch, local, shared or argument memory nobody has written
        read_only_write,
        race,              ///< conflicting accesses without a barrier (or at all, between blocks) in between
        divergent_barrier, ///< some threads of a block arrive, others end or wait elsewhere
        misaligned,        ///< on a GPU, a vector access at an address that is no multiple of its size
        divided_team,      ///< an instruction of several threads is executed without some of them
        unfinished_copy,   ///< a thread ends and has not waited for what it does asynchronously
        misused_signal,    ///< not initialized, twice, or not so that the thread knows; too many arrivals
        deadlock,          ///< all threads that have not ended wait for signals
        unpublished_read,  ///< a tile is read of which a thread has stored a part and not published it
        missing_begin, ///< a product of tiles adds to what was accessed otherwise, with no `begin` in between
    };
    Kind kind;
    Value operation = no_value; ///< no_value for a barrier
    Buffer buffer = -1;
    Integer element = 0;
    std::array<Integer, 3> block = {0, 0, 0};
    std::array<Integer, 3> thread = {0, 0, 0};
    Integer times = 1;   ///< how often it happened at this operation; the other members tell the first time
    std::string message; ///< all of it in words, with the values of the variables
};

std::string_view name_of(Finding::Kind kind);

/// Memory traffic of one buffer. The unit of access on a GPU is the warp: what 32 threads with consecutive numbers
/// ask for in one operation; a strided vector access counts as one a lane. Index 0 of global buffers lies at a
/// multiple of 32 bytes, that of shared buffers in bank 0.
struct AccessCounts {
    Integer accesses = 0;     ///< by warps; on a CPU, operations executed
    Integer bytes = 0;        ///< asked for, all threads
    Integer sectors = 0;      ///< global memory of a GPU: distinct 32-byte sectors, summed over accesses
    Integer extra_cycles = 0; ///< shared memory: cycles lost to bank conflicts

    AccessCounts& operator+=(const AccessCounts& other);
};

struct InterpreterReport {
    std::vector<Finding> findings;
    std::array<Integer, opcode_count> operations{}; ///< executed, by opcode; each thread counts
    std::array<Integer, opcode_count> lanes{};      ///< the same, times lanes
    Integer flops = 0;                              ///< floating additions and multiplications, fma as two
    Integer barriers = 0;                           ///< blocks times barriers
    std::vector<AccessCounts> loads;                ///< by buffer
    std::vector<AccessCounts> stores;               ///< by buffer; atomics too

    bool ok() const { return findings.empty(); }
    Integer count(Opcode opcode) const { return operations[static_cast<std::size_t>(opcode)]; }
    Integer lane_count(Opcode opcode) const { return lanes[static_cast<std::size_t>(opcode)]; }
    AccessCounts traffic(Buffer buffer) const; ///< loads and stores
    Integer bank_conflict_cycles() const;      ///< of all shared buffers
    Integer sectors() const;                   ///< of all global buffers
    std::string text() const;                  ///< the findings, one a line
};

/// A program did what its meaning does not cover; the report has all findings.
class InterpreterError : public InternalError {
public:
    InterpreterError(const std::string& program, InterpreterReport report);
    const InterpreterReport& report() const { return *report_; }

private:
    std::shared_ptr<const InterpreterReport> report_;
};

struct InterpreterOptions {
    bool throw_on_finding = true; ///< InterpreterError at the end of the run
    int most_findings = 20;       ///< different ones; later ones are dropped
    /// Of roles that may go on the last one does, not the first. A role goes on until it waits for a signal, so that what
    /// one does too early is done too early in one of the two orders.
    bool last_role_first = false;
};

/// A program decoded for repeated runs. The program must outlive it.
class Interpreter {
public:
    explicit Interpreter(const Program& program);
    ~Interpreter();
    Interpreter(Interpreter&&) noexcept;
    Interpreter& operator=(Interpreter&&) noexcept;

    InterpreterReport run(Arguments& arguments, const InterpreterOptions& options = {});

private:
    class Machine;
    std::unique_ptr<Machine> machine_;
};

/// Runs a program once.
InterpreterReport interpret(const Program& program, Arguments& arguments,
                            const InterpreterOptions& options = {});

} // namespace swirl::ir
