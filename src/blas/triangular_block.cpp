#include "blas/triangular_block.hpp"

#include "blas/block_kernels.hpp"
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

/// The kernels of a block, and the copy of its triangle.
template <class T> class Block {
public:
    explicit Block(const Task<T>& task)
        : task_(task),
          kernels_(block_kernels(block_shape(task.task, task.alpha, task.a, task.b), kernel_cpu())),
          triangle_(scratch<Real<T>>(Scratch::triangle, kernels_.pack.layout.scalars())) {
        if (copy_triangle()) return;
        kernels_ = with_divisions(kernels_);
        copy_triangle();
    }

    int width() const { return kernels_.strip.columns; }

    void run_in_team(int members, double seconds) const {
        runtime::run_team(
            members,
            [&](const runtime::TeamMember& member) {
                const runtime::IterationRange share =
                    runtime::partition_of(task_.b.columns, width(), member.index(), member.size());
                run(share.first, share.last);
            },
            seconds);
    }

    /// Columns first … last−1.
    void run(Integer first, Integer last) const {
        Real<T>* const workspace = scratch<Real<T>>(Scratch::workspace, workspace_scalars(kernels_.strip));
        const Integer whole = first + (last - first) / width() * width();
        if (first < whole) {
            const runtime::KernelFunction function = compiled(kernels_.strip);
            for (; first < whole; first += width()) call(function, first, workspace);
        }
        if (first < last)
            call(compiled(with_columns(kernels_.strip, static_cast<int>(last - first))), first, workspace);
    }

private:
    Integer whole_rows() const { return task_.b.rows - kernels_.strip.rest; }
    /// Returns whether the copy is as good as the matrix.
    bool copy_triangle() {
        const View<const T>& a = task_.a.matrix;
        Real<T> quality = 1;
        void* const buffers[] = {const_cast<T*>(a.data), triangle_, &quality};
        const std::int64_t parameters[] = {whole_rows(),
                                           kernels_.pack.row_major ? a.row_stride : a.column_stride};
        compiled(kernels_.pack)(buffers, parameters);
        return quality != 0;
    }
    void call(runtime::KernelFunction function, Integer column, Real<T>* workspace) const {
        void* const buffers[] = {triangle_, const_cast<T*>(&task_.alpha), task_.b.at(0, column), workspace};
        const std::int64_t parameters[] = {
            whole_rows(), kernels_.strip.column_major ? task_.b.column_stride : task_.b.row_stride};
        function(buffers, parameters);
    }

    const Task<T>& task_;
    BlockKernels kernels_;
    Real<T>* triangle_;
};

} // namespace

template <class T>
void run_block(TriangularTask what, T alpha, const TriangularMatrix<T>& a, View<T> b, int threads) {
    if (b.rows == 0 || b.columns == 0) return;
    const Task<T> task{what, alpha, a, b};
    if (!can_run_kernels()) return run_by_definition(task);
    const Block<T> block(task);
    const Integer width = block.width();
    const Integer count = (b.columns + width - 1) / width;
    const double work =
        static_cast<double>(b.rows) * static_cast<double>(b.rows) * static_cast<double>(b.columns);
    const int members = static_cast<int>(std::min<double>(
        {static_cast<double>(threads), static_cast<double>(count), work / min_parallel_work}));
    if (members <= 1) return block.run(0, b.columns);
    block.run_in_team(members, planning::min_seconds(work / 2));
}

template void run_block(TriangularTask, float, const TriangularMatrix<float>&, View<float>, int);
template void run_block(TriangularTask, double, const TriangularMatrix<double>&, View<double>, int);
template void run_block(TriangularTask, std::complex<float>, const TriangularMatrix<std::complex<float>>&,
                        View<std::complex<float>>, int);
template void run_block(TriangularTask, std::complex<double>, const TriangularMatrix<std::complex<double>>&,
                        View<std::complex<double>>, int);

} // namespace swirl::blas
