#include "blas/triangular_block.hpp"

#include "blas/kernels.hpp"
#include "blas/scratch.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>

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

/// By definition, where no kernel can run.
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

/// Kernels of a block, and the copy of its triangle.
template <class T> class Block {
public:
    /// Some kernels of the task, which suit it but for `divides`, `rest` and `columns`.
    Block(const Task<T>& task, const StripKernel& kernels) : task_(task), kernel_(kernels) {
        kernel_.rest = static_cast<int>(task.b.rows % kernel_.lanes);
        pack_ = {.layout = kernel_.layout(),
                 .row_major = task.a.matrix.column_stride == 1 && task.a.matrix.row_stride != 1,
                 .conjugated = task.a.matrix.conjugated,
                 .diagonal = task.a.unit ? CopiedDiagonal::ones : CopiedDiagonal::elements,
                 .rest = kernel_.rest};
        triangle_ = scratch<Real<T>>(Scratch::triangle, kernel_.layout().scalars());
        if (task.task == TriangularTask::solve && !task.a.unit) {
            pack_.diagonal = CopiedDiagonal::reciprocals;
            kernel_.divides = !copy_triangle();
            if (!kernel_.divides) return;
            pack_.diagonal = CopiedDiagonal::elements;
        }
        copy_triangle();
    }

    int width() const { return kernel_.columns; }

    /// Columns first … last−1.
    void run(Integer first, Integer last) const {
        Real<T>* const workspace = scratch<Real<T>>(Scratch::workspace, workspace_scalars(kernel_));
        const Integer whole = first + (last - first) / width() * width();
        if (first < whole) {
            const runtime::KernelFunction function = compiled(kernel_);
            for (; first < whole; first += width()) call(function, first, workspace);
        }
        if (first < last)
            call(compiled(with_columns(kernel_, static_cast<int>(last - first))), first, workspace);
    }

private:
    Integer whole_rows() const { return task_.b.rows - kernel_.rest; }
    /// Returns whether the copy is as good as the matrix.
    bool copy_triangle() {
        const View<const T>& a = task_.a.matrix;
        Real<T> quality = 1;
        void* const buffers[] = {const_cast<T*>(a.data), triangle_, &quality};
        const std::int64_t parameters[] = {whole_rows(), pack_.row_major ? a.row_stride : a.column_stride};
        compiled(pack_)(buffers, parameters);
        return quality != 0;
    }
    void call(runtime::KernelFunction function, Integer column, Real<T>* workspace) const {
        void* const buffers[] = {triangle_, const_cast<T*>(&task_.alpha), task_.b.at(0, column), workspace};
        const std::int64_t parameters[] = {whole_rows(),
                                           kernel_.column_major ? task_.b.column_stride : task_.b.row_stride};
        function(buffers, parameters);
    }

    const Task<T>& task_;
    StripKernel kernel_;
    TrianglePack pack_;
    Real<T>* triangle_;
};

} // namespace

template <class T>
void run_block(TriangularTask what, T alpha, const TriangularMatrix<T>& a, View<T> b, int threads) {
    if (b.rows == 0 || b.columns == 0) return;
    const Task<T> task{what, alpha, a, b};
    if (!can_run_kernels()) return run_by_definition(task);
    const StripKernel kernel = with_shape_for({.task = what,
                                               .data_type = data_type_of<T>(),
                                               .column_major = b.row_stride == 1 && b.column_stride != 1,
                                               .reversed = !a.lower,
                                               .scaled = alpha != T(1),
                                               .most_rows = triangular_block},
                                              kernel_cpu());
    const Block<T> block(task, kernel);
    const Integer width = block.width();
    const Integer count = (b.columns + width - 1) / width;
    const double work =
        static_cast<double>(b.rows) * static_cast<double>(b.rows) * static_cast<double>(b.columns);
    const int members = static_cast<int>(std::min<double>(
        {static_cast<double>(threads), static_cast<double>(count), work / min_parallel_work}));
    if (members <= 1) return block.run(0, b.columns);
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            const runtime::IterationRange share =
                runtime::partition_of(b.columns, width, member.index(), member.size());
            block.run(share.first, share.last);
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
