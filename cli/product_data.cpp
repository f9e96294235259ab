#include "cli/product_data.hpp"

#include <swirl/matrix_product.hpp>
#include "base/error.hpp"
#include "plan/gemm/gpu/lists.hpp"
#include "plan/gemm/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace swirl::cli {

namespace {

constexpr std::size_t bytes_of_operand_element = 16;

Extent reach(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    if (rows == 0 || columns == 0 || batch == 0) return {0, -1};
    return extent_of(layout, rows, columns, batch);
}

/// The product with batch strides: pointer-array products have none, so some are chosen.
MatrixProduct with_strides(const MatrixProduct& product) {
    if (!product.listed) return product;
    const MatrixProduct strided = planning::with_contiguous_batch(product);
    MatrixProduct result = product;
    result.a.batch_stride = strided.a.batch_stride;
    result.b.batch_stride = strided.b.batch_stride;
    result.c.batch_stride = strided.c.batch_stride;
    return result;
}

const MatrixProduct& of_one_kind(const MatrixProduct& product) {
    if (!ProductData::supports(product))
        throw UserError(
            "{} has operands of several data types\n  plan and show know such products; to compute "
            "them use the library",
            to_text(product));
    return product;
}

} // namespace

bool ProductData::supports(const MatrixProduct& product) {
    return !product.widens() && !product.converts() && product.data_type != DataType::int32;
}

ProductData::ProductData(const MatrixProduct& product, std::uint32_t seed, double alpha, double beta)
    : product_(with_strides(of_one_kind(product))),
      state_(seed),
      is_single_(gemm::scalar_of(product.data_type) == DataType::float32),
      extent_a_(reach(product_.a, product.rows, product.k, product.batch)),
      extent_b_(reach(product_.b, product.k, product.columns, product.batch)),
      extent_c_(reach(product_.c, product.rows, product.columns, product.batch)),
      a_(filled(extent_a_)),
      b_(filled(extent_b_)),
      c_(filled(extent_c_)),
      before_(c_.as<std::byte>(), c_.as<std::byte>() + c_.bytes()),
      alpha_(alpha),
      beta_(beta),
      factors_(2 * bytes_of_operand_element) {
    for (const AuxiliaryArray& array : given_arrays_of(product)) {
        arrays_.emplace_back(static_cast<std::size_t>(std::max<Integer>(array.elements, 1) *
                                                      (array.is_complex ? 2 : 1) * (is_single_ ? 4 : 8)));
        fill(arrays_.back());
    }
    for (const auto& array : arrays_) array_memories_.push_back(array.data());
    planning::with_data_type(product.data_type, [&](auto example) {
        using T = decltype(example);
        using R = typename planning::RealPart<T>::type;
        *factors_.as<T>() = T(static_cast<R>(alpha));
        *reinterpret_cast<T*>(factors_.as<std::byte>() + bytes_of_operand_element) = T(static_cast<R>(beta));
    });
}

runtime::AlignedBuffer ProductData::filled(const Extent& extent) {
    const Integer count = std::max<Integer>(extent.highest - extent.lowest + 1, 1);
    runtime::AlignedBuffer buffer(static_cast<std::size_t>(count * bytes_of(product_.data_type)));
    fill(buffer);
    return buffer;
}

void ProductData::fill(runtime::AlignedBuffer& buffer) {
    const auto next = [&] {
        state_ = state_ * 1664525U + 1013904223U;
        return static_cast<double>(state_ >> 8) / (1 << 23) - 1;
    };
    if (is_single_)
        for (float& value : buffer.span_of<float>()) value = static_cast<float>(next());
    else
        for (double& value : buffer.span_of<double>()) {
            value = next();
            value += 0x1p-24 * next(); // all bits of a double
        }
}

void* ProductData::element(const runtime::AlignedBuffer& buffer, const Extent& extent) const {
    return buffer.as<std::byte>() - extent.lowest * bytes_of(product_.data_type);
}

ProductData::HostMemory ProductData::memory_of(const runtime::AlignedBuffer& buffer,
                                               const Extent& extent) const {
    const Integer count = std::max<Integer>(extent.highest - extent.lowest + 1, 1);
    return {buffer.data(), static_cast<std::size_t>(count * bytes_of(product_.data_type)),
            extent.lowest * bytes_of(product_.data_type)};
}

std::vector<ProductData::HostMemory> ProductData::memories_of_arrays() const {
    std::vector<HostMemory> result;
    for (const runtime::AlignedBuffer& array : arrays_) result.push_back({array.data(), array.bytes(), 0});
    return result;
}

const void* ProductData::beta() const { return factors_.as<std::byte>() + bytes_of_operand_element; }

void ProductData::execute(const planning::MatrixPlan& plan) const {
    plan.execute({alpha(), a(), b(), beta(), c()}, planning::scalar_kind(product_.data_type, alpha()),
                 planning::scalar_kind(product_.data_type, beta()), array_memories_.data());
}

void ProductData::restore_c() const { std::memcpy(c_.data(), before_.data(), before_.size()); }

ProductData::Wide ProductData::stored_value(const void* origin, Integer index, bool is_complex) const {
    const auto scalar = [&](Integer at) -> long double {
        return is_single_ ? static_cast<const float*>(origin)[at] : static_cast<const double*>(origin)[at];
    };
    return is_complex ? Wide(scalar(2 * index), scalar(2 * index + 1)) : Wide(scalar(index));
}

ProductData::Wide ProductData::array_element(const ExpressionNode& array,
                                             const std::vector<Integer>& indices) const {
    const ExpressionScope scope = scope_of(product_);
    Integer at = 0;
    for (const std::string& name : array.indices) {
        const std::size_t axis = *scope.axis_of(name);
        at = at * scope.lengths[axis] + indices[axis];
    }
    const std::vector<AuxiliaryArray> known = arrays_of(product_);
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const AuxiliaryArray& one) { return one.name == array.name; });
    return stored_value(array_memories_[static_cast<std::size_t>(found - known.begin())], at,
                        array.is_complex);
}

ProductData::Wide ProductData::value_of(const Expression& expression, const Wide& x,
                                        const std::vector<Integer>& indices) const {
    if (expression.is_identity()) return x;
    const ExpressionScope scope = scope_of(product_);
    const auto index = [&](const std::string& name) { return indices[*scope.axis_of(name)]; };
    const auto array = [&](const ExpressionNode& node) {
        return std::complex<double>(array_element(node, indices));
    };
    return Wide(evaluate(expression.tree()->value, {std::complex<double>(x), index, array}));
}

/// Error of a reduction's results, against the elements that C has now; a sum's error is relative to the sum of
/// magnitudes.
double ProductData::error_of_reduction(std::size_t index, double most_terms) const {
    const Reduction& reduction = product_.reductions[index];
    const Integer of_matrix = results_of_matrix(product_, reduction.over);
    const Integer rows = reduction.over == Over::columns ? 1 : product_.rows;
    const Integer columns = reduction.over == Over::rows ? 1 : product_.columns;
    const Integer results = product_.batch * of_matrix;
    const double terms = static_cast<double>(rows) * static_cast<double>(columns);
    const auto step = std::max<Integer>(
        1, static_cast<Integer>(static_cast<double>(results) * std::max(terms, 1.0) / most_terms));
    const bool is_sum = reduction.operation == Reduce::sum;
    const void* const found = array_memories_[arrays_of(product_).size() + index];
    const long double epsilon = is_single_ ? 0x1p-23L : 0x1p-52L;
    double largest = 0;
    for (Integer result = 0; result < results && terms > 0; result += step) {
        const Integer matrix = result / of_matrix, kept = result % of_matrix;
        long double expected = 0, magnitude = 0;
        for (Integer at = 0; at < rows * columns; ++at) {
            const Integer i = reduction.over == Over::columns ? kept : at % rows;
            const Integer j = reduction.over == Over::rows ? kept : at / rows;
            const Wide x = type_of_c(matrix, i, j);
            const long double value = value_of(reduction.of, x, {matrix, i, j}).real();
            const bool is_further =
                reduction.operation == Reduce::maximum ? value > expected : value < expected;
            if (is_sum)
                expected += value;
            else if (at == 0 || is_further || std::isnan(value))
                expected = value;
            magnitude += std::abs(value);
        }
        if (!is_sum) magnitude = std::abs(expected);
        constexpr long double roundings = 64;
        const long double allowed = epsilon * roundings * std::max(magnitude, 1e-30L);
        const auto error = static_cast<double>(
            std::abs(this->stored_value(found, result, false).real() - expected) / allowed);
        if (!(error <= largest)) largest = error; // catches NaN, too
    }
    return largest;
}

ProductData::Wide ProductData::type_of_c(Integer matrix, Integer row, Integer column) const {
    const MatrixLayout& layout = product_.c;
    return stored_value(
        c(), matrix * layout.batch_stride + row * layout.row_stride + column * layout.column_stride,
        is_complex(product_.data_type));
}

double ProductData::error_at(Integer matrix, Integer row, Integer column) const {
    const bool is_wide = is_complex(product_.data_type);
    const auto value = [&](const void* origin, const MatrixLayout& layout, Integer i, Integer j) {
        const Wide found = stored_value(
            origin, matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride, is_wide);
        return layout.conjugated ? std::conj(found) : found;
    };
    Wide sum = 0;
    long double magnitude = 0;
    for (Integer k = 0; k < product_.k; ++k) {
        const Wide term = value(a(), product_.a, row, k) * value(b(), product_.b, k, column);
        sum += term;
        magnitude += std::abs(term);
    }
    const void* const before = before_.data() - extent_c_.lowest * bytes_of(product_.data_type);
    const Wide old = value(before, product_.c, row, column);
    Wide expected = static_cast<long double>(alpha_) * sum + static_cast<long double>(beta_) * old;
    magnitude = std::abs(alpha_) * magnitude + std::abs(static_cast<long double>(beta_) * old);
    if (!product_.epilogue.is_identity()) {
        expected = value_of(product_.epilogue, expected, {matrix, row, column});
        magnitude += std::abs(expected);
    }
    const long double epsilon = is_single_ ? 0x1p-23L : 0x1p-52L;
    const long double allowed =
        epsilon * static_cast<long double>(product_.k + 4) * std::max(magnitude, 1e-30L);
    return static_cast<double>(std::abs(value(c(), product_.c, row, column) - expected) / allowed);
}

double ProductData::error() const {
    constexpr double most_terms = 2e7;
    const double all = static_cast<double>(product_.batch) * static_cast<double>(product_.rows) *
                       static_cast<double>(product_.columns);
    const double wanted = std::min(all, most_terms / static_cast<double>(product_.k + 1));
    const double step = all / std::max(wanted, 1.0);
    double largest = 0;
    for (double at = 0; at < all; at += step) { // includes the first and the last element
        const auto element = static_cast<Integer>(at + step >= all ? all - 1 : at);
        const Integer row = element % product_.rows, others = element / product_.rows;
        const double error = error_at(others / product_.columns, row, others % product_.columns);
        if (!(error <= largest)) largest = error; // catches NaN, too
    }
    for (std::size_t k = 0; k < product_.reductions.size(); ++k) {
        const double error = error_of_reduction(k, most_terms);
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

} // namespace swirl::cli
