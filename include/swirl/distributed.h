/* Transforms and matrix products whose data is divided among ranks: the C interface to <swirl/distributed/plan.hpp> and
 * <swirl/distributed/matrix_product.hpp>.
 *
 *     // every rank of MPI
 *     MPI_Comm world = MPI_COMM_WORLD;
 *     swirl_communicator* ranks;
 *     swirl_communicator_on_mpi(&world, &ranks);
 *     const int64_t lengths[] = {512, 512, 512};
 *     int64_t lower[3], upper[3];
 *     swirl_pencil_box(3, lengths, size, rank, 2, lower, upper);
 *     const swirl_box mine = {3, lower, upper, NULL};
 *     swirl_distributed_plan* plan;
 *     swirl_distributed_plan_from_text("dft 512x512x512", ranks, &mine, &mine, NULL, &plan);
 *     swirl_distributed_execute(plan, x, y);
 *
 * Collective functions are called by all ranks of a communicator in the same order. Planning that fails on one rank
 * fails on all, with the same status and message, which names the rank. */
#ifndef SWIRL_DISTRIBUTED_H
#define SWIRL_DISTRIBUTED_H

#include <swirl/export.h>
#include <swirl/swirl.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* One rank of a group that exchanges data; used by one thread at a time. */
typedef struct swirl_communicator swirl_communicator;

/* Collective: the ranks of a communicator of MPI, to which the argument points: an MPI_Comm*. It is duplicated. In
 * libswirl_mpi_openmpi and libswirl_mpi_mpich: link the one of the program's MPI. Destroy it, and plans on it, before
 * MPI_Finalize. <swirl/distributed/mpi.hpp> says more. */
SWIRL_API swirl_status swirl_communicator_on_mpi(const void* mpi_communicator,
                                                 swirl_communicator** communicator);
/* Ranks that are threads of one process: element r of `communicators`, which has `ranks`, is for the thread that is
 * rank r. */
SWIRL_API swirl_status swirl_communicators_on_threads(int ranks, swirl_communicator** communicators);

/* Names a group of NCCL that is being made: one rank makes it, and the program passes it on to the others. */
typedef struct swirl_nccl_id {
    unsigned char bytes[128];
} swirl_nccl_id;
SWIRL_API swirl_status swirl_nccl_id_make(swirl_nccl_id* id);
/* Collective: this process is one rank of the group, and uses the GPU of this ordinal. */
SWIRL_API swirl_status swirl_communicator_on_nccl(const swirl_nccl_id* id, int rank, int size, int gpu,
                                                  swirl_communicator** communicator);

/* NULL is allowed. Plans keep what they need of it: it may be destroyed before them. */
SWIRL_API void swirl_communicator_destroy(swirl_communicator* communicator);
SWIRL_API int swirl_communicator_rank(const swirl_communicator* communicator); /* -1 for NULL */
SWIRL_API int swirl_communicator_size(const swirl_communicator* communicator); /* 0 for NULL */
/* "mpi", "threads" or "nccl"; as text in swirl_problem_text. */
SWIRL_API swirl_status swirl_communicator_engine(const swirl_communicator* communicator, char* text,
                                                 size_t size, size_t* length);
/* Collective. */
SWIRL_API swirl_status swirl_communicator_barrier(swirl_communicator* communicator);
/* Collective: the group of all ranks that give the same color >= 0, in the order of their keys, then of their ranks;
 * NULL for a color of -1. */
SWIRL_API swirl_status swirl_communicator_split(swirl_communicator* communicator, int color, int key,
                                                swirl_communicator** part);
/* Ends the calls of all other ranks: they return SWIRL_SYSTEM_ERROR with this reason. */
SWIRL_API void swirl_communicator_abort(swirl_communicator* communicator, const char* reason);

/* ---- boxes ------------------------------------------------------------------------------------------------------ */

/* The elements of an array whose index along each axis is in lower ... upper - 1. A rank's array holds its box and
 * nothing else, contiguous. Without axes, or without indices along one: a rank without data. */
typedef struct swirl_box {
    size_t axes;
    const int64_t* lower;
    const int64_t* upper;
    const int* order; /* axes from the slowest to the fastest in the rank's array; NULL: row-major */
} swirl_box;

/* Boxes of the usual ways to divide an array of these lengths among ranks: they write `axes` indices each to `lower`
 * and `upper`. Parts of an axis of n indices divided by q are floor(i n / q) ... floor((i + 1) n / q) - 1.
 *
 * One axis divided. */
SWIRL_API swirl_status swirl_slab_box(size_t axes, const int64_t* lengths, int ranks, int rank, size_t axis,
                                      int64_t* lower, int64_t* upper);
/* All axes but one, of which each rank has all indices. */
SWIRL_API swirl_status swirl_pencil_box(size_t axes, const int64_t* lengths, int ranks, int rank,
                                        size_t whole_axis, int64_t* lower, int64_t* upper);
/* All axes, by the grid whose boxes have the least surface. */
SWIRL_API swirl_status swirl_brick_box(size_t axes, const int64_t* lengths, int ranks, int rank,
                                       int64_t* lower, int64_t* upper);
/* Each axis into so many parts. */
SWIRL_API swirl_status swirl_grid_box(size_t axes, const int64_t* lengths, const int64_t* parts, int ranks,
                                      int rank, int64_t* lower, int64_t* upper);
/* FFTW's default: an axis divided into blocks of ceil(n / ranks), the last ones smaller or empty. */
SWIRL_API swirl_status swirl_fftw_block_box(size_t axes, const int64_t* lengths, int ranks, int rank,
                                            size_t axis, int64_t* lower, int64_t* upper);

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* Start from SWIRL_DISTRIBUTED_OPTIONS_INIT. All ranks give the same. */
typedef struct swirl_distributed_options {
    size_t struct_size;
    const swirl_options* local; /* of each rank's own plans; NULL: the defaults */
    const char* schedule;       /* every choice, from swirl_distributed_plan_schedule; NULL: choose */
    /* What the model knows of the machine. */
    int ranks_per_node;     /* neighbouring ranks share a node; 0: all */
    double node_latency;    /* seconds for each message within a node */
    double node_bandwidth;  /* bytes per second that a rank sends within a node */
    double network_latency; /* the same between nodes */
    double network_bandwidth;
    double memory_bandwidth; /* bytes per second that a rank reads and writes */
    double flops;            /* real additions and multiplications per second of a rank */
} swirl_distributed_options;
#define SWIRL_DISTRIBUTED_OPTIONS_INIT \
    { sizeof(swirl_distributed_options), NULL, NULL, 0, 1e-6, 6e9, 2e-6, 1.5e9, 8e9, 2e10 }

/* ---- transforms ------------------------------------------------------------------------------------------------- */

/* A rank's share of a transform, ready to run. Used by one thread at a time. */
typedef struct swirl_distributed_plan swirl_distributed_plan;

/* Collective. Axes are the problem's batch loops, then its dimensions; of a half spectrum n/2+1 along the last.
 * `output`: NULL on all ranks for boxes that the plan chooses, such as transposed slabs, which save an exchange.
 * `options`: NULL for the defaults. */
SWIRL_API swirl_status swirl_distributed_plan_create(const swirl_problem* problem,
                                                     swirl_communicator* communicator, const swirl_box* input,
                                                     const swirl_box* output,
                                                     const swirl_distributed_options* options,
                                                     swirl_distributed_plan** plan);
SWIRL_API swirl_status swirl_distributed_plan_from_text(const char* problem, swirl_communicator* communicator,
                                                        const swirl_box* input, const swirl_box* output,
                                                        const swirl_distributed_options* options,
                                                        swirl_distributed_plan** plan);
/* NULL is allowed. */
SWIRL_API void swirl_distributed_plan_destroy(swirl_distributed_plan* plan);
/* Collective: arrays of this rank's boxes, NULL where a box is empty. The output may be the input, an array that is
 * large enough for both; otherwise the input stays as it is. If an argument of one rank is wrong, the calls of the
 * others end with SWIRL_SYSTEM_ERROR. */
SWIRL_API swirl_status swirl_distributed_execute(const swirl_distributed_plan* plan, const void* input,
                                                 void* output);

/* The box of a swirl_side, valid while the plan is. */
SWIRL_API swirl_status swirl_distributed_plan_box(const swirl_distributed_plan* plan, int side,
                                                  swirl_box* box);
SWIRL_API int64_t swirl_box_elements(const swirl_box* box); /* 0 for NULL */
/* Valid while the plan is; NULL for NULL. */
SWIRL_API const char* swirl_distributed_plan_schedule(const swirl_distributed_plan* plan);
SWIRL_API const char* swirl_distributed_plan_description(const swirl_distributed_plan* plan);
SWIRL_API const char* swirl_distributed_plan_derivation(const swirl_distributed_plan* plan);
/* 0 for NULL. */
SWIRL_API double swirl_distributed_plan_seconds(const swirl_distributed_plan* plan); /* by the model */
SWIRL_API int64_t swirl_distributed_plan_exchanges(const swirl_distributed_plan* plan);
SWIRL_API int64_t swirl_distributed_plan_bytes_sent(const swirl_distributed_plan* plan); /* by this rank */
SWIRL_API int64_t swirl_distributed_plan_messages_sent(const swirl_distributed_plan* plan);
SWIRL_API size_t swirl_distributed_plan_workspace_bytes(const swirl_distributed_plan* plan);

/* ---- matrix multiplication -------------------------------------------------------------------------------------- */

/* The elements of A, B and C that a rank holds: boxes of (row, column), one after the other in its array. A matrix that
 * is stored by columns, or transposed, has boxes of the order {1, 0}. */
typedef struct swirl_matrix_boxes {
    const swirl_box *a, *b, *c;
    size_t a_count, b_count, c_count;
} swirl_matrix_boxes;

/* Boxes of all ranks that leave the least to send. `options`: NULL for the defaults. */
typedef struct swirl_product_boxes swirl_product_boxes;
SWIRL_API swirl_status swirl_product_boxes_create(const swirl_problem* problem, int ranks,
                                                  const swirl_distributed_options* options,
                                                  swirl_product_boxes** boxes);
SWIRL_API void swirl_product_boxes_destroy(swirl_product_boxes* boxes); /* NULL is allowed */
/* Those of a rank, valid until `boxes` is destroyed. */
SWIRL_API swirl_status swirl_product_boxes_of(const swirl_product_boxes* boxes, int rank,
                                              swirl_matrix_boxes* of_rank);

/* A rank's share of a matrix multiplication, ready to run. Used by one thread at a time. */
typedef struct swirl_distributed_product swirl_distributed_product;
/* Collective. The problem's strides are ignored: boxes say where elements are. Options: `schedule` may be a grid, such
 * as "2x2x1": rows, columns, k. */
SWIRL_API swirl_status swirl_distributed_product_create(const swirl_problem* problem,
                                                        swirl_communicator* communicator,
                                                        const swirl_matrix_boxes* boxes,
                                                        const swirl_distributed_options* options,
                                                        swirl_distributed_product** product);
SWIRL_API void swirl_distributed_product_destroy(swirl_distributed_product* product); /* NULL is allowed */
/* Collective: C = alpha A B + beta C, of this rank's arrays; NULL where it holds nothing. alpha and beta point to scalars of
 * the accumulators' data type, the same on all ranks. If beta is zero, C is not read. */
SWIRL_API swirl_status swirl_distributed_product_execute(const swirl_distributed_product* product,
                                                         const void* alpha, const void* a, const void* b,
                                                         const void* beta, void* c);
/* Valid while the product is; NULL for NULL. */
SWIRL_API const char* swirl_distributed_product_description(const swirl_distributed_product* product);
SWIRL_API int64_t swirl_distributed_product_bytes_sent(const swirl_distributed_product* product);

#ifdef __cplusplus
}
#endif

#endif
