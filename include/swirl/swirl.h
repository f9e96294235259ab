/* swirl's C interface. C99.
 *
 *     swirl_plan* plan;
 *     if (swirl_plan_from_text("dft 1024", SWIRL_ESTIMATE, &plan) != SWIRL_OK) puts(swirl_last_error());
 *     swirl_execute(plan, x, y);
 *     swirl_plan_destroy(plan);
 *
 * Every function that can fail returns a swirl_status. After anything but SWIRL_OK nothing was written, and
 * swirl_last_error() tells the calling thread which argument was wrong and why. Any number of threads may execute a
 * plan at once. */
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
    SWIRL_USER_ERROR = 1, /* an invalid argument or problem; the message says what would work */
    SWIRL_OUT_OF_MEMORY = 2,
    SWIRL_INTERNAL_ERROR = 3, /* a bug in swirl */
    SWIRL_SYSTEM_ERROR = 4    /* the operating system refused a request */
} swirl_status;

/* Message of the calling thread's last failed call; "" if none failed. Valid until the thread's next call. */
SWIRL_API const char* swirl_last_error(void);

/* Version of the library, as "major.minor.patch". */
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
    SWIRL_CONVOLUTION = 9 /* complex, circular; the kernel's spectrum is given at execution; on GPUs */
} swirl_kind;

typedef enum swirl_direction { SWIRL_FORWARD = 0, SWIRL_BACKWARD = 1 } swirl_direction;
/* The 16-bit types are for GPU memory only, as CUDA's __half and __nv_bfloat16; arithmetic is float32. */
typedef enum swirl_precision {
    SWIRL_FLOAT32 = 0,
    SWIRL_FLOAT64 = 1,
    SWIRL_FLOAT16 = 2,
    SWIRL_BFLOAT16 = 3
} swirl_precision;
typedef enum swirl_layout { SWIRL_INTERLEAVED = 0, SWIRL_PLANAR = 1 } swirl_layout;
typedef enum swirl_placement { SWIRL_OUT_OF_PLACE = 0, SWIRL_IN_PLACE = 1 } swirl_placement;
/* Whether the transforms of a batch share an array given at execution, or each has its own. */
typedef enum swirl_sharing { SWIRL_SHARED = 0, SWIRL_EACH = 1 } swirl_sharing;
typedef enum swirl_side { SWIRL_INPUT = 0, SWIRL_OUTPUT = 1 } swirl_side;

/* A transform and its data layout. Created with defaults (forward, double, interleaved, out of place, contiguous rows,
 * one transform, scale 1), then changed by the functions below, whose `int` arguments are the enumerators above.
 * Planning checks whether it can be computed. */
typedef struct swirl_problem swirl_problem;

/* A transform along each of `rank` dimensions, at most 64, slowest first. */
SWIRL_API swirl_status swirl_problem_create(int kind, size_t rank, const int64_t* lengths,
                                            swirl_problem** problem);
/* NULL is allowed. */
SWIRL_API void swirl_problem_destroy(swirl_problem* problem);

SWIRL_API swirl_status swirl_problem_set_direction(swirl_problem* problem, int direction);
SWIRL_API swirl_status swirl_problem_set_precision(swirl_problem* problem, int precision);
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

/* Writes the problem as text to `text` of `size` bytes, truncated if necessary and always terminated if size > 0.
 * `length`, unless NULL, receives the full length without the terminator. */
SWIRL_API swirl_status swirl_problem_text(const swirl_problem* problem, char* text, size_t size,
                                          size_t* length);

/* ---- plans ---------------------------------------------------------------------------------------------------- */

/* Flags, combined with |. */
enum {
    SWIRL_ESTIMATE = 0,     /* use a performance model; run no benchmark */
    SWIRL_MEASURE = 1,      /* benchmark likely candidates for up to four seconds (GPUs: five) */
    SWIRL_NO_WISDOM = 2,    /* ignore results of earlier measurements */
    SWIRL_NO_CHECK = 4,     /* do not verify the plan against a second algorithm */
    SWIRL_EXHAUSTIVE = 8,   /* benchmark every applicable algorithm, however long it takes */
    SWIRL_NO_CACHE = 16,    /* GPUs: neither load machine code of earlier processes nor store it */
    SWIRL_REORDER_SASS = 32 /* GEMM on GPUs: allow reordered SASS main loops */
};

typedef struct swirl_plan swirl_plan;

/* The problem may be destroyed or changed afterwards. */
SWIRL_API swirl_status swirl_plan_create(const swirl_problem* problem, unsigned flags, swirl_plan** plan);
/* From one line of text, such as "dft 16x8 backward inplace batch=10 scale=0.5". */
SWIRL_API swirl_status swirl_plan_from_text(const char* problem, unsigned flags, swirl_plan** plan);
/* For up to `threads` threads per execution; 0: one per available processor. The functions above plan for one thread.
 * Results are bitwise identical for any number of threads. Inside an OpenMP parallel region, execution stays on the
 * calling thread. */
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
SWIRL_API int swirl_plan_threads(const swirl_plan* plan); /* 1 where more would not pay */
SWIRL_API size_t swirl_plan_workspace_bytes(const swirl_plan* plan);
SWIRL_API double swirl_plan_flops(const swirl_plan* plan);
SWIRL_API double swirl_plan_bytes(const swirl_plan* plan);

/* For interleaved and real data. Complex elements are pairs, like double _Complex or double[2]. Pointers point to the
 * element with index 0, in the problem's precision. In place, output is input. */
SWIRL_API swirl_status swirl_execute(const swirl_plan* plan, const void* input, void* output);
/* The same with `bytes` bytes of workspace: 64-byte aligned, disjoint from the data, for one execution at a time. */
SWIRL_API swirl_status swirl_execute_with_workspace(const swirl_plan* plan, const void* input, void* output,
                                                    void* workspace, size_t bytes);
/* For planar data. A real side passes its data as the first of its two arrays and NULL as the second. */
SWIRL_API swirl_status swirl_execute_planar(const swirl_plan* plan, const void* input_real,
                                            const void* input_imaginary, void* output_real,
                                            void* output_imaginary);
SWIRL_API swirl_status swirl_execute_planar_with_workspace(const swirl_plan* plan, const void* input_real,
                                                           const void* input_imaginary, void* output_real,
                                                           void* output_imaginary, void* workspace,
                                                           size_t bytes);

/* ---- plans for NVIDIA GPUs ------------------------------------------------------------------------------------ */

/* The first plan loads the driver. Any number of threads may execute a plan at once, in any number of streams. */
typedef struct swirl_gpu_plan swirl_gpu_plan;

/* On the GPU with CUDA ordinal `device`. All flags apply; SWIRL_MEASURE takes about five seconds. SWIRL_OUT_OF_MEMORY
 * also stands for device memory. */
SWIRL_API swirl_status swirl_gpu_plan_create(const swirl_problem* problem, int device, unsigned flags,
                                             swirl_gpu_plan** plan);
SWIRL_API swirl_status swirl_gpu_plan_from_text(const char* problem, int device, unsigned flags,
                                                swirl_gpu_plan** plan);
/* NULL is allowed. Wait for the plan's work in all streams first. */
SWIRL_API void swirl_gpu_plan_destroy(swirl_gpu_plan* plan);

/* Valid while the plan is; NULL for NULL. */
SWIRL_API const char* swirl_gpu_plan_problem(const swirl_gpu_plan* plan);
SWIRL_API const char* swirl_gpu_plan_recipe(const swirl_gpu_plan* plan);
SWIRL_API int swirl_gpu_plan_device(const swirl_gpu_plan* plan); /* -1 for NULL */
/* 0 for NULL. */
SWIRL_API size_t swirl_gpu_plan_workspace_bytes(const swirl_gpu_plan* plan);
SWIRL_API double swirl_gpu_plan_flops(const swirl_gpu_plan* plan);
SWIRL_API double swirl_gpu_plan_bytes(const swirl_gpu_plan* plan);

/* Enqueues the transform into `stream` (a cudaStream_t or CUstream; NULL: the default stream) and returns without
 * waiting. Pointers are to device memory of the plan's GPU, or managed memory, at the element with index 0. */
SWIRL_API swirl_status swirl_gpu_execute(const swirl_gpu_plan* plan, const void* input, void* output,
                                         void* stream);
/* The same with `bytes` bytes of workspace in device memory, 256-byte aligned, used by one execution at a time. Without
 * a workspace, memory is allocated and freed in stream order. */
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

/* An auxiliary array, other than input and output, by its name, such as a convolution's "spectrum". Planar complex
 * arrays have two pointers; all others have NULL as the second. */
typedef struct swirl_array {
    const char* name;
    const void* data;
    const void* imaginary;
} swirl_array;

/* With all auxiliary arrays of the problem. For interleaved and real data, the imaginary arrays are NULL. The workspace
 * may be NULL with 0 bytes, as in swirl_gpu_execute. */
SWIRL_API swirl_status swirl_gpu_execute_with_arrays(const swirl_gpu_plan* plan, const swirl_array* arrays,
                                                     size_t count, const void* input,
                                                     const void* input_imaginary, void* output,
                                                     void* output_imaginary, void* stream, void* workspace,
                                                     size_t bytes);

#ifdef __cplusplus
}
#endif

#include <swirl/matrix.h>

#endif
