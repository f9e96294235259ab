#include "emit/cpp/c_kernel.hpp"

#include "base/error.hpp"
#include "emit/literal.hpp"
#include "ir/ranges.hpp"

namespace swirl::emit {

CKernelWriter::CKernelWriter(SourceWriter& out, const ir::Program& program, const Usage& usage,
                             std::string_view counter, const Identifiers& file_names)
    : out_(out),
      program_(program),
      usage_(usage),
      names_(file_names),
      variables_(program.variables.size()),
      counter_(counter) {
    for (std::size_t i = 0; i < program.operations.size(); ++i) names_.reserve(fmt::format("v{}", i));
}

void CKernelWriter::name_buffer(std::string name, Integer origin) {
    buffers_.push_back(std::move(name));
    origins_.push_back(origin);
}

void CKernelWriter::name_fixed_variables() {
    using Kind = ir::VariableInfo::Kind;
    for (std::size_t i = 0; i < variables_.size(); ++i)
        if (const Kind kind = program_.variables[i].kind; kind != Kind::loop && kind != Kind::induction)
            open_scope(static_cast<Variable>(i));
}

void CKernelWriter::open_scope(Variable variable) {
    const std::size_t position = static_cast<std::size_t>(variable);
    variables_[position] = names_.unique(program_.variables[position].name);
}

void CKernelWriter::close_scope(Variable variable) { names_.release(name(variable)); }

void CKernelWriter::expect_written(const ir::Address& address) const {
    ensure(buffer_of(address).written, "a store to buffer '{}', which is not marked as written",
           buffer_of(address).name);
}

// ---- statements -----------------------------------------------------------------------------------------------

void CKernelWriter::write(const ir::Body& body) {
    for (const ir::Statement& statement : body)
        std::visit([this](const auto& node) { write(node); }, statement.node);
}

void CKernelWriter::write(const ir::StraightLineBlock& straight) {
    for (const ir::Value value : straight.operations)
        if (usage_.values[static_cast<std::size_t>(value)]) write(value);
}

void CKernelWriter::write(const ir::For& loop) {
    std::vector<Variable> scope = {loop.variable};
    const std::string end = form(loop.end);
    std::vector<std::string> starts = {form(loop.begin)};
    std::vector<const ir::Induction*> inductions = {nullptr};
    for (const ir::Induction& induction : loop.inductions) {
        if (!usage_.variables[static_cast<std::size_t>(induction.variable)]) continue;
        scope.push_back(induction.variable);
        starts.push_back(form(induction.start));
        inductions.push_back(&induction);
    }
    std::string start;
    std::string updates;
    for (std::size_t i = 0; i < scope.size(); ++i) {
        open_scope(scope[i]);
        const char* separator = i == 0 ? "" : ", ";
        start += fmt::format("{}{} = {}", separator, name(scope[i]), starts[i]);
        updates += separator + (i == 0 ? fmt::format("{} += {}", name(loop.variable), loop.step)
                                       : update(loop, *inductions[i], starts[i]));
    }
    if (loop.kind == ir::For::Kind::parallel) out_.comment("the iterations are independent");
    {
        SourceWriter::Block block(out_, fmt::format("for ({} {}; {} < {}; {})", counter_, start,
                                                    name(loop.variable), end, updates));
        write(loop.body);
    }
    for (const Variable variable : scope) close_scope(variable);
}

/// After that of the loop's variable.
std::string CKernelWriter::update(const ir::For& loop, const ir::Induction& induction,
                                  const std::string& start) const {
    const std::string regular = fmt::format("{} += {}", name(induction.variable), induction.step);
    const Integer count = std::ssize(induction.last);
    const Integer trips = count == 0 ? 0 : ir::iterations((loop.end - loop.begin).constant(), loop.step);
    std::string text;
    for (Integer k = count; k-- > 0;) {
        const std::string own = fmt::format("({} = {} + {})", name(induction.variable), start,
                                            induction.last[static_cast<std::size_t>(k)]);
        text = text.empty() ? own
                            : fmt::format("({} < {} ? {} : {})", name(loop.variable),
                                          form(loop.begin + loop.step * (trips - count + k + 1)), own, text);
    }
    if (text.empty()) return regular;
    return fmt::format("{} < {} ? ({}) : {}", name(loop.variable),
                       form(loop.begin + loop.step * (trips - count)), regular, text);
}

void CKernelWriter::write(const ir::WarpRoles&) {
    throw InternalError("'{}' has roles, for which this language has no words", program_.name);
}

void CKernelWriter::write(const ir::If& branch) {
    std::vector<std::string> conditions;
    for (const ir::Condition& each : branch.conditions) conditions.push_back(condition(each));
    SourceWriter::Block block(
        out_, fmt::format("if ({})",
                          conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && "))));
    write(branch.then);
    if (branch.otherwise.empty()) return;
    out_.reopen("else");
    write(branch.otherwise);
}

std::string CKernelWriter::condition(const ir::Condition& condition) const {
    std::string value = form(condition.form);
    if (condition.value != ir::no_value)
        value = condition.form == Affine(0) ? operand(condition.value)
                                            : fmt::format("{} + {}", operand(condition.value), value);
    switch (condition.relation) {
    case ir::Condition::Relation::negative: return value + " < 0";
    case ir::Condition::Relation::nonnegative: return value + " >= 0";
    case ir::Condition::Relation::zero: return value + " == 0";
    }
    return {};
}

// ---- forms and addresses --------------------------------------------------------------------------------------

/// Positive terms come first, so that most forms begin without a sign.
std::string CKernelWriter::form(const Affine& affine) const {
    std::string text;
    const auto append = [&](bool negative, const std::string& magnitude) {
        if (text.empty())
            text = fmt::format("{}{}", negative ? "-" : "", magnitude);
        else
            text += fmt::format(" {} {}", negative ? "-" : "+", magnitude);
    };
    const auto append_terms = [&](bool negative) {
        for (const Affine::Term& term : affine.terms()) {
            if ((term.coefficient < 0) != negative) continue;
            const std::string factor = c_literal(term.coefficient).substr(negative ? 1 : 0);
            append(negative,
                   factor == "1" ? name(term.variable) : fmt::format("{} * {}", factor, name(term.variable)));
        }
    };
    const Integer constant = affine.constant();
    append_terms(false);
    if (constant > 0) append(false, c_literal(constant));
    append_terms(true);
    if (constant < 0 && text.empty()) return c_literal(constant);
    if (constant < 0) append(true, c_literal(constant).substr(1));
    return text.empty() ? "0" : text;
}

std::string CKernelWriter::index(const ir::Address& address) const {
    const Affine affine = address.index - origins_[static_cast<std::size_t>(address.buffer)];
    const bool dynamic_only = address.dynamic != ir::no_value && affine == Affine(0);
    if (address.dynamic == ir::no_value) return form(affine);
    std::string dynamic = operand(address.dynamic);
    if (address.dynamic_scale != 1)
        dynamic = fmt::format("{} * {}", dynamic, c_literal(address.dynamic_scale));
    return dynamic_only ? dynamic : fmt::format("{} + {}", dynamic, form(affine));
}

std::string CKernelWriter::element(const ir::Address& address) const {
    return fmt::format("{}[{}]", buffers_[static_cast<std::size_t>(address.buffer)], index(address));
}

std::string CKernelWriter::pointer(const ir::Address& address) const {
    const std::string offset = index(address);
    const std::string& name = buffers_[static_cast<std::size_t>(address.buffer)];
    return offset == "0" ? name : fmt::format("{} + {}", name, offset);
}

std::string c_arithmetic(ir::Opcode opcode, const std::string& a, const std::string& b) {
    switch (opcode) {
    case ir::Opcode::negate: return fmt::format("-{}", a);
    case ir::Opcode::add: return a + " + " + b;
    case ir::Opcode::subtract: return a + " - " + b;
    case ir::Opcode::multiply: return a + " * " + b;
    case ir::Opcode::divide: return a + " / " + b;
    default: throw InternalError("no operator of C for this operation");
    }
}

} // namespace swirl::emit
