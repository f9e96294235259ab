/* Ranks that are threads. The snippet of docs/c-api.md is between its name in brackets and "[end]". */
#include <swirl/distributed.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 4 };

// [transform]
/* Every rank of `ranks`, such as one of MPI: swirl_communicator_on_mpi(&world, &ranks). */
static swirl_status transform(swirl_communicator* ranks, const void* x, void* y) {
    const int64_t lengths[] = {64, 32, 16};
    int64_t lower[3], upper[3];
    swirl_status status = swirl_pencil_box(3, lengths, swirl_communicator_size(ranks),
                                           swirl_communicator_rank(ranks), 2, lower, upper);
    const swirl_box mine = {3, lower, upper, NULL};
    swirl_distributed_plan* plan = NULL;
    if (status == SWIRL_OK)
        status = swirl_distributed_plan_from_text("dft 64x32x16", ranks, &mine, &mine, NULL, &plan);
    if (status == SWIRL_OK) status = swirl_distributed_execute(plan, x, y);
    swirl_distributed_plan_destroy(plan);
    return status;
}
// [end]

static void* rank(void* communicator) {
    double(*x)[2] = calloc(64 * 32 * 16 / RANKS, sizeof *x),
    (*y)[2] = calloc(64 * 32 * 16 / RANKS, sizeof *y);
    if (swirl_communicator_rank(communicator) == 0) x[0][0] = 1; /* whose spectrum is 1 everywhere */
    const swirl_status status = transform(communicator, x, y);
    if (status != SWIRL_OK) fprintf(stderr, "%s\n", swirl_last_error());
    const int is_right = status == SWIRL_OK && y[7][0] > 0.999999 && y[7][0] < 1.000001;
    free(x);
    free(y);
    return is_right ? communicator : NULL;
}

int main(void) {
    swirl_communicator* communicators[RANKS];
    pthread_t threads[RANKS];
    int right = 0;
    if (swirl_communicators_on_threads(RANKS, communicators) != SWIRL_OK) return 1;
    for (int r = 0; r < RANKS; ++r) pthread_create(&threads[r], NULL, rank, communicators[r]);
    for (int r = 0; r < RANKS; ++r) {
        void* result = NULL;
        pthread_join(threads[r], &result);
        right += result != NULL;
        swirl_communicator_destroy(communicators[r]);
    }
    printf("%d ranks are right\n", right);
    return right == RANKS ? 0 : 1;
}
