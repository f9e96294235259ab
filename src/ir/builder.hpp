#pragma once

#include "ir/block_writer.hpp"
#include "ir/instruction.hpp"
#include "ir/program.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::ir {

/// Properties of a load or store other than its index.
struct Access {
    int lanes = 1;
    Integer lane_stride = 1;
    int active = 0; ///< lanes that access memory; 0: all
    Value dynamic = no_value;
    Integer dynamic_scale = 1;
    bool asynchronous = false; ///< for a store: see AsyncFence
};

/// Constructs a Program statement by statement. Operations are appended to the current straight-line block; a loop,
/// condition or barrier ends that block. Operands and types are checked immediately: InternalError names the operation
/// and the types.
///
/// Variables are returned as affine forms, so that an index reads `16 * j + 2 * k + 1`.
class Builder {
public:
    struct Options {
        bool share =
            false; ///< reuses a pure operation (or table load) that equals one in its straight-line block
    };

    explicit Builder(std::string name) : Builder(std::move(name), Options{}) {}
    Builder(std::string name, Options options);

    // ---- buffers
    Buffer add(BufferInfo buffer); ///< a table or scratch without a role gets that of its space
    /// A read-only argument, and a written one.
    Buffer input(std::string name, DataType element, Integer elements,
                 const Role& role = {ArgumentRole::input});
    Buffer output(std::string name, DataType element, Integer elements,
                  const Role& role = {ArgumentRole::output});
    Buffer scratch(std::string name, DataType element, Integer elements);
    Buffer local(std::string name, DataType element, Integer elements);
    Buffer shared(std::string name, DataType element, Integer elements);
    Buffer table(std::string name, DataType element, const std::vector<long double>& contents);
    Buffer table(std::string name, const std::vector<Integer>& contents);
    Buffer table(std::string name, Table contents);
    /// The kernel's `index`-th table of its kind, named after them.
    Buffer table(TableKind kind, int index, Table contents);

    // ---- variables
    Affine parameter(std::string name, ArgumentRole role = ArgumentRole::none); ///< the next integer argument
    /// The thread's or block's index along x, y, z, or a digit of it (see VariableInfo).
    Affine thread(int axis = 0, Integer divisor = 1, Integer modulus = 0);
    Affine block(int axis = 0, Integer divisor = 1, Integer modulus = 0);
    /// Of the innermost open loop; see Induction for `last`.
    Affine induction(std::string name, Affine start, Integer step, std::vector<Integer> last = {});
    void launch(const Launch& launch) { program_.launch = launch; }

    // ---- statements; `body(index)` is called once and appends the nested statements
    template <class F>
    void for_loop(std::string name, Affine begin, Affine end, Integer step, For::Kind kind, F&& body) {
        const Affine index = open_loop(std::move(name), std::move(begin), std::move(end), step, kind);
        std::forward<F>(body)(index);
        close_loop();
    }
    template <class F> void for_loop(std::string name, Affine end, F&& body) {
        for_loop(std::move(name), 0, std::move(end), 1, For::Kind::serial, std::forward<F>(body));
    }
    template <class Then> void if_then(std::vector<Condition> conditions, Then&& then) {
        if_then(std::move(conditions), std::forward<Then>(then), [] {});
    }
    template <class Then, class Otherwise>
    void if_then(std::vector<Condition> conditions, Then&& then, Otherwise&& otherwise) {
        open_body();
        std::forward<Then>(then)();
        Body first = close_body();
        open_body();
        std::forward<Otherwise>(otherwise)();
        Body second = close_body();
        append(Statement{If{std::move(conditions), std::move(first), std::move(second)}});
    }
    void barrier() { append(Statement{Barrier{}}); }
    void cluster_barrier() { append(Statement{Barrier{.of_cluster = true}}); }
    void cooperative_barrier(Address counter, Barrier::Half half = Barrier::Half::both) {
        append(Statement{Barrier{.of_cooperative_group = true, .half = half, .counter = std::move(counter)}});
    }

    /// Splits all threads into roles; `body(role)` is called once per role and appends its statements.
    template <class F> void roles(std::vector<WarpRole> roles, F&& body) {
        for (std::size_t role = 0; role < roles.size(); ++role) {
            open_body();
            body(role);
            roles[role].body = close_body();
        }
        append(Statement{WarpRoles{std::move(roles)}});
    }

    void fence(const AsyncFence& fence) { append(Statement{fence}); }
    void commit_async_group() { append(Statement{AsyncFence{AsyncFence::Kind::commit}}); }
    void wait_async_group(int pending) { append(Statement{AsyncFence{AsyncFence::Kind::wait, pending}}); }

    // ---- the same without lambdas, for builders whose structure is data
    Affine open_loop(std::string name, Affine begin, Affine end, Integer step, For::Kind kind);
    void close_loop();

    // ---- operations
    Value constant(Type type, long double value);
    Value index(const Affine& form);
    Value load(Buffer buffer, Affine index, const Access& access = {});
    void store(Buffer buffer, Affine index, Value value, const Access& access = {});
    void atomic_add(Buffer buffer, Affine index, Value value, Value dynamic = no_value);
    void prefetch(Buffer buffer, Affine index, Value dynamic = no_value);
    Value splat(Value a, int lanes);
    Value negate(Value a) { return arithmetic(Opcode::negate, {a, no_value, no_value}); }
    Value add(Value a, Value b) { return arithmetic(Opcode::add, {a, b, no_value}); }
    Value subtract(Value a, Value b) { return arithmetic(Opcode::subtract, {a, b, no_value}); }
    Value multiply(Value a, Value b) { return arithmetic(Opcode::multiply, {a, b, no_value}); }
    Value divide(Value a, Value b) { return arithmetic(Opcode::divide, {a, b, no_value}); }
    Value square_root(Value a) { return arithmetic(Opcode::square_root, {a, no_value, no_value}); }
    Value magnitude(Value a) { return arithmetic(Opcode::magnitude, {a, no_value, no_value}); }
    Value power_of_two(Value a) { return arithmetic(Opcode::power_of_two, {a, no_value, no_value}); }
    Value fma(Value a, Value b, Value c) { return arithmetic(Opcode::fma, {a, b, c}); }   ///< a·b + c
    Value fms(Value a, Value b, Value c) { return arithmetic(Opcode::fms, {a, b, c}); }   ///< a·b − c
    Value fnma(Value a, Value b, Value c) { return arithmetic(Opcode::fnma, {a, b, c}); } ///< c − a·b
    Value shuffle(Value a, Value b, std::vector<std::int8_t> lane_map);
    Value convert(Value a, DataType to);
    Value bitcast(Value a, DataType to);
    Value bit_and(Value a, Value b) { return arithmetic(Opcode::bit_and, {a, b, no_value}); }
    Value bit_xor(Value a, Value b) { return arithmetic(Opcode::bit_xor, {a, b, no_value}); }
    Value less(Value a, Value b);
    Value select(Value chooser, Value a, Value b);
    // ---- tiles and mbarriers (ir/tile.hpp)
    Tensor tensor(TensorInfo tensor);
    struct MemoryOperand {
        Buffer buffer = 0;
        Affine index = 0;
        Value dynamic = no_value;
        Integer dynamic_scale = 1;
    };
    /// Multicasts to the blocks in the bit mask `blocks` of the cluster; 0: the own block only.
    void tma_load(Tensor from, std::span<const Value> at, const MemoryOperand& to,
                  const MemoryOperand& mbarrier, unsigned blocks = 0);
    void tma_store(Tensor to, std::span<const Value> at, const MemoryOperand& from);
    struct WgmmaOperand {
        MemoryOperand operand;
        SmemTileLayout layout;
    };
    void wgmma(const WgmmaInstruction& entry, Buffer accumulators, Integer first_accumulator,
               const WgmmaOperand& a, const WgmmaOperand& b);
    void mbarrier_init(const MemoryOperand& mbarrier, Integer arrivals);
    void mbarrier_arrive(const MemoryOperand& mbarrier, Value block = no_value);
    void mbarrier_arrive_expect_tx(const MemoryOperand& mbarrier, Integer bytes);
    void mbarrier_wait(const MemoryOperand& mbarrier, Value parity);

    Value instruction(const Instruction& entry, std::span<const Value> operands);
    Value instruction(const Instruction& entry, std::initializer_list<Value> operands) {
        return instruction(entry, std::span<const Value>(operands.begin(), operands.size()));
    }
    /// While it lives, arithmetic appended to the builder is strict, or not (Operation::strict).
    class StrictScope {
    public:
        StrictScope(Builder& builder, bool is_strict)
            : builder_(builder), before_(std::exchange(builder.strict_, is_strict)) {}
        ~StrictScope() { builder_.strict_ = before_; }
        StrictScope(const StrictScope&) = delete;
        StrictScope& operator=(const StrictScope&) = delete;

    private:
        Builder& builder_;
        bool before_;
    };
    Value append(Operation&& operation); ///< appends any operation, checked like the others
    /// Appends to the current straight-line block, without checks or sharing.
    BlockWriter writer() { return {program_, run_}; }

    Type type(Value value) const { return program_[checked(value)].type; }
    const Program& program() const { return program_; } ///< without the bodies still open

    /// Returns the program and empties the builder; every loop must be closed.
    Program finish();

private:
    struct OpenLoop {
        For loop;
        std::size_t depth; ///< size of `bodies_` outside the loop
    };

    Value checked(Value value) const;
    Value arithmetic(Opcode opcode, std::array<Value, 3> operands);
    Value find_or_append(Operation&& operation);
    void append(Statement statement);
    void open_body();
    Body close_body();
    void end_block();
    void grow_shared();
    bool may_share(const Operation& operation) const;
    Affine new_variable(std::string name, VariableInfo::Kind kind, int axis);
    Affine machine_index(const VariableInfo& wanted);

    Program program_;
    Options options_;
    std::vector<Body> bodies_; ///< open bodies, innermost last
    std::vector<OpenLoop> loops_;
    std::vector<Value> run_; ///< the straight-line block being built
    int parameters_ = 0;
    bool strict_ = false; ///< see StrictScope

    struct Slot {
        Value value = no_value;
        unsigned block = 0; ///< index of the block that filled the slot; a slot of any other block is free
        std::uint32_t hash = 0;
    };
    std::vector<Slot> slots_; ///< open addressing, power-of-two size
    unsigned block_index_ = 1;
    std::size_t used_slots_ = 0;
};

/// Hash of everything that determines the equality of pure operations.
std::size_t hash_of(const Operation& operation);

/// Same operation on the same operands, hence the same value if it is pure.
bool same_operation(const Operation& a, const Operation& b);

} // namespace swirl::ir
