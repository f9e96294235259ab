#pragma once

#include "ir/program.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Emits GPU programs as text in CUDA C++, HIP or OpenCL C, with a host function that launches them. Every operation
/// means what ir::interpret says: the text contracts and reorders nothing.
namespace swirl::emit {

enum class GpuLanguage : std::uint8_t { cuda, hip, opencl };

/// "cuda", "hip" and "opencl".
std::string_view name_of(GpuLanguage language);
/// Inverse of name_of; UserError listing the valid names for any other.
GpuLanguage gpu_language_named(std::string_view name);

/// Whether kernels may run in thread block clusters, and in cooperative groups of blocks that wait for each other.
bool has_clusters(GpuLanguage language);
bool has_cooperative_groups(GpuLanguage language);
/// Whether kernels may use NVIDIA's tensor-core instructions.
bool has_tensor_cores(GpuLanguage language);

/// Kernels that one host function launches in sequence. Scratch buffers lie in the workspace; kernels share those of
/// the same name.
struct GpuTransform {
    /// GPU memory that launches share: passed by the caller, or workspace between kernels.
    struct Memory {
        std::string name; ///< such as "input", "output", "data", "input_re"
        DataType element = DataType::float32;
        bool written = false;   ///< of an argument: not const
        bool by_value = false;  ///< elements in host memory, passed with the launch
        bool workspace = false; ///< region of the workspace that the function takes, initially undefined
        Integer elements = 0;   ///< of a workspace region
    };
    /// An integer parameter of a program: 1 if this element of a by-value memory is nonzero, else 0.
    struct Flag {
        std::size_t memory = 0;
        Integer index = 0;
    };
    struct KernelLaunch {
        const ir::Program* program = nullptr; ///< for a GPU
        std::vector<std::size_t>
            memories; ///< for each argument buffer in order: index into the transform's memories
        std::vector<Flag> flags = {};       ///< for each integer parameter in order
        std::optional<Flag> condition = {}; ///< launched only if this value is nonzero; nothing: always
    };

    std::string name; ///< of the function
    std::vector<Memory> memories;
    std::vector<KernelLaunch> launches;
};

struct GpuSourceOptions {
    GpuLanguage language = GpuLanguage::cuda;
    /// Arguments may alias, as in place: kernels must not assume that they are disjoint.
    bool arguments_overlap = false;
    std::string comment = {}; ///< comment at the head of the file
};

/// Bytes of workspace that the function takes; 0: no such argument.
Integer gpu_workspace_bytes(const GpuTransform& transform);

/// Only the kernels and their constant tables, for a runtime compiler. Tables too large for constant memory (OpenCL C)
/// become the kernels' last arguments.
std::string emit_gpu_kernels(const GpuTransform& transform, const GpuSourceOptions& options = {});

/// One file with the kernels and the host function that launches them; it depends only on the language's runtime.
///
/// CUDA C++ and HIP (with hip for cuda), on GPU memory, ordered by the stream:
///     extern "C" cudaError_t NAME(const float* in, float* out, void* workspace, cudaStream_t stream);
/// The function allocates nothing. Runtime compilers see only the kernels.
///
/// OpenCL, in C99 with the kernels embedded as text:
///     cl_int NAME_create(struct NAME* self, cl_context context, cl_device_id device);
///     cl_int NAME(const struct NAME* self, cl_command_queue queue, cl_mem in, cl_mem out, cl_mem workspace);
///     void NAME_release(struct NAME* self);
///
/// In CUDA C++ and HIP, the function requests shared memory beyond 48 KiB; OpenCL needs no request and returns an error
/// if the device has less.
///
/// Thread block clusters need compute capability 9.0. Blocks of cooperative groups must all be resident: the function
/// returns an error if the GPU cannot hold them at once.
///
/// UserError for what a language lacks: atomic additions in OpenCL C, of 16-bit types in any language; clusters in HIP
/// and OpenCL C; cooperative groups in OpenCL C.
std::string emit_gpu(const GpuTransform& transform, const GpuSourceOptions& options = {});

/// The matching declarations.
std::string emit_gpu_header(const GpuTransform& transform, const GpuSourceOptions& options = {});

} // namespace swirl::emit
