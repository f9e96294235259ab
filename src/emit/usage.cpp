#include "emit/usage.hpp"

#include "ir/analysis.hpp"

namespace swirl::emit {
namespace {

class UsageWalk {
public:
    explicit UsageWalk(const ir::Program& program) : program_(program) {
        usage_.values.resize(program.operations.size());
        usage_.buffers.resize(program.buffers.size());
        usage_.variables.resize(program.variables.size());
        usage_.tensors.resize(program.tensors.size());
    }

    Usage run() && {
        visit(program_.body);
        return std::move(usage_);
    }

private:
    /// Backwards: every use is seen before its definition, and a loop's body before the loop's own forms.
    void visit(const ir::Body& body) {
        for (auto at = body.rbegin(); at != body.rend(); ++at)
            std::visit([this](const auto& statement) { visit(statement); }, at->node);
    }

    void visit(const ir::StraightLineBlock& straight) {
        for (auto at = straight.operations.rbegin(); at != straight.operations.rend(); ++at) visit(*at);
    }

    void visit(const ir::For& loop) {
        visit(loop.body);
        for (const ir::Induction& induction : loop.inductions)
            if (is_used(induction.variable)) visit(induction.start);
        visit(loop.begin);
        visit(loop.end);
    }

    void visit(const ir::If& branch) {
        visit(branch.otherwise);
        visit(branch.then);
        for (const ir::Condition& condition : branch.conditions) {
            visit(condition.form);
            if (condition.value != ir::no_value) use(condition.value);
        }
    }

    void visit(const ir::Barrier& barrier) {
        usage_.synchronises = true;
        if (!barrier.of_cooperative_group) return;
        visit(barrier.counter);
    }

    void visit(const ir::AsyncFence&) {}

    void visit(const ir::WarpRoles& warp_roles) {
        for (auto role = warp_roles.roles.rbegin(); role != warp_roles.roles.rend(); ++role)
            visit(role->body);
    }

    void visit(const Affine& form) {
        for (const Affine::Term& term : form.terms())
            usage_.variables[static_cast<std::size_t>(term.variable)] = true;
    }

    void visit(ir::Value value) {
        const ir::Operation& operation = program_[value];
        if (ir::has_side_effect(operation.opcode)) use(value);
        if (!usage_.values[static_cast<std::size_t>(value)]) return;
        ir::for_each_operand(operation, [this](ir::Value operand) { use(operand); });
        if (operation.opcode == ir::Opcode::index) visit(operation.address.index);
        if (ir::accesses_memory(operation.opcode) || ir::is_async_tile_operation(operation.opcode))
            visit(operation.address);
        if (operation.tile == nullptr) return;
        for (const ir::Address& of_address : operation.tile->addresses) visit(of_address);
        if (operation.tile->tensor >= 0)
            usage_.tensors[static_cast<std::size_t>(operation.tile->tensor)] = true;
    }

    void visit(const ir::Address& address) {
        usage_.buffers[static_cast<std::size_t>(address.buffer)] = true;
        visit(address.index);
    }

    void use(ir::Value value) { usage_.values[static_cast<std::size_t>(value)] = true; }
    bool is_used(Variable variable) const { return usage_.variables[static_cast<std::size_t>(variable)]; }

    const ir::Program& program_;
    Usage usage_;
};

} // namespace

Usage usage_of(const ir::Program& program) { return UsageWalk(program).run(); }

} // namespace swirl::emit
