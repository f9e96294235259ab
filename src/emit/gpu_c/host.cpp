// The host function in CUDA C++ and HIP, whose runtime APIs differ in the prefix of their names.

#include "base/error.hpp"
#include "emit/gpu_c/file.hpp"

namespace swirl::emit {
namespace {

std::vector<std::string> host_parameters(const GpuFile& file) {
    std::vector<std::string> result;
    const GpuTransform& transform = file.transform();
    for (std::size_t m = 0; m < transform.memories.size(); ++m) {
        const GpuTransform::Memory& memory = transform.memories[m];
        if (memory.workspace) continue;
        result.push_back(fmt::format("{}{}* {}", memory.written ? "" : "const ",
                                     gpu_memory_type(file.dialect(), memory.element), file.memory_name(m)));
    }
    if (gpu_workspace_bytes(transform) > 0) result.emplace_back("void* workspace");
    result.push_back(fmt::format("{}Stream_t stream", file.dialect().runtime));
    return result;
}

/// Cluster size that every GPU with clusters supports without opt-in.
constexpr Integer largest_portable_cluster = 8;

void declare_in_workspace(SourceWriter& out, std::string_view type, std::string_view name, Integer offset) {
    out.line("{0}* {1} = reinterpret_cast<{0}*>(static_cast<char*>(workspace) + {2});", type, name, offset);
}

void write_launch(SourceWriter& out, const GpuFile& file, const GpuFile::KernelLaunch& launch) {
    const GpuDialect& dialect = file.dialect();
    const GpuKernel& kernel = file.kernels()[launch.kernel];
    const std::string_view runtime = dialect.runtime;
    SourceWriter::Block block(
        out, launch.condition ? fmt::format("if ({} != 0)", file.text_of(*launch.condition)) : "");
    std::vector<std::string> arguments, zeroed;
    for (const GpuFile::Actual& actual : launch.actuals) {
        if (const ir::BufferInfo& buffer = kernel.buffer(actual.buffer); buffer.by_value) {
            for (Integer i = 0; i < buffer.elements; ++i)
                arguments.push_back(fmt::format("const_cast<{}*>({} + {})",
                                                gpu_memory_type(dialect, buffer.element),
                                                file.memory_name(*actual.memory), i));
            continue;
        }
        if (actual.memory) {
            arguments.push_back("&" + file.memory_name(*actual.memory));
            continue;
        }
        const std::string name = fmt::format("scratch_{}", actual.buffer);
        declare_in_workspace(out, gpu_memory_type(dialect, kernel.buffer(actual.buffer).element), name,
                             file.workspace().scratch.at(*actual.scratch).offset_of_zero());
        arguments.push_back("&" + name);
        const ir::BufferInfo& buffer = kernel.buffer(actual.buffer);
        if (buffer.zeroed)
            zeroed.push_back(fmt::format("error = {}MemsetAsync({}, 0, {}, stream);", runtime, name,
                                         buffer.elements * bytes_of(buffer.element)));
    }
    for (std::size_t k = 0; k < launch.flags.size(); ++k) {
        out.line("{} flag_{} = {} != 0;", dialect.wide_integer, k, file.text_of(launch.flags[k]));
        arguments.push_back(fmt::format("&flag_{}", k));
    }
    out.list("void* arguments[] = {", arguments, "};");
    const std::string function = fmt::format("reinterpret_cast<const void*>(&{})", kernel.name);
    const auto run = [&](const std::string& call) {
        out.write(call);
        out.line("if (error != {}Success) return error;", runtime);
    };
    for (const std::string& call : zeroed) run(call);
    const Integer shared = kernel.dynamic_shared_bytes;
    if (shared > 0)
        run(fmt::format("error = {0}FuncSetAttribute({1}, {0}FuncAttributeMaxDynamicSharedMemorySize, {2});",
                        runtime, function, shared));
    const ir::Launch& shape = kernel.program->launch;
    if (shape.cluster > largest_portable_cluster)
        run(fmt::format("error = {0}FuncSetAttribute({1}, {0}FuncAttributeNonPortableClusterSizeAllowed, 1);",
                        runtime, function));
    const std::string_view at_once = shape.cooperative_group > 1 ? "Cooperative" : "";
    run(fmt::format("error = {}Launch{}Kernel({}, dim3({}), dim3({}), arguments, {}, stream);", runtime,
                    at_once, function, fmt::join(shape.blocks, ", "), fmt::join(shape.threads, ", "),
                    shared));
}

} // namespace

void write_host(SourceWriter& out, const GpuFile& file) {
    const GpuDialect& dialect = file.dialect();
    const GpuTransform& transform = file.transform();
    out.line();
    out.directive(fmt::format("#if !defined({})", dialect.runtime_compiler));
    out.comment(fmt::format("{}, on memory of the GPU, in the stream's order:", transform.name));
    file.describe_arguments(out);
    out.list(fmt::format("extern \"C\" {}Error_t {}(", dialect.runtime, file.function()),
             host_parameters(file), ") {");
    out.indent();
    file.write_unused(out);
    for (const auto& [m, region] : file.workspace().memories)
        if (file.uses(m))
            declare_in_workspace(out, gpu_memory_type(dialect, transform.memories[m].element),
                                 file.memory_name(m), region.offset_of_zero());
    out.line("{0}Error_t error = {0}Success;", dialect.runtime);
    for (const GpuFile::KernelLaunch& launch : file.launches()) write_launch(out, file, launch);
    out.line("return error;");
    out.close();
    out.directive("#endif");
}

void write_host_declaration(SourceWriter& out, const GpuFile& file) {
    out.directive(fmt::format("#include <{}>", file.dialect().runtime_header));
    out.paragraph("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (const Integer bytes = gpu_workspace_bytes(file.transform()); bytes > 0)
        out.directive(fmt::format("#define {}_workspace_bytes {}", file.function(), bytes));
    out.comment("On memory of the GPU, in the stream's order:");
    file.describe_arguments(out);
    out.list(fmt::format("{}Error_t {}(", file.dialect().runtime, file.function()), host_parameters(file),
             ");");
    out.paragraph("\n#ifdef __cplusplus\n} // extern \"C\"\n#endif\n");
}

} // namespace swirl::emit
