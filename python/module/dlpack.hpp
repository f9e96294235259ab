/// The structures by which array libraries hand memory to each other: the C interface of DLPack, versions 0 and 1.
#pragma once

#include <cstdint>

namespace swirl::python::dlpack {

struct Device {
    std::int32_t type;
    std::int32_t ordinal;
};
enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct DataType {
    std::uint8_t code;
    std::uint8_t bits; ///< of an element, both components of complex ones
    std::uint16_t lanes;
};
enum Code : std::uint8_t {
    signed_integer = 0,
    unsigned_integer = 1,
    floating = 2,
    brain_floating = 4,
    complex = 5
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t dimensions;
    DataType type;
    std::int64_t* shape;
    std::int64_t* strides; ///< in elements; null: contiguous, row-major
    std::uint64_t byte_offset;
};

/// What a capsule named "dltensor" holds.
struct ManagedTensor {
    Tensor tensor;
    void* context;
    void (*release)(ManagedTensor*);
};

/// What a capsule named "dltensor_versioned" holds.
struct VersionedTensor {
    std::uint32_t major, minor;
    void* context;
    void (*release)(VersionedTensor*);
    std::uint64_t flags;
    Tensor tensor;
};
constexpr std::uint64_t is_read_only = 1;

} // namespace swirl::python::dlpack
