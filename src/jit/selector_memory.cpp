#include "jit/selector.hpp"

#include "base/error.hpp"

#include <bit>

namespace swirl::jit {

namespace {

namespace Inst = asmjit::x86::Inst;

MemoryOperand moved(MemoryOperand memory_operand, Integer bytes) {
    memory_operand.displacement += bytes;
    return memory_operand;
}

/// Prefetch distance, in loop iterations, of data beyond the caches.
constexpr Integer prefetch_distance = 2;

/// Sizes that a plain move loads (zero-extended) or stores.
bool is_move_size(int bytes) { return bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32; }

} // namespace

std::int32_t Selector::add_memory_operand(const MemoryOperand& memory_operand) {
    block_->memory_operands.push_back(memory_operand);
    return static_cast<std::int32_t>(block_->memory_operands.size() - 1);
}

MemoryOperand Selector::memory_operand_of(ir::Value value) {
    const ir::Address& address = program_[value].address;
    ensure(address.dynamic_scale == 1, "jit: a dynamic index times {}", address.dynamic_scale);
    return memory_operand_at(inductions_.access_of(value), address.buffer, address.dynamic);
}

MemoryOperand Selector::memory_operand_at(const InductionAccess& access, ir::Buffer buffer,
                                          ir::Value dynamic) {
    MemoryOperand memory_operand;
    memory_operand.buffer = buffer;
    memory_operand.displacement = access.displacement;
    if (access.induction >= 0) {
        memory_operand.base = MemoryOperand::Base::induction;
        memory_operand.index = access.induction;
    } else {
        memory_operand.base = MemoryOperand::Base::frame;
        memory_operand.displacement += local_offset(buffer);
    }
    if (dynamic != ir::no_value) {
        const int size = bytes_of(program_.buffers[static_cast<std::size_t>(buffer)].element);
        memory_operand.dynamic = use(dynamic);
        memory_operand.shift = static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(size)));
    }
    return memory_operand;
}

/// An operation result = id [into,] memory.
Virtual Selector::load_chunk(InstructionId id, int bytes, const MemoryOperand& memory_operand,
                             int result_bytes, Virtual into, int immediate) {
    const Virtual result = new_register(Class::vector, result_bytes);
    X86Operation& operation =
        into == no_register ? append(Form::load, id, result, {}) : append(Form::load, id, result, {into});
    operation.destructive = is_legacy_ && into != no_register;
    operation.immediate = immediate;
    operation.memory = add_memory_operand(memory_operand);
    operation.memory_bytes = static_cast<std::uint16_t>(bytes);
    return result;
}

void Selector::store_chunk(InstructionId id, int bytes, const MemoryOperand& memory_operand, Virtual v,
                           int immediate) {
    X86Operation& operation = append(Form::store, id, no_register, {v});
    operation.immediate = immediate;
    operation.memory = add_memory_operand(memory_operand);
    operation.memory_bytes = static_cast<std::uint16_t>(bytes);
    if (bytes < 64 && operation.widths[0] != Width::general && immediate < 0)
        operation.widths[0] = width_of_bytes(bytes);
}

void Selector::prefetch(const MemoryOperand& memory_operand) {
    X86Operation& machine = append(Form::prefetch, Inst::kIdPrefetcht0, no_register, {});
    machine.memory = add_memory_operand(memory_operand);
    machine.memory_bytes = 1;
}

/// Prefetches the cache line that the same load needs a few iterations later, if the buffer exceeds the caches. Among
/// loads that share a line, the first does it.
void Selector::prefetch_past_buffer(ir::Value value, MemoryOperand memory_operand) {
    const ir::Operation& operation = program_[value];
    const InductionAccess access = inductions_.access_of(value);
    if (access.induction < 0 ||
        !program_.buffers[static_cast<std::size_t>(operation.address.buffer)].non_temporal)
        return;
    const Integer step = inductions_.induction(access.induction).step;
    constexpr Integer line = 64;
    const Integer bytes = operation.active * bytes_of(operation.type.scalar);
    if (step == 0 || (memory_operand.displacement % line + line) % line >= bytes) return;
    memory_operand.displacement += prefetch_distance * step;
    prefetch(memory_operand);
}

/// The current contents of a register buffer's register.
Virtual Selector::held(std::int8_t reg, int bytes) {
    KnownRegister& now = known(reg, bytes);
    if (now.block != block_index_) {
        now = {block_index_, bytes, new_register(class_of(bytes), bytes)};
        RegisterInfo& info = block_->info(now.v);
        info.fixed = reg;
        info.enters = info.outlives = true;
    }
    return now.v;
}

/// Assigns the value to a register buffer's register.
void Selector::hold(std::int8_t reg, ir::Value value) {
    const Virtual source = use(value);
    const int bytes = block_->info(source).bytes;
    KnownRegister& now = known(reg, bytes);
    if (now.block == block_index_) block_->info(now.v).outlives = false;
    now = {block_index_, bytes, new_register(class_of(bytes), bytes)};
    block_->info(now.v).fixed = reg;
    block_->info(now.v).outlives = true;
    append(Form::keep, 0, now.v, {source});
}

/// Loads a tile of 1024 contiguous bytes.
void Selector::load_tile(ir::Value value) {
    const ir::Operation& operation = program_[value];
    ensure(operation.address.lane_stride == 1 && operation.active == operation.type.lanes,
           "a tile whose lanes are not next to each other");
    const Virtual result = new_register(Class::tile, tile_bytes);
    X86Operation& machine = append(Form::load, Inst::kIdTileloadd, result, {});
    machine.memory = add_memory_operand(memory_operand_of(value));
    machine.memory_bytes = tile_bytes;
    define(value, result);
}

/// Loads an int64 from the leaf's memory.
void Selector::load_integer(ir::Value value, Leaf leaf) {
    ensure(program_[value].type.lanes == 1, "a vector of int64");
    leaf.load = Inst::kIdMov;
    leaf.width = Width::general;
    leaf.bytes = 8;
    leaf.folds = true;
    if (leaf.memory_operand.dynamic == no_register) return define(value, new_leaf(Class::integer, 8, leaf));
    const Virtual result = new_register(Class::integer, 8);
    X86Operation& machine = append(Form::load, Inst::kIdMov, result, {});
    machine.memory = add_memory_operand(leaf.memory_operand);
    machine.memory_bytes = 8;
    define(value, result);
}

void Selector::load(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const ir::Type type = operation.type;
    if (in_registers_.holds(operation.address.buffer))
        return define(
            value, held(in_registers_.register_index_of(operation.address), register_bytes(program_, value)));
    if (register_bytes(program_, value) == tile_bytes) return load_tile(value);
    const MemoryOperand memory_operand = memory_operand_of(value);
    const bool is_dynamic = memory_operand.dynamic != no_register;
    const int size = bytes_of(type.scalar);
    if (!is_dynamic) prefetch_past_buffer(value, memory_operand);
    Leaf leaf;
    leaf.memory_operand = memory_operand;
    leaf.created = static_cast<Position>(block_->operations.size());
    if (type.scalar == DataType::int64) return load_integer(value, leaf);
    if (size < 4) return define(value, load_short(value, memory_operand));
    const int result_bytes = register_bytes(program_, value);
    const int active_bytes = operation.active * size;
    const bool is_whole = operation.active == type.lanes;
    const bool is_contiguous = type.lanes == 1 || operation.address.lane_stride == 1 || operation.active == 1;
    if (is_whole && !is_contiguous && operation.address.lane_stride == 0 && !is_legacy_) {
        const bool is_double = type.scalar == DataType::float64;
        leaf.load = !is_double           ? Inst::kIdVbroadcastss
                    : result_bytes == 16 ? Inst::kIdVmovddup
                                         : Inst::kIdVbroadcastsd;
        leaf.bytes = static_cast<std::uint16_t>(size);
        leaf.folds = is_evex_;
        leaf.broadcast_lanes = static_cast<std::uint8_t>(result_bytes / size);
        leaf.width = width_of_bytes(result_bytes);
    } else if (!is_contiguous) {
        return define(value, strided_load(operation, memory_operand));
    } else if (is_whole || is_move_size(active_bytes)) {
        leaf.load = move(active_bytes);
        leaf.bytes = static_cast<std::uint16_t>(active_bytes);
        leaf.folds = is_whole && (type.lanes == 1 || (!is_legacy_ && active_bytes >= 16));
        leaf.width = width_of_bytes(active_bytes);
    } else if (is_evex_) {
        leaf.load = type.scalar == DataType::float64 ? Inst::kIdVmovupd : Inst::kIdVmovups;
        leaf.mask = masks_.register_index_of((1U << operation.active) - 1);
        leaf.bytes = static_cast<std::uint16_t>(result_bytes);
        leaf.width = width_of_bytes(result_bytes);
    } else {
        return define(value, masked_load(operation, memory_operand));
    }
    if (!is_dynamic) return define(value, new_leaf(Class::vector, result_bytes, leaf));
    define(value, load_chunk(leaf.load, leaf.bytes, memory_operand, result_bytes, no_register));
    X86Operation& machine = block_->operations.back();
    machine.result_width = leaf.width;
    machine.mask = leaf.mask;
    machine.zeroing = leaf.mask != 0;
}

/// A vector with all bits set in the first `active` lanes.
Virtual Selector::lane_mask_vector(ir::Type type, int active) {
    const int size = bytes_of(type.scalar);
    bytes_.assign(static_cast<std::size_t>(type.lanes * size), 0);
    std::fill_n(bytes_.begin(), active * size, std::uint8_t{0xff});
    return raw_constant(pool_.add(bytes_), type.lanes * size);
}

/// Loads the first lanes of a vector on CPUs without mask registers, if no narrower move fits.
Virtual Selector::masked_load(const ir::Operation& operation, const MemoryOperand& memory_operand) {
    const ir::Type type = operation.type;
    const int bytes = type.lanes * bytes_of(type.scalar);
    if (!is_legacy_) {
        const InstructionId id = type.scalar == DataType::float64 ? Inst::kIdVmaskmovpd : Inst::kIdVmaskmovps;
        return load_chunk(id, bytes, memory_operand, bytes, lane_mask_vector(type, operation.active));
    }
    ensure(type.lanes == 4 && operation.active == 3, "{} lanes of {}", operation.active, type.lanes);
    const Virtual low = load_chunk(Inst::kIdMovsd, 8, memory_operand, 16, no_register);
    const Virtual high = load_chunk(Inst::kIdMovss, 4, moved(memory_operand, 8), 16, no_register);
    return computed(Form::binary, Inst::kIdMovlhps, 16, {low, high});
}

void Selector::store(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const ir::Type type = program_[operation.operands[0]].type;
    if (in_registers_.holds(operation.address.buffer))
        return hold(in_registers_.register_index_of(operation.address), operation.operands[0]);
    const Virtual v = use(operation.operands[0]);
    const MemoryOperand memory_operand = memory_operand_of(value);
    if (type.scalar == DataType::int64) return store_chunk(Inst::kIdMov, 8, memory_operand, v);
    if (block_->info(v).kind == Class::tile)
        return store_chunk(Inst::kIdTilestored, tile_bytes, memory_operand, v);
    const int bytes = operation.active * bytes_of(type.scalar);
    const bool is_whole = operation.active == type.lanes && bytes >= 16 && operation.address.lane_stride == 1;
    if (bytes_of(type.scalar) < 4 && !is_whole) return store_short(operation, memory_operand, v);
    if (type.lanes > 1 && operation.active > 1 && operation.address.lane_stride != 1)
        return strided_store(operation, memory_operand, v);
    if (operation.active == type.lanes || is_move_size(bytes))
        return store_chunk(passes_caches(value) ? past_caches(type.scalar) : move(bytes), bytes,
                           memory_operand, v);
    masked_store(operation, memory_operand, v);
}

/// A non-temporal store writes a whole aligned vector; write-combining buffers merge halves and quarters of a line.
bool Selector::may_pass_caches(ir::Value value) const {
    const ir::Operation& operation = program_[value];
    const ir::Address& address = operation.address;
    const ir::Type type = program_[operation.operands[0]].type;
    const int bytes = operation.active * bytes_of(type.scalar);
    return program_.buffers[static_cast<std::size_t>(address.buffer)].non_temporal &&
           address.dynamic == ir::no_value && address.lane_stride == 1 && bytes >= 16 &&
           operation.active == type.lanes &&
           inductions_.alignment_of(inductions_.access_of(value)) % bytes == 0;
}

bool Selector::passes_caches(ir::Value value) {
    const bool passes =
        is_non_temporal_[static_cast<std::size_t>(program_[value].address.buffer)] && may_pass_caches(value);
    stores_past_caches_ = stores_past_caches_ || passes;
    return passes;
}

InstructionId Selector::past_caches(DataType scalar) const {
    return pick(scalar, Inst::kIdVmovntpd, Inst::kIdVmovntps, Inst::kIdMovntpd, Inst::kIdMovntps);
}

void Selector::masked_store(const ir::Operation& operation, const MemoryOperand& memory_operand, Virtual v) {
    if (!is_evex_) return store_in_moves(operation, memory_operand, v);
    const ir::Type type = program_[operation.operands[0]].type;
    const bool is_double = type.scalar == DataType::float64;
    const int bytes = type.lanes * bytes_of(type.scalar);
    store_chunk(is_double ? Inst::kIdVmovupd : Inst::kIdVmovups, bytes, memory_operand, v);
    block_->operations.back().mask = masks_.register_index_of((1U << operation.active) - 1);
}

/// Whole quarters, then halves and elements. With AVX2, too: AMD's CPUs with AVX2 take some 20 cycles for vmaskmovps.
void Selector::store_in_moves(const ir::Operation& operation, const MemoryOperand& memory_operand,
                              Virtual v) {
    const int size = bytes_of(program_[operation.operands[0]].type.scalar);
    const int bytes = operation.active * size;
    for (int from = 0; from < bytes; from += 16) {
        const int rest = std::min(16, bytes - from);
        const Virtual quarter = quarter_of(v, from / 16);
        const MemoryOperand target = moved(memory_operand, from);
        if (is_move_size(rest)) {
            store_chunk(move(rest), rest, target, quarter);
            continue;
        }
        store_chunk(move(8), 8, target, quarter); // 12 bytes
        if (!is_legacy_) {
            store_chunk(Inst::kIdVextractps, 4, moved(target, 8), quarter, 2);
            continue;
        }
        const Virtual high = computed(Form::binary, Inst::kIdUnpckhpd, 16, {quarter, quarter});
        store_chunk(Inst::kIdMovss, 4, moved(target, 8), high);
    }
}

// ---- strided accesses: element by element -----------------------------------------------------------------------

Virtual Selector::strided_load(const ir::Operation& operation, const MemoryOperand& memory_operand) {
    const ir::Type type = operation.type;
    const int size = bytes_of(type.scalar);
    const Integer stride = operation.address.lane_stride * size;
    const int in_quarter = 16 / size;
    const bool is_whole = operation.active == type.lanes;
    if (is_whole && operation.address.lane_stride == -1 && type.lanes >= in_quarter && !is_legacy_) {
        const int bytes = type.lanes * size;
        const Virtual backwards = load_chunk(
            move(bytes), bytes, moved(memory_operand, -(type.lanes - 1) * size), bytes, no_register);
        std::vector<std::int8_t> map;
        for (int lane = type.lanes - 1; lane >= 0; --lane) map.push_back(static_cast<std::int8_t>(lane));
        return any_shuffle(type, backwards, backwards, map);
    }
    std::vector<Virtual> quarters;
    for (int lane = 0; lane < operation.active; lane += in_quarter)
        quarters.push_back(load_quarter(type.scalar, moved(memory_operand, lane * stride), stride,
                                        std::min(in_quarter, operation.active - lane)));
    // Merges pairs of 16 bytes to 32, and pairs of those to 64; without a partner the upper half is zero already.
    for (int bytes = 32; bytes <= type.lanes * size; bytes *= 2) {
        std::vector<Virtual> joined;
        for (std::size_t i = 0; i < quarters.size(); i += 2) {
            if (i + 1 == quarters.size()) {
                joined.push_back(resized(quarters[i], bytes));
                continue;
            }
            const InstructionId id = bytes == 32 ? Inst::kIdVinsertf128 : Inst::kIdVinsertf64x4;
            const Virtual low = resized(quarters[i], bytes);
            const bool is_high_register = bytes == 32 && is_evex_; // vinsertf128 encodes registers 0…15 only
            joined.push_back(computed(Form::binary, is_high_register ? Inst::kIdVinsertf64x2 : id, bytes,
                                      {low, quarters[i + 1]}, 1));
        }
        quarters = std::move(joined);
    }
    return quarters.front();
}

/// Up to 16 bytes from `count` elements with a stride of `stride` bytes; zeros above them.
Virtual Selector::load_quarter(DataType scalar, const MemoryOperand& memory_operand, Integer stride,
                               int count) {
    const int size = bytes_of(scalar);
    Virtual result = load_chunk(move(size), size, memory_operand, 16, no_register);
    if (scalar == DataType::float64) {
        if (count == 2)
            result = load_chunk(pick(Inst::kIdVmovhpd, Inst::kIdMovhpd), 8, moved(memory_operand, stride), 16,
                                result);
        return result;
    }
    if (!is_legacy_) {
        for (int lane = 1; lane < count; ++lane)
            result = load_chunk(Inst::kIdVinsertps, 4, moved(memory_operand, lane * stride), 16, result,
                                lane << 4);
        return result;
    }
    const auto element = [&](int lane) {
        return load_chunk(Inst::kIdMovss, 4, moved(memory_operand, lane * stride), 16, no_register);
    };
    if (count == 1) return result;
    result = computed(Form::binary, Inst::kIdUnpcklps, 16, {result, element(1)});
    if (count == 2) return result;
    Virtual upper = element(2);
    if (count == 4) upper = computed(Form::binary, Inst::kIdUnpcklps, 16, {upper, element(3)});
    return computed(Form::binary, Inst::kIdMovlhps, 16, {result, upper});
}

void Selector::strided_store(const ir::Operation& operation, const MemoryOperand& memory_operand, Virtual v) {
    const ir::Type type = program_[operation.operands[0]].type;
    const int size = bytes_of(type.scalar);
    const Integer stride = operation.address.lane_stride * size;
    const int in_quarter = 16 / size;
    if (operation.active == type.lanes && operation.address.lane_stride == -1 && type.lanes >= in_quarter &&
        !is_legacy_) {
        std::vector<std::int8_t> map;
        for (int lane = type.lanes - 1; lane >= 0; --lane) map.push_back(static_cast<std::int8_t>(lane));
        const int bytes = type.lanes * size;
        return store_chunk(move(bytes), bytes, moved(memory_operand, -(type.lanes - 1) * size),
                           any_shuffle(type, v, v, map));
    }
    for (int lane = 0; lane < operation.active; lane += in_quarter)
        store_quarter(type.scalar, moved(memory_operand, lane * stride), stride,
                      std::min(in_quarter, operation.active - lane), quarter_of(v, lane / in_quarter));
}

Virtual Selector::quarter_of(Virtual v, int quarter) {
    const int bytes = block_->info(v).bytes;
    if (quarter == 0) return resized(v, 16);
    const InstructionId id = bytes == 64 ? Inst::kIdVextractf32x4
                             : is_evex_  ? Inst::kIdVextractf64x2
                                         : Inst::kIdVextractf128;
    const Virtual result = new_register(Class::vector, 16);
    append(Form::unary, id, result, {v}).immediate = quarter;
    return result;
}

void Selector::store_quarter(DataType scalar, const MemoryOperand& memory_operand, Integer stride, int count,
                             Virtual v) {
    const int size = bytes_of(scalar);
    store_chunk(move(size), size, memory_operand, v);
    if (scalar == DataType::float64) {
        if (count == 2)
            store_chunk(pick(Inst::kIdVmovhpd, Inst::kIdMovhpd), 8, moved(memory_operand, stride), v);
        return;
    }
    for (int lane = 1; lane < count; ++lane) {
        if (!is_legacy_) {
            store_chunk(Inst::kIdVextractps, 4, moved(memory_operand, lane * stride), v, lane);
            continue;
        }
        const Virtual rotated = new_register(Class::vector, 16);
        append(Form::unary, Inst::kIdPshufd, rotated, {v}).immediate = lane;
        store_chunk(Inst::kIdMovss, 4, moved(memory_operand, lane * stride), rotated);
    }
}

} // namespace swirl::jit
