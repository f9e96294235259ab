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

/* A transform along each of `rank` dimensions, at most 64, slowest first. */
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
/* A loop of `count` transforms inside those added before, at most 64 in all; the strides follow what lies inside it. */
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
/* The same with `bytes` bytes of workspace, 64-byte aligned, apart from the data, used by one execution at a time. */
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

#ifdef __cplusplus
}
#endif

#include <swirl/matrix.h>

#endif
