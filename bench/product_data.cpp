#include "bench/product_data.hpp"

#include "base/error.hpp"
#include "bench/support/stored_type.hpp"
#include "cli/epsilon.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace swirl::bench {
namespace {

const MatrixLayout& layout_of(const MatrixProduct& product, std::size_t matrix) {
    return matrix == 0 ? product.a : matrix == 1 ? product.b : product.c;
}

DataType type_of(const MatrixProduct& product, std::size_t matrix) {
    return matrix == 0 ? product.type_of_a() : matrix == 1 ? product.type_of_b() : product.type_of_c();
}

std::array<Integer, 2> extents_of(const MatrixProduct& product, std::size_t matrix) {
    return {matrix == 1 ? product.k : product.rows, matrix == 0 ? product.k : product.columns};
}

const MatrixProduct& checked(const MatrixProduct& product) {
    validate(product);
    if (!product.epilogue.is_identity() || !product.reductions.empty() || product.listed ||
        std::min({product.rows, product.columns, product.k, product.batch}) == 0)
        throw UserError(
            "the benchmark multiplies matrices that are not empty, without epilogue, reductions "
            "and pointer arrays: '{}'",
            to_text(product));
    return product;
}

/// Random scalars: in [−1, 1), of integers all of int8's.
void fill(std::span<std::byte> memory, DataType type, std::minstd_rand& generator) {
    const StoredType& scalar = stored(component_of(type));
    std::uniform_real_distribution<double> uniform(-1, 1);
    const double amplitude = is_integer(type) ? 127 : 1;
    for (std::size_t at = 0; at + scalar.bytes <= memory.size(); at += scalar.bytes)
        scalar.write(amplitude * uniform(generator), &memory[at]);
}

} // namespace

ProductData::ProductData(const MatrixProduct& product) : product_(checked(product)) {
    std::minstd_rand generator(7);
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
        const auto [rows, columns] = extents_of(product, matrix);
        const Extent extent = extent_of(layout_of(product, matrix), rows, columns, product.batch);
        if (extent.lowest < 0)
            throw UserError("the benchmark takes no negative strides: '{}'", to_text(product));
        const DataType type = type_of(product, matrix);
        memory_[matrix] =
            runtime::AlignedBuffer(static_cast<std::size_t>((extent.highest + 1) * bytes_of(type)));
        if (matrix < 2) fill(memory_[matrix].span_of<std::byte>(), type, generator);
    }
    erase_result();
}

std::array<std::span<std::byte>, 3> ProductData::arrays() const {
    return {memory_[0].span_of<std::byte>(), memory_[1].span_of<std::byte>(),
            memory_[2].span_of<std::byte>()};
}

double ProductData::flops() const {
    const double each = is_complex(product_.data_type) ? 8 : 2;
    return each * static_cast<double>(product_.rows) * static_cast<double>(product_.columns) *
           static_cast<double>(product_.k) * static_cast<double>(product_.batch);
}

void ProductData::erase_result() const { std::memset(memory_[2].as<std::byte>(), 0xff, memory_[2].bytes()); }

ProductData::Wide ProductData::element(std::size_t matrix, Integer batch, Integer row, Integer column) const {
    const MatrixLayout& layout = layout_of(product_, matrix);
    const DataType type = type_of(product_, matrix);
    const StoredType& scalar = stored(component_of(type));
    const Integer offset =
        batch * layout.batch_stride + row * layout.row_stride + column * layout.column_stride;
    const std::byte* const at = memory_[matrix].as<std::byte>() + offset * bytes_of(type);
    if (!is_complex(type)) return scalar.read(at);
    const double imaginary = scalar.read(at + scalar.bytes);
    return {scalar.read(at), layout.conjugated ? -imaginary : imaginary};
}

double ProductData::error_at(Integer batch, Integer row, Integer column) const {
    Wide sum = 0;
    long double magnitude = 0;
    for (Integer k = 0; k < product_.k; ++k) {
        const Wide term = element(0, batch, row, k) * element(1, batch, k, column);
        sum += term;
        magnitude += std::abs(term);
    }
    const auto error = static_cast<double>(std::abs(element(2, batch, row, column) - sum) / magnitude);
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

double ProductData::distance() const {
    double largest = 0;
    const auto compare = [&](Integer batch, Integer row, Integer column) {
        largest = std::max(largest, error_at(batch, row, column));
    };
    for (const Integer batch : {Integer{0}, product_.batch - 1})
        for (const Integer row : {Integer{0}, product_.rows - 1})
            for (const Integer column : {Integer{0}, product_.columns - 1}) compare(batch, row, column);
    std::mt19937_64 generator(1);
    const auto below = [&](Integer end) {
        return static_cast<Integer>(generator() % static_cast<std::uint64_t>(end));
    };
    constexpr int samples = 250;
    for (int sample = 0; sample < samples; ++sample) {
        const Integer batch = below(product_.batch), row = below(product_.rows);
        compare(batch, row, below(product_.columns));
    }
    return largest;
}

double ProductData::tolerance(Accuracy accuracy) const {
    const bool is_narrow = product_.converts() && !is_integer(product_.type_of_c());
    return tolerance_of_sums(accuracy) + (is_narrow ? cli::epsilon_of(product_.type_of_c()) / 2 : 0);
}

double ProductData::tolerance_of_sums(Accuracy accuracy) const {
    switch (product_.type_of_a()) {
    case DataType::float32:
    case DataType::complex64: break;
    case DataType::bfloat16:
    case DataType::float16: return 1e-5;     // operands are exact; tensor cores truncate sums
    case DataType::float8_e4m3: return 2e-3; // tensor cores keep about 14 bits of such sums
    default: return 1e-14;
    }
    // The errors of rounded operands are independent: four standard deviations of their sum.
    const double independent = std::min(1.0, 4 / std::sqrt(static_cast<double>(product_.k)));
    switch (accuracy) {
    case Accuracy::ordinary:
    case Accuracy::ordinary_in_range: return 2e-6;
    case Accuracy::reduced: return 1e-5;
    case Accuracy::eleven_bits: return 2e-3 * independent;
    case Accuracy::low: return 1.6e-2 * independent;
    }
    return 0;
}

} // namespace swirl::bench
