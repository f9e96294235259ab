#pragma once

#include "ir/instruction.hpp"
#include "ir/program.hpp"
#include "jit/constant_pool.hpp"
#include "jit/frame.hpp"
#include "jit/induction_variables.hpp"
#include "jit/masks.hpp"
#include "jit/register_buffers.hpp"
#include "jit/x86_operation.hpp"
#include "target/cpu.hpp"
#include "target/x86/mnemonic.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace swirl::jit {

/// Frame offset, by value, of values used outside the straight-line block that computes them; −1: none. Constants and
/// indices are recomputed instead.
std::vector<Integer> reserve_stack_slots(const ir::Program& program, Frame& frame);

/// Frame offset of element 0, by buffer, of local buffers that are not in registers.
std::vector<Integer> reserve_local_buffers(const ir::Program& program, const RegisterBuffers& in_registers,
                                           Frame& frame);

/// Bytes of the register that hold `value`.
int register_bytes(const ir::Program& program, ir::Value value);

/// Throws InternalError unless the element type is float32 or float64.
void require_float(ir::Type type);
/// Also accepts int32, which has the layout and moves of float32.
void require_lanes(ir::Type type);

/// Instruction selection: ir operations of a straight-line block → machine operations on virtual registers, for the
/// target CPU.
class Selector {
public:
    Selector(const ir::Program& program, const target::Cpu& cpu, const InductionVariables& inductions,
             const RegisterBuffers& in_registers, Frame& frame, ConstantPool& pool, Masks& masks);

    /// Call at each top-level statement of the program, before selecting its blocks.
    void enter(const ir::Statement& statement);

    /// Fills `block`, which stays valid until the next call.
    void run(const ir::StraightLineBlock& source, Block& block);

    /// Whether any store so far was non-temporal: a fence must precede reads by other threads.
    bool stores_past_caches() const { return stores_past_caches_; }

    Integer local_offset(ir::Buffer buffer) const { return locals_[static_cast<std::size_t>(buffer)]; }

private:
    using Bits = std::uint64_t;

    // selector.cpp: values and constants
    void mark_needed(const ir::StraightLineBlock& source);
    void select(ir::Value value);
    void store_stack_slot(ir::Value value);
    Virtual use(ir::Value value);
    void define(ir::Value value, Virtual v);
    Virtual new_register(Class kind, int bytes);
    Virtual new_leaf(Class kind, int bytes, const Leaf& leaf);
    Virtual constant(const ir::Operation& operation);
    Virtual constant(DataType scalar, long double value, int bytes);
    Virtual repeated(DataType scalar, Bits bits, int bytes);
    Virtual raw_constant(const MemoryOperand& memory_operand, int bytes);
    Virtual constant_leaf(const Leaf& leaf, int bytes);
    Virtual index(const InductionAccess& access);
    Virtual location(ir::Value value);
    X86Operation& append(Form form, InstructionId id, Virtual result, std::initializer_list<Virtual> sources);
    Virtual computed(Form form, InstructionId id, int bytes, std::initializer_list<Virtual> sources,
                     int immediate = -1);

    // selector_arithmetic.cpp
    void arithmetic(ir::Value value);
    void with_sign_bits(ir::Value value);
    void square_root(ir::Value value);
    void power_of_two(ir::Value value);
    void multiply_add(ir::Value value);
    void integer_arithmetic(ir::Value value);
    void splat(ir::Value value);
    void convert(ir::Value value);
    void from_integer(ir::Value value, Virtual a);
    void less(ir::Value value);
    void choose(ir::Value value);
    Virtual resized(Virtual v, int bytes);
    InstructionId pick(InstructionId vex, InstructionId legacy) const { return is_legacy_ ? legacy : vex; }
    InstructionId pick(DataType scalar, InstructionId vex64, InstructionId vex32, InstructionId legacy64,
                       InstructionId legacy32) const {
        return scalar == DataType::float64 ? pick(vex64, legacy64) : pick(vex32, legacy32);
    }
    InstructionId move(int bytes) const; ///< between registers and unaligned memory

    // selector_integers.cpp
    void lane_integers(ir::Value value);
    void convert_short(ir::Value value);
    Virtual load_short(ir::Value value, const MemoryOperand& memory_operand);
    Virtual load_short_lanes(const ir::Operation& operation, const MemoryOperand& memory_operand);
    Virtual widened(DataType from, int size, int lanes, Virtual a);
    Virtual shifted_left(Virtual a, int bits, int bytes);
    Virtual multiply_lanes(Virtual a, Virtual b, int bytes);
    Virtual from_float16_by_bits(Virtual a);
    void narrow(ir::Value value);
    Virtual narrowed(DataType to, Virtual a);
    Virtual upper_halves(Virtual a);
    Virtual to_bfloat16(Virtual a);
    Virtual to_float16_by_bits(Virtual a);
    void store_short(const ir::Operation& operation, const MemoryOperand& memory_operand, Virtual v);
    void store_short_lane(int size, int lane, const MemoryOperand& memory_operand, Virtual v);
    Virtual chosen(Virtual mask, Virtual yes, Virtual no, int bytes);
    Virtual shifted_right(Virtual a, int bits, int bytes, bool is_signed);
    Virtual combined(InstructionId vex, InstructionId legacy, Virtual a, Virtual b, int bytes);

    // selector_memory.cpp
    void load(ir::Value value);
    void prefetch(const MemoryOperand& memory_operand);
    void prefetch_past_buffer(ir::Value value, MemoryOperand memory_operand);
    void load_tile(ir::Value value);
    void load_integer(ir::Value value, Leaf leaf);
    Virtual held(std::int8_t reg, int bytes);
    void hold(std::int8_t reg, ir::Value value);
    void store(ir::Value value);
    bool may_pass_caches(ir::Value value) const;
    bool passes_caches(ir::Value value);
    InstructionId past_caches(DataType scalar) const;
    Virtual masked_load(const ir::Operation& operation, const MemoryOperand& memory_operand);
    void masked_store(const ir::Operation& operation, const MemoryOperand& memory_operand, Virtual v);
    void store_in_moves(const ir::Operation& operation, const MemoryOperand& memory_operand, Virtual v);
    Virtual strided_load(const ir::Operation& operation, const MemoryOperand& memory_operand);
    Virtual load_quarter(DataType scalar, const MemoryOperand& memory_operand, Integer stride, int count);
    void strided_store(const ir::Operation& operation, const MemoryOperand& memory_operand, Virtual v);
    void store_quarter(DataType scalar, const MemoryOperand& memory_operand, Integer stride, int count,
                       Virtual v);
    Virtual quarter_of(Virtual v, int quarter);
    Virtual load_chunk(InstructionId id, int bytes, const MemoryOperand& memory_operand, int result_bytes,
                       Virtual into, int immediate = -1);
    void store_chunk(InstructionId id, int bytes, const MemoryOperand& memory_operand, Virtual v,
                     int immediate = -1);
    Virtual lane_mask_vector(ir::Type type, int active);
    MemoryOperand memory_operand_of(ir::Value value);
    MemoryOperand memory_operand_at(const InductionAccess& access, ir::Buffer buffer, ir::Value dynamic);
    std::int32_t add_memory_operand(const MemoryOperand& memory_operand);

    // selector_shuffles.cpp
    void shuffle(ir::Value value);
    void instruction(ir::Value value);
    Virtual shuffled(const ir::Instruction& instruction, Virtual a, Virtual b);
    Virtual permuted_blocks(int immediate, int bytes, Virtual a, Virtual b);
    Virtual any_shuffle(ir::Type type, Virtual a, Virtual b, const std::vector<std::int8_t>& map);
    Virtual index_vector(const ir::Instruction& instruction);
    Virtual expanded(const ir::Instruction& instruction, Virtual a, Virtual b);
    Virtual expanded_by_blend(ir::Type type, std::span<const std::int8_t> map, Virtual a, Virtual b);
    Virtual expanded_by_shufps(std::span<const std::int8_t> map, Virtual a, Virtual b);
    Virtual permuted(ir::Type type, std::span<const int> sources, Virtual a);

    // selector_integer_lanes.cpp: target/ instructions that expand to sequences of integer instructions on float32
    // lanes
    std::optional<Virtual> sequence_on_32_bit_lanes(target::x86::Mnemonic mnemonic, Virtual a, Virtual b);
    Virtual with_32_bit_constant(InstructionId id, Virtual a, std::uint32_t word);

    const ir::Program& program_;
    const target::Cpu& cpu_;
    const InductionVariables& inductions_;
    const RegisterBuffers& in_registers_;
    ConstantPool& pool_;
    Masks& masks_;
    bool is_legacy_;                    ///< SSE encodings: two operands, aligned memory
    bool is_evex_;                      ///< broadcasts and masks
    std::vector<bool> is_non_temporal_; ///< by buffer: whether stores to it should bypass the caches
    bool stores_past_caches_ = false;
    std::vector<Integer> stack_slots_;
    std::vector<Integer> locals_;

    Block* block_ = nullptr;
    int block_index_ = 0;
    std::vector<int> defined_in_;   ///< by value: index of the block for which `virtuals_` holds
    std::vector<Virtual> virtuals_; ///< by value
    struct KnownRegister {
        int block = 0; ///< index of the block for which this holds
        int bytes = 0;
        Virtual v = no_register;
    };
    KnownRegister& known(std::int8_t reg, int bytes) {
        return held_[static_cast<std::size_t>(class_of(bytes))][static_cast<std::size_t>(reg)];
    }
    std::array<std::array<KnownRegister, 32>, classes>
        held_; ///< by machine register: the element of a local buffer that the block knows to be there
    /// By size class and index in its pool: constants that the block already has in registers.
    std::array<std::vector<KnownRegister>, ConstantPool::size_classes> constants_;
    std::vector<int> needed_in_;      ///< by value: index of the block in which something depends on it
    std::vector<std::uint8_t> bytes_; ///< scratch space for constants
};

} // namespace swirl::jit
