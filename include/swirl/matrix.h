/* Products of matrices: a part of <swirl/swirl.h>, which has it in it. C99. */

#ifndef SWIRL_MATRIX_H
#define SWIRL_MATRIX_H

#include <swirl/swirl.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* C = alpha A B + beta C for `batch` matrices A of rows x depth, B of depth x columns; a batch of 0, as in a struct that was
 * set to zeros, is one matrix. `number` is a swirl_number.
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
