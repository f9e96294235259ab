/* The interface of FFTW 3.3.10 in double and single precision, as libfftw3 and libfftw3f by swirl provide it. Programs
 * compiled with FFTW's own header run with these libraries, too. There is no long double and no __float128.
 *
 * FFTW's manual documents the functions; docs/fftw.md of swirl says what differs. */
#ifndef FFTW3_H
#define FFTW3_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program that includes <complex.h> first gets its complex numbers, others pairs of numbers. */
#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex) && defined(I)
typedef double _Complex fftw_complex;
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif

/* Both signs of the exponent. */
#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)

/* A time limit that is none. */
#define FFTW_NO_TIMELIMIT (-1.0)

/* Flags of planning. */
#define FFTW_MEASURE (0U)
#define FFTW_DESTROY_INPUT (1U << 0)
#define FFTW_UNALIGNED (1U << 1)
#define FFTW_CONSERVE_MEMORY (1U << 2)
#define FFTW_EXHAUSTIVE (1U << 3)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_PATIENT (1U << 5)
#define FFTW_ESTIMATE (1U << 6)
#define FFTW_WISDOM_ONLY (1U << 21)

/* Flags that FFTW has for its own tests: accepted, without effect. */
#define FFTW_ESTIMATE_PATIENT (1U << 7)
#define FFTW_BELIEVE_PCOST (1U << 8)
#define FFTW_NO_DFT_R2HC (1U << 9)
#define FFTW_NO_NONTHREADED (1U << 10)
#define FFTW_NO_BUFFERING (1U << 11)
#define FFTW_NO_INDIRECT_OP (1U << 12)
#define FFTW_ALLOW_LARGE_GENERIC (1U << 13)
#define FFTW_NO_RANK_SPLITS (1U << 14)
#define FFTW_NO_VRANK_SPLITS (1U << 15)
#define FFTW_NO_VRECURSE (1U << 16)
#define FFTW_NO_SIMD (1U << 17)
#define FFTW_NO_SLOW (1U << 18)
#define FFTW_NO_FIXED_RADIX_LARGE_N (1U << 19)
#define FFTW_ALLOW_PRUNING (1U << 20)

/* Kinds of real transforms. */
enum fftw_r2r_kind_do_not_use_me {
    FFTW_R2HC = 0,
    FFTW_HC2R = 1,
    FFTW_DHT = 2,
    FFTW_REDFT00 = 3,
    FFTW_REDFT01 = 4,
    FFTW_REDFT10 = 5,
    FFTW_REDFT11 = 6,
    FFTW_RODFT00 = 7,
    FFTW_RODFT01 = 8,
    FFTW_RODFT10 = 9,
    FFTW_RODFT11 = 10
};

/* A loop of the guru interface: its length, and its strides on both sides. */
struct fftw_iodim_do_not_use_me {
    int n;
    int is;
    int os;
};
struct fftw_iodim64_do_not_use_me {
    ptrdiff_t n;
    ptrdiff_t is;
    ptrdiff_t os;
};

typedef void (*fftw_write_char_func_do_not_use_me)(char, void*);
typedef int (*fftw_read_char_func_do_not_use_me)(void*);

/* Windows needs a mark at functions of another library. */
#if defined(FFTW_DLL) && (defined(_WIN32) || defined(__WIN32__))
#define FFTW_EXTERN extern __declspec(dllimport)
#else
#define FFTW_EXTERN extern
#endif
#define FFTW_CDECL

/* All of the interface in one precision: P(name) is a name, R a real number, C a complex one. */
#define SWIRL_FFTW_INTERFACE(P, R, C)                                                                        \
    typedef struct P(plan_s) * P(plan);                                                                      \
    typedef struct fftw_iodim_do_not_use_me P(iodim);                                                        \
    typedef struct fftw_iodim64_do_not_use_me P(iodim64);                                                    \
    typedef enum fftw_r2r_kind_do_not_use_me P(r2r_kind);                                                    \
    typedef fftw_write_char_func_do_not_use_me P(write_char_func);                                           \
    typedef fftw_read_char_func_do_not_use_me P(read_char_func);                                             \
                                                                                                             \
    /* complex data */                                                                                       \
    FFTW_EXTERN P(plan) P(plan_dft)(int rank, const int* n, C* in, C* out, int sign, unsigned flags);        \
    FFTW_EXTERN P(plan) P(plan_dft_1d)(int n, C* in, C* out, int sign, unsigned flags);                      \
    FFTW_EXTERN P(plan) P(plan_dft_2d)(int n0, int n1, C* in, C* out, int sign, unsigned flags);             \
    FFTW_EXTERN P(plan) P(plan_dft_3d)(int n0, int n1, int n2, C* in, C* out, int sign, unsigned flags);     \
    FFTW_EXTERN P(plan) P(plan_many_dft)(int rank, const int* n, int howmany, C* in, const int* inembed,     \
                                         int istride, int idist, C* out, const int* onembed, int ostride,    \
                                         int odist, int sign, unsigned flags);                               \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru_dft)(int rank, const P(iodim) * dims, int howmany_rank, const P(iodim) * howmany_dims,   \
                         C * in, C * out, int sign, unsigned flags);                                         \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru64_dft)(int rank, const P(iodim64) * dims, int howmany_rank,                              \
                           const P(iodim64) * howmany_dims, C * in, C * out, int sign, unsigned flags);      \
    FFTW_EXTERN P(plan) P(plan_guru_split_dft)(int rank, const P(iodim) * dims, int howmany_rank,            \
                                               const P(iodim) * howmany_dims, R * ri, R * ii, R * ro,        \
                                               R * io, unsigned flags);                                      \
    FFTW_EXTERN P(plan) P(plan_guru64_split_dft)(int rank, const P(iodim64) * dims, int howmany_rank,        \
                                                 const P(iodim64) * howmany_dims, R * ri, R * ii, R * ro,    \
                                                 R * io, unsigned flags);                                    \
                                                                                                             \
    /* real data to a half spectrum */                                                                       \
    FFTW_EXTERN P(plan) P(plan_dft_r2c)(int rank, const int* n, R* in, C* out, unsigned flags);              \
    FFTW_EXTERN P(plan) P(plan_dft_r2c_1d)(int n, R* in, C* out, unsigned flags);                            \
    FFTW_EXTERN P(plan) P(plan_dft_r2c_2d)(int n0, int n1, R* in, C* out, unsigned flags);                   \
    FFTW_EXTERN P(plan) P(plan_dft_r2c_3d)(int n0, int n1, int n2, R* in, C* out, unsigned flags);           \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_many_dft_r2c)(int rank, const int* n, int howmany, R* in, const int* inembed, int istride,    \
                             int idist, C* out, const int* onembed, int ostride, int odist, unsigned flags); \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru_dft_r2c)(int rank, const P(iodim) * dims, int howmany_rank,                              \
                             const P(iodim) * howmany_dims, R * in, C * out, unsigned flags);                \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru64_dft_r2c)(int rank, const P(iodim64) * dims, int howmany_rank,                          \
                               const P(iodim64) * howmany_dims, R * in, C * out, unsigned flags);            \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru_split_dft_r2c)(int rank, const P(iodim) * dims, int howmany_rank,                        \
                                   const P(iodim) * howmany_dims, R * in, R * ro, R * io, unsigned flags);   \
    FFTW_EXTERN P(plan) P(plan_guru64_split_dft_r2c)(int rank, const P(iodim64) * dims, int howmany_rank,    \
                                                     const P(iodim64) * howmany_dims, R * in, R * ro,        \
                                                     R * io, unsigned flags);                                \
                                                                                                             \
    /* a half spectrum to real data */                                                                       \
    FFTW_EXTERN P(plan) P(plan_dft_c2r)(int rank, const int* n, C* in, R* out, unsigned flags);              \
    FFTW_EXTERN P(plan) P(plan_dft_c2r_1d)(int n, C* in, R* out, unsigned flags);                            \
    FFTW_EXTERN P(plan) P(plan_dft_c2r_2d)(int n0, int n1, C* in, R* out, unsigned flags);                   \
    FFTW_EXTERN P(plan) P(plan_dft_c2r_3d)(int n0, int n1, int n2, C* in, R* out, unsigned flags);           \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_many_dft_c2r)(int rank, const int* n, int howmany, C* in, const int* inembed, int istride,    \
                             int idist, R* out, const int* onembed, int ostride, int odist, unsigned flags); \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru_dft_c2r)(int rank, const P(iodim) * dims, int howmany_rank,                              \
                             const P(iodim) * howmany_dims, C * in, R * out, unsigned flags);                \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru64_dft_c2r)(int rank, const P(iodim64) * dims, int howmany_rank,                          \
                               const P(iodim64) * howmany_dims, C * in, R * out, unsigned flags);            \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru_split_dft_c2r)(int rank, const P(iodim) * dims, int howmany_rank,                        \
                                   const P(iodim) * howmany_dims, R * ri, R * ii, R * out, unsigned flags);  \
    FFTW_EXTERN P(plan) P(plan_guru64_split_dft_c2r)(int rank, const P(iodim64) * dims, int howmany_rank,    \
                                                     const P(iodim64) * howmany_dims, R * ri, R * ii,        \
                                                     R * out, unsigned flags);                               \
                                                                                                             \
    /* real data to real data */                                                                             \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_r2r)(int rank, const int* n, R* in, R* out, const P(r2r_kind) * kind, unsigned flags);        \
    FFTW_EXTERN P(plan) P(plan_r2r_1d)(int n, R* in, R* out, P(r2r_kind) kind, unsigned flags);              \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_r2r_2d)(int n0, int n1, R* in, R* out, P(r2r_kind) kind0, P(r2r_kind) kind1, unsigned flags); \
    FFTW_EXTERN P(plan) P(plan_r2r_3d)(int n0, int n1, int n2, R* in, R* out, P(r2r_kind) kind0,             \
                                       P(r2r_kind) kind1, P(r2r_kind) kind2, unsigned flags);                \
    FFTW_EXTERN P(plan) P(plan_many_r2r)(int rank, const int* n, int howmany, R* in, const int* inembed,     \
                                         int istride, int idist, R* out, const int* onembed, int ostride,    \
                                         int odist, const P(r2r_kind) * kind, unsigned flags);               \
    FFTW_EXTERN P(plan)                                                                                      \
        P(plan_guru_r2r)(int rank, const P(iodim) * dims, int howmany_rank, const P(iodim) * howmany_dims,   \
                         R * in, R * out, const P(r2r_kind) * kind, unsigned flags);                         \
    FFTW_EXTERN P(plan) P(plan_guru64_r2r)(int rank, const P(iodim64) * dims, int howmany_rank,              \
                                           const P(iodim64) * howmany_dims, R * in, R * out,                 \
                                           const P(r2r_kind) * kind, unsigned flags);                        \
                                                                                                             \
    /* executing, on the arrays of planning or on others */                                                  \
    FFTW_EXTERN void P(execute)(const P(plan) p);                                                            \
    FFTW_EXTERN void P(execute_dft)(const P(plan) p, C* in, C* out);                                         \
    FFTW_EXTERN void P(execute_split_dft)(const P(plan) p, R* ri, R* ii, R* ro, R* io);                      \
    FFTW_EXTERN void P(execute_dft_r2c)(const P(plan) p, R* in, C* out);                                     \
    FFTW_EXTERN void P(execute_dft_c2r)(const P(plan) p, C* in, R* out);                                     \
    FFTW_EXTERN void P(execute_split_dft_r2c)(const P(plan) p, R* in, R* ro, R* io);                         \
    FFTW_EXTERN void P(execute_split_dft_c2r)(const P(plan) p, R* ri, R* ii, R* out);                        \
    FFTW_EXTERN void P(execute_r2r)(const P(plan) p, R* in, R* out);                                         \
                                                                                                             \
    /* plans, and the planner */                                                                             \
    FFTW_EXTERN void P(destroy_plan)(P(plan) p);                                                             \
    FFTW_EXTERN void P(fprint_plan)(const P(plan) p, FILE* output_file);                                     \
    FFTW_EXTERN void P(print_plan)(const P(plan) p);                                                         \
    FFTW_EXTERN char* P(sprint_plan)(const P(plan) p);                                                       \
    FFTW_EXTERN void P(flops)(const P(plan) p, double* add, double* mul, double* fmas);                      \
    FFTW_EXTERN double P(estimate_cost)(const P(plan) p);                                                    \
    FFTW_EXTERN double P(cost)(const P(plan) p);                                                             \
    FFTW_EXTERN void P(set_timelimit)(double t);                                                             \
    FFTW_EXTERN void P(cleanup)(void);                                                                       \
                                                                                                             \
    /* threads */                                                                                            \
    FFTW_EXTERN int P(init_threads)(void);                                                                   \
    FFTW_EXTERN void P(plan_with_nthreads)(int nthreads);                                                    \
    FFTW_EXTERN int P(planner_nthreads)(void);                                                               \
    FFTW_EXTERN void P(cleanup_threads)(void);                                                               \
    FFTW_EXTERN void P(threads_set_callback)(                                                                \
        void (*parallel_loop)(void* (*work)(char*), char* jobdata, size_t elsize, int njobs, void* data),    \
        void* data);                                                                                         \
    FFTW_EXTERN void P(make_planner_thread_safe)(void);                                                      \
                                                                                                             \
    /* wisdom */                                                                                             \
    FFTW_EXTERN int P(export_wisdom_to_filename)(const char* filename);                                      \
    FFTW_EXTERN void P(export_wisdom_to_file)(FILE * output_file);                                           \
    FFTW_EXTERN char* P(export_wisdom_to_string)(void);                                                      \
    FFTW_EXTERN void P(export_wisdom)(P(write_char_func) write_char, void* data);                            \
    FFTW_EXTERN int P(import_system_wisdom)(void);                                                           \
    FFTW_EXTERN int P(import_wisdom_from_filename)(const char* filename);                                    \
    FFTW_EXTERN int P(import_wisdom_from_file)(FILE * input_file);                                           \
    FFTW_EXTERN int P(import_wisdom_from_string)(const char* input_string);                                  \
    FFTW_EXTERN int P(import_wisdom)(P(read_char_func) read_char, void* data);                               \
    FFTW_EXTERN void P(forget_wisdom)(void);                                                                 \
                                                                                                             \
    /* memory */                                                                                             \
    FFTW_EXTERN void* P(malloc)(size_t n);                                                                   \
    FFTW_EXTERN R* P(alloc_real)(size_t n);                                                                  \
    FFTW_EXTERN C* P(alloc_complex)(size_t n);                                                               \
    FFTW_EXTERN void P(free)(void* p);                                                                       \
    FFTW_EXTERN int P(alignment_of)(R * p);                                                                  \
                                                                                                             \
    /* which library this is */                                                                              \
    FFTW_EXTERN const char P(version)[];                                                                     \
    FFTW_EXTERN const char P(cc)[];                                                                          \
    FFTW_EXTERN const char P(codelet_optim)[];

#define SWIRL_FFTW_DOUBLE(name) fftw_##name
#define SWIRL_FFTW_SINGLE(name) fftwf_##name
SWIRL_FFTW_INTERFACE(SWIRL_FFTW_DOUBLE, double, fftw_complex)
SWIRL_FFTW_INTERFACE(SWIRL_FFTW_SINGLE, float, fftwf_complex)

#undef SWIRL_FFTW_INTERFACE
#undef SWIRL_FFTW_DOUBLE
#undef SWIRL_FFTW_SINGLE

#ifdef __cplusplus
}
#endif

#endif
