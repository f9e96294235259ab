#pragma once

#include "ir/program.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Programs for a GPU as text in CUDA C++, HIP or OpenCL C, with a function for the host that runs them. Every operation
/// means what ir::interpret says: the text contracts and reorders nothing.
namespace swirl::emit {

enum class GpuLanguage : std::uint8_t { cuda, hip, opencl };

/// "cuda", "hip" and "opencl".
std::string_view name_of(GpuLanguage language);
/// UserError naming them for any other.
GpuLanguage gpu_language_named(std::string_view name);

/// Whether kernels may run in clusters of blocks; and in groups of blocks that wait for each other.
bool has_clusters(GpuLanguage language);
bool has_groups(GpuLanguage language);
/// Whether kernels may have instructions of NVIDIA's tensor cores.
bool has_tensor_cores(GpuLanguage language);

/// Kernels that one function of the host runs one after the other. Scratch buffers are part of the workspace; those of the
/// same name are the same memory in all of them.
struct GpuTransform {
    /// Memory of the GPU that steps share: what the caller passes, or workspace between steps.
    struct Memory {
        std::string name; ///< such as "in", "out", "data", "in_re"
        ir::Scalar element = ir::Scalar::float32;
        bool written = false;  ///< of an argument: not const
        bool by_value = false; ///< numbers in the host's memory, which the launch hands over
        bool workspace =
            false; ///< part of the one workspace that the function takes, contents undefined before
        Integer elements = 0; ///< of workspace
    };
    /// An integer parameter of a program: 1 where this number, passed by value, is not zero, else 0.
    struct Flag {
        std::size_t memory = 0;
        Integer index = 0;
    };
    struct Step {
        const ir::Program* program = nullptr; ///< for a GPU
        std::vector<std::size_t>
            memories;                 ///< for each of its argument buffers in order, which of the transform's
        std::vector<Flag> flags = {}; ///< for each of its integer parameters in order
        std::optional<Flag> condition = {}; ///< it runs where this number is not zero; nothing: always
    };

    std::string name; ///< of the function
    std::vector<Memory> memories;
    std::vector<Step> steps;
};

struct GpuSourceOptions {
    GpuLanguage language = GpuLanguage::cuda;
    /// Arguments of the function may be the same memory, as in place: no kernel may assume that they differ.
    bool arguments_overlap = false;
    std::string comment = {}; ///< words at the head of the file
};

/// Bytes of workspace that the function wants; with 0 it has no such argument.
Integer gpu_workspace_bytes(const GpuTransform& transform);

/// The kernels alone, with the tables that are constants: for a compiler at run time. Tables too large for constants
/// (in OpenCL C) are arguments of the kernels, after the others.
std::string emit_gpu_kernels(const GpuTransform& transform, const GpuSourceOptions& options = {});

/// One file: the kernels and the function that runs them, which needs nothing but the language's runtime.
///
/// CUDA C++ and HIP (with hip for cuda), on memory of the GPU, in the stream's order:
///     extern "C" cudaError_t NAME(const float* in, float* out, void* workspace, cudaStream_t stream);
/// It allocates nothing. Compilers at run time see the kernels alone.
///
/// OpenCL, in C99, the kernels as text inside:
///     cl_int NAME_create(struct NAME* self, cl_context context, cl_device_id device);
///     cl_int NAME(const struct NAME* self, cl_command_queue queue, cl_mem in, cl_mem out, cl_mem workspace);
///     void NAME_release(struct NAME* self);
///
/// Shared memory beyond 48 KiB is asked for by the function in CUDA C++ and HIP; OpenCL has no such question, and returns an
/// error where the device has less.
///
/// Clusters of blocks need compute capability 9.0; blocks that wait for each other are launched all at once, and the function
/// returns an error where the GPU does not run so many.
///
/// UserError where the language lacks something: atomic additions in OpenCL C, of 16-bit numbers everywhere; clusters in
/// HIP and OpenCL C, groups of blocks in OpenCL C.
std::string emit_gpu(const GpuTransform& transform, const GpuSourceOptions& options = {});

/// The declarations that go with it.
std::string emit_gpu_header(const GpuTransform& transform, const GpuSourceOptions& options = {});

} // namespace swirl::emit
