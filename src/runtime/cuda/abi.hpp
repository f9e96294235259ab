#pragma once

#include <cstddef>
#include <cstdint>

/// The subset of the CUDA driver's ABI that swirl uses. It lets swirl build without CUDA and load the driver library at
/// run time. Names, values and layouts are those of the ABI; tests/runtime/cuda_abi_test.cpp compares them with
/// <cuda.h> where that is installed.
namespace swirl::runtime::cuda {

using Result = int;            ///< CUresult
using DeviceHandle = int;      ///< CUdevice
using Address = std::uint64_t; ///< CUdeviceptr: GPU-accessible memory; equals the pointer in the program
using Context = struct ContextOfDriver*;
using Module = struct ModuleOfDriver*;
using Function = struct FunctionOfDriver*;
using Stream = struct StreamOfDriver*; ///< also cudaStream_t
using Event = struct EventOfDriver*;
using Link = struct LinkOfDriver*; ///< CUlinkState
using Graph = struct GraphOfDriver*;
using GraphExec = struct GraphExecOfDriver*; ///< CUgraphExec

/// The results that swirl distinguishes; all others are unexpected.
enum : Result {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    stub_library = 34,
    device_unavailable = 46,
    no_device = 100,
    invalid_image = 200,
    invalid_context = 201,
    no_binary_for_gpu = 209,
    invalid_ptx = 218,
    compiler_not_found = 221,
    unsupported_ptx_version = 222,
    compilation_disabled = 223,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    peer_access_already_enabled = 704,
    assertion = 710,
    hardware_stack_error = 714,
    launch_failed = 719,
};

enum class DeviceAttribute : int {
    threads_per_block = 1,
    shared_bytes_per_block = 8,
    warp_size = 10,
    clock_khz = 13, ///< the highest
    multiprocessors = 16,
    memory_clock_khz = 36,
    memory_bus_bits = 37,
    l2_bytes = 38,
    threads_per_multiprocessor = 39,
    capability_major = 75,
    capability_minor = 76,
    shared_bytes_per_multiprocessor = 81,
    registers_per_multiprocessor = 82,
    max_shared_bytes_per_block = 97,
    blocks_per_multiprocessor = 106,
    shared_bytes_reserved = 111,
    memory_pools = 115, ///< whether stream-ordered allocation is supported
    cluster_launch = 120,
};

enum class FunctionAttribute : int {
    threads_per_block = 0,
    static_shared_bytes = 1,
    constant_bytes = 2,
    local_bytes = 3,
    registers = 4,
    binary_version = 6,
    max_dynamic_shared_bytes = 8,
    any_cluster_size = 14,
};

enum class PointerAttribute : int {
    memory_type = 2,
    is_managed = 8,
    device_ordinal = 9,
    range_begin = 11, ///< of the allocation
    range_bytes = 12,
};

enum class MemoryType : unsigned { unknown = 0, host = 1, device = 2, array = 3, unified = 4 };

enum class CompileOption : int {
    max_registers = 0,
    information = 3, ///< buffer for text
    information_bytes = 4,
    errors = 5, ///< buffer for text
    errors_bytes = 6,
    optimization = 7,
    verbose = 12,
};

constexpr int link_input_ptx = 1; ///< CU_JIT_INPUT_PTX

/// CUtensorMapDataType.
enum class TensorElement : int {
    uint8 = 0,
    uint16 = 1,
    uint32 = 2,
    int32 = 3,
    uint64 = 4,
    int64 = 5,
    float16 = 6,
    float32 = 7,
    float64 = 8,
    bfloat16 = 9,
    float32_to_tf32 = 11, ///< CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
};
constexpr int tensor_not_interleaved = 0; ///< CU_TENSOR_MAP_INTERLEAVE_NONE
constexpr int tensor_not_swizzled = 0;    ///< CU_TENSOR_MAP_SWIZZLE_NONE
constexpr int tensor_swizzled_32 = 1;     ///< CU_TENSOR_MAP_SWIZZLE_32B
constexpr int tensor_swizzled_64 = 2;     ///< CU_TENSOR_MAP_SWIZZLE_64B
constexpr int tensor_swizzled_128 = 3;    ///< CU_TENSOR_MAP_SWIZZLE_128B
constexpr int tensor_promotion_256 = 3;   ///< CU_TENSOR_MAP_L2_PROMOTION_L2_256B
constexpr int tensor_zeros_outside = 0;   ///< CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE

constexpr unsigned stream_non_blocking = 1; ///< not ordered with the default stream
constexpr int capture_none = 0;             ///< CU_STREAM_CAPTURE_STATUS_NONE
constexpr int capture_of_this_thread = 1;   ///< CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

/// CUlaunchAttribute, with only those members of its 64-byte value union that are used.
struct alignas(8) LaunchAttribute {
    static constexpr int cooperative_launch = 2; ///< all blocks run at once, or the launch fails
    static constexpr int cluster_dimension = 4;
    static constexpr int programmatic_stream_serialization = 6; ///< need not wait for the kernel before
    struct Extent {
        unsigned x, y, z;
    };

    int id;
    char padding[4];
    union {
        Extent cluster;
        int cooperative;
        int starts_early;
    };
    char unused[64 - sizeof(Extent)];
};

struct LaunchConfiguration {
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned shared_bytes;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};

/// The driver's functions by the names in its manual (the library exports later versions of some, with a suffix).
struct Functions {
    Result (*cuInit)(unsigned flags);
    Result (*cuDriverGetVersion)(int* version);
    Result (*cuGetErrorName)(Result, const char** name);
    Result (*cuGetErrorString)(Result, const char** text);

    Result (*cuDeviceGetCount)(int* count);
    Result (*cuDeviceGet)(DeviceHandle* device, int ordinal);
    Result (*cuDeviceGetName)(char* name, int length, DeviceHandle);
    Result (*cuDeviceTotalMem)(std::size_t* bytes, DeviceHandle);
    Result (*cuDeviceGetAttribute)(int* value, DeviceAttribute, DeviceHandle);
    Result (*cuDevicePrimaryCtxRetain)(Context* context, DeviceHandle);
    Result (*cuDevicePrimaryCtxRelease)(DeviceHandle);
    Result (*cuCtxGetCurrent)(Context* current);
    Result (*cuCtxPushCurrent)(Context);
    Result (*cuCtxPopCurrent)(Context* popped);
    Result (*cuCtxGetDevice)(DeviceHandle* device);
    Result (*cuCtxSynchronize)();
    Result (*cuDeviceCanAccessPeer)(int* can, DeviceHandle, DeviceHandle peer);
    Result (*cuCtxEnablePeerAccess)(Context peer,
                                    unsigned flags); ///< to the peer's memory, from the current context

    Result (*cuModuleLoadDataEx)(Module* module, const void* image, unsigned options, CompileOption* names,
                                 void** values);
    Result (*cuModuleUnload)(Module);
    Result (*cuLinkCreate)(unsigned options, CompileOption* names, void** values, Link* link);
    Result (*cuLinkAddData)(Link, int input_type, void* data, std::size_t bytes, const char* name,
                            unsigned options, CompileOption* names, void** values);
    Result (*cuLinkComplete)(Link, void** code, std::size_t* bytes); ///< the code lives as long as the link
    Result (*cuLinkDestroy)(Link);
    Result (*cuModuleGetFunction)(Function* function, Module, const char* name);
    Result (*cuFuncGetAttribute)(int* value, FunctionAttribute, Function);
    Result (*cuFuncSetAttribute)(Function, FunctionAttribute, int value);
    Result (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, Function, int threads,
                                                          std::size_t dynamic_shared_bytes);
    Result (*cuLaunchKernel)(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                             unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream,
                             void** arguments, void** extra);
    Result (*cuLaunchKernelEx)(const LaunchConfiguration*, Function, void** arguments,
                               void** extra); ///< null before CUDA 11.8

    Result (*cuMemAlloc)(Address* address, std::size_t bytes);
    Result (*cuMemFree)(Address);
    Result (*cuMemAllocHost)(void** memory, std::size_t bytes); ///< page-locked
    Result (*cuMemFreeHost)(void* memory);
    Result (*cuMemAllocAsync)(Address* address, std::size_t bytes, Stream); ///< null before CUDA 11.2
    Result (*cuMemFreeAsync)(Address, Stream);                              ///< as above
    Result (*cuMemGetInfo)(std::size_t* free, std::size_t* total);
    Result (*cuMemcpyHtoD)(Address to, const void* from, std::size_t bytes);
    Result (*cuMemcpyDtoH)(void* to, Address from, std::size_t bytes);
    Result (*cuMemcpyHtoDAsync)(Address to, const void* from, std::size_t bytes, Stream);
    Result (*cuMemcpyDtoHAsync)(void* to, Address from, std::size_t bytes, Stream);
    Result (*cuMemcpyDtoDAsync)(Address to, Address from, std::size_t bytes, Stream);
    Result (*cuMemcpyPeerAsync)(Address to, Context of_to, Address from, Context of_from, std::size_t bytes,
                                Stream);
    Result (*cuMemsetD8Async)(Address to, unsigned char value, std::size_t bytes, Stream);
    Result (*cuPointerGetAttributes)(unsigned count, PointerAttribute* names, void** values, Address);

    Result (*cuTensorMapEncodeTiled)(void* map, TensorElement, std::uint32_t rank, void* address,
                                     const std::uint64_t* extents, const std::uint64_t* byte_strides,
                                     const std::uint32_t* box, const std::uint32_t* element_strides,
                                     int interleave, int swizzle, int promotion,
                                     int fill); ///< null before CUDA 12.0

    Result (*cuStreamCreate)(Stream* stream, unsigned flags);
    Result (*cuStreamDestroy)(Stream);
    Result (*cuStreamSynchronize)(Stream);
    Result (*cuStreamQuery)(Stream); ///< success or not_ready
    Result (*cuStreamWaitEvent)(Stream, Event, unsigned flags);
    Result (*cuStreamIsCapturing)(Stream, int* status);
    Result (*cuEventCreate)(Event* event, unsigned flags);
    Result (*cuEventDestroy)(Event);
    Result (*cuEventRecord)(Event, Stream);
    Result (*cuEventSynchronize)(Event);
    Result (*cuEventElapsedTime)(float* milliseconds, Event start, Event end);

    // null before CUDA 11.4
    Result (*cuStreamBeginCapture)(Stream, int mode);
    Result (*cuStreamEndCapture)(Stream, Graph* graph);
    Result (*cuGraphInstantiateWithFlags)(GraphExec* ready, Graph, unsigned long long flags);
    Result (*cuGraphUpload)(GraphExec, Stream);
    Result (*cuGraphLaunch)(GraphExec, Stream);
    Result (*cuGraphDestroy)(Graph);
    Result (*cuGraphExecDestroy)(GraphExec);
};

} // namespace swirl::runtime::cuda
