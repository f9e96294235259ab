#include "jit/selector.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"
#include "ir/type_rules.hpp"
#include "jit/write_combining.hpp"

#include <algorithm>
#include <bit>

namespace swirl::jit {

namespace {

namespace Inst = asmjit::x86::Inst;
using ir::Opcode;

bool is_made_anew(Opcode opcode) { return opcode == Opcode::constant || opcode == Opcode::index; }

} // namespace

void require_float(ir::Type type) {
    ensure(type.scalar == DataType::float32 || type.scalar == DataType::float64,
           "the CPU back end computes with float32 and float64");
}

void require_lanes(ir::Type type) {
    if (type.scalar != DataType::int32) require_float(type);
}

int register_bytes(const ir::Program& program, ir::Value value) {
    const ir::Operation* operation = &program[value];
    if (operation->type.scalar == DataType::int64) return 8;
    if (operation->type.scalar == DataType::boolean) {
        ensure(operation->opcode == Opcode::less, "boolean values other than comparisons");
        const ir::Type compared = program[operation->operands[0]].type;
        return std::max<Integer>(16, compared.lanes * bytes_of(compared.scalar));
    }
    const int bytes = operation->type.lanes * bytes_of(operation->type.scalar);
    return operation->type.lanes == 1 ? bytes : std::max(bytes, 16);
}

std::vector<Integer> reserve_stack_slots(const ir::Program& program, Frame& frame) {
    std::vector<Integer> stack_slots(program.operations.size(), -1);
    std::vector<int> block_of(program.operations.size(), 0);
    int index = 0;
    ir::for_each_straight_line_block(program, [&](const ir::StraightLineBlock& block) {
        ++index;
        for (const ir::Value value : block.operations) {
            block_of[static_cast<std::size_t>(value)] = index;
            ir::for_each_operand(program[value], [&](ir::Value operand) {
                const auto at = static_cast<std::size_t>(operand);
                if (block_of[at] == index || stack_slots[at] >= 0 || is_made_anew(program[operand].opcode))
                    return;
                const int bytes = register_bytes(program, operand);
                const bool is_integer = program[operand].type.scalar == DataType::int64;
                stack_slots[at] = is_integer ? frame.reserve(8, 8)
                                             : frame.reserve(std::max(bytes, 16), std::max(bytes, 16));
            });
        }
    });
    return stack_slots;
}

std::vector<Integer> reserve_local_buffers(const ir::Program& program, const RegisterBuffers& in_registers,
                                           Frame& frame) {
    std::vector<Integer> offsets(program.buffers.size(), 0);
    for (std::size_t b = 0; b < offsets.size(); ++b) {
        const ir::BufferInfo& buffer = program.buffers[b];
        if (buffer.space != ir::Space::local || in_registers.holds(static_cast<ir::Buffer>(b))) continue;
        const int size = bytes_of(buffer.element);
        offsets[b] = frame.reserve(buffer.elements * size, 64) - buffer.first * size;
    }
    return offsets;
}

Selector::Selector(const ir::Program& program, const target::Cpu& cpu, const InductionVariables& inductions,
                   const RegisterBuffers& in_registers, Frame& frame, ConstantPool& pool, Masks& masks)
    : program_(program),
      cpu_(cpu),
      inductions_(inductions),
      in_registers_(in_registers),
      pool_(pool),
      masks_(masks),
      is_legacy_(cpu.set == target::InstructionSet::sse2),
      is_evex_(cpu.set == target::InstructionSet::avx512),
      stack_slots_(reserve_stack_slots(program, frame)),
      locals_(reserve_local_buffers(program, in_registers, frame)),
      defined_in_(program.operations.size(), 0),
      virtuals_(program.operations.size(), no_register),
      needed_in_(program.operations.size(), 0) {}

/// Disables non-temporal stores to buffers that should stay in cache, to arguments that the same loops read, as those
/// lines are in cache by the time of the store, and to buffers whose lines the loops do not fill soon.
void Selector::enter(const ir::Statement& statement) {
    is_non_temporal_.clear();
    for (const ir::BufferInfo& buffer : program_.buffers)
        is_non_temporal_.push_back(buffer.non_temporal && !buffer.evict_last);
    if (std::find(is_non_temporal_.begin(), is_non_temporal_.end(), true) == is_non_temporal_.end()) return;
    ir::for_each_statement_in(statement, [&](const ir::Statement& inside) {
        const auto* block = std::get_if<ir::StraightLineBlock>(&inside.node);
        if (!block) return;
        for (const ir::Value value : block->operations) {
            const ir::Operation& operation = program_[value];
            if (operation.opcode != Opcode::load) continue;
            const auto buffer = static_cast<std::size_t>(operation.address.buffer);
            if (program_.buffers[buffer].space == ir::Space::argument) is_non_temporal_[buffer] = false;
        }
    });
    const std::vector<bool> fills_lines = filled_lines(program_, statement, [&](ir::Value value) {
        const ir::Operation& operation = program_[value];
        const bool passes =
            is_non_temporal_[static_cast<std::size_t>(operation.address.buffer)] && may_pass_caches(value);
        return passes ? operation.active * bytes_of(program_[operation.operands[0]].type.scalar) : 0;
    });
    for (std::size_t b = 0; b < is_non_temporal_.size(); ++b)
        is_non_temporal_[b] = is_non_temporal_[b] && fills_lines[b];
}

void Selector::run(const ir::StraightLineBlock& source, Block& block) {
    block_ = &block;
    block.clear();
    ++block_index_;
    mark_needed(source);
    for (const ir::Value value : source.operations)
        if (needed_in_[static_cast<std::size_t>(value)] == block_index_) select(value);
}

void Selector::mark_needed(const ir::StraightLineBlock& source) {
    for (auto at = source.operations.rbegin(); at != source.operations.rend(); ++at) {
        const auto value = static_cast<std::size_t>(*at);
        const ir::Operation& operation = program_[*at];
        if (ir::has_side_effect(operation.opcode) || stack_slots_[value] >= 0)
            needed_in_[value] = block_index_;
        if (needed_in_[value] != block_index_) continue;
        ir::for_each_operand(operation, [&](ir::Value operand) {
            needed_in_[static_cast<std::size_t>(operand)] = block_index_;
        });
    }
}

void Selector::select(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const int bytes =
        register_bytes(program_, operation.opcode == Opcode::store ? operation.operands[0] : value);
    ensure(bytes <= std::max(cpu_.vector_bytes, 16) || bytes == tile_bytes,
           "a vector longer than those of {}", cpu_.name);
    switch (operation.opcode) {
    case Opcode::constant:
    case Opcode::index: return; // recomputed at each use
    case Opcode::load: load(value); break;
    case Opcode::store: store(value); return;
    case Opcode::prefetch: prefetch(memory_operand_of(value)); return;
    case Opcode::atomic_add:
    case Opcode::tma_load:
    case Opcode::tma_store:
    case Opcode::wgmma:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_expect_tx:
    case Opcode::mbarrier_wait: throw InternalError("{} in a CPU kernel", name_of(operation.opcode));
    case Opcode::splat: splat(value); break;
    case Opcode::negate:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
        if (operation.type.scalar == DataType::int64)
            integer_arithmetic(value);
        else if (is_integer(operation.type.scalar))
            lane_integers(value);
        else if (operation.opcode == Opcode::negate)
            with_sign_bits(value);
        else
            arithmetic(value);
        break;
    case Opcode::divide: arithmetic(value); break;
    case Opcode::square_root: square_root(value); break;
    case Opcode::magnitude: with_sign_bits(value); break;
    case Opcode::power_of_two: power_of_two(value); break;
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma: multiply_add(value); break;
    case Opcode::shuffle: shuffle(value); break;
    case Opcode::convert: convert(value); break;
    case Opcode::bitcast: define(value, resized(use(operation.operands[0]), std::max(bytes, 16))); break;
    case Opcode::bit_and:
    case Opcode::bit_xor: lane_integers(value); break;
    case Opcode::less: less(value); break;
    case Opcode::select: choose(value); break;
    case Opcode::instruction: instruction(value); break;
    }
    if (stack_slots_[static_cast<std::size_t>(value)] >= 0) store_stack_slot(value);
}

// ---- values ---------------------------------------------------------------------------------------------------

Virtual Selector::new_register(Class kind, int bytes) {
    RegisterInfo& info = block_->registers.emplace_back();
    info.kind = kind;
    info.bytes = static_cast<std::uint16_t>(bytes);
    return static_cast<Virtual>(block_->registers.size() - 1);
}

Virtual Selector::new_leaf(Class kind, int bytes, const Leaf& leaf) {
    const Virtual v = new_register(kind, bytes);
    block_->info(v).leaf = static_cast<std::int32_t>(block_->leaves.size());
    block_->leaves.push_back(leaf);
    return v;
}

void Selector::define(ir::Value value, Virtual v) {
    defined_in_[static_cast<std::size_t>(value)] = block_index_;
    virtuals_[static_cast<std::size_t>(value)] = v;
}

Virtual Selector::use(ir::Value value) {
    const auto at = static_cast<std::size_t>(value);
    if (defined_in_[at] == block_index_) return virtuals_[at];
    const ir::Operation& operation = program_[value];
    if (operation.opcode == Opcode::constant)
        define(value, constant(operation));
    else if (operation.opcode == Opcode::index)
        define(value, index(inductions_.access_of(value)));
    else
        define(value, location(value));
    return virtuals_[at];
}

Virtual Selector::constant(const ir::Operation& operation) {
    if (operation.type.scalar == DataType::int64) {
        Leaf leaf;
        leaf.load = Inst::kIdMov;
        leaf.width = Width::general;
        leaf.memory_operand.displacement = static_cast<Integer>(operation.constant);
        return new_leaf(Class::integer, 8, leaf);
    }
    require_lanes(operation.type);
    const DataType scalar = operation.type.scalar;
    if (operation.type.lanes * bytes_of(scalar) == tile_bytes) {
        ensure(operation.constant == 0, "a tile of constants other than zero");
        Leaf leaf;
        leaf.is_zero = true;
        return new_leaf(Class::tile, tile_bytes, leaf);
    }
    const int size = bytes_of(scalar);
    const int bytes = operation.type.lanes == 1 ? size : std::max(16, operation.type.lanes * size);
    return constant(scalar, operation.constant, bytes);
}

Virtual Selector::constant(DataType scalar, long double value, int bytes) {
    const Bits bits = scalar == DataType::float64 ? std::bit_cast<std::uint64_t>(static_cast<double>(value))
                      : scalar == DataType::int32 ? static_cast<std::uint32_t>(static_cast<Integer>(value))
                                                  : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return repeated(scalar, bits, bytes);
}

/// The element broadcast to all lanes of a register of `bytes` bytes; if `bytes` is the element's size: a scalar.
Virtual Selector::repeated(DataType scalar, Bits bits, int bytes) {
    const int size = bytes_of(scalar);
    const bool is_double = scalar == DataType::float64;
    const int stored = is_evex_ ? size : bytes;
    bytes_.resize(static_cast<std::size_t>(stored));
    for (int at = 0; at < stored; at += size)
        std::memcpy(bytes_.data() + at, &bits, static_cast<std::size_t>(size));
    Leaf leaf;
    leaf.memory_operand = pool_.add(bytes_);
    leaf.folds = true;
    leaf.bytes = static_cast<std::uint16_t>(stored);
    leaf.width = width_of_bytes(bytes);
    leaf.is_zero = bits == 0;
    if (bytes == size) {
        leaf.load = pick(scalar, Inst::kIdVmovsd, Inst::kIdVmovss, Inst::kIdMovsd, Inst::kIdMovss);
    } else if (is_evex_) {
        leaf.load = !is_double    ? Inst::kIdVbroadcastss
                    : bytes == 16 ? Inst::kIdVmovddup
                                  : Inst::kIdVbroadcastsd;
        leaf.broadcast_lanes = static_cast<std::uint8_t>(bytes / size);
    } else {
        leaf.load = pick(Inst::kIdVmovaps, Inst::kIdMovaps);
    }
    return constant_leaf(leaf, bytes);
}

Virtual Selector::raw_constant(const MemoryOperand& memory_operand, int bytes) {
    Leaf leaf;
    leaf.memory_operand = memory_operand;
    leaf.folds = true;
    leaf.bytes = static_cast<std::uint16_t>(bytes);
    leaf.width = width_of_bytes(bytes);
    leaf.load = pick(Inst::kIdVmovaps, Inst::kIdMovaps);
    return constant_leaf(leaf, bytes);
}

/// One virtual register for all uses of a constant in the block, so that it may stay in a register between them.
Virtual Selector::constant_leaf(const Leaf& leaf, int bytes) {
    const auto size_class = static_cast<std::size_t>(leaf.memory_operand.index);
    const auto position = static_cast<std::size_t>(leaf.memory_operand.displacement /
                                                   ConstantPool::bytes_of(leaf.memory_operand.index));
    auto& known = constants_[size_class];
    if (known.size() <= position) known.resize(2 * position + 8);
    KnownRegister& constant = known[position];
    if (constant.block != block_index_ || constant.bytes != bytes)
        constant = {block_index_, bytes, new_leaf(Class::vector, bytes, leaf)};
    return constant.v;
}

Virtual Selector::index(const InductionAccess& access) {
    Leaf leaf;
    leaf.load = Inst::kIdMov;
    leaf.width = Width::general;
    leaf.memory_operand.displacement = access.displacement;
    if (access.induction >= 0) {
        leaf.load = Inst::kIdLea;
        leaf.memory_operand.base = MemoryOperand::Base::induction;
        leaf.memory_operand.index = access.induction;
    }
    return new_leaf(Class::integer, 8, leaf);
}

/// A value of another straight-line block: it is in the frame.
Virtual Selector::location(ir::Value value) {
    const Integer offset = stack_slots_[static_cast<std::size_t>(value)];
    ensure(offset >= 0, "value %{} is used before it is computed", value);
    const int bytes = register_bytes(program_, value);
    Leaf leaf;
    leaf.memory_operand.base = MemoryOperand::Base::frame;
    leaf.memory_operand.displacement = offset;
    leaf.bytes = static_cast<std::uint16_t>(bytes);
    leaf.folds = true;
    if (program_[value].type.scalar == DataType::int64) {
        leaf.load = Inst::kIdMov;
        leaf.width = Width::general;
        return new_leaf(Class::integer, 8, leaf);
    }
    leaf.load = move(bytes);
    leaf.width = width_of_bytes(bytes);
    return new_leaf(Class::vector, bytes, leaf);
}

void Selector::store_stack_slot(ir::Value value) {
    const bool is_integer = program_[value].type.scalar == DataType::int64;
    const int bytes = register_bytes(program_, value);
    MemoryOperand memory_operand;
    memory_operand.base = MemoryOperand::Base::frame;
    memory_operand.displacement = stack_slots_[static_cast<std::size_t>(value)];
    X86Operation& operation =
        append(Form::store, is_integer ? Inst::kIdMov : move(bytes), no_register, {use(value)});
    operation.widths[0] = is_integer ? Width::general : width_of_bytes(bytes);
    operation.memory = add_memory_operand(memory_operand);
    operation.memory_bytes = static_cast<std::uint16_t>(bytes);
}

InstructionId Selector::move(int bytes) const {
    if (bytes == 4) return pick(Inst::kIdVmovss, Inst::kIdMovss);
    if (bytes == 8) return pick(Inst::kIdVmovsd, Inst::kIdMovsd);
    return pick(Inst::kIdVmovups, Inst::kIdMovups);
}

X86Operation& Selector::append(Form form, InstructionId id, Virtual result,
                               std::initializer_list<Virtual> sources) {
    X86Operation& operation = block_->operations.emplace_back();
    operation.form = form;
    operation.id = id;
    operation.result = result;
    std::size_t count = 0;
    for (const Virtual source : sources) {
        operation.sources[count] = source;
        const RegisterInfo& info = block_->info(source);
        operation.widths[count++] = info.kind == Class::integer ? Width::general : width_of_bytes(info.bytes);
    }
    if (result != no_register) {
        const RegisterInfo& info = block_->info(result);
        operation.result_width = info.kind == Class::integer ? Width::general : width_of_bytes(info.bytes);
    }
    return operation;
}

/// A new vector register, computed by an instruction without a memory operand unless the caller allows one.
Virtual Selector::computed(Form form, InstructionId id, int bytes, std::initializer_list<Virtual> sources,
                           int immediate) {
    const Virtual result = new_register(Class::vector, bytes);
    X86Operation& operation = append(form, id, result, sources);
    operation.immediate = immediate;
    operation.destructive = is_legacy_ && form == Form::binary;
    return result;
}

} // namespace swirl::jit
