#include "emit/usage.hpp"

namespace swirl::emit {
namespace {

class UsageWalk {
public:
    explicit UsageWalk(const ir::Program& program) : program_(program) {
        usage_.values.resize(program.operations.size());
        usage_.buffers.resize(program.buffers.size());
        usage_.variables.resize(program.variables.size());
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

    void visit(const ir::Straight& straight) {
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
        for (const ir::Condition& condition : branch.conditions) visit(condition.form);
    }

    void visit(const ir::Barrier&) { usage_.synchronises = true; }

    void visit(const Affine& form) {
        for (const Affine::Term& term : form.terms())
            usage_.variables[static_cast<std::size_t>(term.variable)] = true;
    }

    void visit(ir::Value value) {
        const ir::Operation& operation = program_[value];
        const bool writes =
            operation.opcode == ir::Opcode::store || operation.opcode == ir::Opcode::atomic_add;
        if (writes) use(value);
        if (!usage_.values[static_cast<std::size_t>(value)]) return;
        for (const ir::Value operand : operation.operands) use(operand);
        if (operation.opcode == ir::Opcode::load || writes) {
            usage_.buffers[static_cast<std::size_t>(operation.address.buffer)] = true;
            use(operation.address.dynamic);
        }
        if (operation.opcode == ir::Opcode::load || operation.opcode == ir::Opcode::index || writes)
            visit(operation.address.index);
    }

    void use(ir::Value value) {
        if (value != ir::no_value) usage_.values[static_cast<std::size_t>(value)] = true;
    }
    bool is_used(Variable variable) const { return usage_.variables[static_cast<std::size_t>(variable)]; }

    const ir::Program& program_;
    Usage usage_;
};

} // namespace

Usage usage_of(const ir::Program& program) { return UsageWalk(program).run(); }

} // namespace swirl::emit
