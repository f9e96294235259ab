#pragma once

#include "ir/memory.hpp"
#include "ir/program.hpp"

#include <cstdint>
#include <limits>
#include <vector>

/// A program in the form the interpreter executes: flat steps with resolved positions. Internal to the interpreter.
namespace swirl::ir::interpreted {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// An affine form; its terms are Code::terms[first … first+count−1].
struct Form {
    Integer constant = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

struct Term {
    std::size_t variable; ///< position of thread 0's value in the table of variables
    Integer coefficient;
};

/// A further address of an operation.
struct Place {
    Buffer buffer = 0;
    Form index;
    std::size_t dynamic = nowhere;
    Integer dynamic_scale = 1;
};

/// One operation. Positions are of thread 0, lane 0 in the table of cells; lane l of thread t is t·lanes + l on.
struct Step {
    Opcode opcode = Opcode::constant;
    Scalar scalar = Scalar::float64;  ///< of the result
    Scalar operand = Scalar::float64; ///< of the first operand
    int lanes = 1;
    int operand_lanes = 1; ///< of the first operand
    int active = 1;
    Buffer buffer = 0;
    Value value = no_value;
    std::size_t result = nowhere;
    std::size_t operands[3] = {nowhere, nowhere, nowhere};
    std::size_t dynamic = nowhere;
    Form index;
    Integer lane_stride = 1;
    Integer dynamic_scale = 1;
    bool asynchronous = false;
    std::vector<Place> places; ///< of tiles
    const Operation* source = nullptr;
};

struct Node {
    enum class Kind : std::uint8_t { run, loop, condition, barrier, fence, roles };
    Kind kind = Kind::run;
    bool of_cluster = false; ///< a barrier
    bool of_group = false;
    Barrier::Half half = Barrier::Half::both;

    CopyFence fence = {};

    const Role* role = nullptr; ///< whose threads meet at a barrier; a role itself

    std::size_t first = 0, last = 0; ///< run: steps[first … last−1]

    const For* loop = nullptr;
    Form begin, end;
    std::vector<Form> starts;           ///< of the loop's inductions
    bool iterations_are_blocks = false; ///< an outermost parallel loop, or alone in one

    const If* condition = nullptr;
    std::vector<Form> forms;         ///< of the conditions
    std::vector<std::size_t> values; ///< theirs, or nowhere

    std::vector<Node> body; ///< of a loop or role, or what is executed when the conditions hold; the roles
    std::vector<Node> otherwise; ///< when they do not

    /// Work space: the threads that take part, those that do not, and where each thread's loop ends.
    std::vector<int> threads, others;
    std::vector<Integer> ends;
};

struct Code {
    std::vector<Step> steps;
    std::vector<Term> terms;
    std::vector<Node> body;
    std::vector<Cell> cells;       ///< of all values and threads; constants are in place
    std::size_t threads = 1;       ///< of a cluster or group: they run together
    std::size_t block_threads = 1; ///< of a block
    Integer together = 1;          ///< blocks of a cluster or group
    Integer clusters = 1;          ///< or groups
    bool has_parallel_loop = false;
    bool has_agents = false; ///< several things are done at the same time: tiles, signals, roles

    Code(const Program& program);
};

} // namespace swirl::ir::interpreted
