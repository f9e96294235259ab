/* The MPI interface of FFTW 3.3.10 in double and single precision, as libfftw3_mpi and libfftw3f_mpi by swirl provide it.
 * Programs compiled with FFTW's own header run with these libraries, too.
 *
 * FFTW's manual documents the functions; docs/fftw.md of swirl says what differs. */
#ifndef FFTW3_MPI_H
#define FFTW3_MPI_H

#include "fftw3.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The block size that is ceil(n / ranks). */
#define FFTW_MPI_DEFAULT_BLOCK (0)

/* Flags of planning, beside those of fftw3.h. */
#define FFTW_MPI_SCRAMBLED_IN (1U << 27)
#define FFTW_MPI_SCRAMBLED_OUT (1U << 28)
#define FFTW_MPI_TRANSPOSED_IN (1U << 29)
#define FFTW_MPI_TRANSPOSED_OUT (1U << 30)

/* All functions: M makes their names, P those of one process, R is the type of a real number. */
#define SWIRL_FFTW_MPI_INTERFACE(M, P, R)                                                                    \
    void M(init)(void);                                                                                      \
    void M(cleanup)(void);                                                                                   \
                                                                                                             \
    /* What this rank has, and the number of elements that it needs memory for. */                           \
    ptrdiff_t M(local_size_many_transposed)(                                                                 \
        int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm,   \
        ptrdiff_t* local_n0, ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start);       \
    ptrdiff_t M(local_size_many)(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block0,           \
                                 MPI_Comm comm, ptrdiff_t* local_n0, ptrdiff_t* local_0_start);              \
    ptrdiff_t M(local_size_transposed)(int rnk, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,      \
                                       ptrdiff_t* local_0_start, ptrdiff_t* local_n1,                        \
                                       ptrdiff_t* local_1_start);                                            \
    ptrdiff_t M(local_size)(int rnk, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,                 \
                            ptrdiff_t* local_0_start);                                                       \
    ptrdiff_t M(local_size_many_1d)(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign,                \
                                    unsigned flags, ptrdiff_t* local_ni, ptrdiff_t* local_i_start,           \
                                    ptrdiff_t* local_no, ptrdiff_t* local_o_start);                          \
    ptrdiff_t M(local_size_1d)(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags, ptrdiff_t* local_ni,   \
                               ptrdiff_t* local_i_start, ptrdiff_t* local_no, ptrdiff_t* local_o_start);     \
    ptrdiff_t M(local_size_2d)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t * local_n0,              \
                               ptrdiff_t * local_0_start);                                                   \
    ptrdiff_t M(local_size_2d_transposed)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t * local_n0,   \
                                          ptrdiff_t * local_0_start, ptrdiff_t * local_n1,                   \
                                          ptrdiff_t * local_1_start);                                        \
    ptrdiff_t M(local_size_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,                      \
                               ptrdiff_t * local_n0, ptrdiff_t * local_0_start);                             \
    ptrdiff_t M(local_size_3d_transposed)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,           \
                                          ptrdiff_t * local_n0, ptrdiff_t * local_0_start,                   \
                                          ptrdiff_t * local_n1, ptrdiff_t * local_1_start);                  \
                                                                                                             \
    P(plan)                                                                                                  \
    M(plan_many_transpose)                                                                                   \
    (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, R * in, R * out,     \
     MPI_Comm comm, unsigned flags);                                                                         \
    P(plan) M(plan_transpose)(ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Comm comm, unsigned flags);   \
                                                                                                             \
    P(plan)                                                                                                  \
    M(plan_many_dft)                                                                                         \
    (int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block, ptrdiff_t tblock, P(complex) * in,     \
     P(complex) * out, MPI_Comm comm, int sign, unsigned flags);                                             \
    P(plan)                                                                                                  \
    M(plan_dft)                                                                                              \
    (int rnk, const ptrdiff_t* n, P(complex) * in, P(complex) * out, MPI_Comm comm, int sign,                \
     unsigned flags);                                                                                        \
    P(plan)                                                                                                  \
    M(plan_dft_1d)                                                                                           \
    (ptrdiff_t n0, P(complex) * in, P(complex) * out, MPI_Comm comm, int sign, unsigned flags);              \
    P(plan)                                                                                                  \
    M(plan_dft_2d)                                                                                           \
    (ptrdiff_t n0, ptrdiff_t n1, P(complex) * in, P(complex) * out, MPI_Comm comm, int sign,                 \
     unsigned flags);                                                                                        \
    P(plan)                                                                                                  \
    M(plan_dft_3d)                                                                                           \
    (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, P(complex) * in, P(complex) * out, MPI_Comm comm, int sign,   \
     unsigned flags);                                                                                        \
                                                                                                             \
    P(plan)                                                                                                  \
    M(plan_many_r2r)                                                                                         \
    (int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, R* in, R* out,      \
     MPI_Comm comm, const P(r2r_kind) * kind, unsigned flags);                                               \
    P(plan)                                                                                                  \
    M(plan_r2r)                                                                                              \
    (int rnk, const ptrdiff_t* n, R* in, R* out, MPI_Comm comm, const P(r2r_kind) * kind, unsigned flags);   \
    P(plan)                                                                                                  \
    M(plan_r2r_2d)                                                                                           \
    (ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Comm comm, P(r2r_kind) kind0, P(r2r_kind) kind1,       \
     unsigned flags);                                                                                        \
    P(plan)                                                                                                  \
    M(plan_r2r_3d)                                                                                           \
    (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, R * out, MPI_Comm comm, P(r2r_kind) kind0,            \
     P(r2r_kind) kind1, P(r2r_kind) kind2, unsigned flags);                                                  \
                                                                                                             \
    P(plan)                                                                                                  \
    M(plan_many_dft_r2c)                                                                                     \
    (int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, R* in,              \
     P(complex) * out, MPI_Comm comm, unsigned flags);                                                       \
    P(plan)                                                                                                  \
    M(plan_dft_r2c)(int rnk, const ptrdiff_t* n, R* in, P(complex) * out, MPI_Comm comm, unsigned flags);    \
    P(plan)                                                                                                  \
    M(plan_dft_r2c_2d)(ptrdiff_t n0, ptrdiff_t n1, R * in, P(complex) * out, MPI_Comm comm, unsigned flags); \
    P(plan)                                                                                                  \
    M(plan_dft_r2c_3d)                                                                                       \
    (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, P(complex) * out, MPI_Comm comm, unsigned flags);     \
    P(plan)                                                                                                  \
    M(plan_many_dft_c2r)                                                                                     \
    (int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, P(complex) * in,    \
     R * out, MPI_Comm comm, unsigned flags);                                                                \
    P(plan)                                                                                                  \
    M(plan_dft_c2r)(int rnk, const ptrdiff_t* n, P(complex) * in, R * out, MPI_Comm comm, unsigned flags);   \
    P(plan)                                                                                                  \
    M(plan_dft_c2r_2d)(ptrdiff_t n0, ptrdiff_t n1, P(complex) * in, R * out, MPI_Comm comm, unsigned flags); \
    P(plan)                                                                                                  \
    M(plan_dft_c2r_3d)                                                                                       \
    (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, P(complex) * in, R * out, MPI_Comm comm, unsigned flags);     \
                                                                                                             \
    /* Of plans of one process. */                                                                           \
    void M(gather_wisdom)(MPI_Comm comm);                                                                    \
    void M(broadcast_wisdom)(MPI_Comm comm);                                                                 \
                                                                                                             \
    void M(execute_dft)(P(plan) p, P(complex) * in, P(complex) * out);                                       \
    void M(execute_dft_r2c)(P(plan) p, R * in, P(complex) * out);                                            \
    void M(execute_dft_c2r)(P(plan) p, P(complex) * in, R * out);                                            \
    void M(execute_r2r)(P(plan) p, R * in, R * out);

#define SWIRL_FFTW_MPI_DOUBLE(name) fftw_mpi_##name
#define SWIRL_FFTW_MPI_SINGLE(name) fftwf_mpi_##name
#define SWIRL_FFTW_OF_DOUBLE(name) fftw_##name
#define SWIRL_FFTW_OF_SINGLE(name) fftwf_##name
SWIRL_FFTW_MPI_INTERFACE(SWIRL_FFTW_MPI_DOUBLE, SWIRL_FFTW_OF_DOUBLE, double)
SWIRL_FFTW_MPI_INTERFACE(SWIRL_FFTW_MPI_SINGLE, SWIRL_FFTW_OF_SINGLE, float)
#undef SWIRL_FFTW_MPI_INTERFACE
#undef SWIRL_FFTW_MPI_DOUBLE
#undef SWIRL_FFTW_MPI_SINGLE
#undef SWIRL_FFTW_OF_DOUBLE
#undef SWIRL_FFTW_OF_SINGLE

#ifdef __cplusplus
}
#endif

#endif
