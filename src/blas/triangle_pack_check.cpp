#include "blas/check.hpp"
#include "blas/check_samples.hpp"

#include <algorithm>
#include <vector>

namespace swirl::blas {

namespace {

using namespace check_samples;

/// A block with as many rows as some groups and the rest.
template <class T> class PackSample {
    using R = Real<T>;

public:
    explicit PackSample(const TrianglePack& kernel)
        : kernel_(kernel),
          layout_(kernel.layout),
          whole_rows_(std::min<Integer>(3, (layout_.most_rows - kernel.rest) / layout_.lanes) *
                      layout_.lanes),
          rows_(whole_rows_ + kernel.rest),
          stride_(rows_ + 3),
          matrix_(static_cast<std::size_t>(rows_ * stride_), not_a_number<T>()) {
        for (Integer i = 0; i < rows_; ++i)
            for (Integer j = 0; j <= i; ++j)
                if (i > j || kernel.diagonal != CopiedDiagonal::ones) at(i, j) = element(i, j);
    }

    void run(runtime::KernelFunction function) {
        call(function);
        for (Integer i = 0; i < rows_; ++i)
            for (Integer j = 0; j <= i; ++j)
                if (copied(i, j) != wanted(i, j))
                    fail(name(), fmt::format("the copy of element ({}, {}) is wrong", i, j));
        const auto is_untouched = [](R each) { return each == untouched; };
        if (!std::all_of(triangle_.begin(), triangle_.begin() + guard, is_untouched) ||
            !std::all_of(triangle_.end() - guard, triangle_.end(), is_untouched))
            fail(name(), "it writes outside its copy");
        if (kernel_.diagonal != CopiedDiagonal::reciprocals) return;
        if (quality_ != 1) fail(name(), "it refuses good reciprocals");
        for (const Integer i : {Integer{0}, rows_ - 1}) {
            at(i, i) = T(std::numeric_limits<R>::denorm_min());
            call(function);
            if (quality_ != 0)
                fail(name(), fmt::format("it accepts the reciprocal of element ({}, {})", i, i));
            at(i, i) = element(i, i);
        }
    }

private:
    static constexpr R untouched = -77;

    static T element(Integer i, Integer j) { return i == j ? diagonal_sample<T>(i) : sample<T>(i, j, 1); }
    T wanted(Integer i, Integer j) const {
        if (i == j && kernel_.diagonal == CopiedDiagonal::ones) return T(1);
        const T of_matrix = kernel_.conjugated ? conjugate(element(i, j)) : element(i, j);
        return i == j && kernel_.diagonal == CopiedDiagonal::reciprocals ? T(1) / of_matrix : of_matrix;
    }
    T& at(Integer i, Integer j) {
        const Integer row = layout_.reversed ? rows_ - 1 - i : i,
                      column = layout_.reversed ? rows_ - 1 - j : j;
        return matrix_[static_cast<std::size_t>(kernel_.row_major ? row * stride_ + column
                                                                  : column * stride_ + row)];
    }
    void call(runtime::KernelFunction function) {
        triangle_.assign(static_cast<std::size_t>(layout_.scalars() + 2 * guard), untouched);
        void* const buffers[] = {matrix_.data(), triangle_.data() + guard, &quality_};
        const std::int64_t parameters[] = {whole_rows_, stride_};
        function(buffers, parameters);
    }
    T copied(Integer i, Integer j) const {
        const R* const from = triangle_.data() + guard + layout_.offset(i, j, rows_);
        if constexpr (is_complex_type<T>)
            return {from[0], from[layout_.lanes]};
        else
            return *from;
    }
    std::string name() const {
        return fmt::format("copy of a triangle of {}, {} lanes, {} more rows{}{}{}, {} on the diagonal",
                           name_of(layout_.data_type), layout_.lanes, kernel_.rest,
                           kernel_.row_major ? ", by rows" : "", layout_.reversed ? ", reversed" : "",
                           kernel_.conjugated ? ", conjugated" : "",
                           kernel_.diagonal == CopiedDiagonal::ones          ? "ones"
                           : kernel_.diagonal == CopiedDiagonal::reciprocals ? "reciprocals"
                                                                             : "elements");
    }

    const TrianglePack& kernel_;
    const TriangleLayout& layout_;
    Integer whole_rows_, rows_, stride_;
    std::vector<T> matrix_;
    std::vector<R> triangle_;
    R quality_ = 0;
};

} // namespace

void check_kernel(const TrianglePack& kernel, runtime::KernelFunction function) {
    with_element(kernel.layout.data_type,
                 [&](auto element) { PackSample<decltype(element)>(kernel).run(function); });
}

} // namespace swirl::blas
