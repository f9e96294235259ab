#pragma once

#include "base/affine.hpp"
#include "base/integer.hpp"
#include "ir/role.hpp"
#include "ir/table.hpp"
#include "ir/type.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The kernel's abstract syntax tree, one for CPUs and GPUs: a tree of statements (loops, conditions, barriers) whose
/// leaves are straight-line blocks in SSA form. Values, buffers and variables are indices into the program's tables,
/// so a pass over thousands of operations walks flat arrays.
namespace swirl::ir {

using Value = std::int32_t;  ///< index into Program::operations
using Tensor = std::int32_t; ///< index into Program::tensors
using Buffer = std::int32_t; ///< index into Program::buffers
constexpr Value no_value = -1;

// ---- memory -------------------------------------------------------------------------------------------------

enum class Space : std::uint8_t {
    argument, ///< caller's memory; on a GPU, global memory
    table,    ///< constant data that travels with the kernel
    scratch,  ///< workspace provided by the caller; contents undefined on entry
    local,    ///< private to a thread; on a CPU, the stack frame
    shared,   ///< shared by the threads of a block, or by all blocks of a cluster (see BufferInfo)
};

/// Complex data is two adjacent scalars (interleaved) or two buffers (planar): the IR sees only scalars.
struct BufferInfo {
    std::string name; ///< printed; kernels of one plan share workspace of the same name
    Role role;        ///< what it is to the problem; none for local and shared memory
    DataType element = DataType::float64;
    Space space = Space::argument;
    Integer elements = 0; ///< extent in scalars; valid indices are first…first+elements−1
    Integer first = 0;    ///< lowest index accessed (negative strides make it negative)
    int alignment = 0;    ///< guaranteed alignment of the base address in bytes; 0: the element's size
    bool written = false; ///< false: the program only reads it
    /// Scratch private to one iteration of the innermost of so many nested parallel loops (those of one iteration do
    /// not count), so that each thread may have its own. 0: not private.
    int nest_depth = 0;
    static constexpr int innermost = std::numeric_limits<int>::max(); ///< of any loops
    Integer dsmem_elements_per_block =
        0; ///< shared memory visible to all blocks of a cluster: with n = this value, element i is element i mod n in
    ///< block i / n of the cluster; 0: each block has all elements for itself
    bool non_temporal =
        false; ///< too large to stay in cache until it is read: accesses should bypass the caches
    bool evict_last =
        false; ///< should stay in cache; non_temporal data is evicted first. On CPUs stores do not bypass the caches
    bool zeroed =
        false; ///< scratch that the launcher zeroes beforehand, or that earlier launches leave zeroed
    bool by_value = false; ///< a small argument passed by value; read-only, at constant indices
    /// An argument whose index 0 is address 0, so nothing is passed: an index is an address, loaded from memory,
    /// divided by the element size. The extents bound the accesses around one such address.
    bool absolute = false;
    TableData contents; ///< Space::table
};

/// Element base + lane·lane_stride of `buffer`, where base = index + (dynamic ? dynamic_scale · value of `dynamic` :
/// 0). A vector access with active < lanes accesses memory only in the first `active` lanes; a load returns 0 in the
/// others.
struct Address {
    Buffer buffer = 0;
    Affine index;
    Value dynamic = no_value; ///< an int64 value added to the index, for table-driven permutations
    Integer lane_stride = 1;
    Integer dynamic_scale = 1;
    bool operator==(const Address&) const = default;
};

/// Data in global memory as a TMA tensor map describes it: TMA copies boxes of it to and from shared memory. Element
/// (x, y, …) is `origin` + x·strides[0] + y·strides[1] + … of the buffer. Outside the extents, loads give zeros and
/// stores are suppressed. In shared memory, x is the fastest index of a box.
struct TensorInfo {
    std::string name;
    Buffer buffer = 0;
    Integer origin = 0;
    std::vector<Integer> extents; ///< one to five dimensions
    std::vector<Integer> strides; ///< in elements; the first is 1, the others must be multiples of 16 bytes
    std::vector<Integer> box;     ///< extents of one copy
    Integer swizzle =
        0; ///< swizzled bytes of a box along x in shared memory: 32, 64 or 128 (ir/tile.hpp); 0: no swizzle
    bool rounds = false; ///< loads of float32 are rounded by round_to_tf32; there are no stores
};

// ---- operations ---------------------------------------------------------------------------------------------

struct Instruction;      // see ir/instruction.hpp; entries live in target/ tables
struct WgmmaInstruction; // see ir/tile.hpp

enum class Opcode : std::uint8_t {
    constant,   ///< `constant` in every lane
    index,      ///< `address.index` as an int64 scalar
    load,       ///< `address`, `active`
    store,      ///< a → `address`, `active`; result type is a's
    atomic_add, ///< memory[`address`] += a, scalars
    prefetch,   ///< a hint: the cache line of `address`, possibly outside the buffer, is about to be accessed
    splat,      ///< scalar a in every lane
    negate,     ///< −a
    add,        ///< a + b
    subtract,   ///< a − b
    multiply,   ///< a · b
    divide,     ///< a / b; for int64, b is not 0 and the quotient rounds towards zero
    square_root,
    magnitude,    ///< |a|, also of −0
    power_of_two, ///< 2^a for integral a with a normal result; otherwise unspecified
    fma,          ///< a·b + c
    fms,          ///< a·b − c
    fnma,         ///< c − a·b
    shuffle, ///< lane l = (a ‖ b)[lane_map[l]]: entries < lanes(a) select from a, others from b; −1: unspecified
    convert,     ///< a in the result's scalar type; integers that do not fit lose upper bits
    bitcast,     ///< a's bytes as lanes of another integer type
    bit_and,     ///< bitwise and
    bit_xor,     ///< bitwise exclusive or
    less,        ///< a < b, boolean lanes
    select,      ///< a ? b : c lanewise
    instruction, ///< `instruction` of a target/ table applied to a, b, c
    // Asynchronous operations of a GPU; see ir/tile.hpp.
    tma_load,  ///< copies the box of `tile.tensor` at the coordinates a, b, c to shared memory at `address`
    tma_store, ///< copies shared memory at `address` to the box of `tile.tensor` at the coordinates a, b, c
    wgmma, ///< accumulators in registers at `address` += A · B, with A at `tile.addresses[0]` (a tile or registers)
           ///< and B at `tile.addresses[1]` (a tile)
    mbarrier_init, ///< the mbarrier at `address` expects `tile.count` arrivals per phase
    mbarrier_arrive, ///< one arrival at the mbarrier at `address`, in block a of the cluster or in the own block
    mbarrier_arrive_expect_tx, ///< one arrival that adds `tile.count` to the bytes expected from loads in this phase
    mbarrier_wait,             ///< waits until the phase of parity a of the mbarrier at `address` is complete
};
constexpr int opcode_count = static_cast<int>(Opcode::mbarrier_wait) + 1;

/// Layout of a wgmma operand in shared memory: swizzled panels of rows of swizzle_row_bytes.
struct SmemTileLayout {
    bool k_major = true; ///< rows run along K; otherwise along M (for A) or N (for B)
    Integer panel = 0;   ///< elements from one panel to the next; used only if rows do not run along K
    bool operator==(const SmemTileLayout&) const = default;
};

/// Parameters of operations on tiles and mbarriers, in addition to operands and `address`.
struct AsyncTileOperation {
    Tensor tensor = -1;
    const WgmmaInstruction* instruction = nullptr; ///< wgmma
    std::array<SmemTileLayout, 2> layouts = {};    ///< wgmma: of A and B if they are in shared memory
    /// tma_load: the mbarrier at which its bytes arrive. wgmma: A, B.
    std::vector<Address> addresses = {};
    /// tma_load: bit i multicasts the box to block i of the cluster, at the same offset, and the bytes to its
    /// mbarrier. 0: the own block.
    unsigned blocks = 0;
    Integer count = 0;
};

/// One operation; its result is the Value equal to its position in Program::operations. The order of the members keeps
/// it small: passes are bound by the memory that programs take.
struct Operation {
    Opcode opcode = Opcode::constant;
    bool asynchronous =
        false; ///< a store to shared memory of a value loaded from global memory only for this store: see AsyncFence
    /// Floating-point arithmetic whose NaN, infinities and signs of zero are those of IEEE 754, as in an expression of
    /// the user. Passes may contract it, and leave out what changes no result. Other arithmetic may be reassociated and
    /// folded as if all values were finite.
    bool strict = false;
    Type type;
    std::array<Value, 3> operands = {no_value, no_value, no_value};
    int active = 0;                                 ///< load, store: lanes that access memory, 1…lanes
    long double constant = 0;                       ///< of a constant
    const Instruction* instruction = nullptr;       ///< instruction
    std::shared_ptr<const AsyncTileOperation> tile; ///< from tma_load on
    std::vector<std::int8_t> lane_map;              ///< shuffle
    Address address;                                ///< load, store, atomic_add, prefetch, index
};

// ---- statements ---------------------------------------------------------------------------------------------

struct Statement;
using Body = std::vector<Statement>;

/// A straight-line block: operations executed in this order.
struct StraightLineBlock {
    std::vector<Value> operations;
};

/// A derived variable of a loop: `start` on entry (in outer variables), incremented by `step` after each iteration. In
/// the last iterations it is `start` + `last[0]`, `start` + `last[1]`, … instead. The loop then has a constant number of
/// iterations, more than `last` has entries, and is not parallel.
struct Induction {
    Variable variable;
    Affine start;
    Integer step;
    std::vector<Integer> last = {};

    /// Distance from `start` in one of the loop's iterations.
    Integer distance(Integer iteration, Integer iterations) const {
        const Integer regular = iterations - static_cast<Integer>(last.size());
        return iteration < regular ? step * iteration : last[static_cast<std::size_t>(iteration - regular)];
    }
};

/// for (variable = begin; variable < end; variable += step) body
struct For {
    enum class Kind : std::uint8_t {
        serial,
        vector, ///< to become lanes: `vectorize` removes it; begin 0, step 1, at most one vector register long
        parallel, ///< iterations are independent; on a CPU several threads may share them if no other loop is outside
        unrolled, ///< `unroll` removes it
    };
    Variable variable = 0;
    Affine begin = 0;
    Affine end = 0;
    Integer step = 1;
    Kind kind = Kind::serial;
    std::vector<Induction> inductions;
    Body body;
};

/// Holds if `form` + `value` < 0, ≥ 0 or = 0. `value` is data: an int64 scalar computed before. All threads that reach
/// a barrier under the condition must agree on it, which only the interpreter checks. CPU kernels have no such
/// conditions.
struct Condition {
    enum class Relation : std::uint8_t { negative, nonnegative, zero };
    Affine form;
    Relation relation = Relation::negative;
    Value value = no_value; ///< counts as 0

    bool holds_of(Integer x) const {
        switch (relation) {
        case Relation::negative: return x < 0;
        case Relation::nonnegative: return x >= 0;
        case Relation::zero: return x == 0;
        }
        return false;
    }
};

/// If all of `conditions` hold, `then` is executed, else `otherwise`.
struct If {
    std::vector<Condition> conditions;
    Body then;
    Body otherwise;
};

/// A barrier for all threads of the block, or of all blocks of the cluster; it orders shared-memory accesses.
/// Cooperative groups of blocks (see Launch) may split it into two halves with other work in between: arrive, and
/// later wait until all have arrived as often as the waiting block. Accesses before the arrival are ordered before
/// accesses after the wait, in global memory too. Either half is also a barrier of the block.
struct Barrier {
    enum class Half : std::uint8_t { both, arrive, wait };
    bool of_cluster = false;
    bool of_cooperative_group = false;
    Half half = Half::both;
    Address counter =
        {}; ///< for a cooperative group: its own int64 counter of block arrivals, 0 at the launch
};

/// Warp specialization: the threads of each role execute its body concurrently with the other roles, ordered only by
/// mbarriers. A barrier in a role's body covers the role's threads. Every thread of the block has a role, and roles
/// are whole warpgroups. Afterwards all threads continue together, without a barrier in between.
struct WarpRole {
    std::string name;
    Integer first_thread = 0; ///< along x
    Integer threads = 0;
    int registers = 0; ///< per thread, from there on; 0: as in the launch
    Body body;
};
struct WarpRoles {
    std::vector<WarpRole> roles;
};

/// An asynchronous copy may take effect, and its source may be read, at any time between the store and the thread's
/// wait. `commit` groups all such stores since the last commit; `wait` waits until at most the `pending` latest groups
/// are in flight. Other threads see the data after a barrier that follows the wait.
///
/// Likewise for wgmma: until the threads wait, operands may be read, and accumulators are undefined except for further
/// wgmmas. `begin` (wgmma.fence) must separate other accesses to accumulators from wgmmas. For groups of tma_stores,
/// the wait says that shared memory has been read. TMA and wgmma see a thread's `store`s to shared memory after
/// `publish` (a proxy fence) by that thread, followed by a barrier or an arrival.
struct AsyncFence {
    enum class Kind : std::uint8_t { commit, wait, begin, publish };
    enum class What : std::uint8_t { stores, tma_stores, wgmmas };
    Kind kind = Kind::commit;
    int pending = 0;
    What what = What::stores;
};

struct Statement {
    std::variant<StraightLineBlock, For, If, Barrier, AsyncFence, WarpRoles> node;
};

// ---- the program --------------------------------------------------------------------------------------------

struct VariableInfo {
    enum class Kind : std::uint8_t { loop, induction, parameter, thread, block };
    std::string name;
    Kind kind = Kind::loop;
    int axis = 0; ///< thread and block: 0, 1, 2 for x, y, z; parameter: its position in the argument list
    /// The digit (i / divisor) mod modulus of a thread or block index i; modulus 0: the whole quotient. Threads that
    /// share the iterations of several loops obtain the loops' variables from digits.
    Integer divisor = 1;
    Integer modulus = 0;
    ArgumentRole role = ArgumentRole::none; ///< parameter: what its launcher passes; none: by position

    Integer digit_of(Integer index) const {
        const Integer quotient = index / divisor;
        return modulus == 0 ? quotient : quotient % modulus;
    }
    /// Number of values of the digit for an index below `extent`.
    Integer digit_count(Integer extent) const {
        const Integer quotients = ceil_divide(extent, divisor);
        return modulus == 0 || quotients < modulus ? quotients : modulus;
    }
};

/// Blocks × threads of a GPU launch; {1,1,1} × {1,1,1} on a CPU. `cluster` neighbouring blocks along x form a cluster.
/// `resident` is the required number of blocks per multiprocessor, which bounds the registers per thread; 0:
/// unconstrained. With `cooperative_group`, so many neighbouring blocks along x wait for each other through global
/// memory, and all blocks of the launch are resident at once.
struct Launch {
    std::array<Integer, 3> blocks = {1, 1, 1};
    std::array<Integer, 3> threads = {1, 1, 1};
    Integer cluster = 1;
    Integer resident = 0;
    Integer cooperative_group = 1;
    bool operator==(const Launch&) const = default;
};

/// A kernel. As a CPU function its signature is  void(void* const* buffers, const int64_t* parameters)  where
/// `buffers` has one pointer for each argument, table and scratch buffer, in order (pointing at index 0, even if
/// `first` is negative), and `parameters` the integer parameters.
struct Program {
    std::string name;
    std::vector<BufferInfo> buffers;
    std::vector<VariableInfo> variables;
    std::vector<Operation> operations;
    std::vector<TensorInfo> tensors;
    Body body;
    Launch launch;

    /// The first buffer with this role.
    std::optional<Buffer> buffer_with(const Role& role) const {
        for (std::size_t b = 0; b < buffers.size(); ++b)
            if (buffers[b].role == role) return static_cast<Buffer>(b);
        return std::nullopt;
    }
    Value append(Operation&& operation) {
        operations.push_back(std::move(operation));
        return static_cast<Value>(operations.size() - 1);
    }
    const Operation& operator[](Value value) const { return operations[static_cast<std::size_t>(value)]; }
    Operation& operator[](Value value) { return operations[static_cast<std::size_t>(value)]; }
};

constexpr int operand_count(Opcode opcode) {
    switch (opcode) {
    case Opcode::constant:
    case Opcode::index:
    case Opcode::load:
    case Opcode::prefetch: return 0;
    case Opcode::store:
    case Opcode::atomic_add:
    case Opcode::splat:
    case Opcode::negate:
    case Opcode::square_root:
    case Opcode::magnitude:
    case Opcode::power_of_two:
    case Opcode::convert:
    case Opcode::bitcast: return 1;
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::bit_and:
    case Opcode::bit_xor:
    case Opcode::less:
    case Opcode::shuffle: return 2;
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma:
    case Opcode::select: return 3;
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_arrive_expect_tx:
    case Opcode::wgmma: return 0;
    case Opcode::mbarrier_wait: return 1;
    case Opcode::mbarrier_arrive: // one if a block is given
    case Opcode::tma_load:        // one per dimension of the tensor
    case Opcode::tma_store:
    case Opcode::instruction: return -1; // given by its table entry
    }
    return 0;
}

} // namespace swirl::ir
