#include "emit/gpu_c/dialect.hpp"

#include "base/error.hpp"
#include "emit/gpu_c/launch.hpp"

namespace swirl::emit {
namespace {

constexpr std::string_view cuda_keywords[] = {
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "uint",    "ushort",    "uchar",
    "dim3",      "float2",   "float4",   "double2", "float1",   "double1", "longlong2", "ushort2",
    "ushort4",   "fma",      "fmaf",     "size_t",  "stream",   "error",   "arguments",
};

constexpr std::string_view opencl_keywords[] = {
    "kernel",    "global",    "local",      "constant",   "private",  "half",    "uchar",       "ushort",
    "uint",      "ulong",     "float2",     "float4",     "float8",   "float16", "double2",     "double4",
    "long2",     "long4",     "ushort2",    "ushort4",    "restrict", "fma",     "size_t",      "as_float",
    "as_double", "read_only", "write_only", "read_write", "pipe",     "image",   "self",        "queue",
    "error",     "context",   "device",     "buffers",    "region",   "regions", "sub_buffers", "step",
};

constexpr std::string_view cuda_float16 = R"(
static __device__ inline float float16_value(unsigned short bits) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}
static __device__ inline unsigned short float16_bits(float x) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
)";

constexpr std::string_view hip_float16 = R"(
static __device__ inline float float16_value(unsigned short bits) {
    _Float16 x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return (float)x;
}
static __device__ inline unsigned short float16_bits(float x) {
    const _Float16 rounded = (_Float16)x;
    unsigned short bits;
    __builtin_memcpy(&bits, &rounded, sizeof bits);
    return bits;
}
)";

constexpr std::string_view opencl_float16 = R"(
static inline float float16_value(ushort bits) {
    return vload_half(0, (const half*)&bits);
}
static inline ushort float16_bits(float x) {
    ushort bits;
    vstore_half_rte(x, 0, (half*)&bits);
    return bits;
}
)";

constexpr std::string_view cuda_cluster = R"(
template <class T> static __device__ inline T* in_block(T* own, unsigned int block) {
    T* address;
    asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(own), "r"(block));
    return address;
}
)";

constexpr std::string_view cuda_cooperative = R"(
static __device__ inline void arrive(long long* counter) {
    asm volatile("red.release.gpu.global.add.u64 [%0], 1;" : : "l"(counter) : "memory");
}
static __device__ inline long long arrivals(const long long* counter) {
    long long count;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(count) : "l"(counter) : "memory");
    return count;
}
)";

constexpr std::string_view hip_cooperative = R"(
static __device__ inline void arrive(long long* counter) {
    __hip_atomic_fetch_add(counter, 1LL, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
static __device__ inline long long arrivals(const long long* counter) {
    return __hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}
)";

constexpr GpuDialect cuda = {
    .name = "CUDA C++",
    .advice = "Compile with -fmad=false where results are to be the same everywhere.",
    .kernel_head = "extern \"C\" __global__ void {cluster}__launch_bounds__({bounds}) {name}(",
    .cluster = "__cluster_dims__({}, 1, 1) ",
    .resident = ", {}",
    .function = "static __device__ inline ",
    .pragmas = "",
    .float64_pragma = "",
    .global = "",
    .shared = "",
    .shared_array = "__shared__ ",
    .constant = "",
    .constant_array = "static __device__ const ",
    .restricted = "__restrict__ ",
    .aligned = "alignas({}) ",
    .largest_shared = largest_declared_shared,
    .largest_table = 0,
    .pointers_at_zero = true,
    .threads = {"threadIdx.x", "threadIdx.y", "threadIdx.z"},
    .blocks = {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
    .barrier = "__syncthreads();",
    .global_barrier = "__syncthreads();",
    .cluster_barrier =
        "asm volatile(\"barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;\" : : : "
        "\"memory\");",
    .wide_integer = "long long",
    .wide_vector = "longlong",
    .vector = "make_{type}({lanes})",
    .fma32 = "fmaf",
    .fma64 = "fma",
    .divide32 = "__fdiv_rn({}, {})",
    .square_root32 = "__fsqrt_rn",
    .square_root64 = "sqrt",
    .magnitude32 = "fabsf",
    .magnitude64 = "fabs",
    .float32_of_bits = "__int_as_float({})",
    .float64_of_bits = "__longlong_as_double({})",
    .bits_of_float32 = "__float_as_int({})",
    .bits_of_float64 = "__double_as_longlong({})",
    .atomic_add = "atomicAdd({pointer}, {value});",
    .atomic_add_wide = "atomicAdd((unsigned long long*)({pointer}), (unsigned long long)({value}));",
    .has_ptx = true,
    .runtime = "cuda",
    .runtime_header = "cuda_runtime.h",
    .runtime_compiler = "__CUDACC_RTC__",
    .float16_helpers = cuda_float16,
    .cluster_helpers = cuda_cluster,
    .cooperative_helpers = cuda_cooperative,
    .reserved = cuda_keywords,
};

constexpr GpuDialect hip_dialect() {
    GpuDialect hip = cuda;
    hip.name = "HIP";
    hip.advice = "";
    hip.pragmas = "#if defined(__clang__)\n#pragma clang fp contract(off)\n#endif\n";
    hip.divide32 = "{} / {}"; // hipcc rounds it correctly by default
    hip.square_root32 = "sqrtf";
    hip.has_ptx = false;
    hip.runtime = "hip";
    hip.runtime_header = "hip/hip_runtime.h";
    hip.runtime_compiler = "__HIPCC_RTC__";
    hip.float16_helpers = hip_float16;
    hip.cluster = hip.resident = hip.cluster_barrier = hip.cluster_helpers = "";
    hip.cooperative_helpers = hip_cooperative;
    return hip;
}

constexpr GpuDialect hip = hip_dialect();

constexpr GpuDialect opencl = {
    .name = "OpenCL C",
    .advice = "",
    .kernel_head = "__kernel __attribute__((reqd_work_group_size({x}, {y}, {z}))) void {name}(",
    .cluster = "",
    .resident = "",
    .function = "static inline ",
    .pragmas = "#pragma OPENCL FP_CONTRACT OFF\n",
    .float64_pragma = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    .global = "__global ",
    .shared = "__local ",
    .shared_array = "__local ",
    .constant = "__constant ",
    .constant_array = "__constant ",
    .restricted = "restrict ",
    .aligned = "__attribute__((aligned({}))) ",
    .largest_shared = 0,
    .largest_table = 4096,
    .pointers_at_zero = false,
    .threads = {"(uint)get_local_id(0)", "(uint)get_local_id(1)", "(uint)get_local_id(2)"},
    .blocks = {"(uint)get_group_id(0)", "(uint)get_group_id(1)", "(uint)get_group_id(2)"},
    .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
    .global_barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    .cluster_barrier = "",
    .wide_integer = "long",
    .wide_vector = "long",
    .vector = "({type})({lanes})",
    .fma32 = "fma",
    .fma64 = "fma",
    .divide32 = "{} / {}",
    .square_root32 = "sqrt",
    .square_root64 = "sqrt",
    .magnitude32 = "fabs",
    .magnitude64 = "fabs",
    .float32_of_bits = "as_float((int)({}))",
    .float64_of_bits = "as_double((long)({}))",
    .bits_of_float32 = "as_int({})",
    .bits_of_float64 = "as_long({})",
    .atomic_add = "",
    .atomic_add_wide = "",
    .has_ptx = false,
    .runtime = "",
    .runtime_header = "CL/cl.h",
    .runtime_compiler = "",
    .float16_helpers = opencl_float16,
    .cluster_helpers = "",
    .cooperative_helpers = "",
    .reserved = opencl_keywords,
};

} // namespace

const GpuDialect& dialect_of(GpuLanguage language) {
    switch (language) {
    case GpuLanguage::cuda: return cuda;
    case GpuLanguage::hip: return hip;
    case GpuLanguage::opencl: return opencl;
    }
    throw InternalError("no such language for GPUs");
}

} // namespace swirl::emit
