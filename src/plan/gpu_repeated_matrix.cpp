#include "plan/gpu_repeated_matrix.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>

namespace swirl::planning {

namespace {

using Complex = std::complex<double>;

constexpr std::size_t sequence_length = 65521;

} // namespace

std::optional<Steps> steps_of(Number number) {
    switch (number) {
    case Number::int8: return Steps{1, -128, 127};
    case Number::uint8: return Steps{1, 0, 255};
    case Number::unorm8: return Steps{1.0 / 255, 0, 1};
    case Number::snorm8: return Steps{1.0 / 127, -1, 1};
    case Number::unorm16: return Steps{1.0 / 65535, 0, 1};
    case Number::snorm16: return Steps{1.0 / 32767, -1, 1};
    default: return std::nullopt;
    }
}

Number part_of(Number number) {
    if (number == Number::complex32) return Number::float32;
    return number == Number::complex64 ? Number::float64 : number;
}

double spacing(Number number) {
    switch (part_of(number)) {
    case Number::bfloat16: return 0x1p-7;
    case Number::float16: return 0x1p-10;
    case Number::float64: return std::numeric_limits<double>::epsilon();
    default: return std::numeric_limits<float>::epsilon();
    }
}

double largest(Number number) {
    constexpr double of_float16 = 65504;
    if (part_of(number) == Number::float64) return std::numeric_limits<double>::max();
    return number == Number::float16 ? of_float16 : std::numeric_limits<float>::max();
}

RepeatedMatrix::RepeatedMatrix(const runtime::GpuDevice& device, Number number, const MatrixLayout& layout,
                               Integer rows, Integer columns, Integer batch, unsigned seed, double scale)
    : number_(part_of(number)),
      parts_(is_complex(number) ? 2 : 1),
      layout_(layout),
      extent_(extent_of(layout, rows, columns, batch)),
      sequence_(sequence_length),
      memory_(device, static_cast<std::size_t>((extent_.highest - extent_.lowest + 1) * parts_) * bytes()) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<std::byte> stored(sequence_length * bytes());
    with_stored(number_, [&](auto example) {
        using T = decltype(example);
        T* const to = reinterpret_cast<T*>(stored.data());
        for (std::size_t k = 0; k < sequence_length; ++k) {
            to[k] = rounded<T>(uniform(random) * scale);
            sequence_[k] = static_cast<double>(to[k]);
        }
    });
    for (std::size_t first = 0; first < memory_.bytes(); first += stored.size())
        runtime::copy_to_gpu(device, memory_.address() + first, stored.data(),
                             std::min(stored.size(), memory_.bytes() - first));
}

void* RepeatedMatrix::origin() const {
    return reinterpret_cast<std::byte*>(memory_.address()) -
           extent_.lowest * parts_ * static_cast<Integer>(bytes());
}

Complex RepeatedMatrix::element(Integer matrix, Integer i, Integer j) const {
    const Integer first = parts_ * offset(matrix, i, j);
    const auto part = [&](Integer at) { return sequence_[static_cast<std::size_t>(at) % sequence_length]; };
    return of_layout({part(first), parts_ == 2 ? part(first + 1) : 0});
}

Complex RepeatedMatrix::read(Integer matrix, Integer i, Integer j) const {
    const Integer first = parts_ * offset(matrix, i, j);
    std::array<double, 2> result = {0, 0};
    with_stored(number_, [&](auto found) {
        for (Integer part = 0; part < parts_; ++part) {
            const std::size_t place = static_cast<std::size_t>(first + part) * sizeof found;
            if (fetched_.empty())
                runtime::copy_from_gpu(memory_.device(), &found, memory_.address() + place, sizeof found);
            else
                std::memcpy(&found, fetched_.data() + place, sizeof found);
            result[static_cast<std::size_t>(part)] = static_cast<double>(found);
        }
    });
    return of_layout({result[0], result[1]});
}

void RepeatedMatrix::fetch() {
    fetched_.resize(memory_.bytes());
    runtime::copy_from_gpu(memory_.device(), fetched_.data(), memory_.address(), fetched_.size());
}

Integer RepeatedMatrix::offset(Integer matrix, Integer i, Integer j) const {
    return matrix * layout_.batch_stride + i * layout_.row_stride + j * layout_.column_stride -
           extent_.lowest;
}

} // namespace swirl::planning
