#include "plan/check/gpu_repeated_matrix.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <span>

namespace swirl::planning {

namespace {

constexpr std::size_t sequence_length = 65521;

/// Calls f(position, bytes of the sequence at that position) for the positions first … end−1 of a repeated sequence.
template <class F>
void for_repeated(std::span<const std::byte> sequence, std::size_t first, std::size_t end, F&& f) {
    for (std::size_t at = first; at < end;) {
        const std::size_t phase = at % sequence.size(), bytes = std::min(sequence.size() - phase, end - at);
        f(at, sequence.subspan(phase, bytes));
        at += bytes;
    }
}

} // namespace

std::optional<Quantization> quantization_of(DataType data_type) {
    switch (data_type) {
    case DataType::int8: return Quantization{1, -128, 127};
    case DataType::uint8: return Quantization{1, 0, 255};
    case DataType::unorm8: return Quantization{1.0 / 255, 0, 1};
    case DataType::snorm8: return Quantization{1.0 / 127, -1, 1};
    case DataType::unorm16: return Quantization{1.0 / 65535, 0, 1};
    case DataType::snorm16: return Quantization{1.0 / 32767, -1, 1};
    default: return std::nullopt;
    }
}

double spacing(DataType data_type) {
    switch (component_of(data_type)) {
    case DataType::bfloat16: return 0x1p-7;
    case DataType::float16: return 0x1p-10;
    case DataType::float64: return std::numeric_limits<double>::epsilon();
    default: return std::numeric_limits<float>::epsilon();
    }
}

double largest(DataType data_type) {
    constexpr double of_float16 = 65504;
    if (component_of(data_type) == DataType::float64) return std::numeric_limits<double>::max();
    return data_type == DataType::float16 ? of_float16 : std::numeric_limits<float>::max();
}

namespace {

Extent shifted(Extent extent, Integer shift) {
    extent.lowest -= shift;
    return extent;
}

} // namespace

RepeatedMatrix::RepeatedMatrix(const runtime::GpuDevice& device, DataType data_type,
                               const MatrixLayout& layout, Integer rows, Integer columns, Integer batch,
                               unsigned seed, double scale, Integer shift)
    : component_type_(component_of(data_type)),
      components_(is_complex(data_type) ? 2 : 1),
      layout_(layout),
      rows_(rows),
      columns_(columns),
      batch_(layout.batch_stride == 0 ? std::min<Integer>(batch, 1) : batch),
      extent_(shifted(extent_of(layout, rows, columns, batch), shift)),
      sequence_(sequence_length),
      stored_(sequence_length * bytes()),
      memory_(device,
              static_cast<std::size_t>((extent_.highest - extent_.lowest + 1) * components_) * bytes()) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    with_stored(component_type_, [&](auto example) {
        using T = decltype(example);
        T* const to = reinterpret_cast<T*>(stored_.data());
        for (std::size_t k = 0; k < sequence_length; ++k) {
            to[k] = rounded<T>(uniform(random) * scale);
            sequence_[k] = static_cast<double>(to[k]);
        }
    });
    for_repeated(stored_, 0, memory_.bytes(), [&](std::size_t at, std::span<const std::byte> bytes) {
        runtime::copy_to_gpu(device, memory_.address() + at, bytes.data(), bytes.size());
    });
}

void* RepeatedMatrix::origin() const {
    return reinterpret_cast<std::byte*>(memory_.address()) -
           extent_.lowest * components_ * static_cast<Integer>(bytes());
}

std::complex<double> RepeatedMatrix::element(Integer matrix, Integer i, Integer j) const {
    const Integer first = components_ * offset(matrix, i, j);
    const auto value = [&](Integer at) { return sequence_[static_cast<std::size_t>(at) % sequence_length]; };
    return of_layout({value(first), components_ == 2 ? value(first + 1) : 0});
}

std::complex<double> RepeatedMatrix::read(Integer matrix, Integer i, Integer j) const {
    const Integer first = components_ * offset(matrix, i, j);
    std::array<double, 2> result = {0, 0};
    with_stored(component_type_, [&](auto found) {
        for (Integer c = 0; c < components_; ++c) {
            const std::size_t offset = static_cast<std::size_t>(first + c) * sizeof found;
            if (fetched_.empty())
                runtime::copy_from_gpu(memory_.device(), &found, memory_.address() + offset, sizeof found);
            else
                std::memcpy(&found, fetched_.data() + offset, sizeof found);
            result[static_cast<std::size_t>(c)] = static_cast<double>(found);
        }
    });
    return of_layout({result[0], result[1]});
}

void RepeatedMatrix::fetch() {
    fetched_.resize(memory_.bytes());
    runtime::copy_from_gpu(memory_.device(), fetched_.data(), memory_.address(), fetched_.size());
}

std::optional<std::ptrdiff_t> RepeatedMatrix::changed(bool in_gaps) const {
    const std::size_t all = memory_.bytes(), half = max_watched / 2;
    if (in_gaps && rows_ * columns_ * batch_ == extent_.highest - extent_.lowest + 1) return std::nullopt;
    if (all <= max_watched) return changed(in_gaps, 0, all);
    const auto at = changed(in_gaps, 0, half);
    return at ? at : changed(in_gaps, all - half, all);
}

std::optional<std::ptrdiff_t> RepeatedMatrix::changed(bool in_gaps, std::size_t first,
                                                      std::size_t end) const {
    std::vector<std::byte> found(end - first);
    runtime::copy_from_gpu(memory_.device(), found.data(), memory_.address() + first, found.size());
    if (in_gaps) restore_elements(found, first);
    std::optional<std::ptrdiff_t> result;
    for_repeated(stored_, first, end, [&](std::size_t at, std::span<const std::byte> bytes) {
        const auto begin = found.begin() + static_cast<std::ptrdiff_t>(at - first);
        if (result || std::memcmp(&*begin, bytes.data(), bytes.size()) == 0) return;
        result = static_cast<std::ptrdiff_t>(at) +
                 (std::ranges::mismatch(bytes, std::span(begin, bytes.size())).in1 - bytes.begin());
    });
    return result;
}

/// `found` is a copy of the memory from byte `first` on. Neighbouring elements are restored together.
void RepeatedMatrix::restore_elements(std::span<std::byte> found, std::size_t first) const {
    const Integer element_bytes = components_ * static_cast<Integer>(bytes());
    const auto low = static_cast<Integer>(first), high = low + std::ssize(found);
    const bool is_by_rows = std::abs(layout_.row_stride) != 1;
    const Integer stride = is_by_rows ? layout_.column_stride : layout_.row_stride;
    const Integer length = is_by_rows ? columns_ : rows_, vectors = is_by_rows ? rows_ : columns_;
    const auto restore = [&](Integer element, Integer count) {
        const Integer begin = std::max(low, element * element_bytes);
        const Integer end = std::min(high, (element + count) * element_bytes);
        if (begin >= end) return;
        for_repeated(stored_, static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                     [&](std::size_t at, std::span<const std::byte> bytes) {
                         std::ranges::copy(bytes, found.begin() + static_cast<std::ptrdiff_t>(at - first));
                     });
    };
    for (Integer matrix = 0; matrix < batch_; ++matrix)
        for (Integer row = 0; row < vectors; ++row) {
            const Integer start = is_by_rows ? offset(matrix, row, 0) : offset(matrix, 0, row);
            if (std::abs(stride) == 1)
                restore(stride > 0 ? start : start - length + 1, length);
            else
                for (Integer k = 0; k < length; ++k) restore(start + k * stride, 1);
        }
}

Integer RepeatedMatrix::offset(Integer matrix, Integer i, Integer j) const {
    return matrix * layout_.batch_stride + i * layout_.row_stride + j * layout_.column_stride -
           extent_.lowest;
}

} // namespace swirl::planning
