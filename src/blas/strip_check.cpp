#include "blas/check.hpp"
#include "blas/check_samples.hpp"

#include <algorithm>
#include <vector>

namespace swirl::blas {

namespace {

using namespace check_samples;

/// One block, lower after the kernel's reversal, with as many rows as some groups and the rest.
template <class T> class StripSample {
    using R = Real<T>;

public:
    explicit StripSample(const StripKernel& kernel)
        : kernel_(kernel),
          whole_rows_(std::min<Integer>(3, (kernel.most_rows - kernel.rest) / kernel.lanes) * kernel.lanes),
          rows_(whole_rows_ + kernel.rest),
          columns_(kernel.columns),
          stride_((kernel.column_major ? rows_ : columns_) + 3),
          strip_(static_cast<std::size_t>(2 * guard + stride_ * (kernel.column_major ? columns_ : rows_)),
                 untouched) {}

    void run(runtime::KernelFunction function) {
        const TriangleLayout layout = kernel_.layout();
        std::vector<R> triangle(static_cast<std::size_t>(layout.scalars()),
                                std::numeric_limits<R>::quiet_NaN());
        for (Integer i = 0; i < rows_; ++i)
            for (Integer j = 0; j <= i; ++j) {
                const bool is_inverted = is_solving() && i == j && !kernel_.divides;
                const T entry = i == j ? diagonal_sample<T>(i) : sample<T>(i, j, 1);
                const T copied = is_inverted ? T(1) / entry : entry;
                R* const at = triangle.data() + layout.offset(i, j, rows_);
                at[0] = std::real(copied);
                if constexpr (is_complex_type<T>) at[kernel_.lanes] = copied.imag();
            }
        for (Integer i = 0; i < rows_; ++i)
            for (Integer j = 0; j < columns_; ++j)
                at(i, j) = is_solving() ? product(i, j) / alpha() : x(i, j);
        std::vector<R> workspace(static_cast<std::size_t>(workspace_scalars(kernel_)));
        T factor(2); // that an unscaled kernel does not read
        void* const buffers[] = {triangle.data(), &factor, strip_.data() + guard, workspace.data()};
        const std::int64_t parameters[] = {whole_rows_, stride_};
        function(buffers, parameters);
        compare();
    }

private:
    static inline const T untouched = T(-77);

    bool is_solving() const { return kernel_.task == TriangularTask::solve; }
    /// Powers of two, so that divisions are exact.
    T alpha() const { return kernel_.scaled ? T(2) : T(1); }
    /// Right-hand sides, or the solution; even, so that halves are integers.
    static T x(Integer i, Integer j) { return T(2) * sample<T>(i, j, 3); }
    /// Of the triangle and x.
    T product(Integer i, Integer j) const {
        T sum = diagonal_sample<T>(i) * x(i, j);
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
                if (at(i, j) != wanted) fail(name(), fmt::format("element ({}, {}) is wrong", i, j));
                at(i, j) = untouched;
            }
        if (std::any_of(strip_.begin(), strip_.end(), [](const T& each) { return each != untouched; }))
            fail(name(), "it writes outside its strip");
    }
    std::string name() const {
        return fmt::format("{} strips of {} columns, {} more rows, {}{}{}{}{}",
                           is_solving() ? "solve" : "multiply", columns_, kernel_.rest,
                           name_of(kernel_.data_type), kernel_.column_major ? ", by columns" : "",
                           kernel_.reversed ? ", reversed" : "", kernel_.scaled ? ", scaled" : "",
                           kernel_.divides ? ", divided" : "");
    }

    const StripKernel& kernel_;
    Integer whole_rows_, rows_, columns_, stride_;
    std::vector<T> strip_;
};

} // namespace

void check_kernel(const StripKernel& kernel, runtime::KernelFunction function) {
    with_element(kernel.data_type,
                 [&](auto element) { StripSample<decltype(element)>(kernel).run(function); });
}

} // namespace swirl::blas
