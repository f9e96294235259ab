#pragma once

#include "base/affine.hpp"
#include "base/integer.hpp"
#include "ir/table.hpp"
#include "ir/type.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The kernel's abstract syntax tree, one for CPUs and GPUs. A tree of statements (loops, conditions, barriers)
/// whose leaves are runs of straight-line operations in SSA form. Values, buffers and variables are indices into
/// the program's tables, so that a pass over thousands of operations is a walk over flat arrays.
namespace swirl::ir {

using Value = std::int32_t;  ///< index into Program::operations
using Tensor = std::int32_t; ///< index into Program::tensors
using Buffer = std::int32_t; ///< index into Program::buffers
constexpr Value no_value = -1;

// ---- memory -------------------------------------------------------------------------------------------------

enum class Space : std::uint8_t {
    argument, ///< caller's memory; on a GPU, global memory
    table,    ///< constant data that travels with the kernel
    scratch,  ///< workspace the caller provides; contents undefined on entry
    local,    ///< private to a thread; on a CPU, the stack frame
    shared,   ///< shared by the threads of a block, or of all blocks of a cluster (see BufferInfo)
};

/// Complex data is two adjacent scalars (interleaved) or two buffers (planar): the ir sees scalars only.
struct BufferInfo {
    std::string name;
    Scalar element = Scalar::float64;
    Space space = Space::argument;
    Integer elements = 0; ///< extent in scalars; accesses lie in first…first+elements−1
    Integer first = 0;    ///< lowest index accessed (negative strides make it negative)
    int alignment = 0;    ///< bytes the base address is known to be a multiple of; 0: the element's own size
    bool written = false; ///< false: the program only reads it
    bool per_iteration =
        false; ///< scratch that carries nothing from one iteration of an outermost parallel loop to
               ///< another: each thread may have its own
    Integer cluster_part =
        0; ///< shared memory that all blocks of a cluster see: element i is the (i mod part)th of
           ///< those in block i / part of the cluster; 0: each block has all elements for itself
    bool streamed =
        false;         ///< too large to stay in cache until it is read: accesses should pass the caches by
    bool kept = false; ///< to stay in cache as long as what is streamed can leave it
    bool zeroed =
        false; ///< scratch that whoever launches the kernel, and those before that have it, has filled with zeros
    bool by_value =
        false; ///< an argument of a few numbers that a launch hands over themselves; only read, at constant indices
    /// An argument whose index 0 is the address 0, so that nothing is handed over: what is computed in an index is an address,
    /// loaded from memory, over the element's size. The extents are of what is around one such address.
    bool absolute = false;
    TableData contents; ///< Space::table
};

/// Element base + lane·lane_stride of `buffer`, where base = index + (dynamic ? dynamic_scale · value of `dynamic` : 0).
/// On a vector access with active < lanes only the first `active` lanes touch memory; a load gives 0 elsewhere.
struct Address {
    Buffer buffer = 0;
    Affine index;
    Value dynamic = no_value; ///< an int64 value added to the index, for table-driven permutations
    Integer lane_stride = 1;
    Integer dynamic_scale = 1;
    bool operator==(const Address&) const = default;
};

/// Data in global memory as the copy engine of a GPU sees it, which moves boxes of it to and from shared memory. Element
/// (x, y, …) is `origin` + x·strides[0] + y·strides[1] + … of the buffer. Of a box that reaches out of the extents zeros are loaded,
/// and nothing is stored, for what is outside. In shared memory boxes have x first.
struct TensorInfo {
    std::string name;
    Buffer buffer = 0;
    Integer origin = 0;
    std::vector<Integer> extents; ///< one to five
    std::vector<Integer>
        strides; ///< elements; the first is 1, others times the element's size are multiples of 16
    std::vector<Integer> box; ///< extents of what is moved at once
    Integer swizzle =
        0; ///< bytes of a box along x, 32, 64 or 128, that are swizzled in shared memory (ir/tile.hpp); 0: they are not
    bool rounds = false; ///< what is loaded, of float32, is rounded by round_to_tf32; nothing is stored
};

// ---- operations ---------------------------------------------------------------------------------------------

struct Instruction;     // see ir/instruction.hpp; entries live in target/ tables
struct TileInstruction; // see ir/tile.hpp

enum class Opcode : std::uint8_t {
    constant,   ///< `number` in every lane
    index,      ///< `address.index` as an int64 scalar
    load,       ///< `address`, `active`
    store,      ///< a → `address`, `active`; result type is a's
    atomic_add, ///< memory[`address`] += a, scalars
    prefetch, ///< a hint: the cache line of `address`, which may lie outside the buffer, is about to be accessed
    splat,    ///< scalar a in every lane
    negate,   ///< −a
    add,      ///< a + b
    subtract, ///< a − b
    multiply, ///< a · b
    divide,   ///< a / b; of int64, b being no 0, rounded towards zero
    square_root,
    magnitude,    ///< |a|, also of −0
    power_of_two, ///< 2^a where a is a whole number and 2^a a normal one; of others anything
    fma,          ///< a·b + c
    fms,          ///< a·b − c
    fnma,         ///< c − a·b
    shuffle, ///< lane l = (a ‖ b)[lane_map[l]]: entries < lanes(a) take from a, others from b; −1: anything
    convert,     ///< a in the result's scalar type; integers that do not fit lose upper bits
    bitcast,     ///< a's bytes as lanes of another integer type
    bit_and,     ///< bits that both integers have
    bit_xor,     ///< bits that one of them has
    less,        ///< a < b, boolean lanes
    select,      ///< a ? b : c lanewise
    instruction, ///< `instruction` of a target/ table applied to a, b, c
    // What several agents of a GPU do at the same time; see ir/tile.hpp.
    tile_load,  ///< the box of `tile.tensor` at the coordinates a, b, c → shared memory from `address` on
    tile_store, ///< shared memory from `address` on → the box of `tile.tensor` at the coordinates a, b, c
    tile_product, ///< sums in registers from `address` on += tile at `tile.places[0]`, which may be registers, too · tile at
    ///< `tile.places[1]`
    signal_initialize, ///< the signal at `address` waits for `tile.count` arrivals in each phase
    signal_arrive, ///< one arrival at the signal at `address`, of block a of the cluster, or of the own one
    signal_expect, ///< one arrival, and `tile.count` bytes more that loads have to bring in this phase
    signal_wait,   ///< until the phase of parity a of the signal at `address` is complete
};
constexpr int opcode_count = static_cast<int>(Opcode::signal_wait) + 1;

/// How a factor of a tile_product lies in shared memory: in panels of rows of tile_row_bytes, swizzled.
struct TileLayout {
    bool along_depth = true; ///< rows have steps of the depth; else rows (of A) or columns (of B)
    Integer panel = 0; ///< elements from one panel to the next; of use where rows are not along the depth
    bool operator==(const TileLayout&) const = default;
};

/// What operations on tiles and signals need beside operands and `address`.
struct TileOperation {
    Tensor tensor = -1;
    const TileInstruction* instruction = nullptr; ///< tile_product
    std::array<TileLayout, 2> layouts = {}; ///< tile_product: of A and B, where they are in shared memory
    /// tile_load: the signal at which its bytes arrive. tile_product: A, B.
    std::vector<Address> places = {};
    /// tile_load: bit i: block i of the cluster gets the box, at the same place, and its signal the bytes. 0: the own block.
    unsigned blocks = 0;
    Integer count = 0;
};

/// One operation; its result is the Value that is its position in Program::operations.
struct Operation {
    Opcode opcode = Opcode::constant;
    Type type;
    std::array<Value, 3> operands = {no_value, no_value, no_value};
    long double number = 0; ///< constant
    Address address;        ///< load, store, atomic_add, prefetch, index
    int active = 0;         ///< load, store: lanes that touch memory, 1…lanes
    bool asynchronous =
        false; ///< a store to shared memory of what is loaded from global memory for it alone: see CopyFence
    std::vector<std::int8_t> lane_map;         ///< shuffle
    const Instruction* instruction = nullptr;  ///< instruction
    std::shared_ptr<const TileOperation> tile; ///< from tile_load on
};

// ---- statements ---------------------------------------------------------------------------------------------

struct Statement;
using Body = std::vector<Statement>;

/// A run of operations, executed in this order.
struct Straight {
    std::vector<Value> operations;
};

/// A derived variable of a loop: `start` on entry (in outer variables), `step` more after each iteration.
struct Induction {
    Variable variable;
    Affine start;
    Integer step;
};

/// for (variable = begin; variable < end; variable += step) body
struct For {
    enum class Kind : std::uint8_t {
        serial,
        vector, ///< to become lanes: `vectorize` removes it; begin 0, step 1, at most one machine vector long
        parallel, ///< iterations are independent; on a CPU several threads may share an outermost one
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

/// Holds when `form` + `value` < 0, ≥ 0 or = 0. A value is data: an int64 scalar that was computed before. All threads that meet in what
/// depends on it have to find it alike, which nobody but the interpreter sees. Kernels of CPUs have no such conditions.
struct Condition {
    enum class Relation : std::uint8_t { negative, nonnegative, zero };
    Affine form;
    Relation relation = Relation::negative;
    Value value = no_value; ///< counts as 0

    bool holds_of(Integer number) const {
        switch (relation) {
        case Relation::negative: return number < 0;
        case Relation::nonnegative: return number >= 0;
        case Relation::zero: return number == 0;
        }
        return false;
    }
};

/// All of `conditions` must hold for `then`; else `otherwise`.
struct If {
    std::vector<Condition> conditions;
    Body then;
    Body otherwise;
};

/// All threads of the block meet, or of all blocks of the cluster; shared-memory writes before are seen after. Those of a
/// group of blocks (see Launch) may do so in two halves, with other work in between: they arrive, and later wait until all
/// have arrived as often as they themselves. What was accessed before arriving is ordered before what is accessed after that
/// wait, in global memory too. Either half is a barrier of the block as well.
struct Barrier {
    enum class Half : std::uint8_t { both, arrive, wait };
    bool of_cluster = false;
    bool of_group = false;
    Half half = Half::both;
    Address counter =
        {}; ///< of a group: an int64, 0 at the launch, that counts arrivals of its blocks and is its own
};

/// Threads of a block part: each role's threads execute its body, at the same time as others execute theirs, and only signals order
/// what they do. A barrier in a role's body is one of the role's threads. All threads of the block have a role, whole
/// warpgroups; what follows, they execute together again, with no meeting in between.
struct Role {
    std::string name;
    Integer first_thread = 0; ///< along x
    Integer threads = 0;
    int registers = 0; ///< of a thread, from there on; 0: as in the launch
    Body body;
};
struct Roles {
    std::vector<Role> roles;
};

/// What a thread stores asynchronously may arrive at any time from when it is stored, and what it copies may be read at any time,
/// until the thread waits for it. `commit` makes a group of all such stores since the last one; `wait` waits until no more than the
/// `pending` latest groups are under way. To others it is there after a meeting that follows the wait.
///
/// The same holds of tile_products: their factors are read, and their sums undefined but for further products, until the threads wait;
/// `begin` comes between other accesses to sums and products. Of tile_stores' groups the wait says that shared memory
/// has been read. What a thread has stored to shared memory by `store` the copy engine and products see after `publish` by that
/// thread and a meeting, or an arrival, after that.
struct CopyFence {
    enum class Kind : std::uint8_t { commit, wait, begin, publish };
    enum class What : std::uint8_t { stores, tile_stores, tile_products };
    Kind kind = Kind::commit;
    int pending = 0;
    What what = What::stores;
};

struct Statement {
    std::variant<Straight, For, If, Barrier, CopyFence, Roles> node;
};

// ---- the program --------------------------------------------------------------------------------------------

struct VariableInfo {
    enum class Kind : std::uint8_t { loop, induction, parameter, thread, block };
    std::string name;
    Kind kind = Kind::loop;
    int axis = 0; ///< thread and block: 0, 1, 2 for x, y, z; parameter: its position in the argument list
    /// Of a thread or block index i the digit i / divisor mod modulus; modulus 0: all of i / divisor. Threads that share
    /// the iterations of several loops find the loops' variables in digits.
    Integer divisor = 1;
    Integer modulus = 0;

    Integer digit_of(Integer index) const {
        const Integer quotient = index / divisor;
        return modulus == 0 ? quotient : quotient % modulus;
    }
    /// How many values the digit takes of an index below `extent`.
    Integer digits_below(Integer extent) const {
        const Integer quotients = ceil_divide(extent, divisor);
        return modulus == 0 || quotients < modulus ? quotients : modulus;
    }
};

/// Blocks × threads of a GPU launch; {1,1,1} × {1,1,1} on a CPU. `cluster` neighbouring blocks along x run together.
/// `resident` blocks are to be on a multiprocessor at once, which bounds the registers of a thread; 0: as it comes. Where
/// `group` neighbouring blocks along x wait for each other through global memory, all blocks of the launch run at once.
struct Launch {
    std::array<Integer, 3> blocks = {1, 1, 1};
    std::array<Integer, 3> threads = {1, 1, 1};
    Integer cluster = 1;
    Integer resident = 0;
    Integer group = 1;
    bool operator==(const Launch&) const = default;
};

/// A kernel. As a CPU function its signature is  void(void* const* buffers, const int64_t* parameters)  where
/// `buffers` holds one pointer for each entry of `buffers` that is an argument, table or scratch, in order
/// (each pointing at index 0, also where `first` is negative), and `parameters` the integer parameters.
struct Program {
    std::string name;
    std::vector<BufferInfo> buffers;
    std::vector<VariableInfo> variables;
    std::vector<Operation> operations;
    std::vector<TensorInfo> tensors;
    Body body;
    Launch launch;

    Value append(Operation operation) {
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
    case Opcode::signal_initialize:
    case Opcode::signal_expect:
    case Opcode::tile_product: return 0;
    case Opcode::signal_wait: return 1;
    case Opcode::signal_arrive: // one where a block is named
    case Opcode::tile_load:     // as many as the tensor has extents
    case Opcode::tile_store:
    case Opcode::instruction: return -1; // as many as its table entry says
    }
    return 0;
}

} // namespace swirl::ir
