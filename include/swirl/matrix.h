/* Matrix multiplication (GEMM): the part of the C interface that <swirl/swirl.h> includes. C99. */

#ifndef SWIRL_MATRIX_H
#define SWIRL_MATRIX_H

#include <swirl/swirl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- matrix multiplication -------------------------------------------------------------------------------------- */

/* Data type of a matrix's elements. Complex elements are pairs, real component first. */
typedef enum swirl_data_type {
    SWIRL_REAL32 = 0,
    SWIRL_REAL64 = 1,
    SWIRL_COMPLEX32 = 2,
    SWIRL_COMPLEX64 = 3,
    SWIRL_TYPE_BFLOAT16 = 4, /* upper half of a float; A, B and stored C; also the next three */
    SWIRL_TYPE_FLOAT16 = 5,  /* IEEE 754 binary16 */
    SWIRL_TYPE_INT8 = 6,
    SWIRL_TYPE_UINT8 = 7,
    SWIRL_TYPE_INT32 = 8,       /* C, alpha and beta only */
    SWIRL_TYPE_FLOAT8_E4M3 = 9, /* A and B, on GPUs */
    SWIRL_TYPE_UNORM8 = 10,     /* k/255; C, and A and B on GPUs; also the types below */
    SWIRL_TYPE_SNORM8 = 11,     /* max(k/127, -1) */
    SWIRL_TYPE_UNORM16 = 12,    /* k/65535 */
    SWIRL_TYPE_SNORM16 = 13     /* max(k/32767, -1) */
} swirl_data_type;

/* Element (i, j) is at offset i * row_stride + j * column_stride elements from element (0, 0). If `conjugated` is not
 * 0, memory holds the conjugate of the matrix. Consecutive matrices of a batch are batch_stride elements apart. */
typedef struct swirl_matrix_layout {
    int64_t row_stride, column_stride, batch_stride;
    int conjugated;
} swirl_matrix_layout;

/* C = alpha A B + beta C for `batch` matrices A of rows x k and B of k x columns. A batch of 0, as in a zeroed struct,
 * means one matrix. `data_type` is a swirl_data_type.
 * `epilogue` maps each element x of the result, such as "max(0, x + bias[i])". It may use the row i, the column j, the
 * index b of the matrix in the batch, and arrays given at execution. NULL or "": none. */
typedef struct swirl_matrix_product {
    int data_type;
    int64_t rows, columns, k, batch;
    swirl_matrix_layout a, b, c;
    const char* epilogue;
} swirl_matrix_product;

/* Reduces each row of C, each column, or all of C, separately for each matrix of a batch: sum, maximum or minimum of
 * `of`, a real expression of the element x after the epilogue and before conversion to C's type in memory; NULL or "":
 * x. Maximum and minimum are NaN if any element is. Each execution writes the results to the array of this name,
 * contiguous, one matrix after the other, in the data type of epilogue arrays. Pass this array with those that are
 * read, although swirl_array points to const memory. */
typedef enum swirl_reduce { SWIRL_REDUCE_SUM, SWIRL_REDUCE_MAXIMUM, SWIRL_REDUCE_MINIMUM } swirl_reduce;
typedef enum swirl_over {
    SWIRL_OVER_COLUMNS, /* along each row: one result per row */
    SWIRL_OVER_ROWS,    /* along each column: one result per column */
    SWIRL_OVER_ALL
} swirl_over;
typedef struct swirl_reduction {
    const char* name;
    int operation; /* a swirl_reduce */
    int over;      /* a swirl_over */
    const char* of;
} swirl_reduction;

typedef struct swirl_matrix_plan swirl_matrix_plan;

/* At most `threads` threads work on one execution; 0: one per available processor. */
SWIRL_API swirl_status swirl_matrix_plan_create(const swirl_matrix_product* product, int threads,
                                                swirl_matrix_plan** plan);
/* For A and B narrower than C: both SWIRL_TYPE_BFLOAT16 or both SWIRL_TYPE_FLOAT16 for SWIRL_REAL32; each
 * SWIRL_TYPE_INT8 or SWIRL_TYPE_UINT8 for SWIRL_TYPE_INT32, whose accumulators wrap around modulo 2^32. */
SWIRL_API swirl_status swirl_matrix_plan_create_low_precision(const swirl_matrix_product* product, int a_type,
                                                              int b_type, int threads,
                                                              swirl_matrix_plan** plan);
/* Also for C stored in another type than the accumulators' `data_type`: SWIRL_TYPE_BFLOAT16, SWIRL_TYPE_FLOAT16,
 * SWIRL_TYPE_INT8 or SWIRL_TYPE_UINT8 for SWIRL_REAL32; these or SWIRL_REAL32 for SWIRL_TYPE_INT32. beta, of the
 * accumulators' type, must be 0. */
SWIRL_API swirl_status swirl_matrix_plan_create_stored(const swirl_matrix_product* product, int a_type,
                                                       int b_type, int c_type, int threads,
                                                       swirl_matrix_plan** plan);
/* Required accuracy of float32 results, relative to |alpha| |A| |B| + |beta C|. CPUs that multiply bfloat16 faster may
 * compute products from bf16 splits of the operands. */
typedef enum swirl_accuracy {
    SWIRL_ACCURACY_ORDINARY, /* no worse than multiply-adds in float32; the default of swirl_matrix_plan_create */
    SWIRL_ACCURACY_ORDINARY_IN_RANGE, /* for GPUs; on CPUs the same */
    SWIRL_ACCURACY_REDUCED,           /* about 2^-17 */
    SWIRL_ACCURACY_ELEVEN_BITS,       /* about 2^-10: as if rounded to 11 significant bits (TF32) */
    SWIRL_ACCURACY_LOW                /* about 2^-8 */
} swirl_accuracy;
SWIRL_API swirl_status swirl_matrix_plan_create_for_accuracy(const swirl_matrix_product* product,
                                                             int accuracy, int threads,
                                                             swirl_matrix_plan** plan);
/* Further options of a plan; all 0 or NULL: the defaults. */
typedef struct swirl_matrix_options {
    const int* types; /* three swirl_data_type: A, B and C in memory; NULL: those of the product */
    int accuracy;     /* a swirl_accuracy */
    int threads;      /* as above */
    const swirl_reduction* reductions;
    size_t reduction_count;
} swirl_matrix_options;
SWIRL_API swirl_status swirl_matrix_plan_create_with(const swirl_matrix_product* product,
                                                     const swirl_matrix_options* options,
                                                     swirl_matrix_plan** plan);
SWIRL_API int swirl_matrix_plan_accuracy(const swirl_matrix_plan* plan); /* of results */
SWIRL_API void swirl_matrix_plan_destroy(swirl_matrix_plan* plan);
/* alpha and beta point to scalars of the product's data type; a, b, c to elements (0, 0). If beta is zero, C is not
 * read. */
SWIRL_API swirl_status swirl_matrix_execute(const swirl_matrix_plan* plan, const void* alpha, const void* a,
                                            const void* b, const void* beta, void* c);
/* With all arrays that the epilogue and reductions name: contiguous, row-major over their indices in the expression, in
 * the product's precision. Complex elements are pairs, and `imaginary` is NULL. */
SWIRL_API swirl_status swirl_matrix_execute_with_arrays(const swirl_matrix_plan* plan,
                                                        const swirl_array* arrays, size_t count,
                                                        const void* alpha, const void* a, const void* b,
                                                        const void* beta, void* c);

/* A or B, prepacked for any number of executions of this plan and others of the same form; safe to use from any
 * threads. */
typedef struct swirl_packed_matrix swirl_packed_matrix;
SWIRL_API swirl_status swirl_matrix_pack_a(const swirl_matrix_plan* plan, const void* a,
                                           swirl_packed_matrix** packed);
SWIRL_API swirl_status swirl_matrix_pack_b(const swirl_matrix_plan* plan, const void* b,
                                           swirl_packed_matrix** packed);
SWIRL_API void swirl_packed_matrix_destroy(swirl_packed_matrix* packed); /* NULL is allowed */
/* As swirl_matrix_execute_with_arrays, with packed_a instead of a if it is not NULL, and packed_b instead of b. */
SWIRL_API swirl_status swirl_matrix_execute_packed(const swirl_matrix_plan* plan, const swirl_array* arrays,
                                                   size_t count, const void* alpha, const void* a,
                                                   const swirl_packed_matrix* packed_a, const void* b,
                                                   const swirl_packed_matrix* packed_b, const void* beta,
                                                   void* c);

/* Executions of one plan on `count` matrices given by three arrays of pointers; without epilogue arrays. No C may
 * overlap matrices of another product: this is not checked. */
typedef struct swirl_matrix_group {
    const swirl_matrix_plan* plan;
    const void* alpha;
    const void* const* a;
    const void* const* b;
    const void* beta;
    void* const* c;
    int64_t count;
} swirl_matrix_group;
/* Products of several shapes in one call, shared by at most `threads` threads; 0: one per available processor. */
SWIRL_API swirl_status swirl_matrix_execute_groups(const swirl_matrix_group* groups, size_t count,
                                                   int threads);

/* ---- matrix multiplication on NVIDIA GPUs ----------------------------------------------------------------------- */

typedef struct swirl_gpu_matrix_plan swirl_gpu_matrix_plan;

/* For float32 or float64, on the GPU with CUDA ordinal `device`. All flags apply; SWIRL_MEASURE takes about 5 s. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create(const swirl_matrix_product* product, int device,
                                                    unsigned flags, swirl_gpu_matrix_plan** plan);
/* With a schedule in the format of swirl_gpu_matrix_plan_schedule; NULL or "": the performance model chooses. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create_by_schedule(const swirl_matrix_product* product,
                                                                const char* schedule, int device,
                                                                unsigned flags, swirl_gpu_matrix_plan** plan);
/* For A, B or C of other types than the accumulators, as in swirl_matrix_plan_create_stored: SWIRL_TYPE_BFLOAT16,
 * SWIRL_TYPE_FLOAT16, 8-bit integers and normalised types for SWIRL_REAL32. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create_stored(const swirl_matrix_product* product, int a_type,
                                                           int b_type, int c_type, const char* schedule,
                                                           int device, unsigned flags,
                                                           swirl_gpu_matrix_plan** plan);
/* Further options of a plan; all 0 or NULL: the defaults. */
typedef struct swirl_gpu_matrix_options {
    const int* types;     /* three swirl_data_type: A, B and C in memory; NULL: those of the product */
    int accuracy;         /* a swirl_accuracy, for float32 */
    int listed;           /* not 0: pointer-array batch; batch strides are ignored */
    int list_alignment;   /* alignment of these pointers in bytes, a power of two; 0: that of an element */
    const char* schedule; /* every choice; NULL or "": the performance model chooses */
    int device;           /* CUDA ordinal */
    unsigned flags;
    const swirl_reduction* reductions;
    size_t reduction_count;
} swirl_gpu_matrix_options;
/* swirl_gpu_matrix_execute_each executes plans of pointer-array batches. */
SWIRL_API swirl_status swirl_gpu_matrix_plan_create_with(const swirl_matrix_product* product,
                                                         const swirl_gpu_matrix_options* options,
                                                         swirl_gpu_matrix_plan** plan);
/* NULL is allowed. Wait for the plan's work in all streams first. */
SWIRL_API void swirl_gpu_matrix_plan_destroy(swirl_gpu_matrix_plan* plan);

SWIRL_API const char* swirl_gpu_matrix_plan_schedule(
    const swirl_gpu_matrix_plan* plan);                                        /* valid while the plan is */
SWIRL_API int swirl_gpu_matrix_plan_device(const swirl_gpu_matrix_plan* plan); /* -1 for NULL */
/* Allocated in stream order by executions that are given no workspace. */
SWIRL_API size_t swirl_gpu_matrix_plan_workspace_bytes(const swirl_gpu_matrix_plan* plan);
SWIRL_API double swirl_gpu_matrix_plan_flops(const swirl_gpu_matrix_plan* plan);

/* Enqueues C = alpha * A * B + beta * C into `stream` (a cudaStream_t or CUstream; NULL: the default stream) and
 * returns without waiting. alpha and beta are scalars of C's type in host memory, which may be reused at once. Matrices
 * are device memory of the plan's GPU, or managed memory; pointers point to elements (0, 0). If alpha is 0, a and b may
 * be NULL. */
SWIRL_API swirl_status swirl_gpu_matrix_execute(const swirl_gpu_matrix_plan* plan, const void* alpha,
                                                const void* a, const void* b, const void* beta, void* c,
                                                void* stream);
/* With all arrays that the epilogue names, as in swirl_matrix_execute_with_arrays but in device memory, and with
 * `bytes` bytes of workspace in device memory, 256-byte aligned, used by one execution at a time. NULL with 0 bytes:
 * the workspace is allocated and freed in stream order. */
SWIRL_API swirl_status swirl_gpu_matrix_execute_with_arrays(const swirl_gpu_matrix_plan* plan,
                                                            const swirl_array* arrays, size_t count,
                                                            const void* alpha, const void* a, const void* b,
                                                            const void* beta, void* c, void* stream,
                                                            void* workspace, size_t bytes);

/* Pointer-array batch: `a`, `b` and `c` are arrays in device memory with one pointer per matrix of the batch, each to
 * element (0, 0) of a matrix in device memory. The kernel reads them when it runs. No C may overlap another C, an A or
 * a B: this is not checked. Otherwise as above. */
SWIRL_API swirl_status swirl_gpu_matrix_execute_each(const swirl_gpu_matrix_plan* plan,
                                                     const swirl_array* arrays, size_t count,
                                                     const void* alpha, const void* const* a,
                                                     const void* const* b, const void* beta, void* const* c,
                                                     void* stream, void* workspace, size_t bytes);
/* Pointer-array batches of several plans, without epilogue arrays, one after the other in the stream. Enqueues nothing
 * if any of them is invalid. */
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
