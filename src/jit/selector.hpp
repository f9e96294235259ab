#pragma once

#include "ir/instruction.hpp"
#include "ir/program.hpp"
#include "jit/constant_pool.hpp"
#include "jit/frame.hpp"
#include "jit/machine.hpp"
#include "jit/masks.hpp"
#include "jit/register_buffers.hpp"
#include "jit/streams.hpp"
#include "target/cpu.hpp"
#include "target/x86/mnemonic.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace swirl::jit {

/// Where values live that are used outside the straight run that computes them: frame offset by value, −1: nowhere.
/// Constants and indices are made anew instead.
std::vector<Integer> reserve_homes(const ir::Program& program, Frame& frame);

/// Where local buffers lie that are not in registers: frame offset of element 0, by buffer.
std::vector<Integer> reserve_local_buffers(const ir::Program& program, const RegisterBuffers& in_registers,
                                           Frame& frame);

/// Bytes of the register contents that `value` needs.
int register_bytes(const ir::Program& program, ir::Value value);

/// Throws InternalError unless the type is of float32 or float64.
void require_float(ir::Type type);
/// Or of int32, which lies and moves as float32 does.
void require_lanes(ir::Type type);

/// ir operations of a straight run → machine operations on virtual registers, for the CPU at hand.
class Selector {
public:
    Selector(const ir::Program& program, const target::Cpu& cpu, const Streams& streams,
             const RegisterBuffers& in_registers, Frame& frame, ConstantPool& pool, Masks& masks);

    /// Call at each statement of the program's body, before what is in it.
    void enter(const ir::Statement& statement);

    /// Fills `block`, which stays valid until the next call.
    void run(const ir::Straight& run, Block& block);

    /// Whether a store so far went past the caches: a fence must come before others may read it.
    bool stores_past_caches() const { return stores_past_caches_; }

    Integer local_offset(ir::Buffer buffer) const { return locals_[static_cast<std::size_t>(buffer)]; }

private:
    using Bits = std::uint64_t;

    // selector.cpp: values and constants
    void mark_needed(const ir::Straight& run);
    void select(ir::Value value);
    void store_home(ir::Value value);
    Virtual use(ir::Value value);
    void define(ir::Value value, Virtual v);
    Virtual new_register(Class kind, int bytes);
    Virtual new_leaf(Class kind, int bytes, const Leaf& leaf);
    Virtual constant(const ir::Operation& operation);
    Virtual number(ir::Scalar scalar, long double value, int bytes);
    Virtual repeated(ir::Scalar scalar, Bits bits, int bytes);
    Virtual raw_constant(const MemoryPlace& place, int bytes);
    Virtual constant_leaf(const Leaf& leaf, int bytes);
    Virtual index(const StreamAccess& access);
    Virtual home(ir::Value value);
    MachineOperation& append(Form form, InstructionId id, Virtual result,
                             std::initializer_list<Virtual> sources);
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
    void less(ir::Value value);
    void choose(ir::Value value);
    Virtual resized(Virtual v, int bytes);
    InstructionId pick(InstructionId vex, InstructionId legacy) const { return is_legacy_ ? legacy : vex; }
    InstructionId pick(ir::Scalar scalar, InstructionId vex64, InstructionId vex32, InstructionId legacy64,
                       InstructionId legacy32) const {
        return scalar == ir::Scalar::float64 ? pick(vex64, legacy64) : pick(vex32, legacy32);
    }
    InstructionId move(int bytes) const; ///< between registers and unaligned memory

    // selector_integers.cpp
    void lane_integers(ir::Value value);
    void convert_short(ir::Value value);
    Virtual load_short(ir::Value value, const MemoryPlace& place);
    Virtual widened(ir::Scalar from, int size, int lanes, Virtual a);
    Virtual shifted_left(Virtual a, int bits, int bytes);
    Virtual product_of_lanes(Virtual a, Virtual b, int bytes);
    Virtual from_float16_by_bits(Virtual a);

    // selector_memory.cpp
    void load(ir::Value value);
    void prefetch(const MemoryPlace& place);
    void prefetch_ahead(ir::Value value, MemoryPlace place);
    void load_tile(ir::Value value);
    void load_integer(ir::Value value, Leaf leaf);
    Virtual held(std::int8_t number, int bytes);
    void hold(std::int8_t number, ir::Value value);
    void store(ir::Value value);
    bool passes_caches(ir::Value value, int bytes);
    InstructionId past_caches(ir::Scalar scalar) const;
    Virtual masked_load(const ir::Operation& operation, const MemoryPlace& place);
    void masked_store(const ir::Operation& operation, const MemoryPlace& place, Virtual v);
    Virtual strided_load(const ir::Operation& operation, const MemoryPlace& place);
    Virtual load_quarter(ir::Scalar scalar, const MemoryPlace& place, Integer step, int count);
    void strided_store(const ir::Operation& operation, const MemoryPlace& place, Virtual v);
    void store_quarter(ir::Scalar scalar, const MemoryPlace& place, Integer step, int count, Virtual v);
    Virtual quarter_of(Virtual v, int quarter);
    Virtual load_piece(InstructionId id, int bytes, const MemoryPlace& place, int result_bytes, Virtual into,
                       int immediate = -1);
    void store_piece(InstructionId id, int bytes, const MemoryPlace& place, Virtual v, int immediate = -1);
    Virtual lane_mask_vector(ir::Type type, int active);
    MemoryPlace place_of(ir::Value value);
    MemoryPlace place_at(const StreamAccess& access, ir::Buffer buffer, ir::Value dynamic);
    std::int32_t add_place(const MemoryPlace& place);

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

    // selector_words.cpp: instructions of target/ that are some of the machine's, on integers in float32 lanes
    std::optional<Virtual> sequence_on_words(target::x86::Mnemonic mnemonic, Virtual a, Virtual b);
    Virtual with_word(InstructionId id, Virtual a, std::uint32_t word);

    const ir::Program& program_;
    const target::Cpu& cpu_;
    const Streams& streams_;
    const RegisterBuffers& in_registers_;
    ConstantPool& pool_;
    Masks& masks_;
    bool is_legacy_;                 ///< SSE encodings: two operands, aligned memory
    bool is_evex_;                   ///< broadcasts and masks
    std::vector<bool> streams_past_; ///< by buffer: whether stores to it should pass the caches by
    bool stores_past_caches_ = false;
    std::vector<Integer> homes_;
    std::vector<Integer> locals_;

    Block* block_ = nullptr;
    int run_number_ = 0;
    std::vector<int> defined_in_;   ///< by value: number of the run for which `virtuals_` holds
    std::vector<Virtual> virtuals_; ///< by value
    struct KnownRegister {
        int run = 0; ///< number of the run for which this holds
        int bytes = 0;
        Virtual v = no_register;
    };
    KnownRegister& known(std::int8_t number, int bytes) {
        return held_[static_cast<std::size_t>(class_of(bytes))][static_cast<std::size_t>(number)];
    }
    std::array<std::array<KnownRegister, 32>, classes>
        held_; ///< by machine register: what the run knows to be there of a local buffer
    /// By size class and position in its pool: constants that the run has in registers already.
    std::array<std::vector<KnownRegister>, ConstantPool::size_classes> constants_;
    std::vector<int> needed_in_;      ///< by value: number of the run in which something depends on it
    std::vector<std::uint8_t> bytes_; ///< scratch space for constants
};

} // namespace swirl::jit
