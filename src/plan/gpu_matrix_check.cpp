// Large matrices would take longer to fill with numbers than to multiply: they hold a short random sequence again and again, whose
// length is a prime, so that no two rows or columns are the same for long.
#include "plan/gpu_matrix_check.hpp"

#include "base/error.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "plan/matrix_values.hpp"
#include "runtime/cuda_memory.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace swirl::planning {

namespace {

constexpr std::size_t sequence_length = 65521;
constexpr int compared_elements = 64;

/// Numbers of a matrix, in a GPU's memory and on the host.
template <class T> class RepeatedMatrix {
public:
    RepeatedMatrix(const runtime::GpuDevice& device, const MatrixLayout& layout, Integer rows,
                   Integer columns, Integer batch, unsigned seed)
        : layout_(layout),
          extent_(extent_of(layout, rows, columns, batch)),
          sequence_(sequence_length),
          memory_(device, static_cast<std::size_t>(extent_.highest - extent_.lowest + 1) * sizeof(T)) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (T& number : sequence_) number = static_cast<T>(static_cast<Real>(uniform(random)));
        const std::size_t period = sequence_length * sizeof(T);
        for (std::size_t first = 0; first < memory_.bytes(); first += period)
            runtime::copy_to_gpu(device, memory_.address() + first, sequence_.data(),
                                 std::min(period, memory_.bytes() - first));
    }

    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

    T* origin() const { return reinterpret_cast<T*>(memory_.address()) - extent_.lowest; }
    double element(Integer matrix, Integer i, Integer j) const {
        return static_cast<Real>(sequence_[static_cast<std::size_t>(offset(matrix, i, j)) % sequence_length]);
    }
    /// What is there by now.
    double read(Integer matrix, Integer i, Integer j) const {
        T number{};
        runtime::copy_from_gpu(memory_.device(), &number,
                               memory_.address() + static_cast<std::size_t>(offset(matrix, i, j)) * sizeof(T),
                               sizeof(T));
        return static_cast<Real>(number);
    }

private:
    Integer offset(Integer matrix, Integer i, Integer j) const {
        return matrix * layout_.batch_stride + i * layout_.row_stride + j * layout_.column_stride -
               extent_.lowest;
    }

    MatrixLayout layout_;
    Extent extent_;
    std::vector<T> sequence_;
    runtime::GpuBuffer memory_;
};

/// Relative to a number's magnitude, half of what lies between neighbours.
template <class T> constexpr double rounding_of() {
    if constexpr (std::is_same_v<T, bfloat16>) return 0x1p-8;
    if constexpr (std::is_same_v<T, float16>) return 0x1p-11;
    return 0;
}

/// Sums of T, A and B of F, C of S.
template <class T, class F, class S> void compare(const GpuMatrixPlan& plan) {
    const MatrixProduct& product = plan.product();
    const runtime::GpuDevice& device = plan.device();
    const RepeatedMatrix<S> c(device, product.c, product.rows, product.columns, product.batch, 3);
    std::optional<RepeatedMatrix<F>> a, b;
    if (product.depth > 0) {
        a.emplace(device, product.a, product.rows, product.depth, product.batch, 1);
        b.emplace(device, product.b, product.depth, product.columns, product.batch, 2);
    }
    const T alpha = T(0.75), beta = product.converts() ? T(0) : T(-0.5);
    device.synchronize();
    plan.execute({&alpha, a ? a->origin() : nullptr, b ? b->origin() : nullptr, &beta, c.origin()}, nullptr);
    device.synchronize();
    std::mt19937_64 random(4);
    const auto below = [&](Integer extent, int k) {
        if (k < 2) return k == 0 ? 0 : extent - 1;
        return static_cast<Integer>(random() % static_cast<std::uint64_t>(extent));
    };
    for (int k = 0; k < compared_elements; ++k) {
        const Integer matrix = below(product.batch, k), i = below(product.rows, k % 4 == 2 ? 0 : k),
                      j = below(product.columns, k);
        double sum = beta * c.element(matrix, i, j), magnitude = std::abs(sum);
        for (Integer step = 0; step < product.depth; ++step) {
            const double term = alpha * a->element(matrix, i, step) * b->element(matrix, step, j);
            sum += term;
            magnitude += std::abs(term);
        }
        const double error = std::abs(c.read(matrix, i, j) - sum);
        const double allowed = std::numeric_limits<T>::epsilon() * magnitude *
                                   (8 + std::sqrt(static_cast<double>(product.depth))) +
                               rounding_of<S>() * std::abs(sum);
        ensure(error <= allowed,
               "a product of {} by {} by {} by '{}' is wrong at ({}, {}) of matrix {}: {} and not {}",
               product.rows, product.columns, product.depth, to_string(plan.schedule()), i, j, matrix,
               c.read(matrix, i, j), sum);
    }
}

} // namespace

void compare_with_definition(const GpuMatrixPlan& plan) {
    const MatrixProduct& product = plan.product();
    const auto with_result = [&](auto sum, auto factor) {
        using T = decltype(sum);
        using F = decltype(factor);
        if (product.number_of_c() == Number::bfloat16) return compare<T, F, bfloat16>(plan);
        if (product.number_of_c() == Number::float16) return compare<T, F, float16>(plan);
        compare<T, F, T>(plan);
    };
    switch (product.number_of_a()) {
    case Number::float32: return with_result(float{}, float{});
    case Number::float64: return compare<double, double, double>(plan);
    case Number::bfloat16: return with_result(float{}, bfloat16{});
    case Number::float16: return with_result(float{}, float16{});
    case Number::float8_e4m3: return with_result(float{}, float8_e4m3{});
    default: break;
    }
    throw InternalError("a product of {} on a GPU", word_of(product.number));
}

} // namespace swirl::planning
