#include "blas/routines.hpp"

#include "blas/block_kernels.hpp"
#include "blas/gemmt.hpp"
#include "blas/multiply.hpp"
#include "blas/symm.hpp"
#include "blas/triangular.hpp"
#include "plan/gemm/cpu/amx/route.hpp"
#include "plan/gemm/cpu/small_gemm_cache.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "plan/gemm/values.hpp"
#include "plan/portable/gemm.hpp"
#include "runtime/cpu/team.hpp"
#include "search/record.hpp"

#include <vector>

namespace swirl::blas {
namespace {

/// op(A), with this many rows and columns.
template <class T>
View<const T> operand(char transpose, Integer rows, Integer columns, const T* data, Integer leading) {
    if (is(transpose, 'N')) return column_major(data, rows, columns, leading);
    return column_major(data, columns, rows, leading)
        .transposed()
        .conjugate_if(is_complex_type<T> && is(transpose, 'C'));
}

template <class T> MatrixProduct described(const Gemm<T>& call) {
    const bool a_as_is = is(call.transpose_a, 'N'), b_as_is = is(call.transpose_b, 'N');
    return {.data_type = data_type_of<T>(),
            .rows = call.m,
            .columns = call.n,
            .k = call.k,
            .a = {a_as_is ? 1 : call.lda, a_as_is ? call.lda : 1,
                  is_complex_type<T> && is(call.transpose_a, 'C')},
            .b = {b_as_is ? 1 : call.ldb, b_as_is ? call.ldb : 1,
                  is_complex_type<T> && is(call.transpose_b, 'C')},
            .c = {1, call.ldc}};
}

/// The fast path: looks up the kernel of a product that is small whatever its strides, and too small for a second
/// thread. Runs the kernel and returns true if there is one.
template <class T> bool multiply_known(const Gemm<T>& call) {
    const auto fits = [](Integer stride) { return stride == static_cast<std::int32_t>(stride); };
    const Integer most = std::max({call.m, call.n, call.k});
    if (most > planning::SmallKey::most_extent || call.k == 0 || call.alpha == T(0) || !fits(call.lda) ||
        !fits(call.ldb) || !fits(call.ldc) || planning::needs_portable_gemm())
        return false;
    const auto letter = [](char c) {
        return is(c, 'N') ? 'N' : is_complex_type<T> && is(c, 'C') ? 'C' : 'T';
    };
    const auto narrow = [](Integer value) { return static_cast<std::int32_t>(value); };
    const gemm::Update update = planning::update_for(planning::scalar_kind(call.beta));
    const planning::SmallKey key{
        narrow(call.m),
        narrow(call.n),
        narrow(call.k),
        narrow(call.lda),
        narrow(call.ldb),
        narrow(call.ldc),
        narrow(call.k),
        planning::SmallKey::kind_of(data_type_of<T>(), letter(call.transpose_a), letter(call.transpose_b),
                                    update, call.alpha == T(1))};
    const planning::SmallKernel* const kernel = planning::SmallGemmCache::of_host().find(key);
    if (kernel != nullptr) kernel->run({&call.alpha, call.a, call.b, &call.beta, call.c});
    return kernel != nullptr;
}

/// A thread with at least this many columns of a result works on these alone: threads then synchronise once per
/// routine, not at each of its products. Products of this many columns or more compute an element in the same way
/// whatever their number.
constexpr Integer columns_alone = 400;

/// Calls body(first, count, threads) for all columns, or for each thread's share.
template <class Body> void over_columns(Integer columns, int threads, Body&& body) {
    constexpr Integer grain = 48; // whole tiles and strips
    static_assert(columns_alone / grain * grain >= planning::decided_alike);
    const int members = columns / columns_alone >= threads ? runtime::team_size(threads) : 1;
    if (members <= 1) return body(Integer{0}, columns, threads);
    runtime::run_team(members, [&](const runtime::TeamMember& member) {
        const runtime::IterationRange share =
            runtime::partition_of(columns, grain, member.index(), member.size());
        body(share.first, share.last - share.first, 1);
    });
}

/// The symmetric matrix, or its transpose, that multiplies from the left.
template <class T> SymmetricMatrix<T> left_matrix_of(const Symm<T>& call, bool hermitian) {
    const bool left = is(call.side, 'L');
    const Integer order = left ? call.m : call.n;
    View<const T> a = column_major(call.a, order, order, call.lda);
    // Aᵀ is A, or its conjugate for Hermitian A. A's upper triangle transposed is Aᵀ's lower triangle.
    bool transposed = !left;
    if (is(call.uplo, 'U')) {
        a = a.transposed();
        transposed = !transposed;
    }
    return {a.conjugate_if(hermitian && transposed), hermitian};
}

/// The triangular matrix, or its transpose, on the left.
template <class T> TriangularMatrix<T> left_matrix_of(const Trmm<T>& call) {
    const bool left = is(call.side, 'L');
    const Integer order = left ? call.m : call.n;
    const TriangularMatrix<T> a{operand(call.transpose, order, order, call.a, call.lda),
                                is(call.uplo, 'L') == is(call.transpose, 'N'), is(call.diagonal, 'U')};
    return left ? a : TriangularMatrix<T>{a.matrix.transposed(), !a.lower, a.unit};
}

} // namespace

template <class T> void gemm(const Gemm<T>& call, int threads) {
    if (call.m == 0 || call.n == 0 || multiply_known(call)) return;
    if (search::is_recording()) search::record(described(call), {}, threads);
    planning::multiply(described(call), {&call.alpha, call.a, call.b, &call.beta, call.c}, code_for<T>(),
                       threads);
}

template <class T> void gemm_batch(const Gemm<T>& call, const BatchStrides& strides, int threads) {
    if (call.m == 0 || call.n == 0 || strides.count == 0) return;
    MatrixProduct wanted = described(call);
    wanted.batch = strides.count;
    wanted.a.batch_stride = strides.a;
    wanted.b.batch_stride = strides.b;
    wanted.c.batch_stride = strides.c;
    if (search::is_recording()) search::record(wanted, {}, threads);
    planning::multiply(wanted, {&call.alpha, call.a, call.b, &call.beta, call.c}, code_for<T>(), threads);
}

template <class T> void gemm_batch(std::span<const PointerBatch<T>> groups, int threads) {
    std::vector<planning::Items> kinds;
    for (const auto& [call, pointers] : groups) {
        const MatrixProduct product = described(call);
        kinds.push_back(
            {planning::work_of(product), pointers.count, planning::threads_worthwhile(product, threads)});
    }
    planning::distribute_items(kinds, threads, [&](std::size_t group, Integer item, int threads_for_it) {
        const Pointers<T>& pointers = groups[group].pointers;
        Gemm<T> call = groups[group].call;
        call.a = pointers.a[item];
        call.b = pointers.b[item];
        call.c = pointers.c[item];
        gemm(call, threads_for_it);
    });
}

template <class T> void gemmt(const Gemmt<T>& call, int threads) {
    const bool nothing = call.alpha == T(0) || call.k == 0;
    if (call.n == 0 || (nothing && call.beta == T(1))) return;
    const Integer k_extent = nothing ? 0 : call.k;
    multiply_triangle<T>(is(call.uplo, 'L'),
                         {call.alpha, operand(call.transpose_a, call.n, k_extent, call.a, call.lda),
                          operand(call.transpose_b, k_extent, call.n, call.b, call.ldb), call.beta,
                          column_major(call.c, call.n, call.n, call.ldc)},
                         threads);
}

template <class T> void symm(const Symm<T>& call, bool hermitian, int threads) {
    if (call.m == 0 || call.n == 0 || (call.alpha == T(0) && call.beta == T(1))) return;
    View<const T> b = column_major(call.b, call.m, call.n, call.ldb);
    View<T> c = column_major(call.c, call.m, call.n, call.ldc);
    if (call.alpha == T(0)) return scale(call.beta, c, threads);
    if (!is(call.side, 'L')) { // Cᵀ = Aᵀ·Bᵀ
        b = b.transposed();
        c = c.transposed();
    }
    const SymmetricMatrix<T> matrix = left_matrix_of(call, hermitian);
    over_columns(c.columns, threads, [&](Integer first, Integer count, int each) {
        multiply_symmetric<T>(call.alpha, matrix, b.columns_from(first, count), call.beta,
                              c.columns_from(first, count), each);
    });
}

template <class T, class Scalar> void syrk(const Syrk<T, Scalar>& call, int threads) {
    const bool nothing = call.alpha == Scalar(0) || call.k == 0;
    if (call.n == 0 || (nothing && call.beta == Scalar(1))) return;
    const View<const T> a = operand(call.transpose, call.n, nothing ? 0 : call.k, call.a, call.lda);
    multiply_triangle<T>(is(call.uplo, 'L'),
                         {T(call.alpha), a, a.transposed().conjugate_if(call.hermitian), T(call.beta),
                          column_major(call.c, call.n, call.n, call.ldc), call.hermitian},
                         threads);
}

template <class T, class Beta> void syr2k(const Syr2k<T, Beta>& call, int threads) {
    const bool nothing = call.alpha == T(0) || call.k == 0;
    if (call.n == 0 || (nothing && call.beta == Beta(1))) return;
    const Integer k_extent = nothing ? 0 : call.k;
    const View<const T> a = operand(call.transpose, call.n, k_extent, call.a, call.lda);
    const View<const T> b = operand(call.transpose, call.n, k_extent, call.b, call.ldb);
    const View<T> c = column_major(call.c, call.n, call.n, call.ldc);
    const auto adjoint = [&](const View<const T>& x) { return x.transposed().conjugate_if(call.hermitian); };
    multiply_triangle<T>(is(call.uplo, 'L'), {call.alpha, a, adjoint(b), T(call.beta), c, call.hermitian},
                         threads);
    if (nothing) return;
    const T other_alpha = call.hermitian ? conjugate(call.alpha) : call.alpha;
    multiply_triangle<T>(is(call.uplo, 'L'), {other_alpha, b, adjoint(a), T(1), c, call.hermitian}, threads);
}

template <class T> void triangular(TriangularTask task, const Trmm<T>& call, int threads) {
    View<T> b = column_major(call.b, call.m, call.n, call.ldb);
    if (call.m == 0 || call.n == 0) return;
    if (call.alpha == T(0)) return scale(T(0), b, threads);
    if (!is(call.side, 'L')) b = b.transposed(); // (B·A)ᵀ = Aᵀ·Bᵀ
    const TriangularMatrix<T> a = left_matrix_of(call);
    over_columns(b.columns, threads, [&](Integer first, Integer count, int each) {
        if (task == TriangularTask::solve)
            solve_triangular(call.alpha, a, b.columns_from(first, count), each);
        else
            multiply_triangular(call.alpha, a, b.columns_from(first, count), each);
    });
}

/// Of the first block, and of what differs in others: fewer right-hand sides, and divisions by the diagonal.
template <class T>
std::vector<ir::Program> programs_of(TriangularTask task, const Trmm<T>& call, const target::Cpu& cpu) {
    View<T> b = column_major(call.b, call.m, call.n, call.ldb);
    if (!is(call.side, 'L')) b = b.transposed();
    const BlockKernels kernels =
        block_kernels(block_shape(task, call.alpha, left_matrix_of(call),
                                  b.rows_from(0, std::min(b.rows, triangular_block))),
                      cpu);
    std::vector<ir::Program> programs = {triangle_pack(kernels.pack)};
    if (b.columns >= kernels.strip.columns) programs.push_back(strip_program(kernels.strip, cpu));
    if (const auto rest = static_cast<int>(b.columns % kernels.strip.columns); rest > 0)
        programs.push_back(strip_program(with_columns(kernels.strip, rest), cpu));
    if (kernels.pack.diagonal == CopiedDiagonal::reciprocals) {
        const BlockKernels dividing = with_divisions(kernels);
        programs.push_back(triangle_pack(dividing.pack));
        programs.push_back(strip_program(dividing.strip, cpu));
    }
    return programs;
}

template <class T>
std::vector<ir::Program> programs_of(const Symm<T>& call, bool hermitian, const target::Cpu& cpu) {
    SymmetricMatrix<T> matrix = left_matrix_of(call, hermitian);
    const Integer rows = std::min(matrix.lower.rows, symmetric_block);
    matrix.lower = matrix.lower.block(0, 0, rows, rows);
    return {mirror(mirror_kernel(matrix, cpu))};
}

#define SWIRL_BLAS_ROUTINES(T)                                                                         \
    template void gemm(const Gemm<T>&, int);                                                           \
    template void gemm_batch(const Gemm<T>&, const BatchStrides&, int);                                \
    template void gemm_batch(std::span<const PointerBatch<T>>, int);                                   \
    template void gemmt(const Gemmt<T>&, int);                                                         \
    template void symm(const Symm<T>&, bool, int);                                                     \
    template void syrk(const Syrk<T, T>&, int);                                                        \
    template void syr2k(const Syr2k<T, T>&, int);                                                      \
    template std::vector<ir::Program> programs_of(TriangularTask, const Trmm<T>&, const target::Cpu&); \
    template std::vector<ir::Program> programs_of(const Symm<T>&, bool, const target::Cpu&);           \
    template void triangular(TriangularTask, const Trmm<T>&, int);
SWIRL_BLAS_ROUTINES(float)
SWIRL_BLAS_ROUTINES(double)
SWIRL_BLAS_ROUTINES(std::complex<float>)
SWIRL_BLAS_ROUTINES(std::complex<double>)
template void syrk(const Syrk<std::complex<float>, float>&, int);
template void syrk(const Syrk<std::complex<double>, double>&, int);
template void syr2k(const Syr2k<std::complex<float>, float>&, int);
template void syr2k(const Syr2k<std::complex<double>, double>&, int);

} // namespace swirl::blas
