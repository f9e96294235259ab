#include "emit/cpp/transform.hpp"

#include "base/error.hpp"
#include "emit/cpp/file.hpp"

#include <algorithm>

namespace swirl::emit {
namespace {

/// Workspace of one kernel: buffers begin at multiples of a cache line, with a small gap, so that equal indices of two
/// buffers do not compete for the same cache sets.
constexpr std::size_t cache_line = 64;
constexpr std::size_t padding = 2 * cache_line;

std::size_t bytes_of(const ir::BufferInfo& buffer) {
    const std::size_t bytes = static_cast<std::size_t>(buffer.elements * bytes_of(buffer.element));
    return (bytes + cache_line - 1) / cache_line * cache_line + padding;
}

bool has_parameters(const ir::Program& program) {
    return std::any_of(
        program.variables.begin(), program.variables.end(),
        [](const ir::VariableInfo& variable) { return variable.kind == ir::VariableInfo::Kind::parameter; });
}

/// The distinct programs, in order of first use.
std::vector<const ir::Program*> programs_of(const CppTransform& transform) {
    std::vector<const ir::Program*> programs;
    for (const CppTransform::KernelCall& call : transform.calls) {
        ensure(!has_parameters(*call.program), "kernel '{}' takes integers; a transform's kernels must not",
               call.program->name);
        if (std::find(programs.begin(), programs.end(), call.program) == programs.end())
            programs.push_back(call.program);
    }
    return programs;
}

std::string workspace_macro(const CppTransform& transform, const std::string& function) {
    return cpp_workspace_bytes(transform) == 0 ? "" : function + "_workspace_bytes";
}

/// Names of the function and its arguments, shared by file and header.
struct Signature {
    std::string function;
    std::vector<std::string> arguments;
    std::string workspace; ///< empty: none
    std::vector<std::string> formals;

    Signature(const CppTransform& transform, Identifiers& names) : function(names.unique(transform.name)) {
        Identifiers inside = names;
        for (const CppTransform::Argument& argument : transform.arguments) {
            arguments.push_back(inside.unique(argument.name));
            formals.push_back(fmt::format("{}{}* {}", argument.written ? "" : "const ",
                                          cpp_type({argument.element, 1}), arguments.back()));
        }
        if (cpp_workspace_bytes(transform) == 0) return;
        workspace = inside.unique("workspace");
        formals.push_back("void* " + workspace);
    }
};

Identifiers reserved_names() {
    Identifiers names;
    reserve_prelude_names(names);
    return names;
}

/// The expression passed for each of a kernel's buffers.
std::vector<std::string> actuals(const CppTransform& transform, const CppTransform::KernelCall& call,
                                 const Signature& signature) {
    std::vector<std::string> result;
    std::size_t argument = 0;
    std::size_t offset = 0;
    for (const ir::BufferInfo& buffer : call.program->buffers) {
        if (buffer.space == ir::Space::argument) {
            ensure(argument < call.arguments.size() && call.arguments[argument] < transform.arguments.size(),
                   "kernel '{}' has more arguments than its call names", call.program->name);
            const std::size_t which = call.arguments[argument++];
            ensure(transform.arguments[which].element == buffer.element &&
                       (transform.arguments[which].written || !buffer.written),
                   "argument '{}' cannot be '{}' of kernel '{}'", transform.arguments[which].name,
                   buffer.name, call.program->name);
            result.push_back(signature.arguments[which]);
        } else if (buffer.space == ir::Space::scratch) {
            const Integer origin = static_cast<Integer>(offset) - buffer.first * bytes_of(buffer.element);
            result.push_back(
                fmt::format("at<{}>({}, {})", cpp_type({buffer.element, 1}), signature.workspace, origin));
            offset += bytes_of(buffer);
        }
    }
    ensure(argument == call.arguments.size(), "kernel '{}' has fewer arguments than its call names",
           call.program->name);
    return result;
}

constexpr std::string_view address_in_workspace = R"(
// The element of index 0 of an array in the workspace.
template <class T> T* at(void* workspace, std::int64_t bytes) {
    return static_cast<T*>(static_cast<void*>(static_cast<char*>(workspace) + bytes));
}
)";

} // namespace

std::size_t cpp_workspace_bytes(const CppTransform& transform) {
    std::size_t most = 0;
    for (const CppTransform::KernelCall& call : transform.calls) {
        std::size_t bytes = 0;
        for (const ir::BufferInfo& buffer : call.program->buffers)
            if (buffer.space == ir::Space::scratch) bytes += bytes_of(buffer);
        most = std::max(most, bytes);
    }
    return most;
}

std::string emit_cpp(const CppTransform& transform, const CppOptions& options) {
    const std::vector<const ir::Program*> programs = programs_of(transform);
    CppOptions embedding = options;
    embedding.embed_tables = true;
    Identifiers names = reserved_names();
    names.reserve("at");
    const Signature signature(transform, names);
    CppFile file(programs, embedding, names);
    SourceWriter& out = file.out();
    file.write_head();
    out.line();
    out.write("namespace {");
    for (std::size_t i = 0; i < programs.size(); ++i) file.write_kernel(i, CppFile::Convention::by_name);
    if (!signature.workspace.empty()) out.paragraph(address_in_workspace);
    out.line();
    out.write("} // namespace");
    out.line();
    if (!signature.workspace.empty())
        out.comment(fmt::format("workspace: {} bytes, contents irrelevant.", cpp_workspace_bytes(transform)));
    out.list(fmt::format("extern \"C\" void {}(", signature.function), signature.formals, ") {");
    out.indent();
    for (const CppTransform::KernelCall& call : transform.calls) {
        const auto at = std::find(programs.begin(), programs.end(), call.program) - programs.begin();
        out.list(file.function(static_cast<std::size_t>(at)) + "(", actuals(transform, call, signature),
                 ");");
    }
    out.close();
    return std::move(file).text();
}

std::string emit_cpp_header(const CppTransform& transform, const CppOptions& options) {
    Identifiers names = reserved_names();
    names.reserve("at");
    const Signature signature(transform, names);
    SourceWriter out;
    if (!options.comment.empty()) out.comment(options.comment);
    const std::string macro = workspace_macro(transform, signature.function);
    out.paragraph("#pragma once\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (!macro.empty()) {
        out.comment("Bytes of workspace, contents irrelevant.");
        out.directive(fmt::format("#define {} {}", macro, cpp_workspace_bytes(transform)));
    }
    out.list(fmt::format("void {}(", signature.function), signature.formals, ");");
    out.paragraph("\n#ifdef __cplusplus\n} // extern \"C\"\n#endif\n");
    return std::move(out).text();
}

} // namespace swirl::emit
