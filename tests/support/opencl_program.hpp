#pragma once

#include "support/run_program.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Running emitted OpenCL in tests.
namespace swirl::support {

/// A file of emitted OpenCL for C99, and the contents of its function's memory objects before the call; `run_opencl`
/// replaces them by those after it.
struct OpenclRun {
    std::string name; ///< of the function
    std::string text;
    bool has_workspace = false;
    std::vector<std::vector<unsigned char>> memories;
    std::set<std::size_t> by_value = {}; ///< which of them are host memory
};

namespace opencl {

/// Finds a device and transfers memory objects from and to files.
inline constexpr std::string_view frame = R"(
#include <stdio.h>
#include <stdlib.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

int expect(cl_int error, const char* what) {
    if (error != CL_SUCCESS) fprintf(stderr, "%s: error %d\n", what, (int)error);
    return error == CL_SUCCESS;
}

void explain(cl_program program) {
    static char log[100000];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
}

void* bytes_of(const char* name, size_t bytes) {
    char* data = malloc(bytes + 1);
    FILE* file = fopen(name, "rb");
    if (file == NULL || fread(data, 1, bytes, file) != bytes) exit(3);
    fclose(file);
    return data;
}

cl_mem from_file(const char* name, size_t bytes) {
    void* data = bytes_of(name, bytes);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, NULL);
    free(data);
    return memory;
}

void to_file(const char* name, size_t bytes, cl_mem memory) {
    char* data = malloc(bytes + 1);
    FILE* file = fopen(name, "wb");
    if (!expect(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "read")) exit(3);
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) exit(3);
    clReleaseMemObject(memory);
    free(data);
}

int start(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0, p;
    cl_int error = CL_DEVICE_NOT_FOUND;
    clGetPlatformIDs(16, platforms, &count);
    for (p = 0; p < count && p < 16 && error != CL_SUCCESS; ++p)
        error = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (!expect(error, "device")) return 0;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (!expect(error, "context")) return 0;
    queue = clCreateCommandQueue(context, device, 0, &error);
    return expect(error, "queue");
}
)";

inline std::string file_name(std::size_t run, std::size_t memory) {
    return fmt::format("{}_{}", run, memory);
}

inline std::string case_text(const OpenclRun& run, std::size_t index) {
    const std::string& name = run.name;
    std::string text = run.text;
    std::string made, kept, passed;
    for (std::size_t m = 0; m < run.memories.size(); ++m) {
        const std::size_t bytes = run.memories[m].size();
        passed += fmt::format(", m{}", m);
        if (run.by_value.count(m) > 0) {
            made += fmt::format("    void* m{} = bytes_of(\"{}\", {});\n", m, file_name(index, m), bytes);
            kept += fmt::format("    free(m{});\n", m);
            continue;
        }
        made += fmt::format("    cl_mem m{} = from_file(\"{}\", {});\n", m, file_name(index, m), bytes);
        kept += fmt::format("    to_file(\"{}\", {}, m{});\n", file_name(index, m), bytes, m);
    }
    if (run.has_workspace) {
        made += fmt::format("    cl_mem w = clCreateBuffer(context, CL_MEM_READ_WRITE, {}, NULL, NULL);\n",
                            name + "_workspace_bytes");
        kept += "    clReleaseMemObject(w);\n";
        passed += ", w";
    }
    text += fmt::format("\nint case_{}(void) {{\n    struct {} self;\n", index, name);
    text += made;
    text += fmt::format(
        "    if (!expect({}_create(&self, context, device), \"{}\")) {{\n"
        "        explain(self.program);\n        return 0;\n    }}\n",
        name, name);
    text += fmt::format("    if (!expect({}_enqueue(&self, queue{}), \"enqueue {}\")) return 0;\n", name,
                        passed, name);
    text += fmt::format("    {}_release(&self);\n", name);
    return text + kept + "    return 1;\n}\n";
}

inline std::string program_of(const std::vector<OpenclRun>& runs) {
    std::string text, calls;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        text += case_text(runs[r], r);
        calls += fmt::format(" && case_{}()", r);
    }
    return fmt::format(
        "#define CL_TARGET_OPENCL_VERSION 120\n#include <CL/cl.h>\n{}\n{}\nint main(void) {{\n"
        "    return start(){} ? 0 : 1;\n}}\n",
        frame, text, calls);
}

/// Compiles and runs in the folder; OpenCL's kernel cache stays there too.
inline Outcome run_in(const std::filesystem::path& folder, const std::string& program) {
    std::ofstream(folder / "program.c") << program;
    return run_command("cd " + quoted(folder.string()) +
                       " && cc -std=c99 -O0 -Wall -Wextra -Wpedantic -Werror -o program program.c "
                       "-lOpenCL && POCL_CACHE_DIR=$PWD POCL_MAX_PTHREAD_COUNT=2 ./program");
}

} // namespace opencl

/// Why no OpenCL program runs here; nothing if one does: a C compiler, the headers and a device are present.
inline std::optional<std::string> opencl_is_missing() {
    const TemporaryFolder folder;
    const Outcome outcome = opencl::run_in(folder.path(), opencl::program_of({}));
    if (outcome.status == 0) return std::nullopt;
    return "OpenCL does not run here: " + outcome.errors;
}

/// Runs all in one program that consists only of their texts and OpenCL calls. Returns the error message, if any.
inline std::string run_opencl(std::vector<OpenclRun>& runs) {
    const TemporaryFolder folder;
    for (std::size_t r = 0; r < runs.size(); ++r)
        for (std::size_t m = 0; m < runs[r].memories.size(); ++m)
            std::ofstream(folder.path() / opencl::file_name(r, m), std::ios::binary)
                .write(reinterpret_cast<const char*>(runs[r].memories[m].data()),
                       static_cast<std::streamsize>(runs[r].memories[m].size()));
    const Outcome outcome = opencl::run_in(folder.path(), opencl::program_of(runs));
    if (outcome.status != 0) return outcome.errors + "status " + std::to_string(outcome.status);
    for (std::size_t r = 0; r < runs.size(); ++r)
        for (std::size_t m = 0; m < runs[r].memories.size(); ++m) {
            const std::string content = content_of(folder.path() / opencl::file_name(r, m));
            runs[r].memories[m].assign(content.begin(), content.end());
        }
    return outcome.errors;
}

} // namespace swirl::support
