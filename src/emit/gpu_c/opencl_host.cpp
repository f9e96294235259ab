// The host functions for OpenCL, in C99: create, enqueue, release.

#include "emit/gpu_c/file.hpp"

namespace swirl::emit {
namespace {

std::string escaped(std::string_view line) {
    std::string result;
    for (const char c : line) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

/// One string literal per line: compilers limit the length of a literal.
void write_source(SourceWriter& out, const std::string& function, std::string_view text) {
    SourceWriter::Block block(out, fmt::format("static const char* {}_source[] =", function), ";");
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        out.line("\"{}\\n\",", escaped(text.substr(0, end)));
        text.remove_prefix(end + 1);
    }
}

std::string_view host_type(const GpuFile& file, DataType scalar) {
    return scalar == DataType::int64 ? "cl_long" : gpu_memory_type(file.dialect(), scalar);
}

void write_tables(SourceWriter& out, const GpuFile& file) {
    for (const GpuFile::PassedTable& table : file.passed_tables()) {
        out.line();
        write_c_table(out, *table.buffer,
                      fmt::format("static const {}", host_type(file, table.buffer->element)), table.name,
                      [&](long double value, DataType scalar) {
                          return gpu_table_entry(file.dialect(), value, scalar);
                      });
    }
}

std::vector<std::string> enqueue_parameters(const GpuFile& file) {
    std::vector<std::string> result = {fmt::format("const struct {}* self", file.function()),
                                       "cl_command_queue queue"};
    for (std::size_t m = 0; m < file.transform().memories.size(); ++m) {
        const GpuTransform::Memory& memory = file.transform().memories[m];
        if (memory.workspace) continue;
        const std::string type =
            memory.by_value ? fmt::format("const {}*", host_type(file, memory.element)) : "cl_mem";
        result.push_back(fmt::format("{} {}", type, file.memory_name(m)));
    }
    if (gpu_workspace_bytes(file.transform()) > 0) result.emplace_back("cl_mem workspace");
    return result;
}

void write_create(SourceWriter& out, const GpuFile& file) {
    const std::string& name = file.function();
    SourceWriter::Block block(
        out,
        fmt::format("cl_int {0}_create(struct {0}* self, cl_context context, cl_device_id device)", name));
    out.line("cl_int error = CL_SUCCESS;");
    out.line("memset(self, 0, sizeof *self);");
    out.line(
        "self->program = clCreateProgramWithSource(context, sizeof {0}_source / sizeof {0}_source[0], "
        "{0}_source, NULL, &error);",
        name);
    out.line(
        "if (error == CL_SUCCESS) error = clBuildProgram(self->program, 1, &device, \"-cl-std=CL1.2\", NULL, "
        "NULL);");
    for (std::size_t k = 0; k < file.kernels().size(); ++k)
        out.line(
            "if (error == CL_SUCCESS) self->kernels[{}] = clCreateKernel(self->program, \"{}\", &error);", k,
            file.kernels()[k].name);
    for (std::size_t t = 0; t < file.passed_tables().size(); ++t) {
        out.line("if (error == CL_SUCCESS)");
        out.line(
            "    self->tables[{0}] = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, "
            "sizeof {1}, (void*){1}, &error);",
            t, file.passed_tables()[t].name);
    }
    out.line("return error;");
}

void write_run(SourceWriter& out, const std::string& name) {
    out.list(
        fmt::format("static cl_int {}_run(", name),
        std::vector<std::string>{"cl_command_queue queue", "cl_kernel kernel", "cl_uint count",
                                 "const cl_mem* buffers", "const size_t* threads", "const size_t* block"},
        ") {");
    out.indent();
    out.line("cl_int error = CL_SUCCESS;");
    out.line("cl_uint i;");
    out.line("for (i = 0; i < count && error == CL_SUCCESS; ++i)");
    out.line("    error = clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]);");
    out.line("if (error == CL_SUCCESS)");
    out.line("    error = clEnqueueNDRangeKernel(queue, kernel, 3, NULL, threads, block, 0, NULL, NULL);");
    out.line("return error;");
    out.close();
}

/// A workspace region, as a sub-buffer that lives during the call.
class WorkspaceRegions {
public:
    explicit WorkspaceRegions(SourceWriter& out) : out_(out) {}

    std::string add(const WorkspaceLayout::Region& region) {
        for (std::size_t p = 0; p < regions_.size(); ++p)
            if (regions_[p].offset == region.offset) return fmt::format("sub_buffers[{}]", p);
        regions_.push_back(region);
        return fmt::format("sub_buffers[{}]", regions_.size() - 1);
    }

    void write_creation() const {
        if (regions_.empty()) return;
        out_.line("cl_mem sub_buffers[{}] = {{NULL}};", regions_.size());
        std::vector<std::string> bounds;
        for (const WorkspaceLayout::Region& region : regions_)
            bounds.push_back(fmt::format("{{{}, {}}}", region.offset, region.bytes()));
        out_.list(fmt::format("const cl_buffer_region regions[{}] = {{", regions_.size()), bounds, "};");
        out_.line("int p;");
        out_.line("for (p = 0; p < {} && error == CL_SUCCESS; ++p)", regions_.size());
        out_.line(
            "    sub_buffers[p] = clCreateSubBuffer(workspace, CL_MEM_READ_WRITE, "
            "CL_BUFFER_CREATE_TYPE_REGION, "
            "&regions[p], &error);");
    }

    void write_release() const {
        if (regions_.empty()) return;
        out_.line("for (p = 0; p < {}; ++p)", regions_.size());
        out_.line(
            "    if (sub_buffers[p] != NULL) clReleaseMemObject(sub_buffers[p]); // commands keep it while "
            "they run");
    }

private:
    SourceWriter& out_;
    std::vector<WorkspaceLayout::Region> regions_;
};

std::vector<std::string> actuals(const GpuFile& file, const GpuFile::KernelLaunch& launch,
                                 WorkspaceRegions& regions) {
    const WorkspaceLayout& workspace = file.workspace();
    std::vector<std::string> result;
    for (const GpuFile::Actual& actual : launch.actuals) {
        if (file.kernels()[launch.kernel].buffer(actual.buffer).by_value) continue;
        if (actual.table) {
            result.push_back(fmt::format("self->tables[{}]", *actual.table));
        } else if (actual.scratch) {
            result.push_back(regions.add(workspace.scratch.at(*actual.scratch)));
        } else if (const auto region = workspace.memories.find(*actual.memory);
                   region != workspace.memories.end()) {
            result.push_back(regions.add(region->second));
        } else {
            result.push_back(file.memory_name(*actual.memory));
        }
    }
    return result;
}

/// Sets the arguments after the memory objects: by-value elements one by one, then flags. Returns whether there are
/// any.
bool set_values(SourceWriter& out, const GpuFile& file, const GpuFile::KernelLaunch& launch,
                std::size_t position) {
    const std::size_t first = position;
    for (const GpuFile::Actual& actual : launch.actuals) {
        const ir::BufferInfo& buffer = file.kernels()[launch.kernel].buffer(actual.buffer);
        for (Integer i = 0; buffer.by_value && i < buffer.elements; ++i)
            out.line("if (error == CL_SUCCESS) error = clSetKernelArg(self->kernels[{}], {}, {}, {} + {});",
                     launch.kernel, position++, bytes_of(buffer.element), file.memory_name(*actual.memory),
                     i);
    }
    for (std::size_t k = 0; k < launch.flags.size(); ++k)
        out.line("if (error == CL_SUCCESS) error = clSetKernelArg(self->kernels[{}], {}, 8, &flag_{});",
                 launch.kernel, position++, k);
    return position > first;
}

void write_launch(SourceWriter& out, const GpuFile& file, const GpuFile::KernelLaunch& launch,
                  const std::vector<std::string>& buffers) {
    const ir::Launch& shape = file.kernels()[launch.kernel].program->launch;
    std::vector<Integer> threads;
    for (std::size_t axis = 0; axis < 3; ++axis) threads.push_back(shape.blocks[axis] * shape.threads[axis]);
    if (&launch != &file.launches().front())
        out.line("if (error == CL_SUCCESS) error = clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);");
    const std::string condition =
        launch.condition ? fmt::format(" && {} != 0", file.text_of(*launch.condition)) : "";
    SourceWriter::Block block(out, fmt::format("if (error == CL_SUCCESS{})", condition));
    out.line("const size_t threads[3] = {{{}}};", fmt::join(threads, ", "));
    out.line("const size_t block[3] = {{{}}};", fmt::join(shape.threads, ", "));
    out.line("const cl_mem buffers[{}] = {{{}}};", buffers.size(), fmt::join(buffers, ", "));
    for (std::size_t k = 0; k < launch.flags.size(); ++k)
        out.line("const cl_long flag_{} = {} != 0;", k, file.text_of(launch.flags[k]));
    const bool may_have_failed = set_values(out, file, launch, buffers.size());
    out.line("{}error = {}_run(queue, self->kernels[{}], {}, buffers, threads, block);",
             may_have_failed ? "if (error == CL_SUCCESS) " : "", file.function(), launch.kernel,
             buffers.size());
}

void write_enqueue(SourceWriter& out, const GpuFile& file) {
    WorkspaceRegions regions(out);
    std::vector<std::vector<std::string>> buffers;
    for (const GpuFile::KernelLaunch& launch : file.launches())
        buffers.push_back(actuals(file, launch, regions));
    out.list(fmt::format("cl_int {}_enqueue(", file.function()), enqueue_parameters(file), ") {");
    out.indent();
    out.line("cl_int error = CL_SUCCESS;");
    file.write_unused(out);
    regions.write_creation();
    for (std::size_t s = 0; s < buffers.size(); ++s) write_launch(out, file, file.launches()[s], buffers[s]);
    regions.write_release();
    out.line("return error;");
    out.close();
}

void write_release(SourceWriter& out, const GpuFile& file) {
    SourceWriter::Block block(out, fmt::format("void {0}_release(struct {0}* self)", file.function()));
    const auto release_all = [&](std::size_t count, const char* member, const char* function) {
        if (count == 0) return;
        out.line("for (i = 0; i < {}; ++i)", count);
        out.line("    if (self->{0}[i] != NULL) {1}(self->{0}[i]);", member, function);
    };
    out.line("int i;");
    release_all(file.passed_tables().size(), "tables", "clReleaseMemObject");
    release_all(file.kernels().size(), "kernels", "clReleaseKernel");
    out.line("if (self->program != NULL) clReleaseProgram(self->program);");
}

} // namespace

void write_opencl_declarations(SourceWriter& out, const GpuFile& file) {
    const std::string& name = file.function();
    out.paragraph("#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n#endif\n");
    out.directive(fmt::format("#include <{}>", file.dialect().runtime_header));
    out.paragraph("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    out.directive(fmt::format("#ifndef {}_declared", name));
    out.directive(fmt::format("#define {}_declared", name));
    if (const Integer bytes = gpu_workspace_bytes(file.transform()); bytes > 0)
        out.directive(fmt::format("#define {}_workspace_bytes {}", name, bytes));
    {
        SourceWriter::Block block(out, fmt::format("struct {}", name), ";");
        out.line("cl_program program;");
        out.line("cl_kernel kernels[{}];", file.kernels().size());
        if (!file.passed_tables().empty()) out.line("cl_mem tables[{}];", file.passed_tables().size());
    }
    out.comment(
        "Builds the program. To be released in any case: where an error is returned, the program's build log "
        "has "
        "what the compiler says.");
    out.line("cl_int {0}_create(struct {0}* self, cl_context context, cl_device_id device);", name);
    out.comment("Runs it once; one thread at a time for each created program. The memory objects:");
    file.describe_arguments(out);
    out.list(fmt::format("cl_int {}_enqueue(", name), enqueue_parameters(file), ");");
    out.line("void {0}_release(struct {0}* self);", name);
    out.directive("#endif");
    out.paragraph("\n#ifdef __cplusplus\n} // extern \"C\"\n#endif\n");
}

void write_opencl_host(SourceWriter& out, const GpuFile& file, std::string_view kernels) {
    out.comment("OpenCL 1.2, from C99 or C++.");
    write_opencl_declarations(out, file);
    out.line();
    out.directive("#include <string.h>");
    out.line();
    write_source(out, file.function(), kernels);
    write_tables(out, file);
    for (const auto& write : {write_release, write_create}) {
        out.line();
        write(out, file);
    }
    out.line();
    write_run(out, file.function());
    out.line();
    write_enqueue(out, file);
}

} // namespace swirl::emit
