#include "ir/builder.hpp"

#include "base/hash.hpp"
#include "ir/analysis.hpp"
#include "ir/type_rules.hpp"

#include <bit>
#include <cmath>
#include <memory>

namespace swirl::ir {

namespace {

/// Initial capacity for operations, which `vectorize` adds to: growing the array costs more than constructing them.
constexpr std::size_t usual_operations = 4096;
constexpr std::size_t usual_shared_operations = 2048;

std::size_t hash_constant(long double value) {
    const double high = static_cast<double>(value);
    const double low = std::isfinite(high) ? static_cast<double>(value - high) : 0.0;
    return mix_hash(std::bit_cast<std::uint64_t>(high), std::bit_cast<std::uint64_t>(low));
}

bool same_constant(long double a, long double b) {
    return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

BufferInfo buffer_info(std::string name, DataType element, Space space, Integer elements, bool written) {
    BufferInfo info;
    info.name = std::move(name);
    info.element = element;
    info.space = space;
    info.elements = elements;
    info.written = written;
    return info;
}

ArgumentRole role_of(Space space) {
    if (space == Space::table) return ArgumentRole::table;
    return space == Space::scratch ? ArgumentRole::workspace : ArgumentRole::none;
}

} // namespace

std::size_t hash_of(const Operation& operation) {
    const auto word = [](auto high, auto low) {
        return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
    };
    const auto kind =
        static_cast<std::uint32_t>(operation.opcode) << 8 | static_cast<std::uint32_t>(operation.type.scalar);
    const auto& [a, b, c] = operation.operands;
    std::size_t seed =
        mix_hash(word(kind, operation.type.lanes), word(a, b) + static_cast<std::uint32_t>(c) * 31U);
    switch (operation.opcode) {
    case Opcode::constant: return mix_hash(seed, hash_constant(operation.constant));
    case Opcode::load:
        seed = mix_hash(seed, static_cast<std::uint64_t>(operation.address.lane_stride));
        seed = mix_hash(seed, word(operation.address.buffer, operation.address.dynamic));
        [[fallthrough]];
    case Opcode::index: return mix_hash(seed, operation.address.index.hash());
    case Opcode::shuffle:
        for (const int lane : operation.lane_map) seed = mix_hash(seed, static_cast<std::uint32_t>(lane));
        return seed;
    case Opcode::instruction: return mix_hash(seed, reinterpret_cast<std::uintptr_t>(operation.instruction));
    default: return seed;
    }
}

bool same_operation(const Operation& a, const Operation& b) {
    return a.opcode == b.opcode && a.type == b.type && a.operands == b.operands &&
           same_constant(a.constant, b.constant) && a.instruction == b.instruction && a.active == b.active &&
           a.lane_map == b.lane_map && a.address == b.address && a.strict == b.strict;
}

Builder::Builder(std::string name, Options options) : options_(options) {
    program_.name = std::move(name);
    program_.operations.reserve(usual_operations);
    bodies_.emplace_back();
}

Program Builder::finish() {
    ensure(loops_.empty() && bodies_.size() == 1, "program '{}' is finished inside a loop", program_.name);
    end_block();
    program_.body = std::move(bodies_.back());
    Program result = std::move(program_);
    program_ = Program{};
    bodies_.assign(1, Body{});
    parameters_ = 0;
    return result;
}

// ---- buffers and variables ------------------------------------------------------------------------------------

Buffer Builder::add(BufferInfo buffer) {
    ensure(buffer.elements > 0, "buffer '{}' has {} elements", buffer.name, buffer.elements);
    if (buffer.role == Role{}) buffer.role.argument = role_of(buffer.space);
    program_.buffers.push_back(std::move(buffer));
    return static_cast<Buffer>(program_.buffers.size() - 1);
}

Buffer Builder::input(std::string name, DataType element, Integer elements, const Role& role) {
    BufferInfo info = buffer_info(std::move(name), element, Space::argument, elements, false);
    info.role = role;
    return add(std::move(info));
}
Buffer Builder::output(std::string name, DataType element, Integer elements, const Role& role) {
    BufferInfo info = buffer_info(std::move(name), element, Space::argument, elements, true);
    info.role = role;
    return add(std::move(info));
}
Buffer Builder::scratch(std::string name, DataType element, Integer elements) {
    return add(buffer_info(std::move(name), element, Space::scratch, elements, true));
}
Buffer Builder::local(std::string name, DataType element, Integer elements) {
    return add(buffer_info(std::move(name), element, Space::local, elements, true));
}
Buffer Builder::shared(std::string name, DataType element, Integer elements) {
    return add(buffer_info(std::move(name), element, Space::shared, elements, true));
}

Buffer Builder::table(std::string name, DataType element, const std::vector<long double>& contents) {
    BufferInfo info = buffer_info(std::move(name), element, Space::table, std::ssize(contents), false);
    ensure(is_floating(element), "table '{}' of {} has floating-point contents", info.name, name_of(element));
    info.contents = ir::shared(Table(element, contents));
    return add(std::move(info));
}

Buffer Builder::table(std::string name, const std::vector<Integer>& contents) {
    return table(std::move(name), Table(contents));
}

Buffer Builder::table(std::string name, Table contents) {
    BufferInfo info = buffer_info(std::move(name), contents.element(), Space::table, contents.size(), false);
    info.contents = ir::shared(std::move(contents));
    return add(std::move(info));
}

Buffer Builder::table(TableKind kind, int index, Table contents) {
    const Role role{.argument = ArgumentRole::table, .index = index, .table = kind};
    BufferInfo info = buffer_info(fmt::format("{}_{}", name_of(kind), index), contents.element(),
                                  Space::table, contents.size(), false);
    info.role = role;
    info.contents = ir::shared(std::move(contents));
    return add(std::move(info));
}

Affine Builder::new_variable(std::string name, VariableInfo::Kind kind, int axis) {
    program_.variables.push_back({std::move(name), kind, axis});
    return Affine::of(static_cast<Variable>(program_.variables.size() - 1));
}

Affine Builder::parameter(std::string name, ArgumentRole role) {
    Affine result = new_variable(std::move(name), VariableInfo::Kind::parameter, parameters_++);
    program_.variables.back().role = role;
    return result;
}

Affine Builder::machine_index(const VariableInfo& wanted) {
    ensure(wanted.axis >= 0 && wanted.axis < 3, "{} axis {}", wanted.name, wanted.axis);
    ensure(wanted.divisor >= 1 && wanted.modulus >= 0, "{} / {} mod {}", wanted.name, wanted.divisor,
           wanted.modulus);
    for (std::size_t i = 0; i < program_.variables.size(); ++i) {
        const VariableInfo& known = program_.variables[i];
        if (known.kind == wanted.kind && known.axis == wanted.axis && known.divisor == wanted.divisor &&
            known.modulus == wanted.modulus)
            return Affine::of(static_cast<Variable>(i));
    }
    program_.variables.push_back(wanted);
    VariableInfo& info = program_.variables.back();
    info.name += fmt::format("_{}", "xyz"[info.axis]);
    if (info.divisor != 1) info.name += fmt::format("_{}", info.divisor);
    if (info.modulus != 0) info.name += fmt::format("_mod_{}", info.modulus);
    return Affine::of(static_cast<Variable>(program_.variables.size() - 1));
}

Affine Builder::thread(int axis, Integer divisor, Integer modulus) {
    return machine_index({"thread", VariableInfo::Kind::thread, axis, divisor, modulus});
}
Affine Builder::block(int axis, Integer divisor, Integer modulus) {
    return machine_index({"block", VariableInfo::Kind::block, axis, divisor, modulus});
}

Affine Builder::induction(std::string name, Affine start, Integer step, std::vector<Integer> last) {
    ensure(!loops_.empty(), "induction variable '{}' outside a loop", name);
    Affine variable = new_variable(std::move(name), VariableInfo::Kind::induction, 0);
    loops_.back().loop.inductions.push_back(
        {variable.terms().front().variable, std::move(start), step, std::move(last)});
    return variable;
}

// ---- statements -----------------------------------------------------------------------------------------------

void Builder::end_block() {
    if (run_.empty()) return;
    bodies_.back().push_back(Statement{StraightLineBlock{std::move(run_)}});
    run_.clear();
    ++block_index_; // empties the table of shared operations
    used_slots_ = 0;
}

void Builder::append(Statement statement) {
    end_block();
    bodies_.back().push_back(std::move(statement));
}

void Builder::open_body() {
    end_block();
    bodies_.emplace_back();
}

Body Builder::close_body() {
    end_block();
    Body body = std::move(bodies_.back());
    bodies_.pop_back();
    return body;
}

Affine Builder::open_loop(std::string name, Affine begin, Affine end, Integer step, For::Kind kind) {
    ensure(step > 0, "loop '{}' has step {}", name, step);
    Affine variable = new_variable(std::move(name), VariableInfo::Kind::loop, 0);
    For loop;
    loop.variable = variable.terms().front().variable;
    loop.begin = std::move(begin);
    loop.end = std::move(end);
    loop.step = step;
    loop.kind = kind;
    loops_.push_back({std::move(loop), bodies_.size()});
    open_body();
    return variable;
}

void Builder::close_loop() {
    ensure(!loops_.empty() && loops_.back().depth + 1 == bodies_.size(), "no loop to close in '{}'",
           program_.name);
    For loop = std::move(loops_.back().loop);
    loops_.pop_back();
    loop.body = close_body();
    append(Statement{std::move(loop)});
}

// ---- operations -----------------------------------------------------------------------------------------------

Value Builder::checked(Value value) const {
    ensure(value >= 0 && static_cast<std::size_t>(value) < program_.operations.size(), "'{}' has no value {}",
           program_.name, value);
    return value;
}

Value Builder::append(Operation&& operation) {
    if (const auto problem = type_error(program_, operation))
        throw InternalError("{} in '{}': {}", name_of(operation.opcode), program_.name, *problem);
    if (options_.share && may_share(operation)) return find_or_append(std::move(operation));
    const Value value = program_.append(std::move(operation));
    run_.push_back(value);
    return value;
}

bool Builder::may_share(const Operation& operation) const {
    if (is_pure(operation.opcode)) return true;
    return operation.opcode == Opcode::load &&
           program_.buffers[static_cast<std::size_t>(operation.address.buffer)].space == Space::table;
}

Value Builder::find_or_append(Operation&& operation) {
    if (2 * (used_slots_ + 1) > slots_.size()) grow_shared();
    const std::size_t mask = slots_.size() - 1;
    const auto hash = static_cast<std::uint32_t>(hash_of(operation));
    std::size_t at = hash & mask;
    for (; slots_[at].block == block_index_; at = (at + 1) & mask)
        if (slots_[at].hash == hash && same_operation(program_[slots_[at].value], operation))
            return slots_[at].value;
    const Value value = program_.append(std::move(operation));
    run_.push_back(value);
    slots_[at] = {value, block_index_, hash};
    ++used_slots_;
    return value;
}

void Builder::grow_shared() {
    std::vector<Slot> old(std::max(usual_shared_operations, 2 * slots_.size()));
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.block != block_index_) continue;
        std::size_t at = slot.hash & mask;
        while (slots_[at].block == block_index_) at = (at + 1) & mask;
        slots_[at] = slot;
    }
}

Value Builder::arithmetic(Opcode opcode, std::array<Value, 3> operands) {
    Operation operation;
    operation.opcode = opcode;
    operation.type = type(operands[0]);
    operation.operands = operands;
    operation.strict = strict_ && is_floating(operation.type.scalar);
    return append(std::move(operation));
}

Value Builder::constant(Type type, long double value) {
    Operation operation;
    operation.opcode = Opcode::constant;
    operation.type = type;
    operation.constant = value;
    return append(std::move(operation));
}

Value Builder::index(const Affine& form) {
    Operation operation;
    operation.opcode = Opcode::index;
    operation.type = {DataType::int64, 1};
    operation.address.index = form;
    return append(std::move(operation));
}

Value Builder::load(Buffer buffer, Affine index, const Access& access) {
    ensure(buffer >= 0 && static_cast<std::size_t>(buffer) < program_.buffers.size(),
           "load in '{}': there is no buffer {}", program_.name, buffer);
    Operation operation;
    operation.opcode = Opcode::load;
    operation.type = {program_.buffers[static_cast<std::size_t>(buffer)].element, access.lanes};
    operation.address = {buffer, std::move(index), access.dynamic, access.lane_stride, access.dynamic_scale};
    operation.active = access.active == 0 ? access.lanes : access.active;
    return append(std::move(operation));
}

void Builder::store(Buffer buffer, Affine index, Value value, const Access& access) {
    Operation operation;
    operation.opcode = Opcode::store;
    operation.type = type(value);
    operation.operands[0] = value;
    operation.address = {buffer, std::move(index), access.dynamic, access.lane_stride, access.dynamic_scale};
    operation.active = access.active == 0 ? operation.type.lanes : access.active;
    operation.asynchronous = access.asynchronous;
    append(std::move(operation));
}

void Builder::atomic_add(Buffer buffer, Affine index, Value value, Value dynamic) {
    Operation operation;
    operation.opcode = Opcode::atomic_add;
    operation.type = type(value);
    operation.operands[0] = value;
    operation.address = {buffer, std::move(index), dynamic, 1};
    operation.active = 1;
    append(std::move(operation));
}

void Builder::prefetch(Buffer buffer, Affine index, Value dynamic) {
    Operation operation;
    operation.opcode = Opcode::prefetch;
    operation.type = {program_.buffers[static_cast<std::size_t>(buffer)].element, 1};
    operation.address = {buffer, std::move(index), dynamic, 1};
    operation.active = 1;
    append(std::move(operation));
}

Value Builder::splat(Value a, int lanes) {
    Operation operation;
    operation.opcode = Opcode::splat;
    operation.type = {type(a).scalar, lanes};
    operation.operands[0] = a;
    return append(std::move(operation));
}

Value Builder::shuffle(Value a, Value b, std::vector<std::int8_t> lane_map) {
    Operation operation;
    operation.opcode = Opcode::shuffle;
    operation.type = {type(a).scalar, static_cast<int>(lane_map.size())};
    operation.operands = {a, b, no_value};
    operation.lane_map = std::move(lane_map);
    return append(std::move(operation));
}

Value Builder::convert(Value a, DataType to) {
    Operation operation;
    operation.opcode = Opcode::convert;
    operation.type = {to, type(a).lanes};
    operation.operands[0] = a;
    return append(std::move(operation));
}

Value Builder::bitcast(Value a, DataType to) {
    Operation operation;
    operation.opcode = Opcode::bitcast;
    operation.type = {to, static_cast<int>(type(a).lanes * bytes_of(type(a).scalar) / bytes_of(to))};
    operation.operands[0] = a;
    return append(std::move(operation));
}

Value Builder::less(Value a, Value b) {
    Operation operation;
    operation.opcode = Opcode::less;
    operation.type = {DataType::boolean, type(a).lanes};
    operation.operands = {a, b, no_value};
    return append(std::move(operation));
}

Value Builder::select(Value chooser, Value a, Value b) {
    Operation operation;
    operation.opcode = Opcode::select;
    operation.type = type(a);
    operation.operands = {chooser, a, b};
    return append(std::move(operation));
}

Value Builder::instruction(const Instruction& entry, std::span<const Value> operands) {
    ensure(operands.size() == entry.operands.size() && operands.size() <= 3,
           "instruction '{}' in '{}': {} operands given, {} taken", entry.name, program_.name,
           operands.size(), entry.operands.size());
    Operation operation;
    operation.opcode = Opcode::instruction;
    operation.type = entry.result;
    operation.instruction = &entry;
    for (std::size_t i = 0; i < operands.size(); ++i) operation.operands[i] = operands[i];
    return append(std::move(operation));
}

} // namespace swirl::ir
