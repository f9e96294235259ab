#pragma once

#include "runtime/cuda/abi.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::support {

/// The arguments of a launch; kernel arguments are concatenated as bytes.
struct FakeLaunch {
    unsigned grid[3];
    unsigned block[3];
    unsigned cluster[3];
    unsigned shared_bytes;
    runtime::cuda::Stream stream;
    std::string arguments;
    std::string image;         ///< what the kernel's module was loaded from
    bool cooperative = false;  ///< all blocks must be co-resident
    bool starts_early = false; ///< programmatic dependent launch
};

/// The parameters of an encoded tensor map; its first bytes are those of the address.
struct FakeTensor {
    runtime::cuda::TensorElement element;
    runtime::cuda::Address address;
    std::vector<std::uint64_t> extents, byte_strides;
    std::vector<std::uint32_t> box, element_strides;
    int swizzle;
};

/// A fake driver without a GPU: a library built with the tests (tests/support/fake_cuda.cpp) that swirl loads in place
/// of libcuda.so.1. Its device memory is host memory; its kernels do nothing unless a test supplies a function. Tests
/// configure failures here, and read what was requested and what is still held.
struct FakeCuda {
    // configuration
    int devices = 1;
    std::map<std::string, runtime::cuda::Result> failures = {}; ///< by function name, without suffix
    std::string log = {};                                       ///< of the compiler
    std::size_t free_bytes = 1 << 20;                           ///< of each GPU
    std::vector<std::size_t> argument_bytes = {};               ///< of the kernel's parameters
    std::function<void()> kernel = {};                          ///< what each launch does
    bool is_capturing = false;
    bool has_memory_pools = true;
    bool are_peers = true;        ///< whether GPUs access each other's memory
    const void* pinned = nullptr; ///< a pointer reported as pinned host memory
    const void* managed = nullptr;
    std::map<std::string, runtime::cuda::Result> bad_ptx = {};  ///< texts that it rejects
    std::map<std::string, runtime::cuda::Result> bad_code = {}; ///< images that it rejects

    // recorded calls
    std::vector<std::string> calls = {};
    std::vector<FakeLaunch> launches = {};
    std::vector<FakeTensor> tensors = {};
    std::string image = {};                    ///< last loaded
    std::map<int, std::size_t> options = {};   ///< of the last compilation
    std::map<int, int> kernel_attributes = {}; ///< set
    std::vector<std::string> compiled = {}; ///< PTX that became machine code: that of X is "\x7f" "ELF of X"
    int max_compiling = 0;                  ///< maximum number of concurrent compilations

    // resources held
    int retained = 0;
    int modules = 0;
    int links = 0;
    int compiling = 0; ///< compilations in progress
    int streams = 0;
    int events = 0;
    int pinned_blocks = 0;
    struct Block {
        std::size_t bytes;
        int device;
    };
    std::map<runtime::cuda::Address, Block> blocks = {};
    std::set<std::pair<int, int>> peers = {}; ///< GPUs whose contexts may access the second's memory
    bool is_initialised = false;
    int (*stack_depth)() = nullptr; ///< contexts pushed by the calling thread

    int count(std::string_view name) const {
        int result = 0;
        for (const std::string& call : calls) result += call == name ? 1 : 0;
        return result;
    }
};

/// Exported by the library under the name "fake_cuda".
using FakeCudaGetter = FakeCuda* (*)();

/// The fake driver library for this version of CUDA: 12080, 11000 (no clusters) or 10020 (too old).
inline std::string fake_cuda_library(int version) {
    return std::string(SWIRL_BINARY_DIR "/fake_drivers/libfake_cuda_") + std::to_string(version) + ".so";
}

} // namespace swirl::support
