#include "emit/cpp/kernel.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::emit {
namespace {

bool is_in_frame(ir::Space space) { return space == ir::Space::local || space == ir::Space::shared; }

const char* role(const ir::BufferInfo& buffer) {
    switch (buffer.space) {
    case ir::Space::argument: return buffer.written ? "written" : "read";
    case ir::Space::table: return "table";
    case ir::Space::scratch: return "workspace";
    case ir::Space::local:
    case ir::Space::shared: return "local";
    }
    return "";
}

} // namespace

CppKernelWriter::CppKernelWriter(SourceWriter& out, const ir::Program& program, const Usage& usage,
                                 std::string name, std::span<const std::string> tables,
                                 const Identifiers& file_names, CppVectors vectors)
    : CKernelWriter(out, program, usage, "std::int64_t", file_names),
      name_(std::move(name)),
      tables_(tables),
      vectors_(vectors) {
    for (std::size_t i = 0; i < program.buffers.size();
         ++i) // arrays of this file start at their lowest index
        name_buffer(tables_[i].empty() ? names_.unique(program.buffers[i].name) : tables_[i],
                    is_passed(i) ? 0 : program.buffers[i].first);
    name_fixed_variables();
}

bool CppKernelWriter::is_passed(std::size_t buffer) const {
    return !is_in_frame(program_.buffers[buffer].space) && tables_[buffer].empty();
}

std::string CppKernelWriter::pointer_type(const ir::BufferInfo& buffer) const {
    return fmt::format("{}{}*", buffer.written ? "" : "const ", cpp_type({buffer.element, 1}));
}

// ---- functions ------------------------------------------------------------------------------------------------

void CppKernelWriter::describe(bool by_position) {
    out_.comment(
        fmt::format("{}: the elements of its buffers{}", program_.name, by_position ? " by position" : ""));
    int position = 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const ir::BufferInfo& buffer = program_.buffers[i];
        if (is_in_frame(buffer.space)) continue;
        const std::string prefix = by_position ? fmt::format("{}  ", position++) : "";
        const Integer last = buffer.first + buffer.elements - 1;
        out_.comment(fmt::format("  {}{}: {} {}…{}, {}{}", prefix, buffers_[i], cpp_type({buffer.element, 1}),
                                 buffer.first, last, role(buffer),
                                 is_passed(i) ? "" : ", part of this file (the pointer is not used)"));
    }
}

/// The integer parameters in order of position.
std::vector<std::string> CppKernelWriter::parameter_names() const {
    std::vector<std::pair<int, std::string>> parameters;
    for (std::size_t i = 0; i < variables_.size(); ++i)
        if (program_.variables[i].kind == ir::VariableInfo::Kind::parameter)
            parameters.emplace_back(program_.variables[i].axis, variables_[i]);
    std::sort(parameters.begin(), parameters.end());
    std::vector<std::string> names;
    for (const auto& [axis, name] : parameters) {
        ensure(axis == static_cast<int>(names.size()), "parameter {} is not at position {}", name, axis);
        names.push_back(name);
    }
    return names;
}

std::vector<CppKernelWriter::Formal> CppKernelWriter::formals() const {
    std::vector<Formal> result;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (is_passed(i))
            result.push_back({pointer_type(program_.buffers[i]), buffers_[i], usage_.buffers[i]});
    for (const std::string& name : parameter_names()) {
        const auto at = std::find(variables_.begin(), variables_.end(), name) - variables_.begin();
        result.push_back({"std::int64_t", name, usage_.variables[static_cast<std::size_t>(at)]});
    }
    return result;
}

void CppKernelWriter::write_function() {
    describe(true);
    bool takes_buffers = false;
    bool takes_parameters = false;
    for (const Formal& formal : formals())
        (formal.type == "std::int64_t" ? takes_parameters : takes_buffers) |= formal.is_used;
    SourceWriter::Block function(
        out_, fmt::format("extern \"C\" void {}(void* const*{}, const std::int64_t*{})", name_,
                          takes_buffers ? " buffers" : "", takes_parameters ? " parameters" : ""));
    declare_buffers(true);
    declare_parameters(true);
    write(program_.body);
}

void CppKernelWriter::write_internal_function() {
    describe(false);
    std::vector<std::string> parameters;
    for (const Formal& formal : formals())
        parameters.push_back(formal.is_used ? formal.type + " " + formal.name : formal.type);
    out_.list(fmt::format("void {}(", name_), parameters, ") {");
    out_.indent();
    declare_buffers(false);
    declare_parameters(false);
    write(program_.body);
    out_.close();
}

void CppKernelWriter::declare_buffers(bool from_array) {
    int position = 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const ir::BufferInfo& buffer = program_.buffers[i];
        const int slot = is_in_frame(buffer.space) ? -1 : position++;
        if (!usage_.buffers[i]) continue;
        if (is_in_frame(buffer.space))
            out_.line("alignas(64) {} {}[{}];", cpp_type({buffer.element, 1}), buffers_[i], buffer.elements);
        else if (is_passed(i) && from_array)
            out_.line("{0} const {1} = static_cast<{0}>(buffers[{2}]);", pointer_type(buffer), buffers_[i],
                      slot);
    }
}

void CppKernelWriter::declare_parameters(bool from_array) {
    using Kind = ir::VariableInfo::Kind;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (!usage_.variables[i]) continue;
        const ir::VariableInfo& variable = program_.variables[i];
        if (variable.kind == Kind::parameter && from_array)
            out_.line("const std::int64_t {} = parameters[{}];", variables_[i], variable.axis);
        else if (variable.kind == Kind::thread || variable.kind == Kind::block)
            out_.line("const std::int64_t {} = 0;", variables_[i]);
    }
}

void CppKernelWriter::write_typed_overload() {
    std::vector<std::string> formal;
    for (const Formal& each : formals()) formal.push_back(each.type + " " + each.name);
    std::vector<std::string> pointers;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const ir::BufferInfo& buffer = program_.buffers[i];
        if (is_in_frame(buffer.space)) continue;
        const std::string element = cpp_type({buffer.element, 1});
        pointers.push_back(!is_passed(i)    ? "nullptr"
                           : buffer.written ? buffers_[i]
                                            : fmt::format("const_cast<{}*>({})", element, buffers_[i]));
    }
    out_.list(fmt::format("inline void {}(", name_), formal, ") {");
    out_.indent();
    if (!pointers.empty()) out_.list("void* const buffers[] = {", pointers, "};");
    if (!parameter_names().empty()) out_.list("const std::int64_t parameters[] = {", parameter_names(), "};");
    out_.line("{}({}, {});", name_, pointers.empty() ? "static_cast<void* const*>(nullptr)" : "buffers",
              parameter_names().empty() ? "nullptr" : "parameters");
    out_.close();
}

// ---- statements -----------------------------------------------------------------------------------------------

void CppKernelWriter::write(ir::Value value) {
    const ir::Operation& operation = program_[value];
    switch (operation.opcode) {
    case ir::Opcode::constant:
        if (operation.type.lanes == 1) return; // written at its use
        break;
    case ir::Opcode::store: out_.write(store(operation)); return;
    case ir::Opcode::prefetch: return; // a hint
    case ir::Opcode::atomic_add:
        out_.line("{} += {};", element(operation.address), operand(operation.operands[0]));
        return;
    default: break;
    }
    out_.line("const {} v{} = {};", cpp_type(operation.type), value, expression(operation));
}

} // namespace swirl::emit
