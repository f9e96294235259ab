/* swirl's C interface. C99.
 *
 *     swirl_plan* plan;
 *     if (swirl_plan_from_text("dft 1024", SWIRL_ESTIMATE, &plan) != SWIRL_OK) puts(swirl_last_error());
 *     swirl_execute(plan, x, y);
 *     swirl_plan_destroy(plan);
 *
 * Every function that can fail returns a swirl_status; after anything but SWIRL_OK, swirl_last_error() says, for the
 * calling thread, what was wrong with which argument, and nothing was written. Plans may be executed by any number of
 * threads at once. */
#ifndef SWIRL_SWIRL_H
#define SWIRL_SWIRL_H

#include <swirl/export.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum swirl_status {
    SWIRL_OK = 0,
    SWIRL_USER_ERROR = 1, /* an argument or a problem that cannot be; the message says what would work */
    SWIRL_OUT_OF_MEMORY = 2,
    SWIRL_INTERNAL_ERROR = 3, /* a mistake of swirl */
    SWIRL_SYSTEM_ERROR = 4    /* the operating system refused something */
} swirl_status;

/* What went wrong in the calling thread's last call that failed; "" when none has. Valid until its next call. */
SWIRL_API const char* swirl_last_error(void);

/* Of the library, as "major.minor.patch". */
SWIRL_API const char* swirl_version(void);

/* ---- problems ------------------------------------------------------------------------------------------------- */

typedef enum swirl_kind {
    SWIRL_DFT = 0,      /* complex to complex */
    SWIRL_REAL_DFT = 1, /* real to half spectrum (n/2+1 complex), forward; its inverse, backward */
    SWIRL_WHT = 2,      /* Walsh-Hadamard, natural order */
    SWIRL_DCT2 = 3,
    SWIRL_DCT3 = 4,
    SWIRL_DCT4 = 5,
    SWIRL_DST2 = 6,
    SWIRL_DST3 = 7,
    SWIRL_DST4 = 8,
    SWIRL_CONVOLUTION = 9 /* complex, circular, with a kernel whose spectrum is given at execution; on GPUs */
} swirl_kind;

typedef enum swirl_direction { SWIRL_FORWARD = 0, SWIRL_BACKWARD = 1 } swirl_direction;
/* Numbers of 16 bits lie in the memory of GPUs only, as CUDA's __half and __nv_bfloat16; arithmetic is float32's. */
typedef enum swirl_precision {
    SWIRL_FLOAT32 = 0,
    SWIRL_FLOAT64 = 1,
    SWIRL_FLOAT16 = 2,
    SWIRL_BFLOAT16 = 3
} swirl_precision;
typedef enum swirl_layout { SWIRL_INTERLEAVED = 0, SWIRL_PLANAR = 1 } swirl_layout;
typedef enum swirl_placement { SWIRL_OUT_OF_PLACE = 0, SWIRL_IN_PLACE = 1 } swirl_placement;
/* Whether the transforms of a batch share an array that is given at execution, or each has its own. */
typedef enum swirl_sharing { SWIRL_SHARED = 0, SWIRL_EACH = 1 } swirl_sharing;
typedef enum swirl_side { SWIRL_INPUT = 0, SWIRL_OUTPUT = 1 } swirl_side;

/* What to compute. Made with defaults (forward, double, interleaved, out of place, contiguous rows, one transform,
 * scale 1), then changed by the functions below, whose `int` arguments are the enumerators above. Whether it can be
 * computed is said when it is planned. */
typedef struct swirl_problem swirl_problem;

/* A transform along each of `rank` dimensions, slowest first. */
SWIRL_API swirl_status swirl_problem_create(int kind, size_t rank, const int64_t* lengths,
                                            swirl_problem** problem);
/* NULL is allowed. */
SWIRL_API void swirl_problem_destroy(swirl_problem* problem);

SWIRL_API swirl_status swirl_problem_set_direction(swirl_problem* problem, int direction);
SWIRL_API swirl_status swirl_problem_set_precision(swirl_problem* problem, int precision);
SWIRL_API swirl_status swirl_problem_set_layout(swirl_problem* problem, int layout);
SWIRL_API swirl_status swirl_problem_set_placement(swirl_problem* problem, int placement);
/* The result is multiplied by it. */
SWIRL_API swirl_status swirl_problem_set_scale(swirl_problem* problem, double scale);
/* Of a convolution's spectrum. */
SWIRL_API swirl_status swirl_problem_set_spectrum(swirl_problem* problem, int sharing);
/* What is done to numbers as they are read, or before they are written, as text: see <swirl/expression.hpp>. NULL or "":
 * nothing. On GPUs. */
SWIRL_API swirl_status swirl_problem_set_load(swirl_problem* problem, const char* expression);
SWIRL_API swirl_status swirl_problem_set_store(swirl_problem* problem, const char* expression);
/* One stride for each dimension, in elements of that side. */
SWIRL_API swirl_status swirl_problem_set_strides(swirl_problem* problem, int side, const int64_t* strides);
/* A loop of `count` transforms inside those added before; the strides follow what lies inside it. */
SWIRL_API swirl_status swirl_problem_add_batch(swirl_problem* problem, int64_t count);
/* The same with its strides. */
SWIRL_API swirl_status swirl_problem_add_strided_batch(swirl_problem* problem, int64_t count,
                                                       int64_t input_stride, int64_t output_stride);

/* The problem as text, into `text` of `size` bytes, shortened if need be, always terminated when size > 0. `length`,
 * unless NULL, gets the length of the whole text without its end. */
SWIRL_API swirl_status swirl_problem_text(const swirl_problem* problem, char* text, size_t size,
                                          size_t* length);

/* ---- plans ---------------------------------------------------------------------------------------------------- */

/* Flags, to be combined with |. */
enum {
    SWIRL_ESTIMATE = 0,   /* choose from tables about the machine; nothing is timed */
    SWIRL_MEASURE = 1,    /* time the likely algorithms for up to four seconds (GPUs: five) */
    SWIRL_NO_WISDOM = 2,  /* leave out what earlier measurements found */
    SWIRL_NO_CHECK = 4,   /* do not run the plan once against a second route */
    SWIRL_EXHAUSTIVE = 8, /* time every algorithm that applies, however long it takes */
    SWIRL_NO_CACHE = 16,  /* GPUs: neither take machine code from an earlier run nor keep it for the next */
    SWIRL_MACHINE_LOOPS = 32 /* products on GPUs: main loops may be put into another order in machine code */
};

typedef struct swirl_plan swirl_plan;

/* The problem may be destroyed or changed afterwards. */
SWIRL_API swirl_status swirl_plan_create(const swirl_problem* problem, unsigned flags, swirl_plan** plan);
/* From one line of text, such as "dft 16x8 backward inplace batch=10 scale=0.5". */
SWIRL_API swirl_status swirl_plan_from_text(const char* problem, unsigned flags, swirl_plan** plan);
/* The same for plans on which up to `threads` threads work at a time; 0 for as many as there are processors. The others
 * are for one thread. Results are the same, bit by bit, whatever the number. Called in a parallel region of OpenMP's, a
 * plan stays on the calling thread. */
SWIRL_API swirl_status swirl_plan_create_for_threads(const swirl_problem* problem, unsigned flags,
                                                     int threads, swirl_plan** plan);
SWIRL_API swirl_status swirl_plan_from_text_for_threads(const char* problem, unsigned flags, int threads,
                                                        swirl_plan** plan);
/* NULL is allowed. */
SWIRL_API void swirl_plan_destroy(swirl_plan* plan);

/* Valid while the plan is; NULL for NULL. */
SWIRL_API const char* swirl_plan_problem(const swirl_plan* plan);
SWIRL_API const char* swirl_plan_recipe(const swirl_plan* plan);
/* 0 for NULL. */
SWIRL_API int swirl_plan_threads(const swirl_plan* plan); /* 1 where sharing would not pay */
SWIRL_API size_t swirl_plan_workspace_bytes(const swirl_plan* plan);
SWIRL_API double swirl_plan_flops(const swirl_plan* plan);
SWIRL_API double swirl_plan_bytes(const swirl_plan* plan);

/* Interleaved and real data: complex numbers as pairs, like double _Complex or double[2]. Pointers are to the element
 * of index 0, of the problem's precision. In place, output is input. */
SWIRL_API swirl_status swirl_execute(const swirl_plan* plan, const void* input, void* output);
/* The same with `bytes` bytes of workspace, 64-byte aligned, used by one execution at a time. */
SWIRL_API swirl_status swirl_execute_with_workspace(const swirl_plan* plan, const void* input, void* output,
                                                    void* workspace, size_t bytes);
/* Planar data; a real side has its data in the first of its two arrays and NULL for the second. */
SWIRL_API swirl_status swirl_execute_planar(const swirl_plan* plan, const void* input_real,
                                            const void* input_imaginary, void* output_real,
                                            void* output_imaginary);
SWIRL_API swirl_status swirl_execute_planar_with_workspace(const swirl_plan* plan, const void* input_real,
                                                           const void* input_imaginary, void* output_real,
                                                           void* output_imaginary, void* workspace,
                                                           size_t bytes);

/* ---- plans for NVIDIA GPUs ------------------------------------------------------------------------------------ */

/* The driver is loaded when a plan is first asked for. Plans may be executed by any number of threads and on any number
 * of streams at once. */
typedef struct swirl_gpu_plan swirl_gpu_plan;

/* For the GPU of this number, as CUDA counts them. All flags have their meaning; SWIRL_MEASURE takes about five seconds.
 * SWIRL_OUT_OF_MEMORY also stands for the GPU's memory. */
SWIRL_API swirl_status swirl_gpu_plan_create(const swirl_problem* problem, int device, unsigned flags,
                                             swirl_gpu_plan** plan);
SWIRL_API swirl_status swirl_gpu_plan_from_text(const char* problem, int device, unsigned flags,
                                                swirl_gpu_plan** plan);
/* NULL is allowed. Not before what the plan has put into streams is done. */
SWIRL_API void swirl_gpu_plan_destroy(swirl_gpu_plan* plan);

/* Valid while the plan is; NULL for NULL. */
SWIRL_API const char* swirl_gpu_plan_problem(const swirl_gpu_plan* plan);
SWIRL_API const char* swirl_gpu_plan_recipe(const swirl_gpu_plan* plan);
SWIRL_API int swirl_gpu_plan_device(const swirl_gpu_plan* plan); /* -1 for NULL */
/* 0 for NULL. */
SWIRL_API size_t swirl_gpu_plan_workspace_bytes(const swirl_gpu_plan* plan);
SWIRL_API double swirl_gpu_plan_flops(const swirl_gpu_plan* plan);
SWIRL_API double swirl_gpu_plan_bytes(const swirl_gpu_plan* plan);

/* Puts the transform into `stream` (a cudaStream_t or CUstream; NULL: the default stream) and returns without waiting.
 * Pointers are to memory of the plan's GPU, or managed memory, at the element of index 0. */
SWIRL_API swirl_status swirl_gpu_execute(const swirl_gpu_plan* plan, const void* input, void* output,
                                         void* stream);
/* The same with `bytes` bytes of workspace on the GPU, 256-byte aligned, used by one execution at a time. Without it
 * memory is taken and given back in the order of the stream. */
SWIRL_API swirl_status swirl_gpu_execute_with_workspace(const swirl_gpu_plan* plan, const void* input,
                                                        void* output, void* stream, void* workspace,
                                                        size_t bytes);
SWIRL_API swirl_status swirl_gpu_execute_planar(const swirl_gpu_plan* plan, const void* input_real,
                                                const void* input_imaginary, void* output_real,
                                                void* output_imaginary, void* stream);
SWIRL_API swirl_status swirl_gpu_execute_planar_with_workspace(const swirl_gpu_plan* plan,
                                                               const void* input_real,
                                                               const void* input_imaginary, void* output_real,
                                                               void* output_imaginary, void* stream,
                                                               void* workspace, size_t bytes);

/* An array that a problem has beside input and output, by its name, such as a convolution's "spectrum"; planar complex
 * numbers in two parts, others with NULL for the second. */
typedef struct swirl_array {
    const char* name;
    const void* data;
    const void* imaginary;
} swirl_array;

/* With all arrays that the problem has; of interleaved and real data the imaginary arrays are NULL. The workspace may be
 * NULL with 0 bytes, as in swirl_gpu_execute. */
SWIRL_API swirl_status swirl_gpu_execute_with_arrays(const swirl_gpu_plan* plan, const swirl_array* arrays,
                                                     size_t count, const void* input,
                                                     const void* input_imaginary, void* output,
                                                     void* output_imaginary, void* stream, void* workspace,
                                                     size_t bytes);

/* ---- products of matrices --------------------------------------------------------------------------------------- */

/* A matrix's numbers; the complex ones are pairs, real part first. */
typedef enum swirl_number {
    SWIRL_REAL32 = 0,
    SWIRL_REAL64 = 1,
    SWIRL_COMPLEX32 = 2,
    SWIRL_COMPLEX64 = 3,
    SWIRL_NUMBER_BFLOAT16 = 4, /* the upper half of a float; of A and B only, as the following */
    SWIRL_NUMBER_FLOAT16 = 5,  /* IEEE 754's binary16 */
    SWIRL_NUMBER_INT8 = 6,
    SWIRL_NUMBER_UINT8 = 7,
    SWIRL_NUMBER_INT32 = 8,       /* of C, alpha and beta only */
    SWIRL_NUMBER_FLOAT8_E4M3 = 9, /* of A and B, on GPUs */
    SWIRL_NUMBER_UNORM8 = 10,     /* k/255; of A and B on GPUs, of C, as the following */
    SWIRL_NUMBER_SNORM8 = 11,     /* the greater of k/127 and -1 */
    SWIRL_NUMBER_UNORM16 = 12,    /* k/65535 */
    SWIRL_NUMBER_SNORM16 = 13     /* the greater of k/32767 and -1 */
} swirl_number;

/* Element (i, j) is i * row_stride + j * column_stride elements behind element (0, 0); the matrix is the conjugate of
 * what lies there where `conjugated` is not 0. Matrices of a batch are batch_stride elements apart. */
typedef struct swirl_matrix_layout {
    int64_t row_stride, column_stride, batch_stride;
    int conjugated;
} swirl_matrix_layout;

/* C = alpha A B + beta C for `batch` matrices A of rows x depth, B of depth x columns. `number` is a swirl_number.
 * `epilogue` says what becomes of each element x of the result, such as "max(0, x + bias[i])", by its row i, its column j,
 * the number b of its matrix and arrays given at execution; NULL or "": nothing. */
typedef struct swirl_matrix_product {
    int number;
    int64_t rows, columns, depth, batch;
    swirl_matrix_layout a, b, c;
    const char* epilogue;
} swirl_matrix_product;

/* One number for each row or column of C, or for all of it, and that for each matrix of a batch: the sum, the greatest or the least of `of`, a
 * real expression of the element x as the epilogue leaves it, before it is converted to what C holds; NULL or "": x. The
 * greatest and the least are NaN where one of the numbers is. Each execution writes them to the array of this name, of the kind that epilogues' arrays
 * have, those of one matrix after the other: it is given among those that are read, although its pointer is to constant memory. */
typedef enum swirl_reduce { SWIRL_REDUCE_SUM, SWIRL_REDUCE_MAXIMUM, SWIRL_REDUCE_MINIMUM } swirl_reduce;
typedef enum swirl_over {
    SWIRL_OVER_COLUMNS, /* one number for each row */
    SWIRL_OVER_ROWS,    /* one for each column */
    SWIRL_OVER_ALL
} swirl_over;
typedef struct swirl_reduction {
    const char* name;
    int operation; /* a swirl_reduce */
    int over;      /* a swirl_over */
    const char* of;
} swirl_reduction;

typedef struct swirl_matrix_plan swirl_matrix_plan;

/* At most `threads` threads work on one execution; 0: as many as there are processors. */
SWIRL_API swirl_status swirl_matrix_plan_create(const swirl_matrix_product* product, int threads,
                                                swirl_matrix_plan** plan);
/* The same where A's and B's numbers are narrower than C's: both SWIRL_NUMBER_BFLOAT16 or SWIRL_NUMBER_FLOAT16 for
 * SWIRL_REAL32, each SWIRL_NUMBER_INT8 or SWIRL_NUMBER_UINT8 for SWIRL_NUMBER_INT32, whose sums wrap around at 2^32. */
SWIRL_API swirl_status swirl_matrix_plan_create_narrow(const swirl_matrix_product* product, int a_number,
                                                       int b_number, int threads, swirl_matrix_plan** plan);
/* And where C's elements are others than sums, which are `number`: SWIRL_NUMBER_BFLOAT16, SWIRL_NUMBER_FLOAT16, SWIRL_NUMBER_INT8
 * or SWIRL_NUMBER_UINT8 for SWIRL_REAL32; these or SWIRL_REAL32 for SWIRL_NUMBER_INT32. beta, of the sums' kind, has to be 0. */
SWIRL_API swirl_status swirl_matrix_plan_create_stored(const swirl_matrix_product* product, int a_number,
                                                       int b_number, int c_number, int threads,
                                                       swirl_matrix_plan** plan);
/* How far results of float32 may be from the exact ones, relative to |alpha| |A| |B| + |beta C|. Where the CPU multiplies
 * bfloat16 faster, products are sums of products of such slices. */
typedef enum swirl_accuracy {
    SWIRL_ACCURACY_ORDINARY, /* no worse than sums of multiply-adds; swirl_matrix_plan_create asks for it */
    SWIRL_ACCURACY_ORDINARY_IN_RANGE, /* for GPUs; on CPUs the same */
    SWIRL_ACCURACY_REDUCED,           /* about 2^-17 */
    SWIRL_ACCURACY_ELEVEN_BITS,       /* about 2^-10, as of numbers rounded to 11 significant bits (tf32) */
    SWIRL_ACCURACY_LOW                /* about 2^-8 */
} swirl_accuracy;
SWIRL_API swirl_status swirl_matrix_plan_create_for_accuracy(const swirl_matrix_product* product,
                                                             int accuracy, int threads,
                                                             swirl_matrix_plan** plan);
/* What else a plan may be; all of it 0 or NULL: nothing. */
typedef struct swirl_matrix_options {
    const int* numbers; /* three of swirl_number: of A, B and C in memory; NULL: those of the product */
    int accuracy;       /* a swirl_accuracy */
    int threads;        /* as above */
    const swirl_reduction* reductions;
    size_t reduction_count;
} swirl_matrix_options;
SWIRL_API swirl_status swirl_matrix_plan_create_with(const swirl_matrix_product* product,
                                                     const swirl_matrix_options* options,
                                                     swirl_matrix_plan** plan);
SWIRL_API int swirl_matrix_plan_accuracy(const swirl_matrix_plan* plan); /* that results have */
SWIRL_API void swirl_matrix_plan_destroy(swirl_matrix_plan* plan);
/* All point to numbers of the product's kind, the arrays to elements (0, 0). Where beta is zero C is not read. */
SWIRL_API swirl_status swirl_matrix_execute(const swirl_matrix_plan* plan, const void* alpha, const void* a,
                                            const void* b, const void* beta, void* c);
/* With all arrays that the epilogue and reductions name, contiguous, row-major over the indices that they are written with, of the product's
 * precision; complex numbers are pairs, `imaginary` is NULL. */
SWIRL_API swirl_status swirl_matrix_execute_with_arrays(const swirl_matrix_plan* plan,
                                                        const swirl_array* arrays, size_t count,
                                                        const void* alpha, const void* a, const void* b,
                                                        const void* beta, void* c);

/* A or B packed for any number of executions, of this plan and others of the same form, by any number of threads at once. */
typedef struct swirl_packed_matrix swirl_packed_matrix;
SWIRL_API swirl_status swirl_matrix_pack_a(const swirl_matrix_plan* plan, const void* a,
                                           swirl_packed_matrix** packed);
SWIRL_API swirl_status swirl_matrix_pack_b(const swirl_matrix_plan* plan, const void* b,
                                           swirl_packed_matrix** packed);
SWIRL_API void swirl_packed_matrix_destroy(swirl_packed_matrix* packed); /* NULL is allowed */
/* As swirl_matrix_execute_with_arrays, with packed_a in place of a where it is not NULL, and packed_b of b. */
SWIRL_API swirl_status swirl_matrix_execute_packed(const swirl_matrix_plan* plan, const swirl_array* arrays,
                                                   size_t count, const void* alpha, const void* a,
                                                   const swirl_packed_matrix* packed_a, const void* b,
                                                   const swirl_packed_matrix* packed_b, const void* beta,
                                                   void* c);

/* Executions of one plan, without an epilogue's arrays, on `count` matrices of each of three lists. No C may overlap matrices
 * of another product: this is not looked at. */
typedef struct swirl_matrix_group {
    const swirl_matrix_plan* plan;
    const void* alpha;
    const void* const* a;
    const void* const* b;
    const void* beta;
    void* const* c;
    int64_t count;
} swirl_matrix_group;
/* Products of several shapes in one call, shared by at most `threads` threads; 0: as many as there are processors. */
SWIRL_API swirl_status swirl_matrix_execute_groups(const swirl_matrix_group* groups, size_t count,
                                                   int threads);

/* ---- products of matrices on NVIDIA GPUs ------------------------------------------------------------------------ */

typedef struct swirl_gpu_matrix_plan swirl_gpu_matrix_plan;

/* Of float32 or float64, for the GPU of this number, as CUDA counts them. All flags have their
 * meaning; SWIRL_MEASURE takes about five seconds. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create(const swirl_matrix_product* product, int device,
                                                    unsigned flags, swirl_gpu_matrix_plan** plan);
/* By every choice, as swirl_gpu_matrix_plan_schedule has written it; NULL or "": those of the model. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create_by_schedule(const swirl_matrix_product* product,
                                                                const char* schedule, int device,
                                                                unsigned flags, swirl_gpu_matrix_plan** plan);
/* The same where A, B or C have other numbers than sums, as in swirl_matrix_plan_create_stored: SWIRL_NUMBER_BFLOAT16 or
 * SWIRL_NUMBER_FLOAT16, bytes and normalised numbers for SWIRL_REAL32. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create_stored(const swirl_matrix_product* product, int a_number,
                                                           int b_number, int c_number, const char* schedule,
                                                           int device, unsigned flags,
                                                           swirl_gpu_matrix_plan** plan);
/* What else a plan may be; all of it 0 or NULL: nothing. */
typedef struct swirl_gpu_matrix_options {
    const int* numbers; /* three of swirl_number: of A, B and C in memory; NULL: those of the product */
    int accuracy;       /* a swirl_accuracy, of a product of float32 */
    int listed; /* not 0: matrices of the batch lie where lists of pointers say, and batch strides have no meaning */
    int list_alignment;   /* bytes that such pointers are multiples of, a power of two; 0: of an element */
    const char* schedule; /* every choice; NULL or "": chosen */
    int device;           /* which GPU, as CUDA counts them */
    unsigned flags;
    const swirl_reduction* reductions;
    size_t reduction_count;
} swirl_gpu_matrix_options;
/* As the others above. Lists are given to swirl_gpu_matrix_execute_each. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create_with(const swirl_matrix_product* product,
                                                         const swirl_gpu_matrix_options* options,
                                                         swirl_gpu_matrix_plan** plan);
/* NULL is allowed. Not before what the plan has put into streams is done. */
SWIRL_API void swirl_gpu_matrix_plan_destroy(swirl_gpu_matrix_plan* plan);

SWIRL_API const char* swirl_gpu_matrix_plan_schedule(
    const swirl_gpu_matrix_plan* plan);                                        /* valid while the plan is */
SWIRL_API int swirl_gpu_matrix_plan_device(const swirl_gpu_matrix_plan* plan); /* -1 for NULL */
/* That an execution takes in the order of the stream where it is given none. */
SWIRL_API size_t swirl_gpu_matrix_plan_workspace_bytes(const swirl_gpu_matrix_plan* plan);
SWIRL_API double swirl_gpu_matrix_plan_flops(const swirl_gpu_matrix_plan* plan);

/* Puts C = alpha * A * B + beta * C into `stream` (a cudaStream_t or CUstream; NULL: the default stream) and returns without
 * waiting. alpha and beta are numbers of C's kind in memory of the host, which is not needed any more then; matrices are memory of the
 * plan's GPU, or managed memory, at their elements (0, 0). Where alpha is 0, a and b may be NULL. */
SWIRL_API swirl_status swirl_gpu_matrix_execute(const swirl_gpu_matrix_plan* plan, const void* alpha,
                                                const void* a, const void* b, const void* beta, void* c,
                                                void* stream);
/* The same with all arrays that the epilogue names, as in swirl_matrix_execute_with_arrays but in memory of the GPU, and with
 * `bytes` bytes of workspace there, 256-byte aligned, used by one execution at a time; NULL with 0 bytes: memory is taken and given
 * back in the order of the stream. */
SWIRL_API swirl_status swirl_gpu_matrix_execute_with_arrays(const swirl_gpu_matrix_plan* plan,
                                                            const swirl_array* arrays, size_t count,
                                                            const void* alpha, const void* a, const void* b,
                                                            const void* beta, void* c, void* stream,
                                                            void* workspace, size_t bytes);

/* Products of a plan that has lists: `a`, `b` and `c` are arrays in memory of the GPU of as many pointers as the batch has matrices, each
 * to the element (0, 0) of a matrix in such memory. They are read when the product is computed, not before: that no C overlaps another,
 * nor A or B, is not looked at. The rest is as above. */
SWIRL_API swirl_status swirl_gpu_matrix_execute_each(const swirl_gpu_matrix_plan* plan,
                                                     const swirl_array* arrays, size_t count,
                                                     const void* alpha, const void* const* a,
                                                     const void* const* b, const void* beta, void* const* c,
                                                     void* stream, void* workspace, size_t bytes);
/* Executions of plans that have lists, without an epilogue's arrays, one after the other in the stream. Nothing is put there where one
 * of them fails. */
typedef struct swirl_gpu_matrix_group {
    const swirl_gpu_matrix_plan* plan;
    const void* alpha;
    const void* const* a;
    const void* const* b;
    const void* beta;
    void* const* c;
} swirl_gpu_matrix_group;
SWIRL_API swirl_status swirl_gpu_matrix_execute_groups(const swirl_gpu_matrix_group* groups, size_t count,
                                                       void* stream);

#ifdef __cplusplus
}
#endif

#endif
