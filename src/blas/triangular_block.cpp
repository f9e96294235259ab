#include "blas/triangular_block.hpp"

#include "blas/scratch.hpp"
#include "blas/triangular_kernels.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace swirl::blas {
namespace {

/// Minimum multiply-adds per thread: below, a thread costs more than it saves.
constexpr double min_parallel_work = 1 << 18;

/// A block and its right-hand sides. Kernels handle lower triangles; an upper triangle's last row is their first.
template <class T> struct Task {
    TriangularTask task;
    T alpha;
    TriangularMatrix<T> a;
    View<T> b;

    Integer source(Integer row) const { return a.lower ? row : b.rows - 1 - row; }
};

/// Whether multiplying by this reciprocal is as good as dividing: it is finite and far enough above the subnormals,
/// which have fewer digits and may be flushed to zero, that nothing is lost.
template <class T> bool is_exact_enough(T reciprocal, T of) {
    using Limits = std::numeric_limits<Real<T>>;
    if constexpr (is_complex_type<T>) {
        const bool one_component = of.real() == 0 || of.imag() == 0;
        const Real<T> least = one_component ? Limits::min() : Limits::min() / Limits::epsilon();
        return std::isfinite(reciprocal.real()) && std::isfinite(reciprocal.imag()) &&
               std::max(std::abs(reciprocal.real()), std::abs(reciprocal.imag())) >= least;
    } else {
        static_cast<void>(of);
        return std::isnormal(reciprocal);
    }
}

template <class T> void put(Real<T>* element, int to_imaginary, T x) {
    if constexpr (is_complex_type<T>) {
        element[0] = x.real();
        element[to_imaginary] = x.imag();
    } else {
        element[0] = x;
    }
}

/// Copies the triangle to the kernels' layout, padded with rows of the identity. Returns false if dividing by the
/// diagonal is better than multiplying by reciprocals.
template <class T>
bool copy_triangle(const Task<T>& task, const StripKernel& kernel, Integer padded_rows, Real<T>* copy) {
    const Integer n = task.b.rows;
    const View<const T> a = task.a.lower ? task.a.matrix : task.a.matrix.reversed();
    bool invertible = true;
    const auto diagonal = [&](T of_matrix) {
        if (task.task == TriangularTask::multiply) return of_matrix;
        const T reciprocal = T(1) / of_matrix;
        invertible = invertible && is_exact_enough(reciprocal, of_matrix);
        return reciprocal;
    };
    for (Integer group = 0; group < padded_rows; group += kernel.lanes) {
        const Integer end = group + kernel.lanes;
        for (Integer j = 0; j < end; ++j) {
            Real<T>* const column = copy + triangle_offset(kernel, group, j) - group;
            Integer i = std::max(group, j);
            if (i == j) {
                put(column + i, kernel.lanes, i < n && !task.a.unit ? diagonal(a(i, i)) : T(1));
                ++i;
            }
            for (; i < std::min(end, n); ++i) put(column + i, kernel.lanes, a(i, j));
            for (; i < end; ++i) put(column + i, kernel.lanes, T(0));
        }
    }
    return invertible;
}

/// By definition: where no kernel can run, or the diagonal has no suitable reciprocals.
template <class T> void run_by_definition(const Task<T>& task) {
    const bool solve = task.task == TriangularTask::solve;
    const auto entry = [&](Integer i, Integer j) { return task.a.matrix(task.source(i), task.source(j)); };
    for (Integer column = 0; column < task.b.columns; ++column) {
        const auto b = [&](Integer i) -> T& { return *task.b.at(task.source(i), column); };
        for (Integer k = 0; k < task.b.rows; ++k) {
            const Integer i = solve ? k : task.b.rows - 1 - k; // rows needed by others are updated last
            T x = product(task.alpha, b(i));
            if (!solve && !task.a.unit) x = product(entry(i, i), x);
            for (Integer j = 0; j < i; ++j)
                x = solve ? x - product(entry(i, j), b(j))
                          : x + product(entry(i, j), product(task.alpha, b(j)));
            b(i) = solve && !task.a.unit ? x / entry(i, i) : x;
        }
    }
}

/// The strips of one block.
template <class T> class Strips {
public:
    Strips(const Task<T>& task, const StripKernel& kernel, Integer padded_rows, const Real<T>* triangle)
        : task_(task), kernel_(kernel), padded_rows_(padded_rows), triangle_(triangle) {}

    /// Columns first … last−1.
    void run(Integer first, Integer last) const {
        Real<T>* const workspace = scratch<Real<T>>(Scratch::workspace, workspace_scalars(kernel_));
        const Integer width = kernel_.columns();
        const Integer stride = kernel_.column_major ? task_.b.column_stride : task_.b.row_stride;
        const bool direct = padded_rows_ == task_.b.rows &&
                            (kernel_.column_major ? task_.b.row_stride : task_.b.column_stride) == 1;
        const runtime::KernelFunction function = compiled(kernel_);
        for (; direct && first + width <= last; first += width)
            call(function, task_.b.at(0, first), stride, workspace);
        for (; first < last; first += width) run_copy(first, std::min(width, last - first), workspace);
    }

private:
    void call(runtime::KernelFunction function, T* strip, Integer stride, Real<T>* workspace) const {
        void* const buffers[] = {const_cast<Real<T>*>(triangle_), const_cast<T*>(&task_.alpha), strip,
                                 workspace};
        const std::int64_t parameters[] = {padded_rows_, stride};
        function(buffers, parameters);
    }

    /// A strip with too few columns, or with an incomplete group of rows: uses a copy in the kernel's order, padded
    /// with zeros.
    void run_copy(Integer first, Integer count, Real<T>* workspace) const {
        StripKernel row_major = kernel_;
        row_major.column_major = row_major.reversed = false;
        const Integer width = kernel_.columns();
        T* const copy = scratch<T>(Scratch::strip, padded_rows_ * width);
        std::fill_n(copy, padded_rows_ * width, T(0));
        const View<T> b = task_.b.columns_from(first, count);
        for (Integer i = 0; i < b.rows; ++i)
            for (Integer j = 0; j < count; ++j) copy[i * width + j] = *b.at(task_.source(i), j);
        call(compiled(row_major), copy, width, workspace);
        for (Integer i = 0; i < b.rows; ++i)
            for (Integer j = 0; j < count; ++j) *b.at(task_.source(i), j) = copy[i * width + j];
    }

    const Task<T>& task_;
    StripKernel kernel_;
    Integer padded_rows_;
    const Real<T>* triangle_;
};

} // namespace

template <class T>
void run_block(TriangularTask what, T alpha, const TriangularMatrix<T>& a, View<T> b, int threads) {
    if (b.rows == 0 || b.columns == 0) return;
    const Task<T> task{what, alpha, a, b};
    const StripKernel kernel = with_shape_for({.task = what,
                                               .data_type = data_type_of<T>(),
                                               .column_major = b.row_stride == 1 && b.column_stride != 1,
                                               .reversed = !a.lower,
                                               .scaled = alpha != T(1),
                                               .most_rows = triangular_block},
                                              kernel_cpu());
    if (compiled(kernel) == nullptr) return run_by_definition(task);
    const Integer padded_rows = (b.rows + kernel.lanes - 1) / kernel.lanes * kernel.lanes;
    auto* const triangle = scratch<Real<T>>(Scratch::triangle, triangle_scalars(kernel));
    if (!copy_triangle(task, kernel, padded_rows, triangle)) return run_by_definition(task);
    const Strips<T> strips(task, kernel, padded_rows, triangle);
    const Integer width = kernel.columns();
    const Integer count = (b.columns + width - 1) / width;
    const double work =
        static_cast<double>(b.rows) * static_cast<double>(b.rows) * static_cast<double>(b.columns);
    const int members = static_cast<int>(std::min<double>(
        {static_cast<double>(threads), static_cast<double>(count), work / min_parallel_work}));
    if (members <= 1) return strips.run(0, b.columns);
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            const runtime::IterationRange share =
                runtime::partition_of(b.columns, width, member.index(), member.size());
            strips.run(share.first, share.last);
        },
        planning::min_seconds(work / 2));
}

template void run_block(TriangularTask, float, const TriangularMatrix<float>&, View<float>, int);
template void run_block(TriangularTask, double, const TriangularMatrix<double>&, View<double>, int);
template void run_block(TriangularTask, std::complex<float>, const TriangularMatrix<std::complex<float>>&,
                        View<std::complex<float>>, int);
template void run_block(TriangularTask, std::complex<double>, const TriangularMatrix<std::complex<double>>&,
                        View<std::complex<double>>, int);

} // namespace swirl::blas
