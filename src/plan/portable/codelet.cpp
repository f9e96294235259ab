#include "plan/portable/codelet.hpp"

#include <swirl/element.hpp>

#include "base/error.hpp"
#include "emit/cpp/builtin.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

constexpr Integer lanes = emit::builtin_lanes;
constexpr Integer vector_bytes = 16; ///< of the vectors that built-in codelets use

} // namespace

template <class T>
PortableCodelet<T>::PortableCodelet(const formula::Formula& formula, bool complex)
    : complex_(complex),
      complex_formula_(formula.is<formula::Dft>()),
      builtin_(find_builtin(formula, data_type_of<T>())),
      rows_(formula.rows()),
      columns_(formula.columns()) {
    if (builtin_) {
        ensure(complex || !complex_formula_, "a complex codelet on real entries");
        flops_ = builtin_->entry->flops * (complex && !complex_formula_ ? 2 : 1);
        return;
    }
    const formula::DenseMatrix matrix = formula::dense(formula);
    const bool real = std::all_of(matrix.begin(), matrix.end(), [](const auto& z) { return z.imag() == 0; });
    ensure(complex || real, "a complex matrix on real entries");
    for (const formula::Complex& z : matrix) {
        re_.push_back(static_cast<T>(z.real()));
        if (!real) im_.push_back(static_cast<T>(z.imag()));
    }
    flops_ = rows_ * columns_ * (complex ? (real ? 4 : 8) : 2);
}

template <class T>
void PortableCodelet<T>::run(const LaneVector<T>& in, const LaneVector<T>& out, Integer count) const {
    builtin_ ? run_builtin(in, out, count) : run_dense(in, out);
}

template <class T>
void PortableCodelet<T>::run_builtin(const LaneVector<T>& in, const LaneVector<T>& out, Integer count) const {
    constexpr Integer vector_lanes = vector_bytes / static_cast<Integer>(sizeof(T));
    const std::int64_t vectors = ceil_divide(count, vector_lanes);
    const auto call = [&](std::initializer_list<void*> buffers) {
        builtin_->entry->function(buffers.begin(), &vectors);
    };
    if (complex_formula_) {
        if (builtin_->exchanged) return call({in.im, in.re, out.im, out.re});
        return call({in.re, in.im, out.re, out.im});
    }
    call({in.re, out.re});
    if (complex_) call({in.im, out.im});
}

template <class T>
void PortableCodelet<T>::run_dense(const LaneVector<T>& in, const LaneVector<T>& out) const {
    const auto add = [&](const std::vector<T>& matrix, Integer r, const T* x, T* sum, T sign) {
        for (Integer c = 0; c < columns_; ++c) {
            const T factor = sign * matrix[static_cast<std::size_t>(r * columns_ + c)];
            if (factor == 0) continue;
            for (Integer l = 0; l < lanes; ++l) sum[l] += factor * x[c * lanes + l];
        }
    };
    for (Integer r = 0; r < rows_; ++r) {
        T sum_re[lanes] = {}, sum_im[lanes] = {};
        add(re_, r, in.re, sum_re, 1);
        if (complex_) add(re_, r, in.im, sum_im, 1);
        if (!im_.empty()) {
            add(im_, r, in.im, sum_re, -1);
            add(im_, r, in.re, sum_im, 1);
        }
        std::copy_n(sum_re, lanes, out.re + r * lanes);
        if (complex_) std::copy_n(sum_im, lanes, out.im + r * lanes);
    }
}

template class PortableCodelet<float>;
template class PortableCodelet<double>;

} // namespace swirl::planning
