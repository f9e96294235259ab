#pragma once

#include <cstddef>

/// cuFFT's interface as programs compiled with NVIDIA's cufft.h and cufftXt.h see it, versions 11 and 12: values and layouts.
/// tests/cufft/abi_test.cpp compares them with these headers where they are installed.
namespace swirl::cufft {

using Handle = int;
using Long = long long; ///< a 64-bit length

/// cufftResult.
enum class Status : int {
    success = 0,
    invalid_plan = 1,
    alloc_failed = 2,
    invalid_type = 3,
    invalid_value = 4,
    internal_error = 5,
    exec_failed = 6,
    setup_failed = 7,
    invalid_size = 8,
    unaligned_data = 9,
    invalid_device = 11,
    no_workspace = 13,
    not_implemented = 14,
    not_supported = 16,
};

/// The handle that no plan has; to destroy it does nothing.
constexpr Handle null_plan = -1;

/// cufftType.
enum class Type : int { r2c = 0x2a, c2r = 0x2c, c2c = 0x29, d2z = 0x6a, z2d = 0x6c, z2z = 0x69 };

/// cudaDataType, as far as transforms have it.
enum class ElementType : int {
    real_float32 = 0,
    real_float64 = 1,
    real_float16 = 2,
    complex_float32 = 4,
    complex_float64 = 5,
    complex_float16 = 6,
    real_bfloat16 = 14,
    complex_bfloat16 = 15,
};

/// Sign of the exponent.
constexpr int forward_sign = -1;
constexpr int inverse_sign = 1;

/// libraryPropertyType.
enum class LibraryProperty : int { major = 0, minor = 1, patch = 2 };

/// cufftProperty.
enum class PlanProperty : int { patient_jit = 1, max_host_threads = 2 };

/// cufftXtWorkAreaPolicy.
enum class WorkAreaPolicy : int { minimal = 0, user = 1, performance = 2 };

/// cufftXtSubFormat: which side's layout the memory of a descriptor has.
enum class SubFormat : int { input = 0, output = 1, in_place = 2, in_place_shuffled = 3 };

/// cufftXtCopyType.
enum class CopyType : int { host_to_device = 0, device_to_host = 1, device_to_device = 2 };

constexpr int max_descriptor_gpus = 64;
constexpr int descriptor_version = 0x01000000;

/// cudaXtDesc: memory on GPUs, of which there is one here.
struct Memories {
    int version;
    int count;
    int ordinals[max_descriptor_gpus];
    void* data[max_descriptor_gpus];
    std::size_t bytes[max_descriptor_gpus];
    void* state;
};

/// cudaLibXtDesc.
struct Descriptor {
    int version;
    Memories* memories;
    int library; ///< 0: cuFFT
    SubFormat format;
    void* owner;
};

} // namespace swirl::cufft
