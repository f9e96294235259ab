#pragma once

#include "ir/memory.hpp"
#include "ir/program.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

/// The reference semantics of programs, for CPUs and GPUs alike.
///
/// - A value of a floating-point type is rounded to that type after every operation; fma, fms and fnma round once.
///   Integers wrap around. `convert` to integers truncates.
/// - Unspecified lanes of a shuffle are NaN (or an odd integer), so that their use shows.
/// - A program runs once per thread of each block of its launch: blocks in order, the threads of a block in lockstep,
///   one operation at a time. Any behaviour that a program may not rely on is a diagnostic.
/// - WarpRoles of a block run concurrently. TMA loads arrive as late as possible: when a thread waits for the
///   mbarrier's phase. Only barriers and mbarriers order the accesses of threads. In addition, all threads of a
///   warpgroup know that its waited-for wgmmas are complete, and that the loads into registers which these wgmmas have
///   read are complete.
/// - Iterations of a parallel loop on a CPU (1 thread) are independent: conflicts between them are races. They run in
///   reverse order, and each finds per-iteration memory unwritten.
namespace swirl::ir {

struct Diagnostic {
    enum class Kind : std::uint8_t {
        out_of_bounds,
        unwritten_read, ///< of scratch, local, shared or argument memory that has not been written
        read_only_write,
        race,              ///< conflicting accesses without an intervening barrier (between blocks: always)
        divergent_barrier, ///< some threads of a block arrive, others end or wait elsewhere
        misaligned,        ///< on a GPU, the address of a vector access is no multiple of its size
        incomplete_warp,   ///< an instruction of several threads is executed without some of them
        unfinished_async_copy, ///< a thread ends without waiting for its asynchronous operations
        misused_mbarrier, ///< uninitialized, initialized twice or without a barrier since, or too many arrivals
        deadlock,         ///< all unfinished threads wait for mbarriers
        missing_proxy_fence, ///< the async proxy reads what a thread has stored without a proxy fence
        missing_wgmma_fence, ///< a wgmma uses registers accessed otherwise, with no `begin` (wgmma.fence) in between
    };
    Kind kind;
    Value operation = no_value; ///< no_value for a barrier
    Buffer buffer = -1;
    Integer element = 0;
    std::array<Integer, 3> block = {0, 0, 0};
    std::array<Integer, 3> thread = {0, 0, 0};
    Integer times = 1; ///< how often it happened at this operation; the other members describe the first time
    std::string message; ///< the full text, with the values of the variables
};

std::string_view name_of(Diagnostic::Kind kind);

/// Memory traffic of one buffer. A GPU access is what a warp (32 threads with consecutive indices) requests in one
/// operation; a strided vector access counts once per lane. Index 0 of a global buffer is aligned to 32 bytes; index 0
/// of a shared buffer is in bank 0.
struct AccessCounts {
    Integer accesses = 0;     ///< per warp; on a CPU, executed operations
    Integer bytes = 0;        ///< requested by all threads
    Integer sectors = 0;      ///< global memory of a GPU: distinct 32-byte sectors, summed over accesses
    Integer extra_cycles = 0; ///< shared memory: cycles lost to bank conflicts

    AccessCounts& operator+=(const AccessCounts& other);
};

struct InterpreterReport {
    std::vector<Diagnostic> diagnostics;
    std::array<Integer, opcode_count> operations{}; ///< executed, by opcode, per thread
    std::array<Integer, opcode_count> lanes{};      ///< the same, times lanes
    Integer flops = 0;                              ///< floating-point additions, multiplications; fma as two
    Integer barriers = 0;                           ///< blocks times barriers
    std::vector<AccessCounts> loads;                ///< by buffer
    std::vector<AccessCounts> stores;               ///< by buffer; including atomics

    bool ok() const { return diagnostics.empty(); }
    Integer count(Opcode opcode) const { return operations[static_cast<std::size_t>(opcode)]; }
    Integer lane_count(Opcode opcode) const { return lanes[static_cast<std::size_t>(opcode)]; }
    AccessCounts traffic(Buffer buffer) const; ///< loads and stores
    Integer bank_conflict_cycles() const;      ///< of all shared buffers
    Integer sectors() const;                   ///< of all global buffers
    std::string text() const;                  ///< the diagnostics, one per line
};

/// A program's behaviour is undefined; the report has all diagnostics.
class InterpreterError : public InternalError {
public:
    InterpreterError(const std::string& program, InterpreterReport report);
    const InterpreterReport& report() const { return *report_; }

private:
    std::shared_ptr<const InterpreterReport> report_;
};

struct InterpreterOptions {
    bool throw_on_diagnostic = true; ///< InterpreterError at the end of the execution
    int max_diagnostics = 20;        ///< distinct ones; later ones are dropped
    /// Of the roles that can proceed, the last one runs instead of the first. A role runs until it waits for an
    /// mbarrier, so a premature action shows in one of the two orders.
    bool last_role_first = false;
};

/// A program decoded for repeated execution. The program must outlive it.
class Interpreter {
public:
    explicit Interpreter(const Program& program);
    ~Interpreter();
    Interpreter(Interpreter&&) noexcept;
    Interpreter& operator=(Interpreter&&) noexcept;

    InterpreterReport run(Arguments& arguments, const InterpreterOptions& options = {});

private:
    class Executor;
    std::unique_ptr<Executor> executor_;
};

/// Runs a program once.
InterpreterReport interpret(const Program& program, Arguments& arguments,
                            const InterpreterOptions& options = {});

} // namespace swirl::ir
