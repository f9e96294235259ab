#include "search/timer/gpu/random_array.hpp"

#include <swirl/half.hpp>
#include <swirl/normalised.hpp>

#include <algorithm>
#include <complex>
#include <random>
#include <span>
#include <vector>

namespace swirl::search {

namespace {

constexpr std::size_t random_values = 1 << 16;

template <class T> std::vector<std::byte> random_bytes() {
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<std::byte> result(random_values * sizeof(T));
    for (T& value : std::span(reinterpret_cast<T*>(result.data()), random_values))
        value = static_cast<T>(uniform(random));
    return result;
}

std::vector<std::byte> random_bytes(DataType data_type) {
    switch (data_type) {
    case DataType::complex128:
    case DataType::float64: return random_bytes<double>();
    case DataType::bfloat16: return random_bytes<bfloat16>();
    case DataType::float16: return random_bytes<float16>();
    case DataType::float8_e4m3: return random_bytes<float8_e4m3>();
    case DataType::unorm8: return random_bytes<unorm8>();
    case DataType::snorm8: return random_bytes<snorm8>();
    case DataType::unorm16: return random_bytes<unorm16>();
    case DataType::snorm16: return random_bytes<snorm16>();
    default: return random_bytes<float>();
    }
}

} // namespace

void fill_randomly(const runtime::GpuStream& stream, runtime::cuda::Address address, DataType data_type,
                   std::size_t bytes) {
    const std::vector<std::byte> values = random_bytes(data_type);
    std::size_t done = std::min(bytes, values.size());
    runtime::copy_to_gpu(stream.device(), address, values.data(), done);
    stream.device().synchronize();
    for (; done < bytes; done += std::min(done, bytes - done))
        runtime::copy_on_gpu(stream, address + done, address, std::min(done, bytes - done));
    stream.synchronize();
}

runtime::GpuBuffer random_array(const runtime::GpuStream& stream, DataType data_type, std::size_t bytes) {
    runtime::GpuBuffer buffer(stream.device(), bytes);
    fill_randomly(stream, buffer.address(), data_type, bytes);
    return buffer;
}

} // namespace swirl::search
