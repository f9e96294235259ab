#include "ir/print.hpp"

#include "ir/analysis.hpp"
#include "ir/print_tokens.hpp"
#include "ir/tile.hpp"
#include "ir/type_rules.hpp"

#include <iterator>

namespace swirl::ir {

namespace {

class Printer {
public:
    Printer(const Program& program, PrintStyle style) : program_(program), style_(style) {}

    std::string print() {
        if (style_ == PrintStyle::compact) assign_indices();
        header();
        body(program_.body, 0);
        return std::move(text_);
    }

    std::string operation(Value value) const {
        const Operation& operation = program_[value];
        if (is_async_tile_operation(operation.opcode) && operation.tile != nullptr)
            return of_tiles(operation);
        if (style_ == PrintStyle::compact)
            return compact(value, operation) + (operation.strict ? " strictly" : "");
        std::string line = has_result(operation.opcode) ? name(value) + " = " : std::string();
        line += operation.opcode == Opcode::instruction && operation.instruction != nullptr
                    ? operation.instruction->name
                    : name_of(operation.opcode);
        if (operation.opcode == Opcode::load) line += " " + access(operation);
        if (operation.opcode == Opcode::index) line += " " + form(operation.address.index);
        if (operation.opcode == Opcode::constant)
            line += " " + constant_text(operation.constant, operation.type.scalar);
        const char* separator = " ";
        for (const Value operand : operands(operation)) {
            line += separator + name(operand);
            separator = ", ";
        }
        if (has_side_effect(operation.opcode)) line += " to " + access(operation);
        if (operation.asynchronous) line += " asynchronously";
        if (operation.strict) line += " strictly";
        if (operation.opcode == Opcode::shuffle) line += " " + lanes(operation);
        return line + " : " + name_of(operation.type);
    }

    std::string form(const Affine& form) const {
        std::string text;
        const auto term = [&](Integer factor, const std::string& name) {
            const bool negative = factor < 0;
            const Integer magnitude = negative ? -factor : factor;
            text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
            text += name.empty()     ? fmt::format("{}", magnitude)
                    : magnitude == 1 ? name
                                     : fmt::format("{}*{}", magnitude, name);
        };
        for (const Affine::Term& t : form.terms()) term(t.coefficient, variable(t.variable));
        if (form.constant() != 0 || form.is_constant()) term(form.constant(), "");
        return text;
    }

private:
    std::string variable(Variable v) const {
        if (v < 0 || static_cast<std::size_t>(v) >= program_.variables.size()) return fmt::format("?{}", v);
        const std::string& given = program_.variables[static_cast<std::size_t>(v)].name;
        return given.empty() ? fmt::format("v{}", v) : given;
    }

    std::string name(Value value) const {
        if (style_ == PrintStyle::full || value < 0 || static_cast<std::size_t>(value) >= indices_.size())
            return fmt::format("%{}", value);
        const Operation& operation = program_[value];
        if (operation.opcode == Opcode::constant && operation.type.lanes == 1)
            return constant_text(operation.constant, operation.type.scalar);
        return fmt::format("t{}", indices_[static_cast<std::size_t>(value)]);
    }

    /// Without the closing bracket.
    std::string begin_of(const Address& address) const {
        const bool known =
            address.buffer >= 0 && static_cast<std::size_t>(address.buffer) < program_.buffers.size();
        std::string text = known ? program_.buffers[static_cast<std::size_t>(address.buffer)].name
                                 : fmt::format("?{}", address.buffer);
        text += "[" + form(address.index);
        if (address.dynamic != no_value) {
            text += " + " + name(address.dynamic);
            if (address.dynamic_scale != 1) text += fmt::format("*{}", address.dynamic_scale);
        }
        return text;
    }
    std::string bracketed(const Address& address) const { return begin_of(address) + "]"; }

    /// "tensor (x, y)"
    std::string box(const Operation& operation) const {
        const auto tensor = static_cast<std::size_t>(operation.tile->tensor);
        std::string text = operation.tile->tensor >= 0 && tensor < program_.tensors.size()
                               ? program_.tensors[tensor].name
                               : "?";
        const char* separator = " (";
        for (const Value coordinate : operands(operation)) {
            text += separator + name(coordinate);
            separator = ", ";
        }
        return text + ")";
    }

    std::string operand_of(const AsyncTileOperation& tile, std::size_t which) const {
        if (which >= tile.addresses.size()) return "?";
        const SmemTileLayout& layout = tile.layouts[which];
        return bracketed(tile.addresses[which]) +
               (layout.k_major ? "" : fmt::format(" MN-major, panels {} apart", layout.panel));
    }

    std::string of_tiles(const Operation& operation) const {
        const AsyncTileOperation& tile = *operation.tile;
        const std::string at = bracketed(operation.address);
        switch (operation.opcode) {
        case Opcode::tma_load: {
            const std::string signal = tile.addresses.empty() ? "?" : bracketed(tile.addresses.front());
            const std::string blocks = tile.blocks == 0 ? "" : fmt::format(" of blocks {:#b}", tile.blocks);
            return fmt::format("tma_load {} to {}{}, signal {}", box(operation), at, blocks, signal);
        }
        case Opcode::tma_store: return fmt::format("tma_store {} to {}", at, box(operation));
        case Opcode::wgmma:
            return fmt::format("{} {} {} * {} by {}", at,
                               tile.instruction == nullptr || tile.instruction->accumulates ? "+=" : "=",
                               operand_of(tile, 0), operand_of(tile, 1),
                               tile.instruction == nullptr ? "?" : tile.instruction->name);
        case Opcode::mbarrier_init: return fmt::format("mbarrier_init {} for {} arrivals", at, tile.count);
        case Opcode::mbarrier_arrive_expect_tx:
            return fmt::format("mbarrier_arrive_expect_tx {} bytes at {}", tile.count, at);
        case Opcode::mbarrier_arrive:
            return "mbarrier_arrive at " + at +
                   (operation.operands[0] == no_value ? "" : " of block " + name(operation.operands[0]));
        default: return "mbarrier_wait for parity " + name(operation.operands[0]) + " at " + at;
        }
    }

    std::string access(const Operation& operation) const {
        const Address& address = operation.address;
        std::string text = begin_of(address);
        if (operation.type.lanes > 1) {
            text += style_ == PrintStyle::compact ? fmt::format(" : {}", operation.type.lanes) : "";
            if (address.lane_stride != 1) text += fmt::format(" by {}", address.lane_stride);
        }
        text += "]";
        if (operation.active != operation.type.lanes) text += fmt::format(" first {}", operation.active);
        return text;
    }

    static std::string lanes(const Operation& operation) {
        std::string text = "{";
        for (const int lane : operation.lane_map) {
            if (text.size() > 1) text += ' ';
            text += lane < 0 ? std::string("_") : fmt::format("{}", lane);
        }
        return text + "}";
    }

    std::string compact(Value value, const Operation& operation) const {
        const auto operand = [&](std::size_t i) { return name(operation.operands[i]); };
        switch (operation.opcode) {
        case Opcode::store:
            return access(operation) + " = " + operand(0) + (operation.asynchronous ? " asynchronously" : "");
        case Opcode::atomic_add: return access(operation) + " += " + operand(0);
        case Opcode::prefetch: return "prefetch " + access(operation);
        default: break;
        }
        const std::string result = name(value) + " = ";
        switch (operation.opcode) {
        case Opcode::constant:
            return result + fmt::format("{} in {} lanes",
                                        constant_text(operation.constant, operation.type.scalar),
                                        operation.type.lanes);
        case Opcode::index: return result + form(operation.address.index);
        case Opcode::load: return result + access(operation);
        case Opcode::negate: return result + "-" + operand(0);
        case Opcode::fma: return result + operand(0) + " * " + operand(1) + " + " + operand(2);
        case Opcode::fms: return result + operand(0) + " * " + operand(1) + " - " + operand(2);
        case Opcode::fnma: return result + operand(2) + " - " + operand(0) + " * " + operand(1);
        case Opcode::add:
        case Opcode::subtract:
        case Opcode::multiply:
        case Opcode::divide:
        case Opcode::bit_and:
        case Opcode::bit_xor:
        case Opcode::less: return result + operand(0) + std::string(infix(operation.opcode)) + operand(1);
        default: break;
        }
        std::string call = result;
        if (operation.opcode == Opcode::convert || operation.opcode == Opcode::bitcast)
            call += (operation.opcode == Opcode::bitcast ? "bits as " : "") + name_of(operation.type);
        else if (operation.opcode == Opcode::instruction && operation.instruction != nullptr)
            call += operation.instruction->name;
        else
            call += name_of(operation.opcode);
        call += "(";
        for (std::size_t i = 0; i < operand_count(operation); ++i) call += (i ? ", " : "") + operand(i);
        if (operation.opcode == Opcode::splat) call += fmt::format(", {}", operation.type.lanes);
        call += ")";
        return operation.opcode == Opcode::shuffle ? call + " " + lanes(operation) : call;
    }

    void assign_indices() {
        indices_.assign(program_.operations.size(), 0);
        int next = 0;
        for_each_operation(program_, [&](Value value) {
            const Operation& operation = program_[value];
            const bool shown_as_constant = operation.opcode == Opcode::constant && operation.type.lanes == 1;
            if (has_result(operation.opcode) && !shown_as_constant)
                indices_[static_cast<std::size_t>(value)] = next++;
        });
    }

    void line(int depth, std::string_view content) {
        text_.append(4 * static_cast<std::size_t>(depth), ' ');
        text_ += content;
        text_ += '\n';
    }

    void header() {
        const Launch& launch = program_.launch;
        std::string first = "program " + program_.name;
        if (launch != Launch{})
            first += fmt::format(", blocks {}x{}x{}, threads {}x{}x{}", launch.blocks[0], launch.blocks[1],
                                 launch.blocks[2], launch.threads[0], launch.threads[1], launch.threads[2]);
        if (launch.cluster != 1) first += fmt::format(", clusters of {}", launch.cluster);
        if (launch.resident != 0) first += fmt::format(", {} resident", launch.resident);
        if (launch.cooperative_group != 1) first += fmt::format(", groups of {}", launch.cooperative_group);
        for (const VariableInfo& info : program_.variables)
            if (info.kind == VariableInfo::Kind::parameter) {
                first += ", parameter " + info.name;
                if (info.role != ArgumentRole::none) first += fmt::format(" as {}", name_of(info.role));
            }
        line(0, first);
        for (const BufferInfo& buffer : program_.buffers) line(0, buffer_line(buffer));
        for (const TensorInfo& tensor : program_.tensors) line(0, tensor_line(tensor));
    }

    std::string buffer_line(const BufferInfo& buffer) const {
        std::string text = fmt::format("{} {} {}[{}]", name_of(buffer.space), buffer.name,
                                       name_of(buffer.element), buffer.elements);
        if (buffer.first != 0) text += fmt::format(" from {}", buffer.first);
        if (buffer.dsmem_elements_per_block != 0)
            text += fmt::format(" in segments of {}", buffer.dsmem_elements_per_block);
        if (buffer.non_temporal) text += " streamed";
        if (buffer.evict_last) text += " kept";
        if (buffer.zeroed) text += " zeroed";
        if (buffer.alignment != 0) text += fmt::format(" aligned {}", buffer.alignment);
        if (buffer.nest_depth > 0) text += " per iteration";
        if (buffer.nest_depth > 1 && buffer.nest_depth < BufferInfo::innermost)
            text += fmt::format(" of {} loops", buffer.nest_depth);
        if (buffer.space == Space::argument)
            text += (buffer.written ? " written as " : " read as ") + to_string(buffer.role);
        return text;
    }

    std::string tensor_line(const TensorInfo& tensor) const {
        const auto buffer = static_cast<std::size_t>(tensor.buffer);
        const bool known = tensor.buffer >= 0 && buffer < program_.buffers.size();
        return fmt::format("tensor {} of {}[{}], extents {}, strides {}, boxes {}{}{}", tensor.name,
                           known ? program_.buffers[buffer].name : "?", tensor.origin,
                           fmt::join(tensor.extents, "x"), fmt::join(tensor.strides, ","),
                           fmt::join(tensor.box, "x"),
                           tensor.swizzle > 0 ? fmt::format(" swizzled by {} bytes", tensor.swizzle) : "",
                           tensor.rounds ? ", rounded to tf32" : "");
    }

    void body(const Body& statements, int depth) {
        for (const Statement& statement : statements) {
            if (const auto* block = std::get_if<StraightLineBlock>(&statement.node)) {
                for (const Value value : block->operations) operation_line(value, depth);
            } else if (const auto* loop = std::get_if<For>(&statement.node)) {
                line(depth, loop_line(*loop));
                body(loop->body, depth + 1);
            } else if (const auto* choice = std::get_if<If>(&statement.node)) {
                line(depth, condition_line(*choice));
                body(choice->then, depth + 1);
                if (choice->otherwise.empty()) continue;
                line(depth, "else:");
                body(choice->otherwise, depth + 1);
            } else if (const auto* fence = std::get_if<AsyncFence>(&statement.node)) {
                line(depth, fence_line(*fence));
            } else if (const auto* warp_roles = std::get_if<WarpRoles>(&statement.node)) {
                for (const WarpRole& role : warp_roles->roles) {
                    line(depth, role_line(role));
                    body(role.body, depth + 1);
                }
            } else {
                line(depth, barrier_line(std::get<Barrier>(statement.node)));
            }
        }
    }

    void operation_line(Value value, int depth) {
        const bool known = value >= 0 && static_cast<std::size_t>(value) < program_.operations.size();
        if (!known) return line(depth, fmt::format("%{} = ?", value));
        const Operation& operation_ = program_[value];
        const bool shown_where_used = style_ == PrintStyle::compact &&
                                      operation_.opcode == Opcode::constant && operation_.type.lanes == 1;
        if (!shown_where_used) line(depth, operation(value));
    }

    std::string loop_line(const For& loop) const {
        std::string text =
            fmt::format("for {} = {} to {}", variable(loop.variable), form(loop.begin), form(loop.end - 1));
        if (loop.step != 1) text += fmt::format(" step {}", loop.step);
        if (loop.kind != For::Kind::serial) text += fmt::format(" {}", name_of(loop.kind));
        for (const Induction& induction : loop.inductions) {
            text += fmt::format(", {} = {} step {}", variable(induction.variable), form(induction.start),
                                induction.step);
            for (const Integer distance : induction.last)
                text += fmt::format(" then {}", form(induction.start + distance));
        }
        return text + ":";
    }

    std::string barrier_line(const Barrier& barrier) const {
        if (barrier.of_cluster) return "barrier of cluster";
        if (!barrier.of_cooperative_group) return "barrier";
        const std::string counter =
            fmt::format("{}[{}]", program_.buffers[static_cast<std::size_t>(barrier.counter.buffer)].name,
                        form(barrier.counter.index));
        switch (barrier.half) {
        case Barrier::Half::both: break;
        case Barrier::Half::arrive: return "arrive in group, counted in " + counter;
        case Barrier::Half::wait: return "wait for group, counted in " + counter;
        }
        return "barrier of group, counted in " + counter;
    }

    std::string condition_line(const If& choice) const {
        std::string text = "if";
        for (std::size_t i = 0; i < choice.conditions.size(); ++i)
            text += (i ? " and " : " ") + condition(choice.conditions[i]);
        return text + ":";
    }

    std::string condition(const Condition& condition) const {
        std::string text = form(condition.form);
        if (condition.value != no_value)
            text = condition.form == Affine(0) ? name(condition.value) : name(condition.value) + " + " + text;
        return text + std::string(relation_text(condition.relation));
    }

    const Program& program_;
    PrintStyle style_;
    std::vector<int> indices_;
    std::string text_;
};

} // namespace

std::string to_string(const Program& program, PrintStyle style) { return Printer(program, style).print(); }

std::string to_string(const Program& program, Value value) {
    return Printer(program, PrintStyle::full).operation(value);
}

std::string to_string(const Program& program, const Affine& form) {
    return Printer(program, PrintStyle::full).form(form);
}

} // namespace swirl::ir
