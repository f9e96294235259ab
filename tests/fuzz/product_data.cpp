#include "fuzz/product_data.hpp"

#include "base/error.hpp"
#include "fuzz/epilogue.hpp"
#include "fuzz/journal.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace swirl::fuzz {
namespace {

template <class T> T at(const std::byte* address) {
    T value;
    std::memcpy(&value, address, sizeof value);
    return value;
}
template <class T> void put(std::byte* address, T value) { std::memcpy(address, &value, sizeof value); }

template <class T> Complex read_low_precision(const std::byte* address) {
    return static_cast<long double>(static_cast<float>(at<T>(address)));
}
template <class T> void write_low_precision(std::byte* address, Complex value) {
    put(address, T(static_cast<float>(value.real())));
}

/// ε/2 of a data type, or half the spacing of a normalised one.
long double rounding_of(DataType data_type) {
    switch (data_type) {
    case DataType::float64:
    case DataType::complex128: return 0x1p-53L;
    case DataType::bfloat16: return 0x1p-8L;
    case DataType::float16: return 0x1p-11L;
    case DataType::float8_e4m3: return 0x1p-4L;
    default: return 0x1p-24L;
    }
}

/// Spacing of values near 0.
long double spacing_of(DataType data_type) {
    switch (data_type) {
    case DataType::float16: return 0x1p-24L;
    case DataType::unorm8: return 1.0L / 255;
    case DataType::snorm8: return 1.0L / 127;
    case DataType::unorm16: return 1.0L / 65535;
    case DataType::snorm16: return 1.0L / 32767;
    case DataType::int8:
    case DataType::uint8: return 1;
    case DataType::float64:
    case DataType::complex128: return 0x1p-1070L;
    default: return 0x1p-126L;
    }
}

struct Range {
    long double least, greatest;
};
/// What is stored keeps to it.
Range range_of(DataType data_type) {
    constexpr long double infinity = std::numeric_limits<long double>::infinity();
    switch (data_type) {
    case DataType::int8: return {-128, 127};
    case DataType::uint8: return {0, 255};
    case DataType::unorm8:
    case DataType::unorm16: return {0, 1};
    case DataType::snorm8:
    case DataType::snorm16: return {-1, 1};
    default: return {-infinity, infinity};
    }
}

Complex draw_value(DataType data_type, Random& random) {
    if (data_type == DataType::uint8) return static_cast<long double>(random.integer(0, 255));
    if (data_type == DataType::int8) return static_cast<long double>(random.integer(-128, 127));
    if (data_type == DataType::int32) // also such whose products wrap around
        return static_cast<long double>(random.chance(50)
                                            ? random.integer(-1000, 1000)
                                            : random.integer(-(Integer{1} << 31), (Integer{1} << 31) - 1));
    if (data_type == DataType::unorm8 || data_type == DataType::unorm16) return std::abs(random.uniform());
    const double real = random.uniform();
    return {real, is_complex(data_type) ? random.uniform() : 0.0};
}

Integer offset_of(const MatrixLayout& layout, Integer matrix, Integer i, Integer j) {
    return matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride;
}

/// Guarded memory for a matrix of so many rows and columns.
std::unique_ptr<GuardedMemory> memory_of(const char* name, const MatrixProduct& product,
                                         const MatrixLayout& layout, DataType data_type, Integer rows,
                                         Integer columns, Random& random, bool for_pairs) {
    Integer lowest = 0, highest = 0;
    const auto reach = [&](Integer length, Integer stride) {
        (stride < 0 ? lowest : highest) += (std::max<Integer>(length, 1) - 1) * stride;
    };
    reach(rows, layout.row_stride);
    reach(columns, layout.column_stride);
    reach(product.batch, layout.batch_stride);
    const Integer bytes = bytes_of(data_type), real = is_complex(data_type) && !for_pairs ? bytes / 2 : bytes;
    const bool is_aligned = random.chance(50);
    const Integer offset = is_aligned ? 0 : real * random.integer(0, 64 / real - 1);
    return std::make_unique<GuardedMemory>(name, lowest * bytes, (highest + 1) * bytes, offset,
                                           for_pairs ? GuardedMemory::Fence::none : draw_fence(random));
}

void for_each_element(Integer batch, Integer rows, Integer columns,
                      const std::function<void(Integer, Integer, Integer)>& f) {
    for (Integer matrix = 0; matrix < batch; ++matrix)
        for (Integer i = 0; i < rows; ++i)
            for (Integer j = 0; j < columns; ++j) f(matrix, i, j);
}

Integer as_integer(Complex value) { return std::llround(value.real()); }

/// Error of one sum over k, in units of rounding_of(data type)·Σ|x·y|.
///
/// Each addition rounds a partial sum S_i to within u·|S_i|. Roundings of different summands are as good as independent,
/// and the error grows with √k (Higham and Mary 2019, "A new approach to probabilistic rounding error analysis",
/// theorem 3.1). But where A and B both repeat one element along k (strides of 0), all summands are the same, and so are
/// the roundings of all additions whose S_i have the same exponent. Then only the sum of the bounds holds: |S_i| ≤ i·|x·y|,
/// and Σ_{i≤k} u·i·|x·y| = (k + 1)/2·u·Σ|x·y|. A complex multiplication adds two products to each component: twice as many
/// additions, and i·|x·y| bounds the vector of both components, before and after the second one.
long double growth_of_sum(const MatrixProduct& product) {
    const auto k = static_cast<long double>(product.k);
    const long double of_independent = 2 * std::sqrt(k);
    if (product.a.column_stride != 0 || product.b.row_stride != 0) return of_independent;
    const int additions = is_complex(product.data_type) ? 2 : 1;
    return std::max(of_independent, static_cast<long double>(additions) * (k + 1) / 2);
}

/// What is left of an integer in 32 bits.
Integer wrapped(std::uint64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); }

} // namespace

Complex read_element(const std::byte* address, DataType data_type) {
    switch (data_type) {
    case DataType::float32: return at<float>(address);
    case DataType::float64: return at<double>(address);
    case DataType::complex64: return {at<float>(address), at<float>(address + sizeof(float))};
    case DataType::complex128: return {at<double>(address), at<double>(address + sizeof(double))};
    case DataType::bfloat16: return read_low_precision<bfloat16>(address);
    case DataType::float16: return read_low_precision<float16>(address);
    case DataType::int8: return at<std::int8_t>(address);
    case DataType::uint8: return at<std::uint8_t>(address);
    case DataType::int32: return at<std::int32_t>(address);
    case DataType::float8_e4m3: return read_low_precision<float8_e4m3>(address);
    case DataType::unorm8: return read_low_precision<unorm8>(address);
    case DataType::snorm8: return read_low_precision<snorm8>(address);
    case DataType::unorm16: return read_low_precision<unorm16>(address);
    case DataType::snorm16: return read_low_precision<snorm16>(address);
    default: throw InternalError("elements of {}", name_of(data_type));
    }
}

void write_element(std::byte* address, DataType data_type, Complex value) {
    switch (data_type) {
    case DataType::float32: return put(address, static_cast<float>(value.real()));
    case DataType::float64: return put(address, static_cast<double>(value.real()));
    case DataType::complex64: return put(address, std::complex<float>(value));
    case DataType::complex128: return put(address, std::complex<double>(value));
    case DataType::bfloat16: return write_low_precision<bfloat16>(address, value);
    case DataType::float16: return write_low_precision<float16>(address, value);
    case DataType::int8: return put(address, static_cast<std::int8_t>(as_integer(value)));
    case DataType::uint8: return put(address, static_cast<std::uint8_t>(as_integer(value)));
    case DataType::int32: return put(address, static_cast<std::int32_t>(as_integer(value)));
    case DataType::float8_e4m3: return write_low_precision<float8_e4m3>(address, value);
    case DataType::unorm8: return write_low_precision<unorm8>(address, value);
    case DataType::snorm8: return write_low_precision<snorm8>(address, value);
    case DataType::unorm16: return write_low_precision<unorm16>(address, value);
    case DataType::snorm16: return write_low_precision<snorm16>(address, value);
    default: throw InternalError("elements of {}", name_of(data_type));
    }
}

bool is_exact(const MatrixProduct& product) { return product.data_type == DataType::int32; }

Factors draw_factors(const MatrixProduct& product, Random& random) {
    const auto one = [&](std::initializer_list<int> special) -> Complex {
        if (random.chance(70)) return random.one_of(special);
        if (is_exact(product)) return static_cast<long double>(random.integer(-1000, 1000));
        std::array<std::byte, 16> stored{};
        write_element(stored.data(), product.data_type, draw_value(product.data_type, random));
        return read_element(stored.data(), product.data_type);
    };
    Factors factors{one({1, 1, 1, -1, 0, 2}), one({0, 0, 1, -1})};
    if (product.converts()) factors.beta = 0;
    return factors;
}

ProductData::ProductData(const MatrixProduct& product, const Factors& factors, Random& random,
                         const Epilogue* epilogue, bool for_pairs)
    : product_(product), factors_(factors), epilogue_(epilogue) {
    a_ = memory_of("matrix a", product, product.a, product.type_of_a(), product.rows, product.k, random,
                   for_pairs);
    b_ = memory_of("matrix b", product, product.b, product.type_of_b(), product.k, product.columns, random,
                   for_pairs);
    c_ = memory_of("matrix c", product, product.c, product.type_of_c(), product.rows, product.columns, random,
                   for_pairs);
    const auto fill = [&](GuardedMemory& memory, const MatrixLayout& layout, DataType data_type, Integer rows,
                          Integer columns, const std::function<Complex()>& draw) {
        for_each_element(product.batch, rows, columns, [&](Integer matrix, Integer i, Integer j) {
            write_element(memory.origin() + offset_of(layout, matrix, i, j) * bytes_of(data_type), data_type,
                          draw());
        });
    };
    constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
    const auto drawn = [&](DataType data_type, bool is_read) -> std::function<Complex()> {
        if (is_read || is_integer(data_type) || is_normalised(data_type))
            return [&random, data_type] { return draw_value(data_type, random); };
        return [data_type] { return Complex(nan, is_complex(data_type) ? nan : 0); };
    };
    const bool multiplies = factors.alpha != Complex(0);
    fill(*a_, product.a, product.type_of_a(), product.rows, product.k,
         drawn(product.type_of_a(), multiplies));
    fill(*b_, product.b, product.type_of_b(), product.k, product.columns,
         drawn(product.type_of_b(), multiplies));
    fill(*c_, product.c, product.type_of_c(), product.rows, product.columns,
         drawn(product.type_of_c(), factors.beta != Complex(0)));
    before_.assign(c_->data(), c_->data() + c_->bytes());
}

void ProductData::restore() { std::copy(before_.begin(), before_.end(), c_->data()); }

void ProductData::save() {
    for (GuardedMemory* matrix : {a_.get(), b_.get(), c_.get()}) matrix->save();
}

void ProductData::require_unharmed() {
    const Integer bytes = bytes_of(product_.type_of_c());
    for_each_place([&](Integer offset) { c_->allow(offset, bytes); });
    for (GuardedMemory* matrix : {a_.get(), b_.get(), c_.get()}) matrix->require_unharmed();
}

ProductData::Expected ProductData::expected(Integer matrix, Integer i, Integer j) const {
    const auto element = [&](const GuardedMemory& memory, const MatrixLayout& layout, DataType data_type,
                             Integer row, Integer column) {
        const Complex value = read_element(
            memory.origin() + offset_of(layout, matrix, row, column) * bytes_of(data_type), data_type);
        return layout.conjugated ? std::conj(value) : value;
    };
    const Integer c_offset =
        offset_of(product_.c, matrix, i, j) * bytes_of(product_.type_of_c()) + (c_->origin() - c_->data());
    const Complex c = factors_.beta == Complex(0)
                          ? Complex(0)
                          : read_element(before_.data() + c_offset, product_.type_of_c());
    Complex sum = 0;
    long double magnitudes = 0;
    std::uint64_t integers = 0;
    const Integer k_extent = factors_.alpha == Complex(0) ? 0 : product_.k;
    for (Integer k = 0; k < k_extent; ++k) {
        const Complex x = element(*a_, product_.a, product_.type_of_a(), i, k);
        const Complex y = element(*b_, product_.b, product_.type_of_b(), k, j);
        if (is_exact(product_)) {
            integers += static_cast<std::uint64_t>(as_integer(x) * as_integer(y));
            continue;
        }
        sum += x * y;
        magnitudes += std::abs(x) * std::abs(y);
    }
    if (is_exact(product_)) {
        const auto alpha = static_cast<std::uint64_t>(as_integer(factors_.alpha));
        const auto beta = static_cast<std::uint64_t>(as_integer(factors_.beta));
        const Integer value =
            wrapped(alpha * integers + (beta == 0 ? 0 : beta * static_cast<std::uint64_t>(as_integer(c))));
        if (!product_.converts()) return {static_cast<long double>(value), 0};
        const auto as_float = static_cast<long double>(static_cast<float>(value));
        return {as_float, 0};
    }
    const long double scale = std::abs(factors_.alpha) * magnitudes + std::abs(factors_.beta * c);
    // Sums of E4M3 in tensor cores keep 13 bits behind the point of the largest.
    const bool is_short =
        product_.type_of_a() == DataType::float8_e4m3 || product_.type_of_b() == DataType::float8_e4m3;
    constexpr long double short_sum = 0x1p-12L;
    const long double unit = is_short ? short_sum : rounding_of(product_.data_type);
    const long double growth = 16 + growth_of_sum(product_);
    return {factors_.alpha * sum + factors_.beta * c, growth * unit * scale + spacing_of(product_.data_type)};
}

void ProductData::require_right(Integer matrix, Integer i, Integer j) const {
    const DataType stored = product_.type_of_c();
    auto [exact, of_sums] = expected(matrix, i, j);
    if (epilogue_ != nullptr && !epilogue_->is_identity()) {
        const long double before = std::abs(exact);
        exact = (*epilogue_)(exact.real(), matrix, i, j);
        constexpr long double operations = 8;
        of_sums =
            Epilogue::growth * of_sums + operations * rounding_of(product_.data_type) *
                                             (std::abs(exact) + 2 * before + 1 + static_cast<long double>(j));
    }
    const Range range = range_of(stored);
    const Complex value =
        product_.converts() ? Complex(std::clamp(exact.real(), range.least, range.greatest)) : exact;
    // int32 as float32 or halves: nearest, which the unit of what is stored covers.
    const long double allowed =
        of_sums + (product_.converts()
                       ? 1.01L * std::max(rounding_of(stored) * std::abs(value), spacing_of(stored) * 0.5L)
                       : 0);
    const Complex found =
        read_element(c_->origin() + offset_of(product_.c, matrix, i, j) * bytes_of(stored), stored);
    if (std::abs(found - value) <= allowed) return;
    // Beyond what float16 holds.
    if (stored == DataType::float16 && std::isinf(found.real()) && std::abs(value) > 65504.0L) return;
    throw Failure("wrong product",
                  fmt::format("element ({}, {}) of matrix {} is {}{:+}i and not {}{:+}i; {} are allowed", i,
                              j, matrix, static_cast<double>(found.real()), static_cast<double>(found.imag()),
                              static_cast<double>(value.real()), static_cast<double>(value.imag()),
                              static_cast<double>(allowed)));
}

void ProductData::for_each_place(const std::function<void(Integer)>& f) const {
    const Integer bytes = bytes_of(product_.type_of_c());
    for_each_element(
        product_.batch, product_.rows, product_.columns,
        [&](Integer matrix, Integer i, Integer j) { f(offset_of(product_.c, matrix, i, j) * bytes); });
}

void ProductData::for_each_result(const std::function<void(Integer, Integer, Integer, Complex)>& f) const {
    const DataType stored = product_.type_of_c();
    for_each_element(product_.batch, product_.rows, product_.columns,
                     [&](Integer matrix, Integer i, Integer j) {
                         const Integer at = offset_of(product_.c, matrix, i, j) * bytes_of(stored);
                         f(matrix, i, j, read_element(c_->origin() + at, stored));
                     });
}

void ProductData::require_right(Random& random) const {
    constexpr Integer most = 6'000'000; // multiplications: all products that are drawn for CPUs
    const Integer elements = product_.batch * product_.rows * product_.columns;
    if (elements == 0) return;
    const Integer each = std::max<Integer>(product_.k, 1);
    if (elements * each <= most)
        return for_each_element(product_.batch, product_.rows, product_.columns,
                                [&](Integer matrix, Integer i, Integer j) { require_right(matrix, i, j); });
    for (Integer matrix : {Integer{0}, product_.batch - 1})
        for (Integer i : {Integer{0}, product_.rows - 1})
            for (Integer j : {Integer{0}, product_.columns - 1}) require_right(matrix, i, j);
    for (Integer k = most / each; k >= 0; --k) {
        const Integer matrix = random.integer(0, product_.batch - 1);
        const Integer i = random.integer(0, product_.rows - 1);
        require_right(matrix, i, random.integer(0, product_.columns - 1));
    }
}

} // namespace swirl::fuzz
