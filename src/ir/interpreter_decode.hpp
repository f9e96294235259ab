#pragma once

#include "ir/memory.hpp"
#include "ir/program.hpp"

#include <cstdint>
#include <limits>
#include <vector>

/// A program in the interpreter's form: flat operations with resolved positions. Internal to the interpreter.
namespace swirl::ir::interpreted {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// An affine form; its terms are DecodedProgram::terms[first … first+count−1].
struct Form {
    Integer constant = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

struct Term {
    std::size_t variable; ///< position of thread 0's value in the table of variables
    Integer coefficient;
};

/// Another address of an operation.
struct MemoryOperand {
    Buffer buffer = 0;
    Form index;
    std::size_t dynamic = nowhere;
    Integer dynamic_scale = 1;
};

/// One operation. Positions refer to thread 0, lane 0 in the table of cells; lane l of thread t is t·lanes + l
/// further.
struct DecodedOperation {
    Opcode opcode = Opcode::constant;
    DataType scalar = DataType::float64;  ///< of the result
    DataType operand = DataType::float64; ///< of the first operand
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
    std::vector<MemoryOperand> tile_operands; ///< of tiles
    const Operation* source = nullptr;
};

struct Node {
    enum class Kind : std::uint8_t { block, loop, condition, barrier, fence, roles };
    Kind kind = Kind::block;
    bool of_cluster = false; ///< for a barrier
    bool of_cooperative_group = false;
    Barrier::Half half = Barrier::Half::both;

    AsyncFence fence = {};

    const WarpRole* role = nullptr; ///< whose threads synchronize at a barrier; or the role itself

    std::size_t first = 0, last = 0; ///< straight-line block: operations[first … last−1]

    const For* loop = nullptr;
    Form begin, end;
    std::vector<Form> starts;           ///< of the loop's inductions
    bool iterations_are_blocks = false; ///< an outermost parallel loop, or alone in one

    const If* condition = nullptr;
    std::vector<Form> forms;         ///< of the conditions
    std::vector<std::size_t> values; ///< of the conditions, or nowhere

    std::vector<Node> body;      ///< of a loop or role, or the then branch of a condition; the roles
    std::vector<Node> otherwise; ///< else branch of a condition

    /// Work space: active and inactive threads, and the loop end of each thread.
    std::vector<int> threads, others;
    std::vector<Integer> ends;
};

struct DecodedProgram {
    std::vector<DecodedOperation> operations;
    std::vector<Term> terms;
    std::vector<Node> body;
    std::vector<Cell> cells;       ///< of all values and threads; constants are filled in
    std::size_t threads = 1;       ///< of a cluster or cooperative group, which runs together
    std::size_t block_threads = 1; ///< of a block
    Integer blocks_per_group = 1;  ///< blocks of a cluster or cooperative group
    Integer clusters = 1;          ///< clusters or cooperative groups
    bool has_parallel_loop = false;
    bool has_async_agents = false; ///< has concurrent agents: TMA, wgmma, mbarriers, roles

    DecodedProgram(const Program& program);
};

} // namespace swirl::ir::interpreted
