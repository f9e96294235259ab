/* swirl's C interface: C99, C++11 and later.
 *
 *     swirl_plan* plan;
 *     if (swirl_plan_from_text("dft 1024", NULL, &plan) != SWIRL_OK) puts(swirl_last_error());
 *     swirl_execute(plan, x, y);
 *     swirl_plan_destroy(plan);
 *
 * Every function that can fail returns a swirl_status. After anything but SWIRL_OK nothing was written, and
 * swirl_last_error() tells the calling thread which argument was wrong and why. Any number of threads may use a plan at
 * once. `int` arguments named like an enumeration are its enumerators. */
#ifndef SWIRL_SWIRL_H
#define SWIRL_SWIRL_H

#include <swirl/export.h>
#include <swirl/version.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library, as "major.minor.patch". */
SWIRL_API const char* swirl_version(void);

typedef enum swirl_status {
    SWIRL_OK = 0,
    SWIRL_USER_ERROR = 1, /* an invalid argument or problem; the message says what would work */
    SWIRL_OUT_OF_MEMORY = 2,
    SWIRL_INTERNAL_ERROR = 3, /* a bug in swirl */
    SWIRL_SYSTEM_ERROR = 4,   /* the operating system or the GPU's driver refused a request */
    SWIRL_UNAVAILABLE = 5,    /* this machine lacks the GPU, the driver or the CPU's instructions */
    SWIRL_UNSUPPORTED = 6,    /* valid, but this version of swirl does not implement it */
    SWIRL_CANCELLED = 7,      /* swirl_options.cancelled returned a value other than 0 */
    SWIRL_OUT_OF_TIME = 8     /* planning would take longer than swirl_options.planning_limit_seconds */
} swirl_status;

/* Message of the calling thread's last failed call; "" if none failed. Valid until the thread's next call. */
SWIRL_API const char* swirl_last_error(void);

/* ---- data types ------------------------------------------------------------------------------------------------- */

/* Complex elements are pairs, real component first: complex64 is two float32, as in NumPy and PyTorch. */
typedef enum swirl_data_type {
    SWIRL_FLOAT32 = 0,
    SWIRL_FLOAT64 = 1,
    SWIRL_COMPLEX64 = 2,
    SWIRL_COMPLEX128 = 3,
    SWIRL_FLOAT16 = 4,  /* IEEE 754 binary16, as CUDA's __half */
    SWIRL_BFLOAT16 = 5, /* upper half of a float, as CUDA's __nv_bfloat16 */
    SWIRL_INT8 = 6,
    SWIRL_UINT8 = 7,
    SWIRL_INT32 = 8,
    SWIRL_FLOAT8_E4M3 = 9,
    SWIRL_UNORM8 = 10,  /* k/255 */
    SWIRL_SNORM8 = 11,  /* max(k/127, -1) */
    SWIRL_UNORM16 = 12, /* k/65535 */
    SWIRL_SNORM16 = 13  /* max(k/32767, -1) */
} swirl_data_type;

/* ---- problems --------------------------------------------------------------------------------------------------- */

/* What to compute, and the data layout: a transform or a matrix multiplication. Created with defaults, then changed by
 * the functions below. Planning checks whether it can be computed. */
typedef struct swirl_problem swirl_problem;

/* From one line of text, such as "dft 16x8 backward inplace batch=10 scale=0.5" or "gemm 100x80x60 float32". */
SWIRL_API swirl_status swirl_problem_from_text(const char* text, swirl_problem** problem);
/* NULL is allowed. */
SWIRL_API void swirl_problem_destroy(swirl_problem* problem);
/* Writes the problem as text to `text` of `size` bytes, truncated if necessary and always terminated if size > 0.
 * `length`, unless NULL, receives the full length without the terminator. */
SWIRL_API swirl_status swirl_problem_text(const swirl_problem* problem, char* text, size_t size,
                                          size_t* length);

/* Of both kinds. For a transform the data type of its real and imaginary components: SWIRL_FLOAT64 by default,
 * SWIRL_FLOAT32, SWIRL_FLOAT16 or SWIRL_BFLOAT16; complex types mean their components. For a product that of the
 * accumulators, alpha and beta, and of A, B and C unless swirl_problem_set_matrix_type says otherwise. */
SWIRL_API swirl_status swirl_problem_set_data_type(swirl_problem* problem, int data_type);

/* ---- transforms ------------------------------------------------------------------------------------------------- */

typedef enum swirl_kind {
    SWIRL_DFT = 0,      /* complex to complex */
    SWIRL_REAL_DFT = 1, /* real to half spectrum (n/2+1 complex), forward; its inverse, backward */
    SWIRL_WHT = 2,      /* Walsh-Hadamard, natural order */
    SWIRL_DCT1 = 3,     /* of at least two points */
    SWIRL_DCT2 = 4,
    SWIRL_DCT3 = 5,
    SWIRL_DCT4 = 6,
    SWIRL_DST1 = 7,
    SWIRL_DST2 = 8,
    SWIRL_DST3 = 9,
    SWIRL_DST4 = 10,
    SWIRL_DHT = 11,         /* discrete Hartley transform, along each dimension */
    SWIRL_R2HC = 12,        /* real to halfcomplex */
    SWIRL_HC2R = 13,        /* halfcomplex to real */
    SWIRL_CONVOLUTION = 14, /* complex, circular; the kernel's spectrum is given at execution; on GPUs */
    SWIRL_DCT5 = 15,        /* of odd period: see TransformKind of <swirl/kinds.hpp> */
    SWIRL_DCT6 = 16,
    SWIRL_DCT7 = 17,
    SWIRL_DCT8 = 18,
    SWIRL_DST5 = 19,
    SWIRL_DST6 = 20,
    SWIRL_DST7 = 21,
    SWIRL_DST8 = 22,
    SWIRL_WHT_DYADIC = 23,      /* Walsh-Hadamard, dyadic (Paley) order */
    SWIRL_WHT_SEQUENCY = 24,    /* Walsh-Hadamard, sequency (Walsh) order */
    SWIRL_REAL_CONVOLUTION = 25 /* real, circular; the half spectrum of a real kernel is given at execution */
} swirl_kind;
typedef enum swirl_direction { SWIRL_FORWARD = 0, SWIRL_BACKWARD = 1 } swirl_direction;
typedef enum swirl_layout { SWIRL_INTERLEAVED = 0, SWIRL_PLANAR = 1 } swirl_layout;
typedef enum swirl_placement { SWIRL_OUT_OF_PLACE = 0, SWIRL_IN_PLACE = 1 } swirl_placement;
/* Whether the transforms of a batch share an array given at execution, or each has its own. */
typedef enum swirl_sharing { SWIRL_SHARED = 0, SWIRL_EACH = 1 } swirl_sharing;
typedef enum swirl_side { SWIRL_INPUT = 0, SWIRL_OUTPUT = 1 } swirl_side;

/* A transform along each of `rank` dimensions, at most 64, slowest first: forward, float64, interleaved, out of place,
 * contiguous rows, one transform, scale 1. */
SWIRL_API swirl_status swirl_problem_create_transform(int kind, size_t rank, const int64_t* lengths,
                                                      swirl_problem** problem);
/* Transforms of real data with a kind for each dimension, SWIRL_WHT to SWIRL_HC2R or SWIRL_DCT5 to
 * SWIRL_WHT_SEQUENCY. */
SWIRL_API swirl_status swirl_problem_create_mixed(size_t rank, const int* kinds, const int64_t* lengths,
                                                  swirl_problem** problem);
/* The product of a vector with the matrix of a formula, such as "(DFT(2) (x) I(4)) * T(8,4) * (I(2) (x) DFT(4)) * L(8,2)":
 * see <swirl/matrix_formula.hpp>. Of SWIRL_COMPLEX128; with SWIRL_FLOAT32 or SWIRL_FLOAT64 of real data. One dimension. */
SWIRL_API swirl_status swirl_problem_create_formula(const char* formula, swirl_problem** problem);
SWIRL_API swirl_status swirl_problem_set_direction(swirl_problem* problem, int direction);
SWIRL_API swirl_status swirl_problem_set_layout(swirl_problem* problem, int layout);
SWIRL_API swirl_status swirl_problem_set_placement(swirl_problem* problem, int placement);
/* Multiplies the result. */
SWIRL_API swirl_status swirl_problem_set_scale(swirl_problem* problem, double scale);
/* A convolution's kernel spectrum: one for the batch, or one per transform. */
SWIRL_API swirl_status swirl_problem_set_spectrum(swirl_problem* problem, int sharing);
/* Load and store callbacks, as text: see <swirl/expression.hpp>. NULL or "": none. On GPUs. */
SWIRL_API swirl_status swirl_problem_set_load(swirl_problem* problem, const char* expression);
SWIRL_API swirl_status swirl_problem_set_store(swirl_problem* problem, const char* expression);
/* One stride per dimension, in elements of that side. */
SWIRL_API swirl_status swirl_problem_set_strides(swirl_problem* problem, int side, const int64_t* strides);
/* Adds a loop of `count` transforms inside those added before, at most 64 in all; strides follow from what is inside. */
SWIRL_API swirl_status swirl_problem_add_batch(swirl_problem* problem, int64_t count);
/* The same with explicit strides. */
SWIRL_API swirl_status swirl_problem_add_strided_batch(swirl_problem* problem, int64_t count,
                                                       int64_t input_stride, int64_t output_stride);

/* ---- matrix multiplication ---------------------------------------------------------------------------------------- */

typedef enum swirl_matrix { SWIRL_A = 0, SWIRL_B = 1, SWIRL_C = 2 } swirl_matrix;

/* Element (i, j) is at offset i * row_stride + j * column_stride elements from element (0, 0). If `conjugated` is not
 * 0, memory holds the conjugate of the matrix (A and B). Consecutive matrices of a batch are batch_stride elements
 * apart. */
typedef struct swirl_matrix_layout {
    int64_t row_stride, column_stride, batch_stride;
    int conjugated;
} swirl_matrix_layout;

/* C = alpha A B + beta C for A of m x k, B of k x n and C of m x n: column-major, contiguous, one matrix each. */
SWIRL_API swirl_status swirl_problem_create_product(int data_type, int64_t m, int64_t n, int64_t k,
                                                    swirl_problem** problem);
SWIRL_API swirl_status swirl_problem_set_matrix(swirl_problem* problem, int matrix,
                                                const swirl_matrix_layout* layout);
/* Data type in memory of A, B or C where it differs from the accumulators'; <swirl/data_type.hpp> lists what is
 * possible. If C's differs, beta must be 0. */
SWIRL_API swirl_status swirl_problem_set_matrix_type(swirl_problem* problem, int matrix, int data_type);
/* Products of `count` matrices each. */
SWIRL_API swirl_status swirl_problem_set_batch(swirl_problem* problem, int64_t count);
/* On GPUs, the matrices of the batch are given by three arrays of pointers, multiples of `alignment` bytes (0: that of
 * an element); batch strides are ignored. */
SWIRL_API swirl_status swirl_problem_set_pointer_arrays(swirl_problem* problem, int alignment);
/* Maps each element x of the result, such as "max(0, x + bias[i])". It may use the row i, the column j, the index b of
 * the matrix in the batch, and arrays given at execution. NULL or "": none. */
SWIRL_API swirl_status swirl_problem_set_epilogue(swirl_problem* problem, const char* expression);

typedef enum swirl_reduce { SWIRL_SUM = 0, SWIRL_MAXIMUM = 1, SWIRL_MINIMUM = 2 } swirl_reduce;
typedef enum swirl_over {
    SWIRL_OVER_COLUMNS = 0, /* along each row: one result per row */
    SWIRL_OVER_ROWS = 1,    /* along each column: one result per column */
    SWIRL_OVER_ALL = 2
} swirl_over;
/* Reduces each row of C, each column, or all of C, separately for each matrix of a batch: sum, maximum or minimum of
 * `of`, a real expression of the element x after the epilogue and before conversion to C's type in memory; NULL or "":
 * x. Maximum and minimum are NaN if any element is. Each execution writes the results to the array of this name:
 * contiguous, one matrix after the other, in the data type of epilogue arrays. */
SWIRL_API swirl_status swirl_problem_add_reduction(swirl_problem* problem, const char* name, int operation,
                                                   int over, const char* of);

/* ---- options ---------------------------------------------------------------------------------------------------- */

typedef enum swirl_device { SWIRL_CPU = 0, SWIRL_GPU = 1 } swirl_device;
typedef enum swirl_effort {
    SWIRL_ESTIMATE = 0,   /* a performance model; runs no benchmark */
    SWIRL_MEASURE = 1,    /* benchmarks likely candidates within the time budget */
    SWIRL_EXHAUSTIVE = 2, /* benchmarks every applicable algorithm, which may take hours */
    SWIRL_BACKGROUND = 3  /* CPUs: SWIRL_ESTIMATE at once; measures for later plans while the program runs */
} swirl_effort;
/* Required accuracy of products in float32, relative to |alpha| |A| |B| + |beta C|. */
typedef enum swirl_accuracy {
    SWIRL_ORDINARY = 0,          /* no worse than multiply-adds in float32 */
    SWIRL_ORDINARY_IN_RANGE = 1, /* GPUs: of operands in the range that <swirl/options.hpp> gives */
    SWIRL_REDUCED = 2,           /* about 2^-17 */
    SWIRL_ELEVEN_BITS = 3,       /* about 2^-10: as if rounded to 11 significant bits (TF32) */
    SWIRL_LOW = 4                /* about 2^-8 */
} swirl_accuracy;

/* Options of a plan. Start from SWIRL_OPTIONS_INIT, or from swirl_options_init where macros are of no use, so that
 * members which later versions add have their defaults. With SWIRL_BACKGROUND the three functions are also called on the
 * thread of the search, until it ends. */
typedef struct swirl_options {
    size_t struct_size;
    int device;                    /* a swirl_device */
    int ordinal;                   /* CUDA ordinal of the GPU */
    int threads;                   /* CPUs: maximum per execution; 0: one per available processor */
    int effort;                    /* a swirl_effort */
    int swap_schedule;             /* SWIRL_BACKGROUND: the plan itself takes over what is found */
    int accuracy;                  /* a swirl_accuracy */
    int check;                     /* verify the plan once against a second algorithm */
    int use_wisdom;                /* use results of earlier measurements, and shipped ones */
    int use_kernel_cache;          /* load machine code of earlier processes and store it */
    int reorder_sass;              /* GPUs: allow reordered SASS main loops of products */
    size_t memory_limit_bytes;     /* of memory besides the caller's arrays; 0: what the machine has */
    double planning_limit_seconds; /* of the predicted time of planning; 0: none */
    double
        time_budget_seconds; /* of the search; negative: the default, 0: no limit for SWIRL_EXHAUSTIVE, no timing for
                                   SWIRL_ESTIMATE */
    const char* cpu;         /* "avx512", "avx2", "sse2" or "portable"; NULL: the best */
    const char* schedule; /* every choice, from swirl_plan_schedule; NULL: choose */
    void (*progress)(const char* line, void* context); /* receives lines of text now and then; NULL: none */
    int (*cancelled)(void* context); /* called now and then; planning ends if it does not return 0 */
    void (*log)(const char* line, void* context); /* receives warnings; NULL: standard error */
    void* context;                                /* passed to these functions */
} swirl_options;
#define SWIRL_OPTIONS_INIT                                                                                   \
    {                                                                                                        \
        sizeof(swirl_options), SWIRL_CPU, 0, 1, SWIRL_ESTIMATE, 0, SWIRL_ORDINARY, 1, 1, 1, 0, 0, 0.0, -1.0, \
            NULL, NULL, NULL, NULL, NULL, NULL                                                               \
    }
/* Sets the first `struct_size` bytes of `options` to their defaults. */
SWIRL_API swirl_status swirl_options_init(swirl_options* options, size_t struct_size);

/* ---- plans ------------------------------------------------------------------------------------------------------ */

typedef struct swirl_plan swirl_plan;

/* `options`: NULL for the defaults. The problem may be destroyed or changed afterwards. */
SWIRL_API swirl_status swirl_plan_create(const swirl_problem* problem, const swirl_options* options,
                                         swirl_plan** plan);
SWIRL_API swirl_status swirl_plan_from_text(const char* problem, const swirl_options* options,
                                            swirl_plan** plan);
/* NULL is allowed. Wait for a GPU plan's work in all streams first. */
SWIRL_API void swirl_plan_destroy(swirl_plan* plan);

/* Valid while the plan is; NULL for NULL. */
SWIRL_API const char* swirl_plan_problem(const swirl_plan* plan);
/* The same, of what executes now (swirl_options.swap_schedule). */
SWIRL_API const char* swirl_plan_schedule(const swirl_plan* plan); /* every choice; swirl_options takes it */
SWIRL_API const char* swirl_plan_description(const swirl_plan* plan); /* lines of text about its kernels */
/* 0 for NULL. */
SWIRL_API int swirl_plan_device(const swirl_plan* plan);             /* a swirl_device */
SWIRL_API int swirl_plan_ordinal(const swirl_plan* plan);            /* of the GPU */
SWIRL_API int swirl_plan_threads(const swirl_plan* plan);            /* 1 where more would not pay */
SWIRL_API int swirl_plan_accuracy(const swirl_plan* plan);           /* a swirl_accuracy: of results */
SWIRL_API size_t swirl_plan_workspace_bytes(const swirl_plan* plan); /* taken unless the caller gives some */
SWIRL_API double swirl_plan_flops(const swirl_plan* plan);
SWIRL_API double swirl_plan_bytes(
    const swirl_plan* plan); /* read and written; for products A, B and C once */

/* ---- execution -------------------------------------------------------------------------------------------------- */

/* On the CPU an execution returns when the result is there. On a GPU it enqueues the work and returns: arrays are
 * device memory of the plan's GPU, or managed memory; alpha and beta are in host memory and may be reused at once. */

/* A transform of real or interleaved data. Complex elements are pairs, like double _Complex or double[2]. Pointers
 * point to the element with index 0. In place, output is input. */
SWIRL_API swirl_status swirl_execute(const swirl_plan* plan, const void* input, void* output);
/* A transform of planar data. A real side passes its data as the first of its two arrays and NULL as the second. */
SWIRL_API swirl_status swirl_execute_planar(const swirl_plan* plan, const void* input_real,
                                            const void* input_imaginary, void* output_real,
                                            void* output_imaginary);
/* C = alpha A B + beta C. alpha and beta point to scalars of the accumulators' data type; a, b, c to elements (0, 0) of
 * the first matrix of a batch. If beta is zero, C is not read; if alpha is, A and B may be NULL. */
SWIRL_API swirl_status swirl_execute_product(const swirl_plan* plan, const void* alpha, const void* a,
                                             const void* b, const void* beta, void* c);

/* An array by its name: "input", "output", "a", "b", "c", or an auxiliary array that callbacks, a convolution
 * ("spectrum"), an epilogue or a reduction names. Also "alpha" and "beta" (missing: 1 and 0), and a
 * swirl_packed_matrix as "packed_a" instead of "a" or "packed_b" instead of "b". Planar complex arrays have two
 * pointers; all others have NULL as the second. "output", "c" and the arrays of reductions are written, although the
 * pointers are to const. Auxiliary arrays are contiguous, row-major over their indices. */
typedef struct swirl_array {
    const char* name;
    const void* data;
    const void* imaginary;
} swirl_array;
/* Where an execution runs. Start from SWIRL_EXECUTION_INIT. */
typedef struct swirl_execution {
    size_t struct_size;
    void* stream;    /* GPUs: a cudaStream_t or CUstream; NULL: the default stream */
    void* workspace; /* NULL: the library takes memory itself; else aligned to 64 bytes, on a GPU to 256 */
    size_t workspace_bytes; /* at least swirl_plan_workspace_bytes; used by one execution at a time */
} swirl_execution;
#define SWIRL_EXECUTION_INIT \
    { sizeof(swirl_execution), NULL, NULL, 0 }
/* Everything that a plan can do. For a problem with pointer arrays, "a", "b" and "c" are these arrays, in device
 * memory. `execution`: NULL for the defaults. */
SWIRL_API swirl_status swirl_execute_arrays(const swirl_plan* plan, const swirl_array* arrays, size_t count,
                                            const swirl_execution* execution);

/* Products of `count` matrices given by three arrays of pointers; without auxiliary arrays. No C may overlap matrices
 * of another product: this is not checked. On a GPU the plan is of a problem with pointer arrays. */
typedef struct swirl_group {
    const swirl_plan* plan;
    const void* alpha;
    const void* const* a;
    const void* const* b;
    const void* beta;
    void* const* c;
    int64_t count;
} swirl_group;
/* Products of several shapes in one call. Writes or enqueues nothing if any of them is invalid. All plans are for one
 * device. */
SWIRL_API swirl_status swirl_execute_groups(const swirl_group* groups, size_t count,
                                            const swirl_execution* execution);

/* A or B, prepacked for any number of executions of this plan and others of the same form, on the CPU; safe to use from
 * any threads. */
typedef struct swirl_packed_matrix swirl_packed_matrix;
SWIRL_API swirl_status swirl_packed_matrix_create(const swirl_plan* plan, int matrix, const void* data,
                                                  swirl_packed_matrix** packed);
SWIRL_API void swirl_packed_matrix_destroy(swirl_packed_matrix* packed); /* NULL is allowed */
SWIRL_API size_t swirl_packed_matrix_bytes(const swirl_packed_matrix* packed);

/* ---- linear convolution ------------------------------------------------------------------------------------------ */

/* Which of the n + m - 1 results of n points and a kernel of m are computed, along each dimension. */
typedef enum swirl_convolution_mode {
    SWIRL_FULL = 0,
    SWIRL_SAME = 1,  /* n, from result (m - 1)/2 on */
    SWIRL_VALID = 2, /* n - m + 1, to which all of the kernel contributes */
    SWIRL_CAUSAL = 3 /* the first n */
} swirl_convolution_mode;
/* y[k] = sum of x[j] h[k - j], or as a correlation of x[j] conj(h[m - 1 - k + j]). Arrays are contiguous, row-major. Start from
 * SWIRL_CONVOLUTION_PROBLEM_INIT. */
typedef struct swirl_convolution_problem {
    size_t struct_size;
    size_t rank;           /* one to three dimensions, slowest first */
    const int64_t* signal; /* lengths */
    const int64_t* kernel;
    int mode;      /* a swirl_convolution_mode */
    int data_type; /* a swirl_data_type of reals; SWIRL_COMPLEX64 and SWIRL_COMPLEX128 say that data is complex */
    int is_complex;
    int is_correlation;
    int64_t batch; /* signals */
    int kernels;   /* a swirl_sharing: one kernel for all signals, or one for each */
    const int64_t*
        transform; /* lengths of one circular convolution; NULL: chosen, with blocks for a long signal */
} swirl_convolution_problem;
#define SWIRL_CONVOLUTION_PROBLEM_INIT                                                                      \
    {                                                                                                       \
        sizeof(swirl_convolution_problem), 0, NULL, NULL, SWIRL_FULL, SWIRL_FLOAT64, 0, 0, 1, SWIRL_SHARED, \
            NULL                                                                                            \
    }

typedef struct swirl_convolution swirl_convolution;
SWIRL_API swirl_status swirl_convolution_create(const swirl_convolution_problem* problem,
                                                const swirl_options* options,
                                                swirl_convolution** convolution);
/* NULL is allowed. Wait for a GPU's work in all streams first. */
SWIRL_API void swirl_convolution_destroy(swirl_convolution* convolution);
/* The kernel, or those of all signals; may be changed when the work is done. Not while another thread executes. `execution`, of
 * which the stream counts: NULL for the defaults. */
SWIRL_API swirl_status swirl_convolution_set_kernel(swirl_convolution* convolution, const void* kernel,
                                                    const swirl_execution* execution);
/* The transform of the zero-padded kernel with the lengths of swirl_convolution_transform_lengths; of a real one the half
 * spectrum. It is not copied. */
SWIRL_API swirl_status swirl_convolution_set_spectrum(swirl_convolution* convolution, const void* spectrum);
SWIRL_API swirl_status swirl_convolution_execute(const swirl_convolution* convolution, const void* signal,
                                                 void* result, const swirl_execution* execution);
/* One length for each dimension. */
SWIRL_API swirl_status swirl_convolution_result_lengths(const swirl_convolution* convolution,
                                                        int64_t* lengths);
SWIRL_API swirl_status swirl_convolution_transform_lengths(const swirl_convolution* convolution,
                                                           int64_t* lengths);
/* Text as in swirl_problem_text: the circular convolutions and their schedules. */
SWIRL_API swirl_status swirl_convolution_description(const swirl_convolution* convolution, char* text,
                                                     size_t size, size_t* length);
SWIRL_API size_t swirl_convolution_workspace_bytes(const swirl_convolution* convolution); /* 0 for NULL */
/* From the gradient by the results to that by the signals; the kernel is the same and has to be set. */
SWIRL_API swirl_status swirl_convolution_signal_gradient(const swirl_convolution* convolution,
                                                         swirl_convolution** gradient);
/* The gradient by the kernel, summed over a batch that shares one, else one for each signal: set the gradient by the results as the
   kernel, and execute with the signal. */
SWIRL_API swirl_status swirl_convolution_kernel_gradient(const swirl_convolution* convolution,
                                                         swirl_convolution** gradient);

/* ---- short-time Fourier transforms -------------------------------------------------------------------------------- */

/* Spectra of overlapping windowed frames of signals, their powers, and the inverse by overlap-add: see <swirl/stft.hpp>. */
typedef struct swirl_stft swirl_stft;
typedef enum swirl_stft_ends {
    SWIRL_STFT_NO_ENDS = 0, /* frames lie within the signal */
    SWIRL_STFT_ZERO = 1,    /* frames are centred, zeros surround the signal */
    SWIRL_STFT_REFLECT = 2  /* centred, the signal is mirrored about its first and last samples */
} swirl_stft_ends;
typedef enum swirl_mel_scale {
    SWIRL_MEL_SLANEY = 0, /* linear up to 1 kHz, then logarithmic; librosa's default */
    SWIRL_MEL_HTK = 1     /* 2595 log10(1 + f/700); torchaudio's default */
} swirl_mel_scale;
typedef enum swirl_mel_norm {
    SWIRL_MEL_NO_NORM = 0, /* triangles of height 1 */
    SWIRL_MEL_AREA = 1     /* triangles of area 1 Hz */
} swirl_mel_norm;
/* Start from SWIRL_STFT_OPTIONS_INIT. */
typedef struct swirl_stft_options {
    size_t struct_size;
    int64_t hop;          /* samples from one frame to the next; 0: n_fft/4 */
    const double* window; /* NULL: a Hann window of n_fft values */
    size_t window_length; /* at most n_fft: the middle of a frame */
    int ends;             /* a swirl_stft_ends */
    int data_type;        /* of samples: SWIRL_FLOAT32, SWIRL_FLOAT64, SWIRL_COMPLEX64 or SWIRL_COMPLEX128 */
    int64_t signals;
    int64_t signal_stride; /* samples from one signal to the next; 0: contiguous */
    double scale;          /* multiplies spectra */
    int64_t mels;          /* triangular filters on a mel scale, for swirl_stft_mel; 0: none */
    double sample_rate;    /* Hz; of the filters */
    double mel_lowest;     /* Hz, where the first filter begins */
    double mel_highest;    /* Hz, where the last filter ends; 0: half the sample rate */
    int mel_scale;         /* a swirl_mel_scale */
    int mel_norm;          /* a swirl_mel_norm */
} swirl_stft_options;
#define SWIRL_STFT_OPTIONS_INIT                                                                           \
    {                                                                                                     \
        sizeof(swirl_stft_options), 0, NULL, 0, SWIRL_STFT_REFLECT, SWIRL_FLOAT64, 1, 0, 1.0, 0, 22050.0, \
            0.0, 0.0, SWIRL_MEL_SLANEY, SWIRL_MEL_AREA                                                    \
    }
/* Of signals of so many samples. Either options may be NULL for the defaults; those of plans say device and threads. */
SWIRL_API swirl_status swirl_stft_create(int64_t samples, int64_t n_fft,
                                         const swirl_stft_options* stft_options, const swirl_options* options,
                                         swirl_stft** stft);
SWIRL_API void swirl_stft_destroy(swirl_stft* stft); /* NULL is allowed; wait for a GPU's work first */
SWIRL_API int64_t swirl_stft_frames(const swirl_stft* stft); /* of a signal; 0 for NULL */
SWIRL_API int64_t
swirl_stft_bins(const swirl_stft* stft); /* n_fft/2 + 1, of complex signals n_fft; 0 for NULL */
SWIRL_API int64_t swirl_stft_mels(const swirl_stft* stft); /* filters; 0 for NULL */
/* Complex spectra, their powers as reals, sums of powers by the mel filters, and signals of spectra. Spectra are contiguous: [signal][frame][bin]. `stream`: for
 * GPUs, NULL: the default stream. */
SWIRL_API swirl_status swirl_stft_forward(const swirl_stft* stft, const void* signals, void* spectra,
                                          void* stream);
SWIRL_API swirl_status swirl_stft_power(const swirl_stft* stft, const void* signals, void* powers,
                                        void* stream);
SWIRL_API swirl_status swirl_stft_mel(const swirl_stft* stft, const void* signals, void* energies,
                                      void* stream);
SWIRL_API swirl_status swirl_stft_inverse(const swirl_stft* stft, const void* spectra, void* signals,
                                          void* stream);

/* ---- devices ---------------------------------------------------------------------------------------------------- */

/* GPUs of this machine; 0 if there is no driver. Never fails. */
SWIRL_API int swirl_gpu_count(void);
/* SWIRL_OK if there is a GPU, else SWIRL_UNAVAILABLE; swirl_last_error() then says what is missing. */
SWIRL_API swirl_status swirl_gpu_available(void);
/* Text as in swirl_problem_text: "NVIDIA H100 80GB HBM3", or the best instruction set of this CPU. */
SWIRL_API swirl_status swirl_device_name(int device, int ordinal, char* text, size_t size, size_t* length);
/* In bytes. Either pointer may be NULL. */
SWIRL_API swirl_status swirl_device_memory(int device, int ordinal, size_t* all, size_t* free_bytes);

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* A parallel loop as for fftw_threads_set_callback: calls work(jobs + k * job_bytes) once for every k from 0 to count - 1, on any
 * threads and in any order, and returns when all calls have returned. Several threads may call it at once. */
typedef void (*swirl_parallel_loop)(void* (*work)(char*), char* jobs, size_t job_bytes, int count,
                                    void* data);
/* From now on executions on CPUs run on the threads of this loop; NULL: on swirl's own, as at first. Jobs that run at the same time share
 * the work; a loop that runs one after the other gives it to one. */
SWIRL_API void swirl_set_parallel_loop(swirl_parallel_loop loop, void* data);

/* ---- searches in the background ---------------------------------------------------------------------------------- */

/* Searches of plans with SWIRL_BACKGROUND: one after the other, on one thread of the lowest priority. A child of fork() has
 * none. They end when the library is unloaded and when the process exits. */

/* The problems whose searches have not ended, one per line, the one that is searched for now first; "" if there are none.
 * Text as in swirl_problem_text. */
SWIRL_API swirl_status swirl_background_pending(char* text, size_t size, size_t* length);
/* Waits until no search is pending, at most for so many seconds; negative: without limit. `is_done`, unless NULL, receives 1
 * if none is, else 0. In a function that a search calls it does not wait. */
SWIRL_API swirl_status swirl_background_wait(double seconds, int* is_done);
/* Ends all pending searches; `stopped`, unless NULL, receives how many. When it returns, no function of their options will be
 * called, unless such a function has called it. */
SWIRL_API swirl_status swirl_background_stop(size_t* stopped);

/* ---- wisdom and the cache of kernels ---------------------------------------------------------------------------- */

/* The file of wisdom in use, ":memory:" if none can be used. Text as in swirl_problem_text. */
SWIRL_API swirl_status swirl_wisdom_path(char* text, size_t size, size_t* length);
/* All entries of all machines, one JSON object per line, to and from a file. Importing keeps entries that are better.
 * If some lines are no entry, the others are imported and the status is SWIRL_USER_ERROR. */
SWIRL_API swirl_status swirl_wisdom_export(const char* path);
SWIRL_API swirl_status swirl_wisdom_import(const char* path);
/* Erases the entries of a problem, on all machines and devices; NULL: all entries. */
SWIRL_API swirl_status swirl_wisdom_forget(const swirl_problem* problem);

/* The folder of GPU kernels' machine code, "" if there is none. */
SWIRL_API swirl_status swirl_kernel_cache_path(char* text, size_t size, size_t* length);
/* All kernels as one pack, for another host with such a GPU. */
SWIRL_API swirl_status swirl_kernel_cache_export(const char* path);
SWIRL_API swirl_status swirl_kernel_cache_import(const char* path);
SWIRL_API swirl_status swirl_kernel_cache_forget(void);

#ifdef __cplusplus
}
#endif

#endif
