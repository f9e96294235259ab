#include "bench/cpu_products/operands.hpp"

#include "base/error.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

namespace swirl::bench {
namespace {

using peers::MatrixRoutine;

template <class F> void with_data_type(DataType number, F&& f) {
    switch (number) {
    case DataType::float32: return f(float{});
    case DataType::float64: return f(double{});
    case DataType::complex64: return f(std::complex<float>{});
    case DataType::complex128: return f(std::complex<double>{});
    case DataType::int32: return f(std::int32_t{});
    default: throw InternalError("no sums of {}", name_of(number));
    }
}

template <class T> constexpr bool is_complex_type = false;
template <class T> constexpr bool is_complex_type<std::complex<T>> = true;

using Wide = std::complex<long double>;

struct Elements {
    Integer a, b, c;
};

Elements elements_of(const peers::MatrixCall& call) {
    const bool general = call.routine == MatrixRoutine::gemm || call.routine == MatrixRoutine::syrk;
    return {general ? call.rows * call.depth : call.rows * call.rows,
            call.has_b() ? call.depth * call.columns : 0, call.rows * call.columns};
}

constexpr Integer line = 64;
/// Padding between matrices, so that they do not all start at the same cache set.
constexpr Integer apart = 5 * line;

Integer bytes_with_gap(Integer elements, Integer bytes_each) {
    return (elements * bytes_each + line - 1) / line * line + apart;
}

using Bfloat16 = std::uint16_t;
Bfloat16 truncated(float value) { return static_cast<Bfloat16>(std::bit_cast<std::uint32_t>(value) >> 16); }
float widened(Bfloat16 value) { return std::bit_cast<float>(std::uint32_t{value} << 16); }

} // namespace

Operands::Operands(const peers::MatrixCall& call, bool cold) : call_(call) {
    const Elements elements = elements_of(call);
    const Integer sizes[] = {bytes_with_gap(elements.a, call.operand_bytes()),
                             bytes_with_gap(elements.b, call.operand_bytes()),
                             bytes_with_gap(elements.c, bytes_of(call.number))};
    const Integer each = sizes[0] + sizes[1] + sizes[2];
    constexpr Integer beyond_caches = Integer{64} << 20;
    const Integer count = cold ? (beyond_caches + each - 1) / each : 1;
    memory_ = runtime::AlignedBuffer(static_cast<std::size_t>(count * each));
    for (Integer i = 0; i < count; ++i) {
        std::byte* const first = memory_.as<std::byte>() + i * each;
        sets_.push_back({first, call.has_b() ? first + sizes[0] : nullptr, first + sizes[0] + sizes[1]});
    }
    std::shuffle(sets_.begin(), sets_.end(), std::mt19937(1));
    for (const peers::MatrixOperands& set : sets_)
        with_data_type(call.number, [&](auto example) { fill<decltype(example)>(set); });
    const auto* const c = static_cast<const std::byte*>(sets_[0].c);
    first_c_.assign(c, c + elements.c * bytes_of(call.number));
}

template <class T> void Operands::fill(const peers::MatrixOperands& set) const {
    std::minstd_rand generator(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto random = [&] {
        if constexpr (is_complex_type<T>) {
            using Real = typename T::value_type;
            const Real real = static_cast<Real>(uniform(generator));
            return T(real, static_cast<Real>(uniform(generator)));
        } else {
            return static_cast<T>(uniform(generator));
        }
    };
    const Elements elements = elements_of(call_);
    std::generate_n(static_cast<T*>(set.c), elements.c, random);
    if (call_.from_int8()) {
        const auto any_byte = [&] { return static_cast<std::int8_t>(generator()); };
        std::generate_n(static_cast<std::int8_t*>(const_cast<void*>(set.a)), elements.a, any_byte);
        std::generate_n(static_cast<std::int8_t*>(const_cast<void*>(set.b)), elements.b, any_byte);
        return;
    }
    if (call_.from_bfloat16) {
        const auto random_operand = [&] { return truncated(static_cast<float>(uniform(generator))); };
        std::generate_n(static_cast<Bfloat16*>(const_cast<void*>(set.a)), elements.a, random_operand);
        std::generate_n(static_cast<Bfloat16*>(const_cast<void*>(set.b)), elements.b, random_operand);
        return;
    }
    T* const a = static_cast<T*>(const_cast<void*>(set.a));
    std::generate_n(a, elements.a, random);
    if (set.b != nullptr) std::generate_n(static_cast<T*>(const_cast<void*>(set.b)), elements.b, random);
    if (!call_.is_in_place()) return;
    // Triangular matrices close to the identity: C is multiplied by them, or by their inverses, thousands of times.
    const T small = T(1) / T(static_cast<float>(call_.rows));
    for (Integer column = 0; column < call_.rows; ++column)
        for (Integer row = 0; row < call_.rows; ++row) {
            T& element = a[row + column * call_.rows];
            element = row == column ? T(1) : element * small;
        }
}

void Operands::restore() const { std::memcpy(sets_[0].c, first_c_.data(), first_c_.size()); }

double Operands::error() const {
    double error = 0;
    with_data_type(call_.number, [&](auto example) { error = error_of<decltype(example)>(); });
    return error;
}

namespace {

/// The operand elements in the definition of an element of C.
template <class T> class Definition {
public:
    Definition(const peers::MatrixCall& call, const peers::MatrixOperands& operands, const std::byte* before)
        : call_(call), operands_(operands), before_(reinterpret_cast<const T*>(before)) {}

    Wide a(Integer i, Integer j) const {
        const Integer m = call_.rows;
        switch (call_.routine) {
        case MatrixRoutine::symm: return operand(operands_.a, std::max(i, j) + std::min(i, j) * m);
        case MatrixRoutine::trmm:
        case MatrixRoutine::trsm: return j > i ? Wide(0) : operand(operands_.a, i + j * m);
        default: return operand(operands_.a, call_.transposed_a ? j + i * call_.depth : i + j * m);
        }
    }
    Wide b(Integer i, Integer j) const {
        switch (call_.routine) {
        case MatrixRoutine::syrk: return operand(operands_.a, j + i * call_.rows);
        case MatrixRoutine::trmm: return before(i, j);
        case MatrixRoutine::trsm: return c(i, j);
        default:
            return operand(operands_.b, call_.transposed_b ? j + i * call_.columns : i + j * call_.depth);
        }
    }
    Wide product(Integer i, Integer j) const {
        return call_.routine == MatrixRoutine::trsm ? before(i, j) : c(i, j);
    }

private:
    Wide operand(const void* matrix, Integer at) const {
        if (call_.from_int8()) return Wide(static_cast<const std::int8_t*>(matrix)[at]);
        if (call_.from_bfloat16) return Wide(widened(static_cast<const Bfloat16*>(matrix)[at]));
        return Wide(static_cast<const T*>(matrix)[at]);
    }
    Wide before(Integer i, Integer j) const { return Wide(before_[i + j * call_.rows]); }
    Wide c(Integer i, Integer j) const {
        return Wide(static_cast<const T*>(operands_.c)[i + j * call_.rows]);
    }

    const peers::MatrixCall& call_;
    const peers::MatrixOperands& operands_;
    const T* before_;
};

} // namespace

template <class T> double Operands::error_of() const {
    const Definition<T> definition(call_, sets_[0], first_c_.data());
    std::minstd_rand generator(11);
    double worst = 0;
    constexpr int samples = 40;
    for (int sample = 0; sample < samples; ++sample) {
        Integer row = static_cast<Integer>(generator()) % call_.rows,
                column = static_cast<Integer>(generator()) % call_.columns;
        if (call_.routine == MatrixRoutine::syrk && row < column) std::swap(row, column);
        Wide sum = 0;
        long double size = 0;
        for (Integer i = 0; i < call_.depth; ++i) {
            const Wide product = definition.a(row, i) * definition.b(i, column);
            sum += product;
            size += std::abs(product);
        }
        const double error = static_cast<double>(std::abs(definition.product(row, column) - sum) / size);
        worst = std::isfinite(error) ? std::max(worst, error) : std::numeric_limits<double>::infinity();
    }
    return worst;
}

} // namespace swirl::bench
