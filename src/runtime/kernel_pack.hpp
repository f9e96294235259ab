#pragma once

#include "runtime/kernel_cache.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::runtime {

/// Kernels of a cache in one file, for transfer to another host:
///
///   offset  bytes
///        0      8   "swirlpck"
///        8      8   number of kernels
///       16      8   checksum of all bytes after it
///       24          the kernels, concatenated, in the format of their files
///
/// Contains all valid entries, ordered by key.
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

/// The kernels of a pack, each verified. Throws UserError, whose message begins with `name` and says what is damaged
/// and where.
std::vector<PackedKernel> unpack(std::string_view pack, std::string_view name);

} // namespace swirl::runtime
