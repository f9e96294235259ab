#pragma once

#include "runtime/kernel_cache.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::runtime {

/// Kernels of a cache in one file, to be carried to another machine:
///
///   offset  bytes
///        0      8   "swirlpck"
///        8      8   how many kernels
///       16      8   checksum of all bytes behind it
///       24          the kernels, as their files have them, one behind the other
///
/// All whole entries, in the order of their keys.
struct KernelPack {
    std::string bytes;
    std::size_t kernels = 0;
};
KernelPack pack(const KernelCache& cache);

struct PackedKernel {
    CacheKey key;
    KernelLabel label;
    Bytes code;
};

/// The kernels of a pack, each verified. UserError, which begins with `name`, says what is damaged and where.
std::vector<PackedKernel> unpack(std::string_view pack, std::string_view name);

} // namespace swirl::runtime
