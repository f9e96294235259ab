#include "blas/triangular_check.hpp"

#include "base/error.hpp"
#include "blas/scalar_traits.hpp"
#include "plan/gemm/values.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace swirl::blas {

namespace {

/// Well mixed small integers, −2 … 2.
double small_integer(Integer i, Integer j, int which) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 0x9e3779b1U ^
                      static_cast<std::uint32_t>(j) * 0x85ebca77U ^
                      static_cast<std::uint32_t>(which) * 0xc2b2ae3dU;
    x = (x ^ x >> 15) * 0x2c1b3c6dU;
    return static_cast<double>((x >> 16) % 5) - 2;
}

template <class T> T sample(Integer i, Integer j, int which) {
    using R = typename planning::RealPart<T>::type;
    const auto real = static_cast<R>(small_integer(i, j, which));
    if constexpr (std::is_same_v<T, R>)
        return real;
    else
        return {real, static_cast<R>(small_integer(i, j, which + 10))};
}

/// One block, lower after the kernel's reversal, with as many rows as three groups.
template <class T> class StripSample {
    using R = typename planning::RealPart<T>::type;

public:
    explicit StripSample(const StripKernel& kernel)
        : kernel_(kernel),
          rows_(std::min<Integer>(3 * kernel.lanes, kernel.most_rows)),
          columns_(kernel.columns()),
          stride_((kernel.column_major ? rows_ : columns_) + 3),
          strip_(static_cast<std::size_t>(2 * guard + stride_ * (kernel.column_major ? columns_ : rows_)),
                 untouched) {}

    void run(runtime::KernelFunction function) {
        std::vector<R> triangle(static_cast<std::size_t>(triangle_scalars(kernel_)));
        for (Integer i = 0; i < rows_; ++i)
            for (Integer j = 0; j <= i; ++j) {
                const T entry = i == j ? diagonal() : sample<T>(i, j, 1);
                R* const at = triangle.data() + triangle_offset(kernel_, i, j);
                if constexpr (std::is_same_v<T, R>) {
                    at[0] = is_solving() && i == j ? 1 / entry : entry;
                } else {
                    const T kept = is_solving() && i == j ? T(1) / entry : entry;
                    at[0] = kept.real();
                    at[kernel_.lanes] = kept.imag();
                }
            }
        for (Integer i = 0; i < rows_; ++i)
            for (Integer j = 0; j < columns_; ++j)
                at(i, j) = is_solving() ? product(i, j) / alpha() : x(i, j);
        std::vector<R> workspace(static_cast<std::size_t>(workspace_scalars(kernel_)));
        T factor(2); // that an unscaled kernel does not read
        void* const buffers[] = {triangle.data(), &factor, strip_.data() + guard, workspace.data()};
        const std::int64_t parameters[] = {rows_, stride_};
        function(buffers, parameters);
        compare();
    }

private:
    static constexpr Integer guard = 16;
    static inline const T untouched = T(-77);

    bool is_solving() const { return kernel_.task == TriangularTask::solve; }
    /// Powers of two, so that divisions are exact.
    T alpha() const { return kernel_.scaled ? T(2) : T(1); }
    static T diagonal() { return T(R(0.5)); }
    /// Right-hand sides, or the solution; even, so that halves are integers.
    static T x(Integer i, Integer j) { return T(2) * sample<T>(i, j, 3); }
    /// Of the triangle and x.
    T product(Integer i, Integer j) const {
        T sum = diagonal() * x(i, j);
        for (Integer k = 0; k < i; ++k) sum += sample<T>(i, k, 1) * x(k, j);
        return sum;
    }
    T& at(Integer row, Integer column) {
        const Integer in_memory = kernel_.reversed ? rows_ - 1 - row : row;
        const Integer offset =
            kernel_.column_major ? column * stride_ + in_memory : in_memory * stride_ + column;
        return strip_[static_cast<std::size_t>(guard + offset)];
    }
    void compare() {
        for (Integer i = 0; i < rows_; ++i)
            for (Integer j = 0; j < columns_; ++j) {
                const T wanted = is_solving() ? x(i, j) : alpha() * product(i, j);
                if (at(i, j) != wanted) fail(fmt::format("element ({}, {}) is wrong", i, j));
                at(i, j) = untouched;
            }
        if (std::any_of(strip_.begin(), strip_.end(), [](const T& each) { return each != untouched; }))
            fail("it writes outside its strip");
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw InternalError(
            "kernel '{} strips of {} columns, {}{}{}{}' failed its check before first use: {}",
            is_solving() ? "solve" : "multiply", columns_, name_of(kernel_.data_type),
            kernel_.column_major ? ", by columns" : "", kernel_.reversed ? ", reversed" : "",
            kernel_.scaled ? ", scaled" : "", what);
    }

    const StripKernel& kernel_;
    Integer rows_, columns_, stride_;
    std::vector<T> strip_;
};

} // namespace

void check_strip(const StripKernel& kernel, runtime::KernelFunction function) {
    switch (kernel.data_type) {
    case DataType::float32: return StripSample<float>(kernel).run(function);
    case DataType::float64: return StripSample<double>(kernel).run(function);
    case DataType::complex64: return StripSample<std::complex<float>>(kernel).run(function);
    case DataType::complex128: return StripSample<std::complex<double>>(kernel).run(function);
    default: throw InternalError("no strips of {}", name_of(kernel.data_type));
    }
}

} // namespace swirl::blas
