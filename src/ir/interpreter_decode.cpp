#include "ir/interpreter_decode.hpp"

#include "ir/analysis.hpp"
#include "ir/print.hpp"
#include "ir/rounding.hpp"
#include "ir/type_rules.hpp"

namespace swirl::ir::interpreted {

namespace {

class Decoder {
public:
    Decoder(const Program& program, DecodedProgram& code)
        : program_(program), code_(code), positions_(program.operations.size(), nowhere) {}

    /// `may_be_blocks`: each statement is in no loop, or alone in parallel loops.
    std::vector<Node> decode(const Body& body, bool may_be_blocks) {
        std::vector<Node> nodes;
        nodes.reserve(body.size());
        for (const Statement& statement : body)
            nodes.push_back(std::visit(
                [&](const auto& node) {
                    if constexpr (std::is_same_v<decltype(node), const For&>)
                        return this->decode_loop(node, may_be_blocks && node.kind == For::Kind::parallel);
                    else
                        return this->decode(node);
                },
                statement.node));
        return nodes;
    }

private:
    Form form(const Affine& affine) {
        Form result{affine.constant(), static_cast<std::uint32_t>(code_.terms.size()),
                    static_cast<std::uint32_t>(affine.terms().size())};
        for (const Affine::Term& term : affine.terms()) {
            ensure(term.variable >= 0 && static_cast<std::size_t>(term.variable) < program_.variables.size(),
                   "'{}' has no variable {}", program_.name, term.variable);
            code_.terms.push_back(
                {static_cast<std::size_t>(term.variable) * code_.threads, term.coefficient});
        }
        return result;
    }

    Node decode(const StraightLineBlock& block) {
        Node node;
        node.first = code_.operations.size();
        for (const Value value : block.operations) decode(value);
        node.last = code_.operations.size();
        return node;
    }

    Node decode_loop(const For& loop, bool iterations_are_blocks) {
        ensure(loop.step > 0, "a loop of '{}' has step {}", program_.name, loop.step);
        Node node;
        node.kind = Node::Kind::loop;
        node.loop = &loop;
        node.begin = form(loop.begin);
        node.end = form(loop.end);
        for (const Induction& induction : loop.inductions) node.starts.push_back(form(induction.start));
        node.iterations_are_blocks = iterations_are_blocks;
        node.body = decode(loop.body, iterations_are_blocks && loop.body.size() == 1);
        node.threads.resize(code_.threads);
        node.ends.resize(code_.threads);
        if (loop.kind == For::Kind::parallel) code_.has_parallel_loop = true;
        return node;
    }

    Node decode(const If& condition) {
        Node node;
        node.kind = Node::Kind::condition;
        node.condition = &condition;
        for (const Condition& c : condition.conditions) {
            node.forms.push_back(form(c.form));
            node.values.push_back(c.value == no_value ? nowhere : position(c.value));
        }
        node.body = decode(condition.then, false);
        node.otherwise = decode(condition.otherwise, false);
        node.threads.resize(code_.threads);
        node.others.resize(code_.threads);
        return node;
    }

    Node decode(const Barrier& barrier) const {
        Node node;
        node.kind = Node::Kind::barrier;
        node.of_cluster = barrier.of_cluster;
        node.of_cooperative_group = barrier.of_cooperative_group;
        node.half = barrier.half;
        node.role = role_;
        return node;
    }

    Node decode(const WarpRoles& warp_roles) {
        Node node;
        node.kind = Node::Kind::roles;
        for (const WarpRole& role : warp_roles.roles) {
            ensure(role.first_thread >= 0 && role.threads > 0 &&
                       role.first_thread + role.threads <= static_cast<Integer>(code_.block_threads),
                   "'{}' has no threads for the role '{}'", program_.name, role.name);
            role_ = &role;
            Node role_node;
            role_node.role = &role;
            role_node.body = decode(role.body, false);
            node.body.push_back(std::move(role_node));
        }
        role_ = nullptr;
        code_.has_async_agents = true;
        return node;
    }

    static Node decode(const AsyncFence& fence) {
        Node node;
        node.kind = Node::Kind::fence;
        node.fence = fence;
        return node;
    }

    MemoryOperand memory_operand(const Address& address) {
        return {address.buffer, form(address.index),
                address.dynamic == no_value ? nowhere : position(address.dynamic), address.dynamic_scale};
    }

    std::size_t position(Value value) const {
        const std::size_t at = positions_[static_cast<std::size_t>(value)];
        ensure(at != nowhere, "'{}' uses %{} before it has a value", program_.name, value);
        return at;
    }

    void decode(Value value) {
        ensure(value >= 0 && static_cast<std::size_t>(value) < program_.operations.size(),
               "'{}' has no operation {}", program_.name, value);
        const Operation& operation = program_[value];
        if (const auto problem = type_error(program_, operation))
            throw InternalError("'{}': {}: {}", program_.name, to_string(program_, value), *problem);
        DecodedOperation decoded;
        decoded.opcode = operation.opcode;
        decoded.scalar = operation.type.scalar;
        decoded.lanes = operation.type.lanes;
        decoded.active = operation.active;
        decoded.buffer = operation.address.buffer;
        decoded.lane_stride = operation.address.lane_stride;
        decoded.dynamic_scale = operation.address.dynamic_scale;
        decoded.asynchronous = operation.asynchronous;
        decoded.value = value;
        decoded.source = &operation;
        const auto used = operands(operation);
        for (std::size_t i = 0; i < used.size(); ++i) decoded.operands[i] = position(used[i]);
        if (!used.empty()) {
            decoded.operand = program_[used[0]].type.scalar;
            decoded.operand_lanes = program_[used[0]].type.lanes;
        }
        if (is_async_tile_operation(operation.opcode)) {
            code_.has_async_agents = true;
            for (const Address& address : operation.tile->addresses)
                decoded.tile_operands.push_back(memory_operand(address));
        }
        if (operation.address.dynamic != no_value &&
            (accesses_memory(operation.opcode) || is_async_tile_operation(operation.opcode)))
            decoded.dynamic = position(operation.address.dynamic);
        decoded.index = form(operation.address.index);
        if (has_result(operation.opcode)) {
            decoded.result = code_.cells.size();
            positions_[static_cast<std::size_t>(value)] = decoded.result;
            code_.cells.resize(code_.cells.size() + code_.threads * static_cast<std::size_t>(decoded.lanes),
                               constant_cell(operation));
        }
        if (operation.opcode != Opcode::constant) code_.operations.push_back(std::move(decoded));
    }

    static Cell constant_cell(const Operation& operation) {
        Cell cell{};
        if (operation.opcode != Opcode::constant) return cell;
        if (is_floating(operation.type.scalar))
            cell.real = round_to(operation.type.scalar, operation.constant);
        else
            cell.integer = static_cast<std::int64_t>(operation.constant);
        return cell;
    }

    const Program& program_;
    DecodedProgram& code_;
    std::vector<std::size_t> positions_;
    const WarpRole* role_ = nullptr; ///< whose body is being decoded
};

} // namespace

DecodedProgram::DecodedProgram(const Program& program) {
    const Launch& launch = program.launch;
    blocks_per_group = launch.cluster * launch.cooperative_group;
    Integer blocks = 1;
    for (const Integer extent : program.launch.threads) block_threads *= static_cast<std::size_t>(extent);
    for (const Integer extent : program.launch.blocks) blocks *= extent;
    ensure(block_threads > 0 && block_threads <= 65536 && blocks > 0 && launch.cluster > 0 &&
               launch.cooperative_group > 0 && blocks % blocks_per_group == 0,
           "'{}' is launched on {} blocks of {} threads, {} in a cluster, {} in a group", program.name,
           blocks, block_threads, launch.cluster, launch.cooperative_group);
    clusters = blocks / blocks_per_group;
    threads = block_threads * static_cast<std::size_t>(blocks_per_group);
    operations.reserve(program.operations.size());
    std::size_t lanes = 0;
    for (const Operation& operation : program.operations)
        lanes += static_cast<std::size_t>(operation.type.lanes);
    cells.reserve(lanes * threads);
    body = Decoder(program, *this).decode(program.body, true);
}

} // namespace swirl::ir::interpreted
